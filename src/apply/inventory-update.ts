import type { Inventory, InventoryEntry } from '../model/inventory.js';
import type { JsonObject } from '../model/json.js';
import type { Change, InventoryRecord, Plan } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import { type Address, addressOf, type KindName, type Observed } from '../model/resource.js';
import { pendingIn, resolveJson } from './resolve.js';

/** The intent: what is about to be created is written down before the first request leaves. */
export function inventoryBefore(inventory: Inventory, { createIntents }: Plan): Inventory {
  const intended = Object.entries(createIntents).map(([address, { draft }]) => [address, draft] as const);
  return { ...inventory, drafts: new Map([...inventory.drafts, ...intended]) };
}

interface Knowledge {
  readonly plan: Plan;
  /** What there was when the plan was made. */
  readonly observed: ReadonlyMap<KindName, readonly Observed[]>;
}

/** The outcome: what is ours now, as far as it is known. What failed keeps its old entry, what is unknown its draft. */
export function inventoryAfter(
  intent: Inventory,
  { plan, observed }: Knowledge,
  outcomes: readonly ChangeOutcome[],
  ids: ReadonlyMap<Address, string>,
): Inventory {
  const entries = new Map(intent.entries);
  const drafts = new Map(intent.drafts);
  const outcomeOf = new Map(outcomes.map((each) => [each.address, each]));
  const addressOfId = new Map([...entries].map(([address, entry]) => [`${entry.kind} ${entry.id}`, address]));
  for (const change of plan.changes) {
    const outcome = outcomeOf.get(change.address)?.outcome ?? 'done';
    if (outcome !== 'unknown') drafts.delete(change.address);
    const entry = entryAfter(change, outcome, plan.records[change.address], ids);
    if (entry === 'gone') entries.delete(change.address);
    else if (entry === 'as-it-was') keepOwning(change, intent, entries);
    else {
      // One object, one owner: an entry that was renamed takes the object with it.
      const former = addressOfId.get(`${entry.kind} ${entry.id}`);
      if (former !== undefined && entry.id !== null && entries.get(former)?.id === entry.id)
        entries.delete(former);
      entries.set(change.address, entry);
    }
  }
  for (const [address, entry] of rebound(intent, entries, { plan, observed }))
    if (!entries.has(address)) entries.set(address, entry);
  return { ...intent, entries, drafts };
}

/** Objects whose entries are bound to others now, and that this plan does not delete: still ours, under their own ids. */
function rebound(
  { entries: before }: Inventory,
  entries: ReadonlyMap<Address, InventoryEntry>,
  { plan, observed }: Pick<Knowledge, 'plan' | 'observed'>,
): [Address, InventoryEntry][] {
  const owned = new Set([...entries.values()].map(({ kind, id }) => `${kind} ${id}`));
  const planned = new Set(plan.changes.map(({ address }) => address));
  return [...before].flatMap(([address, entry]): [Address, InventoryEntry][] => {
    const { kind, id } = entry;
    const now = entries.get(address);
    if (id === null || now === undefined || now.id === id || owned.has(`${kind} ${id}`)) return [];
    const own = addressOf(kind, id);
    const isThere = observed.get(kind)?.some((each) => each.id === id) ?? false;
    return isThere && !planned.has(own) ? [[own, entry]] : [];
  });
}

/** An object whose entry is bound to another one now stays ours under an address of its own until it is gone. */
function keepOwning(
  { address, kind, id }: Change,
  intent: Inventory,
  entries: Map<Address, InventoryEntry>,
): void {
  if (id === null || address !== addressOf(kind, id) || entries.has(address)) return;
  const former = [...intent.entries.values()].find((each) => each.kind === kind && each.id === id);
  if (former !== undefined) entries.set(address, former);
}

function entryAfter(
  change: Change,
  outcome: ChangeOutcome['outcome'],
  record: InventoryRecord | undefined,
  ids: ReadonlyMap<Address, string>,
): InventoryEntry | 'gone' | 'as-it-was' {
  const id = ids.get(change.address) ?? null;
  switch (change.action) {
    case 'delete':
    case 'forget':
      return outcome === 'done' ? 'gone' : 'as-it-was';
    case 'none':
      return record === undefined || id === null || waitsFor(record, ids)
        ? 'as-it-was'
        : owned(record, id, ids);
    case 'create':
    case 'replace':
      // The id of an object that is replaced is not among the ids: whatever became of it, the new one is ours.
      return created(record, outcome, id, ids);
    case 'update':
    case 'adopt':
      return record !== undefined && outcome === 'done' ? owned(record, id, ids) : 'as-it-was';
    default:
      return change.action satisfies never;
  }
}

function created(
  record: InventoryRecord | undefined,
  outcome: ChangeOutcome['outcome'],
  id: string | null,
  ids: ReadonlyMap<Address, string>,
): InventoryEntry | 'as-it-was' {
  if (record === undefined || (outcome !== 'done' && id === null)) return 'as-it-was';
  // Cut off between its calls, nothing is known to have been applied.
  return outcome === 'done' ? owned(record, id, ids) : { ...record, id, applied: {} };
}

/** A settled entry whose target could not be created. */
function waitsFor({ applied }: InventoryRecord, ids: ReadonlyMap<Address, string>): boolean {
  return pendingIn(applied).some((address) => !ids.has(address));
}

function owned(
  record: InventoryRecord,
  id: string | null,
  ids: ReadonlyMap<Address, string>,
): InventoryEntry {
  return { ...record, id, applied: resolveJson(record.applied, ids) as JsonObject };
}
