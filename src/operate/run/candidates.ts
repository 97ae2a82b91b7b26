import { equal, isJsonObject, type JsonObject, parseJson } from '../../model/json.js';
import type { Agent } from '../../model/resource.js';
import type { Job } from '../../service/operations/jobs.js';
import type { RunTraces } from './targets.js';

/** Which of the jobs since a start may be the one that it made: of its agent, alone, by hand, with its inputs. */
export function jobCandidates(
  jobs: readonly Job[],
  { scheduleId, inputs }: RunTraces,
  agent: Pick<Agent, 'name'>,
): readonly Job[] {
  return jobs.filter(
    (job) =>
      job.agentName === agent.name &&
      job.groupRunId === null &&
      job.pipelineRunId === null &&
      isStartedBy(job, scheduleId) &&
      hasInputs(job, inputs),
  );
}

/** Whether the jobs of a run speak against its being that of a start. A run whose jobs are not there yet may be it. */
export function contradicts(jobs: readonly Job[], { scheduleId, inputs }: RunTraces): boolean {
  return jobs.some((job) => !isStartedBy(job, scheduleId) || !hasInputs(job, inputs));
}

/** Run-now of a schedule may count as either (interface §2: `Manual` is from the API, `Schedule` from a schedule). */
function isStartedBy(job: Job, scheduleId: string | null): boolean {
  if (job.scheduleId !== null) return job.scheduleId === scheduleId;
  return job.triggerSource !== 'Schedule' || scheduleId !== null;
}

function hasInputs({ inputParameters }: Job, inputs: JsonObject | null): boolean {
  if (inputs === null) return true;
  const text = inputParameters?.trim() ?? '';
  const shown = text === '' ? {} : parseJson(text);
  return isJsonObject(shown) && equal(shown, inputs);
}
