import type { ReadSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import type { RunIdKind } from '../../model/run.js';
import { listAgents } from '../../service/operations/agents.js';
import { getGroupRun, listGroupRuns } from '../../service/operations/group-runs.js';
import { type Job, jobPage, listJobs } from '../../service/operations/jobs.js';
import { getPipelineRun, listPipelineRuns } from '../../service/operations/pipeline-runs.js';
import { wholeAddresses } from '../runs/addresses.js';
import { checkedId, runWithId } from './by-id.js';
import { DetailsReader } from './details.js';
import { follow } from './follow.js';
import { findObjects } from './objects.js';
import { Pacer } from './pace.js';
import type { FollowedRun } from './poll.js';
import { Retries } from './retries.js';
import type { RunCallbacks, RunsResult } from './run.js';
import { type RunsSource, sourcesOf } from './sources.js';
import { timerOf } from './timer.js';
import { runDiagnostics, verdictOf } from './verdict.js';

export interface WaitOptions {
  /** How long to follow the runs. Default: until they are finished. */
  readonly forMilliseconds?: number | undefined;
}

/**
 * Follows runs to their ends: by the id of a job, group run or pipeline run, or the unfinished ones of an address. Sends
 * reads only.
 * @throws Problem for an unknown id, and when the runs cannot be followed.
 */
export async function waitFor(
  session: ReadSession,
  names: readonly string[],
  { forMilliseconds }: WaitOptions = {},
  { onRuns }: Pick<RunCallbacks, 'onRuns'> = {},
): Promise<RunsResult> {
  const reader = session.client.reader();
  const { followed, agents } = await findRuns(session, names);
  const timer = timerOf(session.clock, () => session.interrupted());
  const ended = await follow(followed, {
    reader,
    agents,
    details: new DetailsReader(reader),
    timer,
    until: forMilliseconds ?? null,
    atOnce: true,
    retries: new Retries(0, null, {
      agents,
      pacer: new Pacer(timer),
      interrupted: () => session.interrupted(),
    }),
    interrupted: () => session.interrupted(),
    onPoll: (runs) => onRuns?.(runs),
  });
  if (ended.failure !== null) throw problem(ended.failure.code, ended.failure.message, ended.failure.help);
  const result = { ...ended, isDetached: false, isInterrupted: session.interrupted(), failures: [] };
  const diagnostics = [...session.warnings, ...runDiagnostics(result)];
  return { runs: ended.runs, verdict: verdictOf(result), isDetached: false, diagnostics };
}

interface FoundRuns {
  readonly followed: readonly FollowedRun[];
  readonly agents: readonly Agent[];
}

async function findRuns(session: ReadSession, names: readonly string[]): Promise<FoundRuns> {
  const reader = session.client.reader();
  const addresses = names.filter((name) => name.includes('/'));
  const ids = names.filter((name) => !name.includes('/')).map(checkedId);
  const known = addresses.length === 0 ? null : await findObjects(session, addresses);
  const agents = known?.agents ?? (await reader.readAll(listAgents()));
  const sources = known === null ? [] : sourcesOf(known);
  const [byId, unfinishedRuns] = await Promise.all([
    Promise.all(ids.map((id) => runWithId(reader, id))),
    Promise.all(sources.map((source) => unfinishedOf(reader, source))),
  ]);
  const owned = await wholeAddresses(byId, session);
  const named = byId.map(({ id, idKind }) => ({ address: owned.get(id) ?? null, id, idKind, agents: [] }));
  const followed = new Map([...named, ...unfinishedRuns.flat()].map((each) => [each.id, each]));
  return { followed: [...followed.values()], agents };
}

async function unfinishedOf(reader: Reader, source: RunsSource): Promise<readonly FollowedRun[]> {
  const { address, agents, idKind } = source;
  const ids = await unfinished[idKind](reader, source);
  return ids.map((id) => ({ address, agents, id, idKind }));
}

const unfinished: Readonly<
  Record<RunIdKind, (reader: Reader, source: RunsSource) => Promise<readonly string[]>>
> = {
  /** Alone or as a part of another run. Jobs show the name of their agent only, and the search finds other texts, too. */
  job: async (reader, { objectId, agents, scheduleId }) => {
    const jobs = await reader.readAll(listJobs({ state: 'active', search: objectId }));
    const names = agents.map(({ name }) => name);
    const own = jobs.filter(
      (job) => names.includes(job.agentName) && (scheduleId === null || job.scheduleId === scheduleId),
    );
    return own.map(({ id }) => id);
  },
  groupRun: async (reader, { objectId, scheduleId }) => {
    const runs = await reader.readAll(listGroupRuns({ groupId: objectId, status: 'ontrack' }));
    const read = async (id: string) => (await reader.read(getGroupRun(id))).jobs;
    return startedBySchedule(runs, scheduleId, read);
  },
  /** Between two stages, none of its jobs is unfinished: the list of pipeline runs knows. */
  pipelineRun: async (reader, { objectId, scheduleId }) => {
    const runs = await reader.readAll(listPipelineRuns({ pipelineId: objectId, status: 'Running' }));
    const read = async (id: string) => firstJob(reader, id);
    return startedBySchedule(runs, scheduleId, read);
  },
};

/** Only jobs show the schedule that started them. A run without jobs so far may be one of it: it is followed. */
async function startedBySchedule(
  runs: readonly { readonly id: string }[],
  scheduleId: string | null,
  jobsOf: (id: string) => Promise<readonly Job[]>,
): Promise<readonly string[]> {
  const isOwn = async (id: string) =>
    scheduleId === null || (await jobsOf(id)).every((job) => job.scheduleId === scheduleId);
  const checked = await Promise.all(runs.map(async ({ id }) => ((await isOwn(id)) ? [id] : [])));
  return checked.flat();
}

async function firstJob(reader: Reader, pipelineRunId: string): Promise<readonly Job[]> {
  const [first] = (await reader.read(getPipelineRun(pipelineRunId))).steps;
  const jobId = first?.jobId ?? null;
  if (jobId === null) return [];
  const { items } = await reader.read(jobPage({ jobId }));
  return items.filter((job) => job.id === jobId);
}
