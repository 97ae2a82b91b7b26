import type { StartByHand, StartedRun } from '../model/run.js';
import { runSchedule, type StartedSchedule } from '../service/operations/schedule-runs.js';
import type { ScheduleSpec } from './schedule-spec.js';

/** Run-now of a schedule (interface §4, Schedules): starts the target at once, and leaves the timetable alone. */
export const runNow: StartByHand<ScheduleSpec> = {
  makes: null,
  takesInputs: true,
  start(id, inputs) {
    const { request, parse } = runSchedule(id, inputs);
    return { request, parse: (data) => startedBy(parse(data)) };
  },
  target: ({ target, inputs }) => ({ of: target, inputs: typeof inputs === 'string' ? {} : inputs }),
};

function startedBy({ jobId, groupRunId, pipelineRunId }: StartedSchedule): StartedRun {
  const startedAt = null;
  if (groupRunId !== null) return { id: groupRunId, idKind: 'groupRun', startedAt };
  if (pipelineRunId !== null) return { id: pipelineRunId, idKind: 'pipelineRun', startedAt };
  if (jobId !== null) return { id: jobId, idKind: 'job', startedAt };
  throw new Error('run-now returned no id');
}
