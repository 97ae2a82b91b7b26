import { type Answer, badRequest, type Call, type Core, Refusal, type Route } from '../api.js';
import { agentOf, endRun } from '../engine/jobs.js';
import { isActive, phaseOf, runsOf } from '../engine/phase.js';
import type { RunRecord } from '../engine/records.js';
import { queryRange } from '../instants.js';
import { pageByCursor } from '../paging.js';
import { checkAgentId, findJob, findRun, needsAttention, ownRuns } from './find.js';
import { showRun } from './show.js';

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
