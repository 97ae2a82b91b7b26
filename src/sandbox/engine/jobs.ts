import { randomUUID } from 'node:crypto';
import { storeJobData, storeRunData } from '../datasets/store.js';
import { type AgentRecord, countStart, nextSeq, put, type World } from '../world.js';
import { fatesOf } from './fate.js';
import { isActive, runsOf } from './phase.js';
import type { Fate, JobRecord, Origin, RunRecord } from './records.js';
import { forgetOldest } from './retention.js';
import { type Simulation, StartRefused } from './simulation.js';

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
