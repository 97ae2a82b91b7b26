import { type Problem, problem } from '../../model/diagnostic.js';
import type { Call, ListCall, Reader } from '../../model/request.js';
import { type Address, type Agent, isId, normalId } from '../../model/resource.js';
import { type Run, type RunIdKind, runKindNames, type ServiceRunState } from '../../model/run.js';
import { shellWord } from '../../model/words.js';
import { unlessGone } from '../../service/operation.js';
import { type AgentRun, listRuns } from '../../service/operations/agent-runs.js';
import {
  deleteGroupRun,
  type GroupRun,
  type GroupRunEntry,
  getGroupRun,
  listGroupRuns,
} from '../../service/operations/group-runs.js';
import { type Job, listJobs } from '../../service/operations/jobs.js';
import {
  deletePipelineRun,
  getPipelineRun,
  listPipelineRuns,
  type PipelineRun,
  type PipelineRunEntry,
} from '../../service/operations/pipeline-runs.js';
import { firstPage, pages } from '../../service/paging.js';
import { addressNamed, addressOfAgent } from '../agents.js';
import type { Watch } from '../watch.js';
import {
  chainState,
  groupRun,
  groupRunState,
  jobRun,
  jobState,
  memberNotStarted,
  pipelineRun,
  stageRun,
  stageStates,
} from './states.js';

/** One of the kinds of runs that the service has. All that differs between them is here; the rest of `operate` asks this table. */
export interface RunKind {
  readonly name: RunIdKind;
  /** What it consists of: jobs that run at the same time, or one after the other. `none`: it is itself a job. */
  readonly members: 'none' | 'parallel' | 'chain';
  /** Its runs, newest first. Some states take several lists. */
  lists(filter: RunsFilter): readonly ListCall<RunEntry>[];
  /** The runs with these ids, in one list or one request each. Those that the service does not show are missing. */
  read(reader: Reader, ids: readonly string[]): Promise<readonly FoundRun[]>;
  /** The id of the run of this kind that a job is, or is a part of; null for none. */
  idIn(job: Job): string | null;
  /** Deletes a run with its jobs; null where the service deletes none. */
  readonly remove: ((id: string) => Call<null>) | null;
}

export type ListedState = 'active' | 'succeeded' | 'failed';

export interface RunsFilter {
  /** Of this agent, group or pipeline. A search for an agent also finds other texts. */
  readonly objectId?: string | undefined;
  readonly id?: string;
  readonly state?: ListedState | undefined;
  /** Started since, ISO 8601. */
  readonly from?: string | undefined;
}

/** A run as the list of its kind shows it. What that does not show is null. */
export interface RunEntry {
  readonly id: string;
  /** Of the agent, group or pipeline. */
  readonly name: string | null;
  /** The group or pipeline; null for a job, which shows the name of its agent only. */
  readonly objectId: string | null;
  readonly state: ServiceRunState | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly message: string | null;
  /** How many agents it is to start. */
  readonly memberCount: number | null;
  /** The whole run, where the list shows that. */
  readonly found: FoundRun | null;
}

/** What runs, as far as it is known. */
export interface RunSubject {
  /** Null for a run that is known by its id alone. */
  readonly address: Address | null;
  /** The agents that it starts, in their order; empty when they are not known. */
  readonly agents: readonly Agent[];
}

export const unknownSubject: RunSubject = { address: null, agents: [] };

/** A run as the service shows it now. */
export interface FoundRun {
  readonly id: string;
  readonly kind: RunKind;
  /** What the answer shows of how it was started. */
  readonly origin: Pick<Job, 'triggerSource' | 'scheduleId'> | null;
  /** The group run or pipeline run that a job belongs to. */
  readonly partOf: { readonly id: string; readonly idKind: RunIdKind } | null;
  /** The jobs of a run that show how it was started: for a pipeline run, with a request. */
  firstJobs(reader: Reader): Promise<readonly Job[]>;
  /** Those of its jobs that are in this state; a job itself in any. */
  jobIdsIn(state: ServiceRunState): readonly string[];
  /** With the details of jobs that have finished. */
  now(subject: RunSubject, watch: Watch): Promise<Run>;
  /** As above, and with the times of a job that goes on, for which its runs are read. */
  shown(subject: RunSubject, watch: Watch): Promise<Run>;
}

