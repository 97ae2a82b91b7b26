import type { DstAnomaly } from '../model/plan.js';
import type { TimeSpan } from '../model/start-rate.js';
import { readCron } from './cron.js';
import { type OffsetPeriod, offsetPeriods } from './offset-period.js';
import { isForEveryHour, runsBetween, type Timing } from './runs.js';
import { writeWallClock } from './wall-clock.js';

/**
 * Times of the wall clock that clock changes leave out or show twice, change by change. Intervals of minutes and hours
 * have none, for they count real time; neither has a cron for every hour, which goes on as if nothing were. Throws
 * RangeError as `nextRuns` does.
 */
export function dstAnomalies(timing: Timing, zone: string, { from, until }: TimeSpan): DstAnomaly[] {
  if (!keepsWallClock(timing)) return [];
  return offsetPeriods(zone, from.getTime(), until.getTime())
    .filter((period) => period.from > from.getTime())
    .flatMap((period) => missedIn(period, timing));
}

function keepsWallClock(timing: Timing): boolean {
  if (timing.type === 'Cron') return !isForEveryHour(readCron(timing.expression));
  return timing.type === 'Once' || timing.unit === 'Days' || timing.unit === 'Weeks';
}

/** On a clock that never changes, such as that of UTC, the timing has all of its times. */
function missedIn({ from: at, offset, was }: OffsetPeriod, timing: Timing): DstAnomaly[] {
  if (was === null) return [];
  const [first, last] = [at + Math.min(was, offset), at + Math.max(was, offset)];
  const times = runsBetween(timing, 'UTC', new Date(first), new Date(last), Number.POSITIVE_INFINITY);
  const [earliest] = times;
  if (earliest === undefined) return [];
  return [
    {
      effect: offset > was ? 'skipped' : 'repeated',
      local: writeWallClock(earliest.getTime()),
      times: times.length,
      utc: new Date(at).toISOString().replace('.000Z', 'Z'),
    },
  ];
}
