import { type Hold, isLasting } from '../model/hold.js';
import type { Inventory, InventoryEntry, InventoryRecord } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import { isExpired } from '../model/kind.js';
import { changeOf, type Plan } from '../model/plan.js';
import type { HeldResource, HoldAction, HoldPlan, OutsideSchedule } from '../model/report.js';
import type { Address, Declared, Names, Observed } from '../model/resource.js';
import { defaultSafeguards } from '../model/safeguards.js';
import { commandWord, environmentFlag } from '../model/words.js';
import { fieldChange } from './diff.js';
import { order } from './order.js';
import { digestOf } from './seal.js';
import type { Comparison, HeldElsewhere, Match, MatchBasis, ObjectElsewhere, ResourceDiff } from './world.js';

export interface HoldInputs {
  readonly action: HoldAction;
  /** Null for `resume`. */
  readonly hold: Hold | null;
  /** Each one's own, where the reason of the hold lists them all. Default: that reason. */
  readonly reasons?: ReadonlyMap<Address, string> | undefined;
  /** Only those that the inventory knows. */
  readonly targets: readonly HoldTarget[];
  readonly outside: readonly OutsideSchedule[];
  readonly comparison: Comparison;
}

export interface HoldTarget {
  readonly match: Match;
  readonly through: HeldResource['through'];
  /** The agents, groups and pipelines by which it is meant, as they were written. */
  readonly of: readonly string[];
}

/** A plan that pauses or enables, and changes nothing else, whatever else differs from the manifests. */
export function holdPlan(inputs: HoldInputs): HoldPlan {
  const { action, hold, targets, outside } = inputs;
  const { inventory } = inputs.comparison.basis;
  const effects = targets
    .flatMap((target) => effectOf(target, inputs) ?? [])
    .sort((a, b) => byCodeUnit(a.address, b.address));
  const entries = effects.map(({ address, before }) => [address, before] as const);
  return {
    action,
    hold,
    resources: effects.map(({ address, match, effect, why, through }) => ({
      address,
      kind: match.kind.name,
      id: match.known?.id ?? null,
      effect,
      why,
      through,
    })),
    outside,
    plan: planOf(inputs, effects),
    intent: { ...inventory, entries: new Map([...inventory.entries, ...entries]) },
  };
}

interface RecordedEffect extends HoldEffect, HoldTarget {
  readonly address: Address;
}

function effectOf(
  target: HoldTarget,
  { hold, reasons, comparison: { basis } }: HoldInputs,
): RecordedEffect | null {
  const { inventory } = basis;
  const { match, of } = target;
  const address = recordedAddress(match, inventory);
  const known = inventory.entries.get(address);
  if (known === undefined) return null;
  if (hold === null) return { address, ...target, ...resumeEffect(match, known, basis) };
  const own = { ...hold, reason: reasons?.get(match.address) ?? hold.reason };
  const effect = holdEffect(match, known, of.length === 0 ? own : { ...own, of }, basis);
  return { address, ...target, ...effect };
}

/** Where the inventory has it: not yet under another key that its entry has by now. */
export function recordedAddress(match: Match, { entries }: Inventory): Address {
  return entries.has(match.address) ? match.address : (match.renamedFrom ?? match.address);
}

/** The recorded settings of the last apply stay: this is not an apply. */
function planOf(inputs: HoldInputs, effects: readonly RecordedEffect[]): Plan {
  const { hold, comparison } = inputs;
  const { project, service, account, inventory } = comparison.basis;
  const acting = effects.filter(({ effect }) => effect === 'pause' || effect === 'enable');
  const diffs = acting.map((each) => diffOf(each, hold !== null, comparison.names));
  const { steps, stepsOf } = order(diffs);
  const changes = diffs.map(({ change }) => changeOf(change, { steps: stepsOf.get(change.address) }));
  const subject = {
    project: project.name,
    environment: project.environment,
    service,
    account,
    inventory: inventory.place ?? project.inventory,
    safeguards: inventory.safeguards ?? defaultSafeguards,
    held: heldBy(effects),
  };
  const digest = digestOf(subject, { changes, steps }, diffs);
  return { ...subject, changes, steps, ...digest, ...nothingElse, records: recordsOf(acting) };
}

