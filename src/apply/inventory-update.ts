import type { Intent, Inventory, InventoryEntry, InventoryRecord } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { pendingAddresses, resolveValues } from '../model/pending.js';
import type { Change } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import { type Address, addressOf, objectKey } from '../model/resource.js';
import type { ApplyInputs, PlannedState } from './run-state.js';

/** The intent: what the run is about to create is saved before the first request is sent. */
export function inventoryBefore({ inventory, intent, plan, withheld, isRest }: ApplyInputs): Inventory {
  const { createIntents, service, checkout, digest, digestParts } = plan;
  const own =
    plan.destroy === true ? ({ digest, digestParts, destroy: true } as const) : { digest, digestParts };
  const intended = Object.entries(createIntents).flatMap(([address, { draft }]) =>
    withheld.has(address) ? [] : [[address, draft] as const],
  );
  const begun = intent ?? inventory;
  return {
    ...begun,
    service: inventory.service ?? service,
    // From now on, the service may hold what was added in this commit.
    commit: checkout === undefined ? begun.commit : checkout.record,
    // The rest of an interrupted plan keeps the intent of that plan, so that it can be resumed again.
    intent: isRest && inventory.intent !== undefined ? inventory.intent : own,
    drafts: new Map([...inventory.drafts, ...intended]),
  };
}

type Ids = ReadonlyMap<Address, string>;

/** What a run has done, as far as it is known. */
export interface RunKnowledge {
  readonly outcomes: readonly ChangeOutcome[];
  readonly ids: Ids;
  /** Created, but no list shows their objects yet. */
  readonly unseen: ReadonlySet<Address>;
  readonly now: Date;
  readonly serviceNow: Date;
  /** From before the run, with what an earlier run had begun. */
  readonly former?: Inventory;
  /** Without it, a bug is thrown. With it, the change keeps its entry and draft, and all others are recorded. */
  onBug?(address: Address, bug: unknown): void;
}

/**
 * The outcome: what the project owns now, as far as it is known. A failed change keeps its old entry, an unknown one its
 * draft.
 */
export function inventoryAfter(before: Inventory, state: PlannedState, known: RunKnowledge): Inventory {
  const seen = { ...before, entries: withoutLag(before, state.observed) };
  const entries = new Map(seen.entries);
  const drafts = new Map(seen.drafts);
  const outcomeOf = new Map(known.outcomes.map((each) => [each.address, each.outcome]));
  const owners = new Map([...entries].map(([address, { kind, id }]) => [objectKey(kind, id), address]));
  for (const change of state.plan.changes) {
    const outcome = outcomeOf.get(change.address) ?? 'done';
    const entry = entryOrBug(change, outcome, {
      state,
      known,
      since: seen.entries.get(change.address)?.since,
    });
    if (entry === 'bug') continue;
    if (hasEnded(change, outcome)) drafts.delete(change.address);
    if (entry === 'gone') entries.delete(change.address);
    else if (entry === 'unchanged') {
      keepFormer(change, seen, owners, entries);
      if (outcome === 'failed' || outcome === 'skipped')
        withdrawIntent(change, before, known.former, entries);
    } else {
      // One object, one owner: an entry that was renamed takes the object with it.
      const former = owners.get(objectKey(entry.kind, entry.id));
      if (former !== undefined && entry.id !== null && entries.get(former)?.id === entry.id) {
        entries.delete(former);
        if (former !== change.address) drafts.delete(former);
      }
      entries.set(change.address, entry);
    }
  }
  const replaced = state.plan.changes.filter(
    (change) =>
      change.action === 'replace' &&
      (outcomeOf.get(change.address) === 'done' || endedByNew(change, state, known.ids)),
  );
  for (const [address, entry] of displaced(seen, entries, state, replaced))
    if (!entries.has(address)) entries.set(address, entry);
  const { service, safeguards, inventory: place, checkout } = state.plan;
  const commit = checkout === undefined ? before.commit : checkout.record;
  const intent = intentAfter(before.intent, state, known);
  const { policies: former = [] } = seen;
  // What is left of the plan has the same digest only while they are those of the last complete apply.
  const isComplete = known.outcomes.every(({ outcome }) => outcome === 'done');
  const policies = (isComplete ? state.plan.policies?.checked : undefined) ?? former;
  return {
    ...seen,
    service,
    safeguards,
    place,
    policies: policies.length === 0 ? undefined : policies,
    commit: commit ?? null,
    intent,
    entries,
    drafts,
  };
}

