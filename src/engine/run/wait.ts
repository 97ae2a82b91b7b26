import { problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { type Agent, isId, normalId } from '../../model/resource.js';
import type { RunIdKind } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { listAgents } from '../../service/operations/agents.js';
import { getGroupRun, listGroupRuns } from '../../service/operations/group-runs.js';
import { type Job, jobPage, listJobs } from '../../service/operations/jobs.js';
import { getPipelineRun, listPipelineRuns } from '../../service/operations/pipeline-runs.js';
import type { ReadSession } from '../session.js';
import { DetailsReader } from './details.js';
import { follow } from './follow.js';
import { findObjects } from './objects.js';
import { Pacer } from './pace.js';
import type { FollowedRun } from './poll.js';
import { Retries } from './retries.js';
import type { RunCallbacks, RunsResult } from './run.js';
import { type StartTarget, targetsOf } from './targets.js';
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
  const ids = names.filter((name) => !name.includes('/'));
  for (const id of ids) if (!isId(id)) throw unknownRun(id);
  const known = addresses.length === 0 ? null : await findObjects(session, addresses);
  const agents = known?.agents ?? (await reader.readAll(listAgents()));
  const targets = known === null ? [] : targetsOf(known, { inputs: {}, declared: false });
  const found = await Promise.all([
    ...ids.map((id) => runWithId(reader, normalId(id))),
    ...targets.map((target) => unfinishedOf(reader, target)),
  ]);
  const followed = new Map(found.flat().map((each) => [each.id, each]));
  return { followed: [...followed.values()], agents };
}

/** An id does not say of what it is. */
async function runWithId(reader: Reader, id: string): Promise<readonly FollowedRun[]> {
  const [jobs, isGroupRun, isPipelineRun] = await Promise.all([
    reader.read(jobPage({ jobId: id })),
    exists(reader.read(getGroupRun(id))),
    exists(reader.read(getPipelineRun(id))),
  ]);
  const found: RunIdKind[] = [
    ...(jobs.items.some((job) => job.id === id) ? (['job'] as const) : []),
    ...(isGroupRun ? (['groupRun'] as const) : []),
    ...(isPipelineRun ? (['pipelineRun'] as const) : []),
  ];
  if (found.length === 0) throw unknownRun(id);
  return found.map((idKind) => ({ address: null, id, idKind, agents: [] }));
}

/** A 400 is the answer of services that check the form of an id. */
async function exists(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (failure) {
    if (failure instanceof ServiceFailure && (failure.status === 404 || failure.status === 400)) return false;
    throw failure;
  }
}

function unknownRun(id: string) {
  const help =
    'Pass the id of a job, group run or pipeline run, or an address such as `group/retail-prices`.';
  return problem('usage', `there is no job, group run or pipeline run "${id}"`, help);
}

/** Those of a schedule are the ones that it started, whatever their target is. */
async function unfinishedOf(reader: Reader, target: StartTarget): Promise<readonly FollowedRun[]> {
  const { address, agents, traces } = target;
  const { idKind, objectId, scheduleId } = traces;
  if (scheduleId !== null) {
    const jobs = await reader.readAll(listJobs({ state: 'active' }));
    return jobs
      .filter((job) => job.scheduleId === scheduleId)
      .map((job) => ({ address, agents, ...wholeOf(job) }));
  }
  if (idKind === 'job') return activeJobs(reader, target);
  const ids = await unfinished[idKind](reader, objectId);
  return ids.map((id) => ({ address, agents, id, idKind }));
}

/** Alone or as a part of another run. Jobs show the name of their agent only, and the search finds other texts, too. */
async function activeJobs(reader: Reader, { address, agents, traces }: StartTarget): Promise<FollowedRun[]> {
  const jobs = await reader.readAll(listJobs({ state: 'active', search: traces.objectId }));
  const names = agents.map(({ name }) => name);
  const own = jobs.filter(({ agentName }) => names.includes(agentName));
  return own.map(({ id }) => ({ address, agents, id, idKind: 'job' }));
}

const unfinished = {
  groupRun: async (reader: Reader, groupId: string) =>
    (await reader.readAll(listGroupRuns({ groupId, status: 'ontrack' }))).map(({ id }) => id),
  pipelineRun: async (reader: Reader, pipelineId: string) =>
    (await reader.readAll(listPipelineRuns({ pipelineId, status: 'Running' }))).map(({ id }) => id),
};

function wholeOf({ id, groupRunId, pipelineRunId }: Job): Pick<FollowedRun, 'id' | 'idKind'> {
  if (groupRunId !== null) return { id: groupRunId, idKind: 'groupRun' };
  return pipelineRunId === null ? { id, idKind: 'job' } : { id: pipelineRunId, idKind: 'pipelineRun' };
}
