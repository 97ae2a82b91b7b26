import { isOwn, visibleAgent } from '../access.js';
import { type Call, type Core, notFound } from '../api.js';
import type { GroupRunRecord, JobRecord, PipelineRunRecord, RunRecord } from '../engine/records.js';
import { isGuid } from '../world.js';

/** What the caller may see. Other people's, and those of agents no longer assigned, are not found (§1.10). */

export function ownRuns({ world }: Core, { caller }: Call): RunRecord[] {
  return [...world.runs.values()].filter(
    (run) => isOwn(run, caller.user) && visibleAgent(world, run.agentId, caller.user),
  );
}

export function findRun(core: Core, call: Call): RunRecord {
  const run = core.world.runs.get(idOf(call, 'runId'));
  if (run && isOwn(run, call.caller.user) && visibleAgent(core.world, run.agentId, call.caller.user))
    return run;
  throw notFound('The run', 'RUN_NOT_FOUND');
}

export function findJob(core: Core, call: Call): JobRecord {
  const job = core.world.jobs.get(idOf(call, 'jobId'));
  if (job && isOwn(job, call.caller.user) && visibleAgent(core.world, job.agentId, call.caller.user))
    return job;
  throw notFound('The job', 'JOB_NOT_FOUND');
}

export function findGroupRun(core: Core, call: Call): GroupRunRecord {
  const run = core.world.groupRuns.get(idOf(call, 'groupRunId'));
  if (run && isOwn(run, call.caller.user)) return run;
  throw notFound('The group run');
}

export function findPipelineRun(core: Core, call: Call): PipelineRunRecord {
  const run = core.world.pipelineRuns.get(idOf(call, 'pipelineRunId'));
  if (run && isOwn(run, call.caller.user)) return run;
  throw notFound('The pipeline run');
}

/** By GUID only: an externalAgentId here gives 404 (§2, Agent). */
export function checkAgentId({ world }: Core, { params, caller }: Call): string {
  const agent = visibleAgent(world, params.id ?? '', caller.user);
  if (!agent) throw notFound('The agent');
  return agent.id;
}

function idOf({ params }: Call, name: string): string {
  const id = params[name] ?? '';
  return isGuid(id) ? id.toLowerCase() : '';
}
