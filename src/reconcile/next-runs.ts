import type { Address, Desired } from '../model/resource.js';
import type { Answered, Ask, Frequency, NextRun, NextRuns, Preview, Timetable } from '../model/schedule.js';
import { inactiveTargets } from './starts.js';
import type { Comparison } from './world.js';

/** Runs shown for each change (contract §4). */
const MOST_RUNS = 5;
/** How far ahead clock changes are reported. */
const YEAR_MILLISECONDS = 366 * 86_400_000;
/** Changes that the service is asked about in one plan (contract §4). The times of others are computed. */
const MOST_ASKED = 100;

/** A change for which the plan shows the next runs. */
interface TimedChange {
  readonly address: Address;
  readonly timetable: Timetable<unknown>;
  readonly entry: Desired;
  /** Null for a new object, and where the service does not show all of it. */
  readonly before: unknown;
  /** Whether it starts nothing before or after the plan, because it is paused or its target is not active. */
  readonly isIdle: { readonly before: boolean; readonly after: boolean };
}

/** What to ask the service before the plan is made. `agent` is the GUID of any agent that the caller may use. */
export function asksOf(comparison: Comparison, agent: string | null): Ask[] {
  return timedChanges(comparison)
    .slice(0, MOST_ASKED)
    .flatMap((each) => asksOfOne(each, agent));
}

/** The next runs of what is new or changed: as the service answered, or else as computed here. */
export function nextRunsOf(
  comparison: Comparison,
  answers: readonly Answered[],
): ReadonlyMap<Address, NextRuns> {
  const previews = new Map(answers.map(({ ask, preview }) => [`${ask.side} ${ask.address}`, preview]));
  const runs = new Map<Address, NextRuns>();
  for (const each of timedChanges(comparison)) {
    const runsOfOne = nextRuns(each, previews, comparison.basis.now);
    if (runsOfOne !== null) runs.set(each.address, runsOfOne);
  }
  return runs;
}

function timedChanges(comparison: Comparison): TimedChange[] {
  const acting = comparison.diffs.filter(({ change, match }) => {
    const { timetable } = match.kind;
    return timetable !== undefined && (change.action === 'create' || change.action === 'update');
  });
  if (acting.length === 0) return [];
  const [inactiveBefore, inactiveAfter] = [
    inactiveTargets(comparison, 'before'),
    inactiveTargets(comparison, 'after'),
  ];
  return acting.flatMap(({ match: { address, kind, entry, observed } }) => {
    const { timetable } = kind;
    if (timetable === undefined || entry === null) return [];
    const before = observed?.spec ?? null;
    const isIdle = {
      before: before !== null && (timetable.times(before) === null || inactiveBefore(kind, before) !== null),
      after: timetable.times(entry.spec) === null || inactiveAfter(kind, entry.spec) !== null,
    };
    return [{ address, timetable, entry, before, isIdle }];
  });
}

/** The earlier times are asked for only where they differ, which saves a call for most changes. */
function asksOfOne(timed: TimedChange, agent: string | null): Ask[] {
  const { timetable, entry, before, address } = timed;
  const ask = (side: Ask['side'], spec: unknown): Ask[] => {
    const call = timetable.preview(spec, agent);
    return call === null ? [] : [{ address, side, call }];
  };
  const isRetimed = before !== null && ![null, timetable.times(entry.spec)].includes(timetable.times(before));
  return [...ask('after', entry.spec), ...(isRetimed ? ask('before', before) : [])];
}

function nextRuns(timed: TimedChange, previews: ReadonlyMap<string, Preview>, now: Date): NextRuns | null {
  const { timetable, entry, before, isIdle, address } = timed;
  const timeZone = timetable.timeZone(entry.spec);
  const runsOn = (
    side: Ask['side'],
    spec: unknown,
    answer: Preview | undefined,
  ): readonly NextRun[] | null => {
    if (isIdle[side]) return [];
    const asked = answer !== undefined && 'runs' in answer ? answer.runs : null;
    const runs = asked ?? timetable.nextRuns(spec, now, MOST_RUNS);
    // The earlier times are shown in the new zone as well, so that they can be compared.
    const shown = runs?.slice(0, MOST_RUNS) ?? null;
    return shown?.map((utc) => ({ utc, local: timetable.wallClock(utc, timeZone) })) ?? null;
  };
  const answer = previews.get(`after ${address}`);
  const after = runsOn('after', entry.spec, answer);
  const computed = differs(timed, answer, now) ? runsOn('after', entry.spec, undefined) : null;
  const earlier =
    before === null
      ? null
      : isIdle.before === isIdle.after && timetable.times(before) === timetable.times(entry.spec)
        ? after
        : runsOn('before', before, previews.get(`before ${address}`));
  const pace = {
    before: before === null ? null : paceOf(timed, 'before', before),
    after: paceOf(timed, 'after', entry.spec),
  };
  const year = { from: now, until: new Date(now.getTime() + YEAR_MILLISECONDS) };
  const clockChanges = isIdle.after ? [] : timetable.dstAnomalies(entry.spec, year);
  const by = answer === undefined ? 'roster' : 'service';
  return { before: earlier, after, computed, by, timeZone, pace, clockChanges };
}

/** What starts nothing counts as paused, whatever its timing. */
function paceOf({ timetable, isIdle }: TimedChange, side: Ask['side'], spec: unknown): Frequency | null {
  const pace = timetable.frequency(spec);
  return pace !== null && isIdle[side] ? { runsPerWeek: 0, shortestGapSeconds: null, paused: true } : pace;
}

function differs({ timetable, entry, isIdle }: TimedChange, answer: Preview | undefined, now: Date): boolean {
  if (answer === undefined || !('runs' in answer) || isIdle.after) return false;
  return previewDiffers(timetable, entry.spec, answer.runs.slice(0, MOST_RUNS), now);
}

/** How far the clocks of the service and of this machine may be apart. */
const CLOCK_SKEW_MILLISECONDS = 10 * 60_000;

/**
 * Whether the service's preview of a schedule, at most as many runs as are shown, disagrees with the times computed here.
 * False where they cannot be computed.
 */
export function previewDiffers(
  timetable: Timetable<unknown>,
  spec: unknown,
  preview: readonly string[],
  now: Date,
): boolean {
  const soon = new Date(now.getTime() + CLOCK_SKEW_MILLISECONDS);
  const next = timetable.nextRuns(spec, soon, 1);
  if (next === null) return false;
  const runs = preview.map((run) => Date.parse(run));
  const [first] = runs;
  if (first === undefined) return next.length > 0;
  if (Number.isNaN(first) || first < now.getTime() - CLOCK_SKEW_MILLISECONDS) return true;
  if (next[0] !== undefined && first > Date.parse(next[0])) return true;
  const computed = timetable.nextRuns(spec, new Date(first), runs.length) ?? [];
  return computed.length < runs.length || computed.some((run, index) => Date.parse(run) !== runs[index]);
}