/** Jobs further down are asked for one by one. */
const MOST_JOB_PAGES = 5;

const jobs: RunKind = {
  name: 'job',
  members: 'none',
  lists: ({ objectId: search, id: jobId, state, from }) => [
    listOf(listJobs({ search, jobId, state, from }), jobEntry),
  ],
  async read(reader, ids) {
    const wanted = new Set(ids);
    const found = new Map<string, Job>();
    if (ids.length > 1)
      for await (const { items } of pages(reader, listJobs(), { most: MOST_JOB_PAGES })) {
        for (const job of items) if (wanted.has(job.id)) found.set(job.id, job);
        if (found.size === wanted.size) break;
      }
    const left = ids.filter((id) => !found.has(id));
    const single = await Promise.all(left.map((jobId) => firstPage(reader, listJobs({ jobId }), 25)));
    // A service that ignores the filter has not answered.
    for (const job of single.flat()) if (wanted.has(job.id)) found.set(job.id, job);
    return [...found.values()].map(foundJob);
  },
  idIn: ({ id }) => id,
  remove: null,
};

function jobEntry(job: Job): RunEntry {
  return { ...unknownOfEntry, id: job.id, name: job.agentName, state: jobState(job), found: foundJob(job) };
}

function foundJob(job: Job): FoundRun {
  const [whole] = wholeKinds.flatMap((kind) => {
    const id = kind.idIn(job);
    return id === null ? [] : [{ id, idKind: kind.name }];
  });
  const addressIn = ({ address }: RunSubject, { agents }: Watch) =>
    address ?? addressNamed(job.agentName, agents);
  const shown = async (subject: RunSubject, watch: Watch) =>
    jobRun(job, addressIn(subject, watch), await watch.detailsOf(job.id));
  return {
    id: job.id,
    kind: jobs,
    origin: job,
    partOf: whole ?? null,
    firstJobs: async () => [job],
    jobIdsIn: () => [job.id],
    now: async (subject, watch) =>
      jobState(job) === 'running' ? jobRun(job, addressIn(subject, watch), null) : shown(subject, watch),
    shown,
  };
}

/** The words of the service for the states that roster has (interface §3). */
const groupWords = {
  active: ['ontrack'],
  succeeded: ['completed'],
  failed: ['atrisk', 'behind'],
} as const;
const groupStates: Readonly<Record<string, ServiceRunState>> = {
  ontrack: 'running',
  completed: 'succeeded',
  atrisk: 'failed',
  behind: 'failed',
};

const groupRuns: RunKind = {
  name: 'groupRun',
  members: 'parallel',
  lists({ objectId: groupId, id: q, state, from }) {
    const words = state === undefined ? [undefined] : groupWords[state];
    return words.map((status) =>
      listOf(listGroupRuns({ groupId, q, status, from }), (entry) => groupEntry(entry, status)),
    );
  },
  read: (reader, ids) => readEach(ids, async (id) => foundGroupRun(id, await reader.read(getGroupRun(id)))),
  idIn: ({ groupRunId }) => groupRunId,
  remove: deleteGroupRun,
};

function groupEntry(entry: GroupRunEntry, listed: string | undefined): RunEntry {
  const { id, groupId: objectId, groupName: name, startedAt, memberCount } = entry;
  const word = (entry.status ?? listed ?? '').toLowerCase();
  const known = (Object.hasOwn(groupStates, word) ? groupStates[word] : null) ?? null;
  // Its jobs say how it is doing only where no word does: the details of each would take a request.
  const run = known === null ? entry.run : null;
  const state = run === null ? known : stateInAnswer(run);
  const message = state === 'failed' ? whyFailed(entry) : null;
  const found = run === null ? null : foundGroupRun(id, run);
  return { ...unknownOfEntry, id, name, objectId, state, startedAt, message, memberCount, found };
}