/** What plans of manifests have besides. */
const nothingElse = {
  startsPerWeek: { before: 0, after: 0, unknown: { before: 0, after: 0 } },
  startsByAgent: [],
  unmanaged: {},
  links: [],
  createIntents: {},
  findings: [],
} satisfies Partial<Plan>;

/** Part of the digest. */
function heldBy(effects: readonly RecordedEffect[]): Record<Address, Hold> {
  return Object.fromEntries(
    effects.flatMap(({ address, after }) => (after.hold === undefined ? [] : [[address, after.hold]])),
  );
}

function recordsOf(effects: readonly RecordedEffect[]): Record<Address, InventoryRecord> {
  return Object.fromEntries(effects.map(({ address, after: { id: _, ...record } }) => [address, record]));
}

function diffOf({ match, address }: RecordedEffect, paused: boolean, names: Names): ResourceDiff {
  const { kind, observed } = match;
  if (kind.pausing === undefined || kind.update === undefined || observed?.id == null)
    throw new Error(`${address} cannot be paused`);
  const { field } = kind.pausing;
  const { id, name, spec: before } = observed;
  const after = kind.pausing.with(before, paused);
  const existing = { id, rawId: observed.rawId ?? id, before };
  const sides = { before, after, origin: 'manifest', names } as const;
  return {
    match,
    change: {
      address,
      kind: kind.name,
      action: 'update',
      id,
      name,
      origin: 'manifest',
      adopted: false,
      fields: [fieldChange(match, field, sides)],
      source: null,
    },
    requests: kind.update(existing, after, new Set([field])),
    reason: null,
  };
}

/** What is to become of a resource that the inventory knows. */
interface HoldEffect {
  readonly effect: HeldResource['effect'];
  readonly why: string | null;
  /** What the inventory says before the first request, and once all is done. */
  readonly before: InventoryEntry;
  readonly after: InventoryEntry;
}

/** What runs is paused, and what is paused already is recorded, too, if an apply would start it. */
function holdEffect(match: Match, known: InventoryEntry, hold: Hold, basis: MatchBasis): HoldEffect {
  const observed = objectOf(match, known);
  if (observed === null) return noEffect(known, 'it does not exist on the service');
  // A hold of another project is not a pause by somebody else.
  const former = known.hold ?? holdElsewhere(match, basis.now)?.hold;
  if (isPaused(match, observed))
    return former === undefined
      ? keepEffect(match, known, hold, basis)
      : renewEffect(match, { ...known, hold: former }, hold, basis.now);
  const own = isLasting(former, basis.now) ? continued(former, hold) : hold;
  const after = { ...withPause(match, known, true), hold: own };
  return { effect: 'pause', why: null, before: { ...known, hold: own }, after };
}

function noEffect(known: InventoryEntry, why: string): HoldEffect {
  return { effect: 'none', why, before: known, after: known };
}

/** Of what somebody else has paused. What was applied stays as it was: the pause is drift again after the hold. */
function keepEffect(match: Match, known: InventoryEntry, hold: Hold, basis: MatchBasis): HoldEffect {
  const why = whyNotStarted(match, basis);
  if (why !== null) return noEffect(known, why);
  const after = { ...known, hold: { ...hold, wasPaused: true } as const };
  return { effect: 'keep', why: null, before: after, after };
}

/** Why no apply would enable what is paused now; null if one would. */
function whyNotStarted(
  { kind, entry, address, elsewhere }: Match,
  { project, now }: MatchBasis,
): string | null {
  if (entry === null) {
    // An entry with an error is not applied yet. An apply of the other project would start an object that has moved there.
    const isUnread = project.unread !== undefined || project.entries.some((each) => each.address === address);
    return isUnread || elsewhere !== undefined ? null : 'it is paused, and no entry declares it';
  }
  if (isExpired(kind, entry.declared, now)) return 'its time has passed';
  return kind.pausing?.isPaused(entry.spec) === true ? 'it is paused, and no apply would enable it' : null;
}

/** What an earlier hold has found or made paused stays recorded. */
function renewEffect(
  match: Match,
  known: InventoryEntry & { readonly hold: Hold },
  hold: Hold,
  now: Date,
): HoldEffect {
  const { hold: former } = known;
  const { wasPaused } = former;
  const why = 'it is on hold already';
  const lasting = isLasting(former, now);
  const renewed = lasting ? continued(former, hold) : hold;
  const own = wasPaused === undefined ? renewed : { ...renewed, wasPaused };
  if (lasting && isEqual(former, own)) return noEffect(known, why);
  const after = { ...(wasPaused === true ? known : withPause(match, known, true)), hold: own };
  return { effect: 'renew', why, before: after, after };
}

