import { randomUUID } from 'node:crypto';
import { storeJobData, storeRunData } from '../datasets/data.js';
import {
  type AgentRecord,
  byId,
  countStart,
  nextSeq,
  put,
  type Records,
  remove,
  type World,
} from '../world.js';
import {
  type Anomaly,
  type Fate,
  type GroupRunRecord,
  hashText,
  type JobRecord,
  type Origin,
  type Outcome,
  pick,
  type RunRecord,
} from './records.js';

/** Starts agents, as a job or as runs alone, and ends their runs. */

/** Throws StartRefused. */
export function startJob(sim: Simulation, agent: AgentRecord, origin: Origin, at: number): JobRecord {
  const { world } = sim;
  const { fates, nth } = nextStart(world, agent);
  const job: JobRecord = {
    owner: origin.owner,
    inputParameters: origin.inputParameters,
    trigger: origin.trigger,
    scheduleId: origin.scheduleId,
    groupRunId: origin.groupRunId,
    pipelineRunId: origin.pipelineRunId,
    id: sim.newId(),
    seq: nextSeq(world),
    agentId: agent.id,
    sessionId: fates.length > 1 ? '' : randomUUID().slice(0, 8),
    startedAt: at,
    finishedAt: null,
    runIds: [],
    datasetId: null,
  };
  const runs = fates.map((fate, part) =>
    newRun(world, fate, { origin, job, at, rowSeed: `${agent.id}/${nth}/${part}` }),
  );
  job.runIds = runs.map((run) => run.id);
  put(world, 'jobs', job);
  for (const run of runs) schedule(sim, run);
  forgetOldest(world);
  return job;
}

/** Runs without a job (§4, `/run`). Throws StartRefused. */
export function startRuns(sim: Simulation, agent: AgentRecord, origin: Origin, at: number): RunRecord[] {
  const { fates, nth } = nextStart(sim.world, agent);
  const runs = fates.map((fate, part) =>
    newRun(sim.world, fate, { origin, job: agent, at, rowSeed: `${agent.id}/${nth}/${part}` }),
  );
  for (const run of runs) schedule(sim, run);
  forgetOldest(sim.world);
  return runs;
}

function nextStart(world: World, agent: AgentRecord): { fates: Fate[]; nth: number } {
  const nth = countStart(world, agent.id);
  const fates = fatesOf(agent, nth);
  if ('refused' in fates) throw new StartRefused(fates.refused);
  return { fates, nth };
}

interface RunParts {
  readonly origin: Origin;
  /** The job of the run, or the agent of a run without one. */
  readonly job: JobRecord | AgentRecord;
  readonly at: number;
  readonly rowSeed: string;
}

function newRun(world: World, fate: Fate, { origin, job, at, rowSeed }: RunParts): RunRecord {
  const isJob = 'agentId' in job;
  const run: RunRecord = {
    ...fate,
    id: randomUUID(),
    seq: nextSeq(world),
    owner: origin.owner,
    agentId: isJob ? job.agentId : job.id,
    jobId: isJob ? job.id : null,
    groupRunId: origin.groupRunId,
    trigger: origin.trigger,
    startedAt: at,
    endsAt: fate.outcome === 'lost' ? null : at + fate.seconds * 1000,
    isClosed: false,
    attention: 'tracked',
    rowSeed,
    datasetId: null,
  };
  return put(world, 'runs', run);
}

/** Closes the run when it ends. Also for the runs of a data file. */
export function schedule(sim: Simulation, run: RunRecord): void {
  const { endsAt } = run;
  if (endsAt === null || run.isClosed) return;
  sim.agenda.add({ at: endsAt, run: (at) => closeRun(sim, run, at) });
}

/** Ends a run now, whatever it had planned: stopped by the caller, or lost by the engine. */
export function endRun(
  sim: Simulation,
  run: RunRecord,
  at: number,
  how: Pick<Fate, 'outcome' | 'message'>,
): void {
  Object.assign(run, how, { endsAt: at, dataset: null });
  closeRun(sim, run, at);
}

function closeRun(sim: Simulation, run: RunRecord, at: number): void {
  if (run.isClosed || run.endsAt !== at || sim.world.runs.get(run.id) !== run) return;
  run.isClosed = true;
  put(sim.world, 'runs', run);
  const job = run.jobId === null ? undefined : sim.world.jobs.get(run.jobId);
  if (job === undefined || job.runIds.length > 1) storeRunData(sim.world, run, at);
  if (job === undefined || runsOf(sim.world, job).some((each) => isActive(each, at))) return;
  job.finishedAt = at;
  put(sim.world, 'jobs', job);
  storeJobData(sim.world, job, runsOf(sim.world, job));
  sim.jobFinished(job, at);
}

export function agentOf(world: World, { agentId }: { agentId: string }): AgentRecord | undefined {
  return byId(world.agents, agentId);
}