function stateInAnswer({ memberCount, jobs: own, notStarted }: GroupRun): ServiceRunState {
  const members = [...own.map(jobState), ...notStarted.map(() => 'notStarted' as const)];
  const state = groupRunState(memberCount ?? members.length, members);
  // The words of the list have none for a run that never started.
  return state === 'notStarted' ? 'failed' : state;
}

/** The list counts those that failed, and does not tell the others apart. */
function whyFailed({ failedCount, memberCount }: GroupRunEntry): string | null {
  if (failedCount === 0) return 'some members never started or were stopped';
  return failedCount === null ? null : `${failedCount} of ${memberCount ?? 'its'} members failed`;
}

function foundGroupRun(id: string, run: GroupRun): FoundRun {
  const now = async ({ address, agents }: RunSubject, watch: Watch) => {
    const started = await Promise.all(run.jobs.map((job) => foundJob(job).now(unknownSubject, watch)));
    const missing = run.notStarted.map((each) => memberNotStarted(each, watch.agents));
    const expected = agents.length === 0 ? null : agents.length;
    return groupRun({ address, id, idKind: 'groupRun' }, run.memberCount, [...started, ...missing], expected);
  };
  return {
    id,
    kind: groupRuns,
    origin: run.jobs[0] ?? null,
    partOf: null,
    firstJobs: async () => run.jobs,
    jobIdsIn: (state) => run.jobs.flatMap((job) => (jobState(job) === state ? [job.id] : [])),
    now,
    shown: now,
  };
}

const pipelineWords = { active: 'Running', succeeded: 'Completed', failed: 'Failed' } as const;
const pipelineStates = { Running: 'running', Completed: 'succeeded', Failed: 'failed' } as const;

const pipelineRuns: RunKind = {
  name: 'pipelineRun',
  members: 'chain',
  lists({ objectId: pipelineId, id: q, state, from }) {
    const status = state === undefined ? undefined : pipelineWords[state];
    return [listOf(listPipelineRuns({ pipelineId, q, status, from }), pipelineEntry)];
  },
  read: (reader, ids) =>
    readEach(ids, async (id) => {
      const run = await reader.read(getPipelineRun(id));
      // A service that answers with another run has not answered.
      return run.id === id ? foundPipelineRun(run) : null;
    }),
  idIn: ({ pipelineRunId }) => pipelineRunId,
  remove: deletePipelineRun,
};

function pipelineEntry(run: PipelineRunEntry): RunEntry {
  const { id, pipelineId: objectId, pipelineName: name, startedAt, finishedAt, steps } = run;
  const { status, stepCount: memberCount } = run;
  const state = status === null ? chainState(steps, memberCount) : pipelineStates[status];
  const error = steps.find(({ status }) => status === 'Failed')?.error ?? null;
  const message = state === 'failed' ? error : null;
  return { ...unknownOfEntry, id, name, objectId, state, startedAt, finishedAt, message, memberCount };
}

function foundPipelineRun(run: PipelineRun): FoundRun {
  const { id, steps } = run;
  const now = async ({ address, agents }: RunSubject, watch: Watch) => {
    const stages = steps.map(async (stage, index) => {
      const hasEnded = stage.status === 'Succeeded' || stage.status === 'Failed';
      const details = hasEnded && stage.jobId !== null ? await watch.detailsOf(stage.jobId) : null;
      const own = steps.length === agents.length ? agents[index] : undefined;
      const named = addressNamed(details?.agentName ?? null, watch.agents);
      return stageRun(stage, own === undefined ? named : addressOfAgent(own), details);
    });
    return pipelineRun({ address, id, idKind: 'pipelineRun' }, run, await Promise.all(stages));
  };
  return {
    id,
    kind: pipelineRuns,
    origin: null,
    partOf: null,
    async firstJobs(reader) {
      const jobId = steps[0]?.jobId ?? null;
      if (jobId === null) return [];
      return (await firstPage(reader, listJobs({ jobId }), 25)).filter((job) => job.id === jobId);
    },
    jobIdsIn: (state) =>
      steps.flatMap(({ status, jobId }) => (jobId !== null && stageStates[status] === state ? [jobId] : [])),
    now,
    shown: now,
  };
}