/** Why a hold does not end: the entry may say that the resource is paused. */
export const mayHaveError = 'an entry or a file with an error may declare it';

/** The hold that another project has of it, which that project must end. */
export function holdElsewhere({ heldElsewhere }: Match, now: Date): HeldElsewhere | undefined {
  return isLasting(heldElsewhere?.hold, now) ? heldElsewhere : undefined;
}

/** The same command in the other project, as help names it. */
export function commandThere(action: HoldAction, { address, file, environment }: ObjectElsewhere): string {
  return `roster ${action} ${address} -f ${commandWord(file)}${environmentFlag(environment)}`;
}

/** Enables what the hold has paused, and nothing else. */
function resumeEffect(match: Match, known: InventoryEntry, { project, now }: MatchBasis): HoldEffect {
  const { hold, ...free } = known;
  const other = holdElsewhere(match, now);
  const whyOther = other && `project ${other.project} (${other.file}) has it on hold`;
  if (hold === undefined) return noEffect(known, whyOther ?? 'it is not on hold');
  const observed = objectOf(match, known);
  const why = whyNotEnabled(match, observed, hold, now) ?? whyOther ?? null;
  const isUnread = entryOf(match) === undefined && project.unread !== undefined;
  if (why === null && isUnread) return noEffect(known, mayHaveError);
  const isOwnPause = observed !== null && hold.wasPaused !== true;
  const state = isOwnPause ? withPause(match, free, isPaused(match, observed)) : free;
  if (why !== null) return { effect: 'end', why, before: state, after: state };
  const before = { ...known, hold: { ...hold, resumed: true } as const };
  return { effect: 'enable', why: null, before, after: withPause(match, free, false) };
}

function whyNotEnabled(match: Match, observed: Observed | null, hold: Hold, now: Date): string | null {
  const { kind } = match;
  const entry = entryOf(match);
  if (observed === null) return 'it no longer exists on the service';
  if (!isPaused(match, observed)) return 'it is enabled already';
  if (hold.wasPaused === true) return 'it was paused before the hold';
  if (entry === undefined) return null;
  if (isExpired(kind, entry.declared, now)) return 'its time has passed';
  const ignores = entry.ignore?.includes(kind.pausing?.field ?? '') === true;
  const isDeclaredPaused = !ignores && kind.pausing?.isPaused(entry.declared) === true;
  return isDeclaredPaused ? 'its entry says that it is paused' : null;
}

/** What the manifests say of it without its hold. An entry that cannot be matched with an object still says it. */
function entryOf({ unheld, broken }: Match): Declared | undefined {
  return unheld ?? broken;
}

/** Not another object that the entry is now bound to. */
function objectOf({ observed }: Match, known: InventoryEntry): Observed | null {
  return observed?.id === known.id && observed?.spec != null ? observed : null;
}

function isPaused({ kind }: Match, { spec }: Observed): boolean {
  return kind.pausing?.isPaused(spec) === true;
}

/** What counts as applied: drift is what differs from it. */
function withPause(match: Match, entry: InventoryEntry, paused: boolean): InventoryEntry {
  const { kind, observed } = match;
  const field = kind.pausing?.field ?? '';
  if (kind.pausing === undefined || observed === null || !Object.hasOwn(entry.applied, field)) return entry;
  const spec = kind.pausing.with(observed.spec, paused) as Readonly<Record<string, boolean>>;
  return { ...entry, applied: { ...entry.applied, [field]: spec[field] ?? null } };
}

/** A hold that takes the place of one that lasts. */
function continued({ since, of: former = [] }: Hold, hold: Hold): Hold {
  const of = [...new Set([...former, ...(hold.of ?? [])])];
  return of.length === 0 ? { ...hold, since } : { ...hold, since, of };
}

function isEqual(a: Hold, b: Hold): boolean {
  const isSameEnd = a.by === b.by && a.reason === b.reason && a.until === b.until;
  return isSameEnd && a.of?.length === b.of?.length;
}