/** A plan that was begun can be resumed until all of it was done, whatever parts of other plans are applied meanwhile. */
function intentAfter(
  begun: Intent | undefined,
  { plan, isPart }: PlannedState,
  { outcomes, former }: RunKnowledge,
): Intent | undefined {
  if (outcomes.some(({ outcome }) => outcome !== 'done')) return begun;
  if (!isPart) return undefined;
  const candidate = begun?.digest === plan.digest ? former?.intent : begun;
  return candidate?.digest === plan.digest ? undefined : candidate;
}

/** Creating a key ends the one that makes the request (interface §5.5), even if the new one could not be delivered. */
function endedByNew({ address, kind, id }: Change, { observed }: PlannedState, ids: Ids): boolean {
  const isCaller = observed.get(kind)?.some((each) => each.caller && each.id === id) ?? false;
  return isCaller && ids.has(address);
}

/** Whether the object can no longer be as its draft says: an update may have failed between its requests. */
function hasEnded({ action }: Change, outcome: ChangeOutcome['outcome']): boolean {
  return action === 'update' ? outcome === 'done' : outcome !== 'unknown';
}

/** Created, but interrupted between its calls: nothing is known to have been applied but the natural key. */
function createdRecord(kind: Kind | undefined, record: InventoryRecord): InventoryRecord {
  const applied = Object.entries(record.applied).filter(([field]) => kind?.identity.fields.includes(field));
  return { ...record, applied: Object.fromEntries(applied) };
}

/** What a list has shown once does not lag: if it is missing later, it is gone. */
function withoutLag(
  { entries }: Inventory,
  observed: PlannedState['observed'],
): ReadonlyMap<Address, InventoryEntry> {
  const shown = [...observed].map(([kind, list]) => {
    const [ids, names] = [new Set(list.map((each) => each.id)), new Set(list.map((each) => each.name))];
    return [kind, { ids, names }] as const;
  });
  const shownOf = new Map(shown);
  const isSeen = ({ kind, id, name }: InventoryEntry) =>
    (id === null ? shownOf.get(kind)?.names.has(name) : shownOf.get(kind)?.ids.has(id)) ?? false;
  return new Map(
    [...entries].map(([address, entry]) => {
      if (entry.created === undefined || !isSeen(entry)) return [address, entry];
      const { created: _, ...seen } = entry;
      return [address, seen];
    }),
  );
}

interface Recording {
  readonly state: PlannedState;
  readonly known: RunKnowledge;
  /** As recorded before. */
  readonly since: string | undefined;
}

function entryOrBug(
  change: Change,
  outcome: ChangeOutcome['outcome'],
  { state: { plan, kinds }, known, since }: Recording,
): InventoryEntry | 'gone' | 'unchanged' | 'bug' {
  const { address } = change;
  const { ids, unseen, now, onBug } = known;
  try {
    const kind = kinds.find(({ name }) => name === change.kind);
    const whole = kind === undefined ? undefined : recordFor(change, kind, plan.records[address], ids);
    const record = outcome === 'done' ? whole : whole && createdRecord(kind, whole);
    const after = entryAfter(change, outcome, record, ids.get(address) ?? null);
    if (typeof after === 'string') return after;
    const begins = outcome === 'done' && startsAnew(change, kind) ? known.serviceNow.toISOString() : since;
    const entry = begins === undefined ? after : { ...after, since: begins };
    // Only while no list has shown it: after that, what a list does not show is gone.
    return unseen.has(address)
      ? { ...entry, applied: record?.applied ?? {}, created: now.toISOString() }
      : entry;
  } catch (bug) {
    if (onBug === undefined) throw bug;
    onBug(address, bug);
    const [id, record] = [ids.get(address), plan.records[address]];
    const isNew = change.action === 'create' || change.action === 'replace';
    return isNew && id !== undefined && record !== undefined ? { ...record, id, applied: {} } : 'bug';
  }
}

