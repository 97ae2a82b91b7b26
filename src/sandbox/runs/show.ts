import type { Fields } from '../body.js';
import { agentOf } from '../engine/jobs.js';
import {
  isActive,
  isTerminal,
  type JobStatus,
  jobStatus,
  type Phase,
  phaseOf,
  progressOf,
  runsOf,
} from '../engine/phase.js';
import type { JobRecord, RunRecord } from '../engine/records.js';
import { isoTime } from '../instants.js';
import type { World } from '../world.js';

/** Jobs and runs as responses show them (interface.md §2). */

export const STATUS_NAMES: Readonly<Record<JobStatus, string>> = {
  1: 'In progress',
  2: 'In progress with failure',
  3: 'Succeeded',
  4: 'Failure',
  5: 'Failed',
};

export function showJob(world: World, job: JobRecord, now: number): Fields {
  const runs = runsOf(world, job);
  const status = jobStatus(world, job, now);
  const sum = (field: 'records' | 'errors') =>
    runs.reduce((total, run) => total + counted(run, field, now), 0);
  return {
    agentJobHistoryId: job.id,
    agentName: agentOf(world, job)?.name ?? '',
    status,
    statusName: STATUS_NAMES[status],
    isTerminal: isTerminal(status),
    completedRunCount: runs.filter((run) => !isActive(run, now)).length,
    totalRunCount: runs.length,
    totalDataCount: sum('records'),
    totalErrors: sum('errors'),
    inputParameters: job.inputParameters,
    triggerSource: job.trigger,
    scheduleId: job.scheduleId,
    searchGroupRunId: job.groupRunId,
    pipelineRunId: job.pipelineRunId,
    errorMessage: jobError(world, job, now),
  };
}

/** Null while the job is in progress, and when it succeeded. */
export function jobError(world: World, job: JobRecord, now: number): string | null {
  if (jobStatus(world, job, now) < 4) return null;
  const messages = runsOf(world, job).flatMap(({ message }) => message ?? []);
  return messages[0] ?? 'A run of the job failed.';
}

/** `status` is the engine's own word, and a successful run has either of two (§2, Run). */
export function showRun(world: World, run: RunRecord, now: number): Fields {
  const active = isActive(run, now);
  const endedAt = active ? null : run.endsAt;
  return {
    agentRunHistoryId: run.id,
    agentName: agentOf(world, run)?.name ?? '',
    status: engineWord(run, phaseOf(run, now)),
    isRunning: active,
    isTerminal: !active,
    startTime: isoTime(run.startedAt),
    endTime: isoTime(endedAt),
    runTimeSeconds: endedAt === null ? null : (endedAt - run.startedAt) / 1000,
    pages: counted(run, 'pages', now),
    requests: counted(run, 'requests', now),
    errors: counted(run, 'errors', now),
    data: counted(run, 'records', now),
    statusMessage: active ? null : run.message,
    runtimeAnomaly: active ? 'None' : run.anomaly,
    triggerSource: run.trigger,
  };
}

function engineWord(run: RunRecord, phase: Phase): string {
  if (phase === 'succeeded') return run.seq % 2 === 0 ? 'Succeeded' : 'Completed';
  return phase.charAt(0).toUpperCase() + phase.slice(1);
}

function counted(run: RunRecord, field: 'records' | 'errors' | 'pages' | 'requests', now: number): number {
  return Math.floor(run[field] * progressOf(run, now));
}
