import type { Core } from './api.js';
import type { Fields } from './body.js';
import { describeTiming, fireTimes } from './timetable.js';
import type { ScheduleRecord } from './world.js';

/** How a schedule is shown (interface.md §2, Schedule). */

export type ScheduleStatus = 'Waiting' | 'Running' | 'Disabled';

export function statusOf(schedule: ScheduleRecord): ScheduleStatus {
  if (!schedule.isEnabled) return 'Disabled';
  return schedule.isRunning ? 'Running' : 'Waiting';
}

/** The last computed next fire time of a record, good for one timing from `from` until it is reached. */
interface Computed {
  readonly timing: string;
  readonly from: number;
  readonly next: Date | undefined;
}

/** Reading a cron expression is what a list of thousands would spend its time on. Keyed by record: nothing is shared. */
const computed = new WeakMap<ScheduleRecord, Computed>();

/** The next fire time in UTC; null when it is disabled or has none left. */
export function nextRunTime(core: Core, schedule: ScheduleRecord): string | null {
  if (!schedule.isEnabled) return null;
  const now = core.clock();
  const known = computed.get(schedule);
  const timing = timingText(schedule);
  if (known?.timing === timing && known.from <= now.getTime() && (!known.next || now < known.next)) {
    return known.next?.toISOString() ?? null;
  }
  const next = fireTimes(schedule, now, 1)[0];
  computed.set(schedule, { timing, from: now.getTime(), next });
  return next?.toISOString() ?? null;
}

/** Tests change records directly, so whether a result still holds is seen by the timing itself. */
function timingText(schedule: ScheduleRecord): string {
  const { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId } = schedule;
  return [scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId].join('|');
}

/** The type of a schedule id is not stated (§1, convention 4). */
export function shownId(core: Core, id: string): string | number {
  return core.variants.has('numeric-schedule-ids') && /^\d+$/.test(id) ? Number(id) : id;
}

export function showSchedule(core: Core, schedule: ScheduleRecord): Fields {
  const {
    id,
    isRunning: _derived,
    lastRunTime,
    lastJobStatusName,
    lastJobId,
    errorMessage,
    ...rest
  } = schedule;
  return {
    id: shownId(core, id),
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