/** The state of runs, jobs and group runs at an instant (interface.md §3). */

export type Phase = 'starting' | 'running' | 'delivery' | 'succeeded' | 'failed' | 'stopped';

export function phaseOf(run: RunRecord, now: number): Phase {
  if (run.endsAt === null) return now < run.startedAt + 1_000 ? 'starting' : 'running';
  if (now >= run.endsAt) return run.outcome === 'lost' ? 'failed' : run.outcome;
  const done = (now - run.startedAt) / (run.endsAt - run.startedAt);
  return done < 0.1 ? 'starting' : done < 0.9 ? 'running' : 'delivery';
}

export function isActive(run: RunRecord, now: number): boolean {
  return run.endsAt === null || now < run.endsAt;
}

/** How much of the run's work is visible at an instant. A stopped run keeps what it had. */
function progressOf(run: RunRecord, now: number): number {
  const until = Math.min(now, run.endsAt ?? now);
  const planned = run.seconds * 1000;
  if (run.outcome !== 'stopped' && !isActive(run, now)) return 1;
  return planned === 0 ? 1 : Math.min(0.99, Math.max(0, (until - run.startedAt) / planned));
}

export function runsOf(world: World, job: JobRecord): RunRecord[] {
  return job.runIds.flatMap((id) => world.runs.get(id) ?? []);
}

/** 1 and 2: in progress, 2 if a run has failed. 3: all succeeded. 4: some succeeded. 5: none did (§3, Job status). */
export type JobStatus = 1 | 2 | 3 | 4 | 5;

export function jobStatus(world: World, job: JobRecord, now: number): JobStatus {
  const phases = runsOf(world, job).map((run) => phaseOf(run, now));
  const failed = phases.some((phase) => phase === 'failed' || phase === 'stopped');
  if (phases.some((phase) => ['starting', 'running', 'delivery'].includes(phase))) return failed ? 2 : 1;
  if (!failed) return 3;
  return phases.includes('succeeded') ? 4 : 5;
}

export function isTerminal(status: JobStatus): boolean {
  return status >= 3;
}

/** `behind`: nothing succeeded. A run of a group without members has nothing that could fail. */
export type GroupRunStatus = 'ontrack' | 'completed' | 'atrisk' | 'behind';

export function groupRunStatus(world: World, run: GroupRunRecord, now: number): GroupRunStatus {
  const statuses = memberStatuses(world, run, now);
  if (statuses.some((status) => status === 'pending' || status === 1 || status === 2)) return 'ontrack';
  if (statuses.every((status) => status === 3)) return 'completed';
  return statuses.includes(3) ? 'atrisk' : 'behind';
}

type MemberStatus = JobStatus | 'pending' | 'notStarted';

export function memberStatuses(world: World, run: GroupRunRecord, now: number): MemberStatus[] {
  return run.members.map(({ jobId, reason }) => {
    if (reason !== null) return 'notStarted';
    const job = jobId === null ? undefined : world.jobs.get(jobId);
    return job === undefined ? 'pending' : jobStatus(world, job, now);
  });
}

/** How a start ends: as the seed scripts it, else in a few seconds, with some records, for each agent its own. */

const NO_ANOMALY_WITHIN = 2;

/** The fates of the runs of an agent's nth start, or why it cannot be started. */
function fatesOf(agent: AgentRecord, nth: number): Fate[] | { refused: string } {
  const outcome = outcomeOf(agent, nth);
  if (outcome.result === 'refuse') return { refused: outcome.message ?? 'The agent cannot be started now.' };
  const count = agent.sessions ?? 1;
  const failing = outcome.result === 'fail' ? (outcome.failedRuns ?? count) : 0;
  return Array.from({ length: count }, (_, part) =>
    fate(agent, outcome, { nth, part, fails: part < failing }),
  );
}

function outcomeOf(agent: AgentRecord, nth: number): Outcome {
  const applies = (each: Outcome): boolean => each.nth === undefined || [each.nth].flat().includes(nth);
  return agent.outcomes?.find(applies) ?? {};
}

interface Which {
  readonly nth: number;
  readonly part: number;
  readonly fails: boolean;
}

function fate(agent: AgentRecord, outcome: Outcome, { nth, part, fails }: Which): Fate {
  const isLost = outcome.result === 'lose';
  const defaultRecords = fails || isLost ? 0 : pick(hashText(`${agent.id}/${nth}/${part}`), 20, 200);
  const records = outcome.records ?? defaultRecords;
  const pages = Math.max(1, Math.ceil(records / 20));
  const seconds = (outcome.seconds ?? usualSeconds(agent)) + part;
  return {
    outcome: isLost ? 'lost' : fails ? 'failed' : 'succeeded',
    seconds,
    records,
    errors: outcome.errors ?? (fails ? 1 : 0),
    pages,
    requests: pages * 3,
    message: fails ? (outcome.message ?? 'The source did not respond.') : null,
    anomaly: outcome.anomaly ?? anomalyOf(seconds, usualSeconds(agent) + part),
    dataset: fails || isLost || outcome.dataset === 'None' ? null : (outcome.dataset ?? 'Available'),
  };
}

