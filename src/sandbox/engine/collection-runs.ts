import { visibleAgent } from '../access.js';
import { type CollectionRecord, nextSeq, put } from '../world.js';
import { startJob } from './jobs.js';
import { groupRunStatus, jobStatus, runsOf } from './phase.js';
import type { GroupRunMember, GroupRunRecord, JobRecord, Origin, PipelineRunRecord } from './records.js';
import { type Simulation, StartRefused } from './simulation.js';

type GroupRunOrigin = Omit<Origin, 'groupRunId' | 'pipelineRunId'>;

/** Every member is started in the background, one after another (interface.md §4, Agent groups). */
export function startGroupRun(
  sim: Simulation,
  group: CollectionRecord,
  origin: GroupRunOrigin,
  at: number,
): GroupRunRecord {
  const stagger = sim.world.settings.staggerSeconds * 1000;
  const run: GroupRunRecord = {
    ...origin,
    id: sim.newId(),
    seq: nextSeq(sim.world),
    groupId: group.id,
    groupName: group.name,
    startedAt: at,
    finishedAt: group.agentIds.length === 0 ? at : null,
    members: group.agentIds.map((agentId, index) => ({
      agentId,
      startsAt: at + index * stagger,
      jobId: null,
      reason: null,
    })),
  };
  put(sim.world, 'groupRuns', run);
  scheduleMembers(sim, run);
  return run;
}

/** Also for the group runs of a data file. */
export function scheduleMembers(sim: Simulation, run: GroupRunRecord): void {
  for (const member of run.members) {
    if (member.jobId !== null || member.reason !== null) continue;
    sim.agenda.add({ at: member.startsAt, run: (at) => startPlanned(sim, run, member, at) });
  }
}

function startPlanned(sim: Simulation, run: GroupRunRecord, member: GroupRunMember, at: number): void {
  if (sim.world.groupRuns.get(run.id) !== run || member.jobId !== null || member.reason !== null) return;
  try {
    startMember(sim, run, member, at);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    member.reason = error.message;
    put(sim.world, 'groupRuns', run);
    noteFinished(sim, run, at);
  }
}

/** Throws StartRefused. Also starts a member again that never started. */
export function startMember(
  sim: Simulation,
  run: GroupRunRecord,
  member: GroupRunMember,
  at: number,
): JobRecord {
  const agent = visibleAgent(sim.world, member.agentId, run.owner);
  if (!agent) throw new StartRefused('The agent is no longer assigned to you.');
  const job = startJob(sim, agent, { ...run, groupRunId: run.id, pipelineRunId: null }, at);
  member.jobId = job.id;
  member.reason = null;
  run.finishedAt = null;
  // To make room for the job, an old run may have been forgotten.
  if (sim.world.groupRuns.get(run.id) === run) put(sim.world, 'groupRuns', run);
  return job;
}

export function noteFinished(sim: Simulation, run: GroupRunRecord, at: number): void {
  if (groupRunStatus(sim.world, run, at) === 'ontrack') return;
  run.finishedAt = at;
  put(sim.world, 'groupRuns', run);
}

type PipelineRunOrigin = Pick<Origin, 'owner' | 'trigger' | 'scheduleId'>;

/** A stage starts when the one before it has succeeded (interface.md §3, Pipeline run and stages). */
export function startPipelineRun(
  sim: Simulation,
  pipeline: CollectionRecord,
  origin: PipelineRunOrigin,
  at: number,
): PipelineRunRecord {
  const run: PipelineRunRecord = {
    ...origin,
    id: sim.newId(),
    seq: nextSeq(sim.world),
    pipelineId: pipeline.id,
    pipelineName: pipeline.name,
    startedAt: at,
    finishedAt: null,
    status: 'Running',
    steps: pipeline.agentIds.map((agentId) => ({ agentId, status: 'Pending', error: null, jobId: null })),
  };
  put(sim.world, 'pipelineRuns', run);
  startNextStage(sim, run, at);
  return run;
}

/** Each stage runs with its agent's default inputs (§1). */
function startNextStage(sim: Simulation, run: PipelineRunRecord, at: number): void {
  const step = run.steps.find(({ status }) => status === 'Pending');
  if (step === undefined) {
    finish(sim, run, 'Completed', at);
    return;
  }
  const agent = visibleAgent(sim.world, step.agentId, run.owner);
  try {
    if (!agent) throw new StartRefused('The agent is no longer assigned to you.');
    const defaults = Object.fromEntries(
      agent.inputParameters.map(({ key, defaultValue }) => [key, defaultValue]),
    );
    const inputParameters = JSON.stringify(defaults);
    const origin = { ...run, inputParameters, groupRunId: null, pipelineRunId: run.id };
    step.status = 'Running';
    step.jobId = startJob(sim, agent, origin, at).id;
    put(sim.world, 'pipelineRuns', run);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    fail(sim, run, error.message, at);
  }
}

/** Goes on to the next stage, or skips the rest (§3). */
export function stageFinished(sim: Simulation, run: PipelineRunRecord, job: JobRecord, at: number): void {
  const step = run.steps.find(({ jobId }) => jobId === job.id);
  if (step === undefined || run.status !== 'Running') return;
  if (jobStatus(sim.world, job, at) === 3) {
    step.status = 'Succeeded';
    startNextStage(sim, run, at);
  } else {
    const messages = runsOf(sim.world, job).flatMap(({ message }) => message ?? []);
    fail(sim, run, messages[0] ?? 'The job of this stage failed.', at);
  }
}

function fail(sim: Simulation, run: PipelineRunRecord, error: string, at: number): void {
  for (const step of run.steps) {
    if (step.status === 'Running') Object.assign(step, { status: 'Failed', error });
    if (step.status === 'Pending') {
      const isFirst = !run.steps.some(({ status }) => status === 'Failed');
      Object.assign(step, isFirst ? { status: 'Failed', error } : { status: 'Skipped' });
    }
  }
  finish(sim, run, 'Failed', at);
}

function finish(sim: Simulation, run: PipelineRunRecord, status: 'Completed' | 'Failed', at: number): void {
  run.status = status;
  run.finishedAt = at;
  put(sim.world, 'pipelineRuns', run);
}
