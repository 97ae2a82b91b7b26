import { type Hold, hasEnded } from '../../model/hold.js';
import type { HeldResource } from '../../model/hold-plan.js';
import type { InventoryEntry } from '../../model/inventory.js';
import { isExpired } from '../../model/kind.js';
import type { Observed } from '../../model/resource.js';
import type { Match } from '../match/match.js';

/** A resource that the inventory knows, and what is to become of it. */
export interface HoldEffect {
  readonly match: Match;
  readonly effect: HeldResource['effect'];
  readonly why: string | null;
  /** What the inventory says before the first request, and once all is done. */
  readonly before: InventoryEntry;
  readonly after: InventoryEntry;
}

/** Only what runs is paused and recorded; but what an earlier hold has paused stays recorded. */
export function holdEffect(match: Match, known: InventoryEntry, hold: Hold, now: Date): HoldEffect {
  const observed = objectOf(match, known);
  const nothing = { match, effect: 'none', before: known, after: known } as const;
  if (observed === null) return { ...nothing, why: 'it does not exist on the service' };
  const former = known.hold;
  const paused = isPaused(match, observed);
  if (paused && former === undefined) return { ...nothing, why: 'it is paused already' };
  const lasting = former !== undefined && !hasEnded(former, now);
  const own = lasting ? { ...hold, since: former.since } : hold;
  const isSame = lasting && isEqual(former, own);
  const after = { ...withPause(match, known, true), hold: own };
  if (!paused) return { match, effect: 'pause', why: null, before: { ...known, hold: own }, after };
  if (isSame) return { ...nothing, why: 'it is on hold already' };
  return { match, effect: 'renew', why: 'it is on hold already', before: after, after };
}

/** Enables what the hold has paused, and nothing else. */
export function resumeEffect(match: Match, known: InventoryEntry, now: Date): HoldEffect {
  const { hold, ...free } = known;
  if (hold === undefined)
    return { match, effect: 'none', why: 'it is not on hold', before: known, after: known };
  const observed = objectOf(match, known);
  const why = whyNotEnabled(match, observed, now);
  const state = observed === null ? free : withPause(match, free, isPaused(match, observed));
  if (why !== null) return { match, effect: 'end', why, before: state, after: state };
  const before = { ...known, hold: { ...hold, resumed: true } as const };
  return { match, effect: 'enable', why: null, before, after: withPause(match, free, false) };
}

function whyNotEnabled(match: Match, observed: Observed | null, now: Date): string | null {
  const { kind, unheld } = match;
  if (observed === null) return 'it no longer exists on the service';
  if (!isPaused(match, observed)) return 'it is enabled already';
  if (unheld === undefined) return null;
  if (isExpired(kind, unheld.declared, now)) return 'its time has passed';
  const ignores = unheld.ignore?.includes(kind.pausing?.field ?? '') === true;
  const isDeclaredPaused = !ignores && kind.pausing?.isPaused(unheld.spec) === true;
  return isDeclaredPaused ? 'its entry says that it is paused' : null;
}

/** Not another object that the entry is bound to by now. */
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

function isEqual(a: Hold, b: Hold): boolean {
  return a.by === b.by && a.reason === b.reason && a.until === b.until;
}