/** The duration of a start that no script changes: that of the entry for all starts, else of the agent's own. */
function usualSeconds(agent: AgentRecord): number {
  const usual = agent.outcomes?.find((each) => each.nth === undefined && each.result !== 'refuse');
  return usual?.seconds ?? pick(hashText(agent.id), 5, 15);
}

function anomalyOf(seconds: number, usual: number): Anomaly {
  if (seconds * NO_ANOMALY_WITHIN < usual) return 'Fast';
  return seconds > usual * NO_ANOMALY_WITHIN ? 'Slow' : 'None';
}

/** What starting and ending runs need. */
export interface Simulation {
  /** For what is started next: random, unless a seed names it. */
  newId(): string;
  readonly world: World;
  readonly agenda: Agenda;
  /** Called when all runs of a job have ended. */
  readonly jobFinished: (job: JobRecord, at: number) => void;
}

/** The agent, group or pipeline cannot be started: the reason, as a sentence. */
export class StartRefused extends Error {}

/** What will happen next. An event whose object has changed meanwhile does nothing when its time comes. */
export interface AgendaEvent {
  readonly at: number;
  readonly run: (at: number) => void;
}

/** Events by time; those of one instant in the order in which they were added. */
export class Agenda {
  /** Latest first, so that the next event is at the end. */
  private readonly events: AgendaEvent[] = [];

  add(event: AgendaEvent): void {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.at ?? 0) > event.at) low = middle + 1;
      else high = middle;
    }
    this.events.splice(low, 0, event);
  }

  /** Removes the next event that is not after `now`. */
  take(now: number): AgendaEvent | undefined {
    const next = this.events.at(-1);
    return next !== undefined && next.at <= now ? this.events.pop() : undefined;
  }
}

/** Bounds what a sandbox remembers, so that one that runs for weeks stays as small as it was. */

const MOST = { jobs: 2_000, runs: 4_000, datasets: 4_000, groupRuns: 1_000, pipelineRuns: 1_000 };
/** Runs that the engine lost never finish. With more than this many times as many, they are forgotten, too. */
const OVERFLOW = 2;

/** Forgets the oldest that are finished. Maps are in the order of creation. */
function forgetOldest(world: World): void {
  for (const job of trim(world, 'jobs', isDone(world))) forgetParts(world, job);
  trim(world, 'runs', (run) => run.isClosed);
  for (const dataset of trim(world, 'datasets', () => true)) forgetQueries(world, dataset.id);
  trim(world, 'groupRuns', (run) => run.finishedAt !== null);
  trim(world, 'pipelineRuns', (run) => run.finishedAt !== null);
}

/** A job stays as long as what it is part of goes on. */
function isDone({ groupRuns, pipelineRuns }: World): (job: JobRecord) => boolean {
  return ({ finishedAt, groupRunId, pipelineRunId }) =>
    finishedAt !== null &&
    groupRuns.get(groupRunId ?? '')?.finishedAt !== null &&
    pipelineRuns.get(pipelineRunId ?? '')?.finishedAt !== null;
}

/** Without one of its jobs, a group run or a pipeline run would look unfinished. */
function forgetParts(world: World, { runIds, groupRunId, pipelineRunId }: JobRecord): void {
  for (const id of runIds) remove(world, 'runs', id);
  if (groupRunId !== null) remove(world, 'groupRuns', groupRunId);
  if (pipelineRunId !== null) remove(world, 'pipelineRuns', pipelineRunId);
}

/** As when the dataset is deleted (§4, Datasets). */
function forgetQueries(world: World, datasetId: string): void {
  for (const query of world.savedQueries.values()) {
    if (query.datasetId === datasetId) remove(world, 'savedQueries', query.id);
  }
}

/** Returns what it has forgotten. */
function trim<S extends keyof typeof MOST>(
  world: World,
  section: S,
  isFinished: (record: Records[S]) => boolean,
): Records[S][] {
  const records = world[section] as Map<string, Records[S]>;
  let surplus = records.size - MOST[section];
  const isFull = records.size > MOST[section] * OVERFLOW;
  const forgotten: Records[S][] = [];
  for (const [id, record] of records) {
    if (surplus <= 0) break;
    if (!isFull && !isFinished(record)) continue;
    remove(world, section, id);
    forgotten.push(record);
    surplus -= 1;
  }
  return forgotten;
}

/** The value of a field so far, by the progress of the run. */
export function counted(
  run: RunRecord,
  field: 'records' | 'errors' | 'pages' | 'requests',
  now: number,
): number {
  return Math.floor(run[field] * progressOf(run, now));
}
