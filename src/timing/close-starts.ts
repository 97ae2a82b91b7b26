import type { CloseStarts, IntervalLimit, TimeSpan } from '../model/schedule.js';
import { eachRun, keepsWallClock, recurrenceOf, runsBetween, type ZonedTiming } from './runs.js';
import { DAY_MILLISECONDS, type OffsetPeriod, offsetPeriods } from './zone.js';

/** Runs that are searched for an example. The closest two may be at the end of a month or year. */
const MOST_SEARCHED = 300;
/** How far ahead clock changes are considered. */
const YEAR_MILLISECONDS = 366 * DAY_MILLISECONDS;

/**
 * The starts closest together, if they are closer than the limit; null if none are. Costs the same however often a timing
 * runs. Throws RangeError like `nextRuns`.
 */
export function closeStarts(zoned: ZonedTiming, limit: IntervalLimit, now: Date): CloseStarts | null {
  const seconds = recurrenceOf(zoned.timing).shortestGapSeconds;
  if (seconds === null) return null;
  if (seconds < limit.seconds)
    return { seconds, example: exampleOf(zoned, seconds, now), clockChange: false };
  if (!limit.countsRealTime || !keepsWallClock(zoned.timing)) return null;
  return closeAtClockChange(zoned, { limit, usual: seconds }, now);
}

function exampleOf({ timing, timeZone }: ZonedTiming, seconds: number, now: Date): CloseStarts['example'] {
  let searched = 0;
  let before: number | null = null;
  for (const run of eachRun(timing, timeZone, now)) {
    if (before !== null && run - before <= seconds * 1000) return [new Date(before), new Date(run)];
    searched += 1;
    if (searched >= MOST_SEARCHED) return null;
    before = run;
  }
  return null;
}

/** A clock change that skips or repeats times may bring two starts closer together than they are in all other weeks. */
function closeAtClockChange(
  zoned: ZonedTiming,
  { limit, usual }: { readonly limit: IntervalLimit; readonly usual: number },
  now: Date,
): CloseStarts | null {
  const [first] = eachRun(zoned.timing, zoned.timeZone, now);
  if (first === undefined) return null;
  const found = changesAfter(zoned.timeZone, first).flatMap((period) => {
    if (period.was === null) return [];
    const reach = limit.seconds * 1000;
    const shift = Math.abs(period.offset - period.was);
    // Two starts come closer by the shift at most, and a repeated one follows after the shift. This rules out nearly all.
    if (Math.min(usual * 1000 - shift, shift) >= reach) return [];
    const from = new Date(Math.max(first, period.from - reach));
    return closest(zoned, { from, until: new Date(period.from + shift + reach) });
  });
  const [nearest] = found.toSorted((a, b) => a.seconds - b.seconds);
  return nearest !== undefined && nearest.seconds < limit.seconds ? nearest : null;
}

/** The clock changes of a year. */
function changesAfter(zone: string, instant: number): OffsetPeriod[] {
  const day = Math.floor(instant / DAY_MILLISECONDS) * DAY_MILLISECONDS;
  return offsetPeriods(zone, day, day + YEAR_MILLISECONDS).filter(({ was }) => was !== null);
}

function closest(zoned: ZonedTiming, span: TimeSpan): CloseStarts[] {
  const runs = runsBetween(zoned, span);
  const pairs = runs.slice(1).map((run, index) => {
    const before = runs[index] ?? run;
    const seconds = (run.getTime() - before.getTime()) / 1000;
    return { seconds, example: [before, run], clockChange: true } as const;
  });
  return pairs.toSorted((a, b) => a.seconds - b.seconds).slice(0, 1);
}
