import { visibleAgent } from '../access.js';
import type { CollectionRecord } from '../world.js';
import { startJob } from './jobs.js';
import { jobStatus, runsOf } from './phase.js';
import type { JobRecord, Origin, PipelineRunRecord } from './records.js';
import { nextSeq, type Simulation, StartRefused } from './simulation.js';

/** Pipeline runs: a stage starts when the one before it has succeeded (interface.md §3, Pipeline run and stages). */

type RunOrigin = Pick<Origin, 'owner' | 'trigger' | 'scheduleId'>;

export function startPipelineRun(
  sim: Simulation,
  pipeline: CollectionRecord,
  origin: RunOrigin,
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
  sim.world.pipelineRuns.set(run.id, run);
  startNextStage(sim, run, at);
  return run;
}

/** Each stage runs with its agent's default inputs (§1). */
function startNextStage(sim: Simulation, run: PipelineRunRecord, at: number): void {
  const step = run.steps.find(({ status }) => status === 'Pending');
  if (step === undefined) {
    finish(run, 'Completed', at);
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
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    fail(run, error.message, at);
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
    fail(run, messages[0] ?? 'The job of this stage failed.', at);
  }
}

function fail(run: PipelineRunRecord, error: string, at: number): void {
  for (const step of run.steps) {
    if (step.status === 'Running') Object.assign(step, { status: 'Failed', error });
    if (step.status === 'Pending') {
      const isFirst = !run.steps.some(({ status }) => status === 'Failed');
      Object.assign(step, isFirst ? { status: 'Failed', error } : { status: 'Skipped' });
    }
  }
  finish(run, 'Failed', at);
}

function finish(run: PipelineRunRecord, status: 'Completed' | 'Failed', at: number): void {
  run.status = status;
  run.finishedAt = at;
}
