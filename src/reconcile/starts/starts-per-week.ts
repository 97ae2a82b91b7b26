import { roundedFrequency } from '../../model/frequency.js';
import type { Kind } from '../../model/kind.js';
import type { Action, StartsPerWeek } from '../../model/plan.js';
import type { ObjectRef } from '../../model/resource.js';
import type { ResourceDiff } from '../diff.js';
import type { Match } from '../match/match.js';
import { isTimed } from './start-load.js';
import { type Startable, startedAgents } from './started-agents.js';

/** Specs before and after the plan. Null for what does not exist then, undefined for what the service does not show. */
interface Sides {
  readonly before: unknown;
  readonly after: unknown;
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
export function weeklyStarts(state: Startable, diffs: readonly ResourceDiff[]): WeeklyStarts {
  const actions = new Map(diffs.map(({ change }) => [change.address, change.action]));
  const startedBy = (side: keyof Sides) =>
    startedAgents(state, {
      specOf: (match) => sidesOf(match, actions.get(match.address))[side],
      count: (runs, spec) => runs.startsPerRun(spec),
    });
  const startedBefore = startedBy('before');
  const changesNothing = diffs.every(({ change }) => change.action === 'none');
  const startedAfter = changesNothing ? startedBefore : startedBy('after');
  const totals = { before: 0, after: 0 };
  const unknown = { before: 0, after: 0 };
  let more = 0;
  const count = (side: keyof Sides, starts: number) => {
    if (Number.isNaN(starts)) unknown[side] += 1;
    else totals[side] += starts;
  };
  for (const match of state.list) {
    const action = actions.get(match.address);
    if (match.kind.timetable === undefined || !isManaged(match, action)) continue;
    const sides = sidesOf(match, action);
    const runs = runsOf(match.kind, sides.before);
    const before = startsOf(match.kind, sides.before, runs, startedBefore);
    const isSame = sides.after === sides.before;
    const runsAfter = isSame ? runs : runsOf(match.kind, sides.after);
    const after =
      isSame && changesNothing ? before : startsOf(match.kind, sides.after, runsAfter, startedAfter);
    count('before', before);
    count('after', after);
    if (!Number.isNaN(after)) more += Number.isNaN(before) ? after : after - before;
  }
  const rounded = { before: roundedFrequency(totals.before), after: roundedFrequency(totals.after) };
  return { startsPerWeek: { ...rounded, unknown }, isMore: roundedFrequency(more) > 0 };
}

/** What is forgotten is no longer the project's, and goes on unchanged if it exists. */
export function isManaged({ entry, ours }: Match, action: Action | undefined): boolean {
  return action !== 'forget' && (entry !== null || ours || action === 'delete');
}

/** What a match is before and after a plan in which it has this action. */
export function sidesOf({ entry, observed }: Match, action: Action | undefined): Sides {
  const before = observed === null ? null : (observed.spec ?? undefined);
  if (action === 'delete') return { before, after: null };
  const isApplied = action === 'create' || action === 'update' || action === 'replace';
  return { before, after: isApplied ? entry?.spec : before };
}

/** A week; NaN where it is not known. */
function runsOf(kind: Kind, spec: unknown): number {
  if (spec === null || !isTimed(kind)) return 0;
  return spec === undefined ? Number.NaN : (kind.timetable.frequency(spec)?.runsPerWeek ?? Number.NaN);
}

/** NaN where it is not known. */
function startsOf(
  kind: Kind,
  spec: unknown,
  runs: number,
  startedBy: (reference: ObjectRef) => number,
): number {
  if (spec === null || !isTimed(kind)) return 0;
  if (spec === undefined) return Number.NaN;
  const starts = kind.timetable.starts(spec, startedBy);
  return runs === 0 || starts === 0 ? 0 : runs * starts;
}
