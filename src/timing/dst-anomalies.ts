import type { DstAnomaly } from '../model/plan.js';
import type { TimeSpan } from '../model/start-rate.js';
import { readCron } from './cron.js';
import { type OffsetPeriod, offsetPeriods } from './offset-period.js';
import { countsRealTime, isForEveryHour, runsBetween, type Timing } from './runs.js';
import { writeWallClock } from './wall-clock.js';

/**
 * Scheduled times that clock changes skip or repeat, change by change. Intervals of minutes and hours have none, because
 * they count real time. A cron expression for every hour has none either. Throws RangeError like `nextRuns`.
 */
export function dstAnomalies(timing: Timing, zone: string, { from, until }: TimeSpan): DstAnomaly[] {
  if (!keepsWallClock(timing)) return [];
  return offsetPeriods(zone, from.getTime(), until.getTime())
    .filter((period) => period.from > from.getTime())
    .flatMap((period) => anomalyIn(period, timing));
}

function keepsWallClock(timing: Timing): boolean {
  if (timing.type === 'Cron') return !isForEveryHour(readCron(timing.expression));
  return timing.type === 'Once' || !countsRealTime(timing.unit);
}

/** In UTC, which has no clock changes, the timing has all of its times. */
function anomalyIn({ from: at, offset, was }: OffsetPeriod, timing: Timing): DstAnomaly[] {
  if (was === null) return [];
  const [first, last] = [at + Math.min(was, offset), at + Math.max(was, offset)];
  const times = runsBetween({ timing, timeZone: 'UTC' }, { from: new Date(first), until: new Date(last) });
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
