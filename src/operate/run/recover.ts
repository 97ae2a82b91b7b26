import { namedIds } from '../../model/named-ids.js';
import { pollUntil } from '../../model/poll.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import type { RunIdKind } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { getGroupRun } from '../../service/operations/group-runs.js';
import { type Job, jobPage, listJobsOfAgent } from '../../service/operations/jobs.js';
import { getPipelineRun } from '../../service/operations/pipeline-runs.js';
import { contradicts, jobCandidates } from './candidates.js';
import { type Marks, newJobs, newRuns } from './newest.js';
import type { StartTarget } from './targets.js';

export interface RunSearch {
  readonly reader: Reader;
  readonly marks: Marks;
  readonly agents: readonly Agent[];
  /** Ids that the answers of other starts have named. */
  isTaken(id: string): boolean;
  sleep(milliseconds: number): Promise<void>;
}

/** Exactly one run, or the ids of those that it may be. */
export type Recovered =
  | { readonly id: string }
  | { readonly candidates: readonly string[]; readonly message: string };

/** Looks for the run of a start whose answer was lost. The start is never sent again. */
export async function recoverRun(target: StartTarget, search: RunSearch): Promise<Recovered> {
  const look = async () => (await candidatesOf(target, search)).filter((id) => !search.isTaken(id));
  try {
    const found = await pollUntil(look, (ids) => ids.length > 0, search.sleep);
    const [only] = found;
    if (only !== undefined && found.length === 1) return { id: only };
    return { candidates: found, message: notFound(found) };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    return { candidates: [], message: `the search for its run failed: ${failure.facts.message}` };
  }
}

function notFound(ids: readonly string[]): string {
  if (ids.length === 0) return 'its run was not found';
  return `${ids.length} runs match (${namedIds(ids)})`;
}

function candidatesOf(target: StartTarget, search: RunSearch): Promise<readonly string[]> {
  return target.traces.idKind === 'job' ? jobsOf(target, search) : runsOf(target, search);
}

async function jobsOf(
  { traces, agents: [agent] }: StartTarget,
  search: RunSearch,
): Promise<readonly string[]> {
  const { reader, marks, agents } = search;
  if (agent === undefined) return [];
  const jobs = await newJobs(reader, marks.of(traces));
  const ids = jobCandidates(jobs, traces, agent).map((job) => job.id);
  const namesakes = agents.filter(({ name }) => name === agent.name);
  if (namesakes.length === 1 || ids.length === 0) return ids;
  // Jobs show the agent's name only.
  const own = new Set((await reader.readAll(listJobsOfAgent(agent.id))).map((job) => job.id));
  return ids.filter((id) => own.has(id));
}

async function runsOf({ traces }: StartTarget, { reader, marks }: RunSearch): Promise<readonly string[]> {
  const ids = await newRuns(reader, traces, marks.of(traces));
  const checked = ids.map(async (id) => {
    const jobs = await jobsIn(reader, traces.idKind, id);
    return contradicts(jobs, traces) ? [] : [id];
  });
  return (await Promise.all(checked)).flat();
}

/** The jobs of a group run, or the first one of a pipeline run: how it was started, and with which inputs. */
async function jobsIn(reader: Reader, idKind: RunIdKind, id: string): Promise<readonly Job[]> {
  if (idKind === 'groupRun') return (await reader.read(getGroupRun(id))).jobs;
  const [first] = (await reader.read(getPipelineRun(id))).steps;
  const jobId = first?.jobId ?? null;
  if (jobId === null) return [];
  const { items } = await reader.read(jobPage({ jobId }));
  return items.filter((job) => job.id === jobId);
}
