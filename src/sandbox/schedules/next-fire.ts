import type { ScheduleRecord } from '../world.js';
import { fireTimes } from './timetable.js';

/** The next fire time of a record. Valid for one timing, from `from` until `next`. */
interface Computed {
  readonly timing: string;
  readonly from: number;
  readonly next: number | undefined;
}

/** Without it, a sandbox with thousands of schedules would spend its time on cron expressions. */
const cache = new WeakMap<ScheduleRecord, Computed>();

/** The first fire time after an instant, in milliseconds; undefined if there is none. */
export function nextFire(schedule: ScheduleRecord, after: number): number | undefined {
  const known = cache.get(schedule);
  const timing = timingText(schedule);
  if (known?.timing === timing && known.from <= after && (known.next === undefined || after < known.next))
    return known.next;
  const next = fireTimes(schedule, new Date(after), 1)[0]?.getTime();
  cache.set(schedule, { timing, from: after, next });
  return next;
}

/** Tests change records directly, so a cached time is compared with the timing itself. */
function timingText(schedule: ScheduleRecord): string {
  const { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId } = schedule;
  return [scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId].join('|');
}
