import type { Core } from '../api.js';
import type { Fields } from '../body.js';
import type { ScheduleRecord } from '../world.js';
import { describeTiming, fireTimes } from './timetable.js';

/** A schedule as a response shows it (interface.md §2, Schedule). */

export type ScheduleStatus = 'Waiting' | 'Running' | 'Disabled';

export function statusOf(schedule: ScheduleRecord): ScheduleStatus {
  if (!schedule.isEnabled) return 'Disabled';
  return schedule.isRunning ? 'Running' : 'Waiting';
}

/** The next fire time of a record. Valid for one timing, from `from` until `next`. */
interface Computed {
  readonly timing: string;
  readonly from: number;
  readonly next: Date | undefined;
}

/** Without it, a list of thousands would spend its time on parsing cron expressions. */
const cache = new WeakMap<ScheduleRecord, Computed>();

/** In UTC; null if the schedule is disabled or does not fire again. */
export function nextRunTime(core: Core, schedule: ScheduleRecord): string | null {
  if (!schedule.isEnabled) return null;
  const now = core.clock();
  const known = cache.get(schedule);
  const timing = timingText(schedule);
  if (known?.timing === timing && known.from <= now.getTime() && (!known.next || now < known.next)) {
    return known.next?.toISOString() ?? null;
  }
  const next = fireTimes(schedule, now, 1)[0];
  cache.set(schedule, { timing, from: now.getTime(), next });
  return next?.toISOString() ?? null;
}

/** Tests change records directly, so a cached time is compared with the timing itself. */
function timingText(schedule: ScheduleRecord): string {
  const { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId } = schedule;
  return [scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId].join('|');
}

export function showSchedule(core: Core, schedule: ScheduleRecord): Fields {
  const { isRunning: _derived, lastRunTime, lastJobStatusName, lastJobId, errorMessage, ...rest } = schedule;
  return {
    ...rest,
    status: statusOf(schedule),
    description: describeTiming(schedule),
    nextRunTime: nextRunTime(core, schedule),
    lastRunTime,
    lastJobStatusName,
    lastJobId,
    errorMessage,
  };
}
