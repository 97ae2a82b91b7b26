import type { Core } from '../api.js';
import type { Fields } from '../body.js';
import { groupRunStatus, jobStatus } from '../engine/phase.js';
import { isoTime } from '../instants.js';
import { STATUS_NAMES } from '../runs/show.js';
import type { ScheduleRecord } from '../world.js';
import { nextFire } from './next-fire.js';
import { describeTiming } from './timetable.js';

/** A schedule as a response shows it (interface.md §2, Schedule). */

export type ScheduleStatus = 'Waiting' | 'Running' | 'Disabled';

/** `Running` while it starts a run (§2). */
export function statusOf({ clock }: Core, schedule: ScheduleRecord): ScheduleStatus {
  if (!schedule.isEnabled) return 'Disabled';
  const isStarting = schedule.startingUntil !== undefined && clock().getTime() < schedule.startingUntil;
  return schedule.isRunning || isStarting ? 'Running' : 'Waiting';
}

/** In UTC; null if the schedule is disabled or does not fire again. */
export function nextRunTime(core: Core, schedule: ScheduleRecord): string | null {
  if (!schedule.isEnabled) return null;
  return isoTime(nextFire(schedule, core.clock().getTime()) ?? null);
}

export function showSchedule(core: Core, schedule: ScheduleRecord): Fields {
  const { isRunning: _1, startingUntil: _2, owner: _3, ...stored } = schedule;
  const { lastRunTime, lastJobId, errorMessage, lastJobStatusName: stale, ...rest } = stored;
  const lastJobStatusName = (lastJobId === null ? null : lastStatus(core, lastJobId)) ?? stale;
  return {
    ...rest,
    status: statusOf(core, schedule),
    description: describeTiming(schedule),
    nextRunTime: nextRunTime(core, schedule),
    lastRunTime,
    lastJobStatusName,
    lastJobId,
    errorMessage,
  };
}

/** Of the job, group run or pipeline run that it last started; null if that is forgotten. */
function lastStatus({ world, clock }: Core, id: string): string | null {
  const now = clock().getTime();
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
