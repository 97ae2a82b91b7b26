import type { Reader } from '../../model/request.js';
import { type AgentRun, listRunsOfJob } from '../../service/operations/agent-runs.js';
import type { RunById } from '../run/by-id.js';
import { jobState } from '../run/states.js';

/** The runs of agents in the jobs of a run that are in this state. Reading them makes the service re-read unfinished ones. */
export async function agentRunsIn(
  run: RunById,
  state: 'running' | 'failed',
  reader: Reader,
): Promise<readonly AgentRun[]> {
  const jobs = jobsIn(run, state);
  const lists = await Promise.all(jobs.map((id) => reader.readAll(listRunsOfJob(id))));
  return lists.flat().filter(({ isTerminal }) => isTerminal === (state === 'failed'));
}

function jobsIn({ idKind, id, found }: RunById, state: 'running' | 'failed'): readonly string[] {
  switch (idKind) {
    case 'job':
      return [id];
    case 'groupRun':
      return found.jobs.flatMap((job) => (jobState(job) === state ? [job.id] : []));
    case 'pipelineRun':
      return found.steps.flatMap(({ status, jobId }) =>
        jobId !== null && status.toLowerCase() === state ? [jobId] : [],
      );
  }
}