/** Whether its starts are expected from now on: it was not ours before, or started at other times, or not at all. */
function startsAnew({ action, fields }: Change, kind: Kind | undefined): boolean {
  const deciding = kind?.timetable?.fields ?? (kind?.runs === undefined ? [] : [kind.runs.activeField]);
  if (deciding.length === 0 || action === 'none') return false;
  return action !== 'update' || fields.some(({ path }) => deciding.includes(path));
}

/**
 * Objects whose entries now own others, and which this plan neither deletes nor has replaced: still owned, under their
 * own ids.
 */
function displaced(
  { entries: before }: Inventory,
  entries: ReadonlyMap<Address, InventoryEntry>,
  { plan, observed }: PlannedState,
  replaced: readonly Change[],
): [Address, InventoryEntry][] {
  const owned = new Set([...entries.values(), ...replaced].map(({ kind, id }) => objectKey(kind, id)));
  const planned = new Set(plan.changes.map(({ address }) => address));
  return [...before].flatMap(([address, entry]): [Address, InventoryEntry][] => {
    const { kind, id } = entry;
    const now = entries.get(address);
    if (id === null || now === undefined || now.id === id || owned.has(objectKey(kind, id))) return [];
    const own = addressOf(kind, id);
    const exists = observed.get(kind)?.some((each) => each.id === id) ?? false;
    return exists && !planned.has(own) ? [[own, entry]] : [];
  });
}

/** An object whose entry now owns another one stays owned, under an address of its own, until it is gone. */
function keepFormer(
  { address, kind, id }: Change,
  before: Inventory,
  owners: ReadonlyMap<string, Address>,
  entries: Map<Address, InventoryEntry>,
): void {
  if (id === null || address !== addressOf(kind, id) || entries.has(address)) return;
  const former = before.entries.get(owners.get(objectKey(kind, id)) ?? '');
  if (former !== undefined) entries.set(address, former);
}

/** What was recorded for a change before its request was sent does not count if the change was not made. */
function withdrawIntent(
  { address }: Change,
  before: Inventory,
  former: Inventory | undefined,
  entries: Map<Address, InventoryEntry>,
): void {
  const was = former?.entries.get(address);
  if (was === undefined || was === before.entries.get(address)) return;
  // Only for an object that a list has shown is anything recorded beforehand.
  const { created: _, ...shown } = was;
  entries.set(address, shown);
}

/** The record of a change with known ids; undefined when an object that it refers to could not be created. */
function recordFor(
  { action }: Change,
  kind: Kind,
  record: InventoryRecord | undefined,
  ids: Ids,
): InventoryRecord | undefined {
  if (record === undefined) return undefined;
  const applied = resolveValues(kind, record.applied, ids);
  // An expired entry takes part in no step: it may refer to an object whose create has failed.
  if (action === 'none' && pendingAddresses(kind, applied).length > 0) return undefined;
  return { ...record, applied };
}

function entryAfter(
  { action }: Change,
  outcome: ChangeOutcome['outcome'],
  record: InventoryRecord | undefined,
  id: string | null,
): InventoryEntry | 'gone' | 'unchanged' {
  switch (action) {
    case 'delete':
    case 'forget':
      return outcome === 'done' ? 'gone' : 'unchanged';
    case 'none':
      return record === undefined || id === null ? 'unchanged' : { id, ...record };
    case 'create':
    case 'replace':
      // The ids do not hold that of a replaced object: whatever became of it, the new one is ours.
      return record === undefined ? 'unchanged' : createdEntry(record, outcome, id);
    case 'update':
    case 'adopt':
      return record !== undefined && outcome === 'done' ? { id, ...record } : 'unchanged';
    default:
      return action satisfies never;
  }
}

function createdEntry(
  record: InventoryRecord,
  outcome: ChangeOutcome['outcome'],
  id: string | null,
): InventoryEntry | 'unchanged' {
  return id === null && outcome !== 'done' ? 'unchanged' : { id, ...record };
}
