import { isAssigned } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, Refusal, type Route } from '../api.js';
import { bodyFields, type Fields, optionalInputs } from '../body.js';
import { endRun, startJob, startRuns } from '../engine/jobs.js';
import { agentOf, counted, isActive, type Phase, phaseOf, runsOf } from '../engine/phase.js';
import type { Origin, RunRecord } from '../engine/records.js';
import { StartRefused } from '../engine/simulation.js';
import { isoTime, queryRange } from '../instants.js';
import { pageByCursor } from '../paging.js';
import { type AgentRecord, put, type World } from '../world.js';
import { checkAgentId, findJob, findRun, ownRuns } from './visible.js';

/** Runs: lists, counts, refresh and attention (interface.md §3 Run state, §4 Runs). */
const BASE = '/api/scraper-agents';
export const runRoutes: readonly Route[] = [
  { method: 'GET', path: `${BASE}/runs`, scoped: true, handle: listAll },
  { method: 'GET', path: `${BASE}/runs/active-count`, scoped: true, handle: activeCount },
  { method: 'GET', path: `${BASE}/runs/attention-count`, scoped: true, handle: attentionCount },
  { method: 'GET', path: `${BASE}/runs/status-counts`, scoped: true, handle: statusCounts },
  { method: 'GET', path: `${BASE}/jobs/:jobId/runs`, scoped: true, handle: listOfJob },
  { method: 'POST', path: `${BASE}/runs/:runId/refresh`, scoped: true, handle: refresh },
  { method: 'POST', path: `${BASE}/runs/:runId/dismiss-attention`, scoped: true, handle: dismiss },
  { method: 'POST', path: `${BASE}/runs/:runId/restore-attention`, scoped: true, handle: restore },
  { method: 'GET', path: `${BASE}/:id/runs`, scoped: true, handle: listOfAgent },
];

const STATES = ['all', 'active', 'succeeded', 'failed'] as const;

function listAll(core: Core, call: Call): Answer {
  const search = (call.query.get('search') ?? '').trim().toLowerCase();
  const inRange = queryRange(call.query);
  const found = ownRuns(core, call).filter(
    (run) => inRange(run.startedAt) && searchText(core, run).includes(search),
  );
  return page(core, call, found);
}

function listOfAgent(core: Core, call: Call): Answer {
  const agentId = checkAgentId(core, call);
  return page(
    core,
    call,
    ownRuns(core, call).filter((run) => run.agentId === agentId),
  );
}

/** The agent's name, and the details of the run. */
function searchText({ world, clock }: Core, run: RunRecord): string {
  const { agentRunHistoryId, agentName, status, statusMessage } = showRun(world, run, clock().getTime());
  const external = agentOf(world, run)?.externalAgentId;
  return [agentRunHistoryId, agentName, external, status, statusMessage].join('\n').toLowerCase();
}

function page(core: Core, { query }: Call, all: readonly RunRecord[]): Answer {
  const now = core.clock().getTime();
  const applies = stateFilter(query, now);
  const { items, nextCursor } = pageByCursor(all.filter(applies), query);
  return { data: { items: items.map((run) => showRun(core.world, run, now)), nextCursor } };
}

/** A stopped run finished without data, as a failed one (§3). */
function stateFilter(query: URLSearchParams, now: number): (run: RunRecord) => boolean {
  const word = query.get('state') || 'all';
  const state = STATES.find((each) => each === word);
  if (state === undefined) throw new Refusal(400, `The state '${word}' is not known.`, 'INVALID_STATE');
  const attention = attentionFilter(query, state);
  return (run) => {
    const phase = phaseOf(run, now);
    if (attention !== null) return phase === 'failed' && run.attention === attention;
    if (state === 'all') return true;
    if (state === 'active') return isActive(run, now);
    return state === 'succeeded' ? phase === 'succeeded' : phase === 'failed' || phase === 'stopped';
  };
}

