import { isAssigned } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, Refusal, type Route } from '../api.js';
import { bodyFields, optionalInputs } from '../body.js';
import { endRun, startJob, startRuns } from '../engine/jobs.js';
import { isActive } from '../engine/phase.js';
import type { Origin } from '../engine/records.js';
import { StartRefused } from '../engine/simulation.js';
import { isoTime } from '../instants.js';
import type { AgentRecord } from '../world.js';
import { findRun } from './find.js';

/** Starting and stopping (interface.md §4). */
export const startRoutes: readonly Route[] = [
  { method: 'POST', path: '/api/scraper-agents/runs/:runId/stop', scoped: true, handle: stop },
  {
    method: 'POST',
    path: '/api/scraper-agents/:externalAgentId/start-job',
    scoped: true,
    handle: startAsJob,
  },
  { method: 'POST', path: '/api/scraper-agents/:externalAgentId/run', scoped: true, handle: run },
];

function startAsJob(core: Core, call: Call): Answer {
  const agent = findAgent(core, call);
  const origin = originOf(call);
  core.limits.countStart(call.caller.user);
  const at = core.clock().getTime();
  const job = refusedAs(undefined, () => startJob(core.engine, agent, origin, at));
  const data = {
    agentId: agent.id,
    externalAgentId: agent.externalAgentId,
    agentJobHistoryId: job.id,
    jobRunId: job.seq,
    sessionId: job.sessionId,
    startedAt: isoTime(job.startedAt),
  };
  return { message: 'The job was started.', data };
}

function run(core: Core, call: Call): Answer {
  const agent = findAgent(core, call);
  const origin = originOf(call);
  core.limits.countStart(call.caller.user);
  const at = core.clock().getTime();
  const runs = refusedAs('RUN_START_FAILED', () => startRuns(core.engine, agent, origin, at));
  const data = { started: true, lastRunStatus: 'Starting', agentRunHistoryIds: runs.map(({ id }) => id) };
  return { message: 'The agent was started.', data };
}

/** By externalAgentId only: a GUID here gives 404 (§2, Agent). */
function findAgent({ world }: Core, { params, caller }: Call): AgentRecord {
  const agents = [...world.agents.values()];
  const agent = agents.find(({ externalAgentId }) => externalAgentId === params.externalAgentId);
  if (!agent || !isAssigned(world, agent, caller.user)) throw notFound('The agent');
  return agent;
}

function originOf({ body, caller }: Call): Origin {
  return {
    owner: caller.user,
    inputParameters: optionalInputs(bodyFields(body)) ?? '{}',
    trigger: 'Manual',
    scheduleId: null,
    groupRunId: null,
    pipelineRunId: null,
  };
}

/** A start that is refused gives 400 with a readable message (§7). */
export function refusedAs<T>(errorCode: string | undefined, start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw error instanceof StartRefused ? new Refusal(400, error.message, errorCode) : error;
  }
}

function stop(core: Core, call: Call): Answer {
  const found = findRun(core, call);
  const now = core.clock().getTime();
  if (!isActive(found, now)) throw badRequest('The run has finished and cannot be stopped.');
  endRun(core.engine, found, now, { outcome: 'stopped', message: 'The run was stopped.' });
  return { message: 'The run was stopped.', data: null };
}
