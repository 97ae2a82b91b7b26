import { problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { isId, normalId } from '../../model/resource.js';
import type { RunIdKind } from '../../model/run.js';
import { shellWord } from '../../model/shell-word.js';
import { ServiceFailure } from '../../service/failure.js';
import { type AgentRun, runPage } from '../../service/operations/agent-runs.js';
import { type GroupRun, getGroupRun } from '../../service/operations/group-runs.js';
import { type Job, jobPage } from '../../service/operations/jobs.js';
import { getPipelineRun, type PipelineRun } from '../../service/operations/pipeline-runs.js';

/** What an id stands for: an id does not say of what it is. What was read of it on the way need not be read again. */
export type RunById =
  | { readonly idKind: 'job'; readonly id: string; readonly found: Job }
  | { readonly idKind: 'groupRun'; readonly id: string; readonly found: GroupRun }
  | { readonly idKind: 'pipelineRun'; readonly id: string; readonly found: PipelineRun };

/** One run of an agent, of which a job consists: the service tracks attention for these. */
export interface AgentRunById {
  readonly idKind: 'run';
  readonly id: string;
  readonly found: AgentRun;
}

/** Throws a Problem for what cannot be an id. */
export function checkedId(text: string): string {
  if (text.includes('/')) throw addressForId(text);
  if (!isId(text)) throw unknownRun(text);
  return normalId(text);
}

function addressForId(text: string) {
  const help = `\`roster runs ${shellWord(text)}\` lists its runs with their ids.`;
  return problem('usage', `"${text}" is an address, and the id of a run is needed`, help);
}

/** With three reads. Throws a Problem when there is nothing with this id. */
export async function runWithId(reader: Reader, id: string): Promise<RunById> {
  const found = await findRun(reader, id);
  if (found === null) throw unknownRun(id);
  return found;
}

/** As above, and also a run of an agent, which is found by a search. */
export async function anyRunWithId(reader: Reader, id: string): Promise<RunById | AgentRunById> {
  const found = await findRun(reader, id);
  return found ?? agentRunWithId(reader, id);
}

export async function agentRunWithId(reader: Reader, id: string): Promise<AgentRunById> {
  const { items } = await reader.read(runPage({ search: id }, 100));
  const run = items.find((each) => each.id === id);
  if (run === undefined) throw unknownRun(id);
  return { idKind: 'run', id, found: run };
}

async function findRun(reader: Reader, id: string): Promise<RunById | null> {
  const [jobs, group, pipeline] = await Promise.all([
    reader.read(jobPage({ jobId: id })),
    orNull(reader.read(getGroupRun(id))),
    orNull(reader.read(getPipelineRun(id))),
  ]);
  // A service that ignores the filter, or answers with another run, has not answered.
  const job = jobs.items.find((each) => each.id === id);
  if (job !== undefined) return { idKind: 'job', id, found: job };
  if (group !== null) return { idKind: 'groupRun', id, found: group };
  return pipeline?.id === id ? { idKind: 'pipelineRun', id, found: pipeline } : null;
}

/** A 400 is the answer of services that check the form of an id. */
async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (failure) {
    if (failure instanceof ServiceFailure && (failure.status === 404 || failure.status === 400)) return null;
    throw failure;
  }
}

export function unknownRun(id: string) {
  const help = 'Pass the id of a job, group run or pipeline run: `roster runs` lists them.';
  return problem('usage', `there is no job, group run or pipeline run "${id}"`, help);
}

/** In messages. */
export const idKindNames: Readonly<Record<RunIdKind | 'run', string>> = {
  job: 'job',
  groupRun: 'group run',
  pipelineRun: 'pipeline run',
  run: 'run of an agent',
};