function attentionFilter(query: URLSearchParams, state: string): 'tracked' | 'ignored' | null {
  const word = query.get('attention') || null;
  if (word === null) return null;
  if (state === 'failed' && (word === 'tracked' || word === 'ignored')) return word;
  const message = "The filter 'attention' takes tracked or ignored, and needs state=failed.";
  throw new Refusal(400, message, 'INVALID_ATTENTION_FILTER');
}

/** Re-reads unfinished runs from the execution engine first (§4, Runs). */
function listOfJob(core: Core, call: Call): Answer {
  const job = findJob(core, call);
  for (const run of runsOf(core.world, job)) reread(core, run);
  const now = core.clock().getTime();
  return { data: runsOf(core.world, job).map((run) => showRun(core.world, run, now)) };
}

function refresh(core: Core, call: Call): Answer {
  const run = findRun(core, call);
  reread(core, run);
  return { message: 'The run was refreshed.', data: showRun(core.world, run, core.clock().getTime()) };
}

/** A run that the execution engine no longer has is failed (§3). */
function reread({ engine, clock }: Core, run: RunRecord): void {
  if (run.outcome !== 'lost' || run.isClosed) return;
  const message = 'The execution engine no longer has this run.';
  endRun(engine, run, clock().getTime(), { outcome: 'failed', message });
}

function dismiss(core: Core, call: Call): Answer {
  return setAttention(core, call, 'ignored');
}

function restore(core: Core, call: Call): Answer {
  return setAttention(core, call, 'tracked');
}

function setAttention(core: Core, call: Call, attention: RunRecord['attention']): Answer {
  const run = findRun(core, call);
  if (phaseOf(run, core.clock().getTime()) !== 'failed') throw badRequest('The run has not failed.');
  run.attention = attention;
  put(core.world, 'runs', run);
  return { message: `The failure is ${attention}.`, data: null };
}

function activeCount(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  return { data: ownRuns(core, call).filter((run) => isActive(run, now)).length };
}

function attentionCount(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  return { data: ownRuns(core, call).filter((run) => needsAttention(run, now)).length };
}

function statusCounts(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  const counts = {
    all: 0,
    demo: 0,
    starting: 0,
    running: 0,
    delivery: 0,
    succeeded: 0,
    failed: 0,
    stopped: 0,
  };
  for (const run of ownRuns(core, call)) {
    counts.all += 1;
    counts[phaseOf(run, now)] += 1;
    if (agentOf(core.world, run)?.demo) counts.demo += 1;
  }
  return { data: counts };
}

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

/** A failure that the caller has not dismissed, or has. A stopped run is not a failure. */
function needsAttention(run: RunRecord, now: number): boolean {
  return phaseOf(run, now) === 'failed' && run.attention === 'tracked';
}

/** `status` is the engine's own word, and a successful run has either of two (§2, Run). */
function showRun(world: World, run: RunRecord, now: number): Fields {
  const active = isActive(run, now);
  const endedAt = active ? null : run.endsAt;
  return {
    agentRunHistoryId: run.id,
    agentName: agentOf(world, run)?.name ?? '',
    status: engineWord(run, phaseOf(run, now)),
    isRunning: active,
    isTerminal: !active,
    startTime: isoTime(run.startedAt),
    endTime: isoTime(endedAt),
    runTimeSeconds: endedAt === null ? null : (endedAt - run.startedAt) / 1000,
    pages: counted(run, 'pages', now),
    requests: counted(run, 'requests', now),
    errors: counted(run, 'errors', now),
    data: counted(run, 'records', now),
    statusMessage: active ? null : run.message,
    runtimeAnomaly: active ? 'None' : run.anomaly,
    triggerSource: run.trigger,
  };
}

function engineWord(run: RunRecord, phase: Phase): string {
  if (phase === 'succeeded') return run.seq % 2 === 0 ? 'Succeeded' : 'Completed';
  return phase.charAt(0).toUpperCase() + phase.slice(1);
}