/** In the order in which an id is looked for. */
export const runKinds: readonly RunKind[] = [jobs, groupRuns, pipelineRuns];
/** Those that consist of jobs. */
export const wholeKinds = runKinds.filter(({ members }) => members !== 'none');

export function runKind(name: Run['idKind']): RunKind {
  const found = runKinds.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no kind of runs ${name}`);
  return found;
}

export function jobsOf(run: Run): readonly Run[] {
  return runKind(run.idKind).members === 'none' ? [run] : run.members;
}

const unknownOfEntry = {
  name: null,
  objectId: null,
  state: null,
  startedAt: null,
  finishedAt: null,
  message: null,
  memberCount: null,
  found: null,
} as const satisfies Partial<RunEntry>;

function listOf<T>(
  { request, noun, parse }: ListCall<T>,
  entryOf: (item: T) => RunEntry,
): ListCall<RunEntry> {
  return { request, noun, parse: (item) => entryOf(parse(item)) };
}

async function readEach(
  ids: readonly string[],
  read: (id: string) => Promise<FoundRun | null>,
): Promise<readonly FoundRun[]> {
  const found = await Promise.all(ids.map((id) => unlessGone(read(id))));
  return found.flatMap((each) => each ?? []);
}

/** One run of an agent, of which a job consists: the service tracks attention for these. */
export interface FoundAgentRun {
  readonly id: string;
  readonly kind: null;
  readonly run: AgentRun;
}

/** Throws a Problem for what cannot be an id. */
export function checkedId(text: string): string {
  if (text.includes('/')) {
    const help = `\`roster runs ${shellWord(text)}\` lists its runs with their ids.`;
    throw problem('usage', `"${text}" is an address, and the id of a run is needed`, help);
  }
  if (!isId(text)) throw unknownRun(text);
  return normalId(text);
}

/** An id does not say of what it is: with a read for each kind. Throws a Problem when there is nothing with this id. */
export async function runWithId(reader: Reader, id: string): Promise<FoundRun> {
  const found = await findRun(reader, id);
  if (found === null) throw unknownRun(id);
  return found;
}

/** As above, and also a run of an agent, which is found by a search. */
export async function anyRunWithId(reader: Reader, id: string): Promise<FoundRun | FoundAgentRun> {
  return (await findRun(reader, id)) ?? agentRunWithId(reader, id);
}

async function findRun(reader: Reader, id: string): Promise<FoundRun | null> {
  const found = await Promise.all(runKinds.map((kind) => kind.read(reader, [id])));
  return found.flat()[0] ?? null;
}

export async function agentRunWithId(reader: Reader, id: string): Promise<FoundAgentRun> {
  const run = (await firstPage(reader, listRuns({ search: id }))).find((each) => each.id === id);
  if (run === undefined) throw unknownRun(id);
  return { id, kind: null, run };
}

/** Whether a finished run succeeded, only the filter of the list says (interface §2: the status is not to be compared). */
export async function agentRunState(
  { id, run }: FoundAgentRun,
  reader: Reader,
): Promise<'running' | 'succeeded' | 'failed'> {
  if (!run.isTerminal) return 'running';
  const items = await firstPage(reader, listRuns({ state: 'succeeded', search: id }));
  return items.some((each) => each.id === id) ? 'succeeded' : 'failed';
}

export function unknownRun(id: string): Problem {
  const help = 'Pass the id of a job, group run or pipeline run: `roster runs` lists them.';
  return problem('usage', `there is no job, group run or pipeline run "${id}"`, help);
}

/** In messages. */
export function kindNameOf({ kind }: FoundRun | FoundAgentRun): string {
  return kind === null ? 'run of an agent' : runKindNames[kind.name];
}
