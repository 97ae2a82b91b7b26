import type { ScheduleRecord } from '../world.js';
import { fireTimes, type Timing } from './timetable.js';

/** The next fire time of a record. Valid for one timing, from `from` until `next`. */
interface Computed {
  readonly timing: Timing;
  readonly from: number;
  readonly next: number | undefined;
}

/** Without it, a sandbox with thousands of schedules would spend its time on cron expressions. */
const cache = new WeakMap<ScheduleRecord, Computed>();

/** The first fire time after an instant, in milliseconds; undefined if there is none. */
export function nextFire(schedule: ScheduleRecord, after: number): number | undefined {
  const known = cache.get(schedule);
  if (known !== undefined && covers(known, after) && isSameTiming(known.timing, schedule)) return known.next;
  const next = fireTimes(schedule, new Date(after), 1)[0]?.getTime();
  cache.set(schedule, { timing: timingOf(schedule), from: after, next });
  return next;
}

function covers({ from, next }: Computed, instant: number): boolean {
  return from <= instant && (next === undefined || instant < next);
}

/** Tests change records directly, so a cached time is compared with the timing itself. */
function isSameTiming(a: Timing, b: Timing): boolean {
  return (
    a.scheduleType === b.scheduleType &&
    a.intervalValue === b.intervalValue &&
    a.intervalUnit === b.intervalUnit &&
    a.cronExpression === b.cronExpression &&
    a.startTime === b.startTime &&
    a.timeZoneId === b.timeZoneId
  );
}

function timingOf(schedule: Timing): Timing {
  const { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId } = schedule;
  return { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId };
}
