import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import type { RunIdKind, ServiceRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { type GroupRun, getGroupRun } from '../../service/operations/group-runs.js';
import { type Job, jobPage } from '../../service/operations/jobs.js';
import { getPipelineRun, type PipelineRun } from '../../service/operations/pipeline-runs.js';
import type { DetailsReader } from './details.js';
import {
  addressNamed,
  addressOfAgent,
  groupRun,
  jobRun,
  jobState,
  memberNotStarted,
  pipelineRun,
  stageRun,
} from './states.js';

/** A run that is followed by its id. */
export interface FollowedRun {
  readonly address: Address | null;
  readonly id: string;
  readonly idKind: RunIdKind;
  /** The agents that it starts, in their order; empty when they are not known. */
  readonly agents: readonly Agent[];
  /** As the answer to the start says. Default: unknown, until its runs show it. */
  readonly startedAt?: string | null;
}

export interface PollContext {
  readonly reader: Reader;
  readonly details: DetailsReader;
  readonly agents: readonly Agent[];
}

const PAGE = 100;
/** Jobs further down are asked for one by one. */
const MOST_PAGES = 5;

/**
 * The current state of runs, by id: one list for all jobs, and one call for each group or pipeline run. A run that the
 * service does not show is missing. Throws a ServiceFailure.
 */
export async function pollRuns(
  followed: readonly FollowedRun[],
  context: PollContext,
): Promise<ReadonlyMap<string, ServiceRun>> {
  const jobs = followed.filter(({ idKind }) => idKind === 'job');
  const others = followed.filter(({ idKind }) => idKind !== 'job');
  const [found, ...rest] = await Promise.all([
    pollJobs(jobs, context),
    ...others.map((each) => unlessGone(pollRun(each, context))),
  ]);
  return new Map([...(found ?? []), ...rest].flatMap((run) => (run?.id == null ? [] : [[run.id, run]])));
}

function pollRun(followed: FollowedRun, context: PollContext): Promise<ServiceRun> {
  return followed.idKind === 'groupRun' ? pollGroup(followed, context) : pollPipeline(followed, context);
}

async function unlessGone(run: Promise<ServiceRun>): Promise<ServiceRun | null> {
  try {
    return await run;
  } catch (failure) {
    if (failure instanceof ServiceFailure && failure.status === 404) return null;
    throw failure;
  }
}

async function pollJobs(
  followed: readonly FollowedRun[],
  context: PollContext,
): Promise<readonly ServiceRun[]> {
  const byId = new Map(followed.map((each) => [each.id, each]));
  const jobs = await readJobs(context.reader, new Set(byId.keys()));
  return Promise.all(jobs.map((job) => detailed(job, byId.get(job.id)?.address ?? null, context)));
}

/** The jobs with these ids, as far as the service shows them. */
async function readJobs(reader: Reader, ids: ReadonlySet<string>): Promise<readonly Job[]> {
  const found = new Map<string, Job>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && ids.size > 1 && found.size < ids.size; page += 1) {
    const { items, nextCursor } = await reader.read(jobPage({}, PAGE, cursor));
    for (const job of items) if (ids.has(job.id)) found.set(job.id, job);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  const left = [...ids].filter((id) => !found.has(id));
  const single = left.map(async (jobId) => (await reader.read(jobPage({ jobId }))).items);
  const rest = (await Promise.all(single)).flat().filter((job) => ids.has(job.id));
  return [...found.values(), ...rest];
}

/** A job with its details once it is finished. */
async function detailed(
  job: Job,
  address: Address | null,
  { details, agents }: PollContext,
): Promise<ServiceRun> {
  const more = jobState(job) === 'running' ? null : await details.of(job.id);
  return jobRun(job, address ?? addressNamed(job.agentName, agents), more);
}

async function pollGroup(followed: FollowedRun, context: PollContext): Promise<ServiceRun> {
  return groupRunOf(followed, await context.reader.read(getGroupRun(followed.id)), context);
}

export async function groupRunOf(
  followed: FollowedRun,
  run: GroupRun,
  context: PollContext,
): Promise<ServiceRun> {
  const started = await Promise.all(run.jobs.map((job) => detailed(job, null, context)));
  const missing = run.notStarted.map((each) => memberNotStarted(each, context.agents));
  const expected = followed.agents.length === 0 ? null : followed.agents.length;
  return groupRun(followed, run, [...started, ...missing], expected);
}

async function pollPipeline(followed: FollowedRun, context: PollContext): Promise<ServiceRun> {
  return pipelineRunOf(followed, await context.reader.read(getPipelineRun(followed.id)), context);
}

export async function pipelineRunOf(
  followed: FollowedRun,
  run: PipelineRun,
  context: PollContext,
): Promise<ServiceRun> {
  const stages = run.steps.map(async (stage, index) => {
    const hasEnded = stage.status === 'Succeeded' || stage.status === 'Failed';
    const more = hasEnded && stage.jobId !== null ? await context.details.of(stage.jobId) : null;
    const own = run.steps.length === followed.agents.length ? followed.agents[index] : undefined;
    const address =
      own === undefined ? addressNamed(more?.agentName ?? null, context.agents) : addressOfAgent(own);
    return stageRun(stage, address, more);
  });
  return pipelineRun(followed, run, await Promise.all(stages));
}
