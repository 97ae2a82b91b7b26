import { roundedFrequency } from '../../model/frequency.js';
import type { Kind } from '../../model/kind.js';
import type { Action, StartsPerWeek } from '../../model/plan.js';
import { type Address, isPending, type ObjectRef, objectKey } from '../../model/resource.js';
import type { ResourceDiff } from '../diff.js';
import type { Match, Matches } from '../match/match.js';
import { isTimed } from './start-load.js';

/** Specs before and after the plan. Null for what does not exist then, undefined for what the service does not show. */
interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

type Side = keyof Sides;

interface ManagedState extends Pick<Matches, 'list' | 'externals'> {
  readonly kinds: readonly Kind[];
}

export interface WeeklyStarts {
  readonly startsPerWeek: StartsPerWeek;
  /** Whether the plan starts more agents, as far as is known: what is not known must not look like a decrease. */
  readonly isMore: boolean;
}

/**
 * How many agents the project's schedules start in an average week, before and after a plan. Counts average weeks, and
 * so depends on no date. Where a side of a schedule is not known, the total of that side is a lower bound.
 */
export function weeklyStarts(state: ManagedState, diffs: readonly ResourceDiff[]): WeeklyStarts {
  const actions = new Map(diffs.map(({ change }) => [change.address, change.action]));
  const objects = objectsOf(state, actions);
  const totals = { before: 0, after: 0 };
  const unknown = { before: 0, after: 0 };
  let more = 0;
  const count = (side: Side, starts: number) => {
    if (Number.isNaN(starts)) unknown[side] += 1;
    else totals[side] += starts;
  };
  for (const match of state.list) {
    const action = actions.get(match.address);
    if (match.kind.timetable === undefined || !isManaged(match, action)) continue;
    const sides = sidesOf(match, action);
    const [before, after] = [
      startsOf(match.kind, sides, 'before', objects),
      startsOf(match.kind, sides, 'after', objects),
    ];
    count('before', before);
    count('after', after);
    if (!Number.isNaN(after)) more += Number.isNaN(before) ? after : after - before;
  }
  const rounded = { before: roundedFrequency(totals.before), after: roundedFrequency(totals.after) };
  return { startsPerWeek: { ...rounded, unknown }, isMore: roundedFrequency(more) > 0 };
}

/** What is forgotten is no longer the project's, and goes on unchanged if it exists. */
function isManaged({ entry, ours }: Match, action: Action | undefined): boolean {
  return action !== 'forget' && (entry !== null || ours || action === 'delete');
}

function sidesOf({ entry, observed }: Match, action: Action | undefined): Sides {
  const before = observed === null ? null : (observed.spec ?? undefined);
  if (action === 'delete') return { before, after: null };
  const isApplied = action === 'create' || action === 'update' || action === 'replace';
  return { before, after: isApplied ? entry?.spec : before };
}

/** NaN where it is not known. */
function startsOf(kind: Kind, sides: Sides, side: Side, objects: Objects): number {
  const spec = sides[side];
  if (spec === null || !isTimed(kind)) return 0;
  if (spec === undefined) return Number.NaN;
  const runs = kind.timetable.frequency(spec)?.runsPerWeek ?? Number.NaN;
  const starts = kind.timetable.starts(spec, (reference) => objects.startsPerRun(reference, side));
  return runs === 0 || starts === 0 ? 0 : runs * starts;
}

interface Objects {
  /** NaN where it is not known. */
  startsPerRun(reference: ObjectRef, side: Side): number;
}

/** What schedules can start. An external object is not changed by the plan. */
function objectsOf({ kinds, list, externals }: ManagedState, actions: ReadonlyMap<Address, Action>): Objects {
  const found = new Map<string, Sides & { readonly kind: Kind | undefined }>();
  for (const { kind: name, id, spec } of externals.values()) {
    const kind = kinds.find((each) => each.name === name);
    found.set(objectKey(name, id), { kind, before: spec, after: spec });
  }
  for (const match of list) {
    const { kind, address, observed } = match;
    if (kind.runs === undefined) continue;
    const key = observed?.id == null ? address : objectKey(kind.name, observed.id);
    found.set(key, { kind, ...sidesOf(match, actions.get(address)) });
  }
  return {
    startsPerRun({ kind, id }, side) {
      const object = found.get(isPending(id) ? id.pending : objectKey(kind, id));
      const spec = object?.[side] ?? null;
      return spec === null ? Number.NaN : (object?.kind?.runs?.startsPerRun(spec) ?? Number.NaN);
    },
  };
}
