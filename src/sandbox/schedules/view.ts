import type { Core } from '../api.js';
import type { Fields } from '../body.js';
import { groupRunStatus, jobStatus } from '../engine/phase.js';
import { isoTime } from '../instants.js';
import { STATUS_NAMES } from '../runs/show.js';
import type { ScheduleRecord, World } from '../world.js';
import { nextFire } from './next-fire.js';
import { describeTiming } from './timetable.js';

/** A schedule as a response shows it (interface.md §2, Schedule). */

export type ScheduleStatus = 'Waiting' | 'Running' | 'Disabled';

/** `Running` while it starts a run (§2). */
export function statusOf(schedule: ScheduleRecord, now: number): ScheduleStatus {
  if (!schedule.isEnabled) return 'Disabled';
  const isStarting = schedule.startingUntil !== undefined && now < schedule.startingUntil;
  return schedule.isRunning || isStarting ? 'Running' : 'Waiting';
}

/** In UTC; null if the schedule is disabled or does not fire again. */
function nextRunTime(schedule: ScheduleRecord, now: number): string | null {
  return schedule.isEnabled ? isoTime(nextFire(schedule, now) ?? null) : null;
}

/** Lists each field: a rest pattern for each of thousands of schedules would take most of the time. */
export function showSchedule({ world, clock }: Core, schedule: ScheduleRecord): Fields {
  const { lastJobId } = schedule;
  const now = clock().getTime();
  const lastJobStatusName = lastJobId === null ? null : lastStatus(world, lastJobId, now);
  return {
    targetType: schedule.targetType,
    targetId: schedule.targetId,
    scheduleType: schedule.scheduleType,
    intervalValue: schedule.intervalValue,
    intervalUnit: schedule.intervalUnit,
    cronExpression: schedule.cronExpression,
    startTime: schedule.startTime,
    timeZoneId: schedule.timeZoneId,
    inputParameters: schedule.inputParameters,
    isEnabled: schedule.isEnabled,
    id: schedule.id,
    status: statusOf(schedule, now),
    description: describeTiming(schedule),
    nextRunTime: nextRunTime(schedule, now),
    lastRunTime: schedule.lastRunTime,
    lastJobStatusName: lastJobStatusName ?? schedule.lastJobStatusName,
    lastJobId,
    errorMessage: schedule.errorMessage,
  };
}

/** The status of the job, group run or pipeline run that it last started; null if that is forgotten. */
function lastStatus(world: World, id: string, now: number): string | null {
  const job = world.jobs.get(id);
  if (job) return STATUS_NAMES[jobStatus(world, job, now)];
  const groupRun = world.groupRuns.get(id);
  if (groupRun) return GROUP_STATUS_NAMES[groupRunStatus(world, groupRun, now)];
  const status = world.pipelineRuns.get(id)?.status;
  return status === undefined ? null : PIPELINE_STATUS_NAMES[status];
}

const GROUP_STATUS_NAMES = {
  ontrack: 'In progress',
  completed: 'Succeeded',
  atrisk: 'Failure',
  behind: 'Failed',
} as const;
const PIPELINE_STATUS_NAMES = { Running: 'In progress', Completed: 'Succeeded', Failed: 'Failed' } as const;
