import { type Answer, type Call, type Core, queryRange, type Route } from '../api.js';
import { agentOf, type JobStatus, jobStatus } from '../engine/jobs.js';
import type { JobRecord } from '../engine/records.js';
import { pageByCursor } from '../paging.js';
import { checkAgentId, jobError, ownJobs, showJob } from './runs.js';

/** Jobs: lists and counts (interface.md §4, Jobs). */
const BASE = '/api/scraper-agents';
export const jobRoutes: readonly Route[] = [
  { method: 'GET', path: `${BASE}/jobs`, scoped: true, handle: listAll },
  { method: 'GET', path: `${BASE}/jobs/active-count`, scoped: true, handle: activeCount },
  { method: 'GET', path: `${BASE}/jobs/status-counts`, scoped: true, handle: statusCounts },
  { method: 'GET', path: `${BASE}/:id/jobs`, scoped: true, handle: listOfAgent },
];

const STATES: Readonly<Record<string, readonly JobStatus[]>> = {
  active: [1, 2],
  succeeded: [3],
  failed: [4, 5],
};

/** An unknown state is ignored, not rejected (§4). */
function listAll(core: Core, call: Call): Answer {
  const { query } = call;
  const now = core.clock().getTime();
  const word = query.get('state') ?? '';
  const statuses = Object.hasOwn(STATES, word) ? STATES[word] : undefined;
  const jobId = query.get('jobId')?.toLowerCase() ?? '';
  const search = (query.get('search') ?? '').trim().toLowerCase();
  const inRange = queryRange(query);
  const found = ownJobs(core, call).filter(
    (job) =>
      (jobId === '' || job.id === jobId) &&
      inRange(job.startedAt) &&
      (statuses === undefined || statuses.includes(jobStatus(core.world, job, now))) &&
      searchText(core, job, now).includes(search),
  );
  return page(core, call, found);
}

function listOfAgent(core: Core, call: Call): Answer {
  const agentId = checkAgentId(core, call);
  return page(
    core,
    call,
    ownJobs(core, call).filter((job) => job.agentId === agentId),
  );
}

/** Agent name or id, session, or error message (§4). */
function searchText({ world }: Core, job: JobRecord, now: number): string {
  const agent = agentOf(world, job);
  const texts = [agent?.name, agent?.id, agent?.externalAgentId, job.sessionId, jobError(world, job, now)];
  return texts.join('\n').toLowerCase();
}

function page(core: Core, { query }: Call, all: readonly JobRecord[]): Answer {
  const now = core.clock().getTime();
  const { items, nextCursor } = pageByCursor(all, query);
  return { data: { items: items.map((job) => showJob(core.world, job, now)), nextCursor } };
}

function activeCount(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  return { data: ownJobs(core, call).filter((job) => jobStatus(core.world, job, now) < 3).length };
}

const COUNTED = {
  1: 'inProgress',
  2: 'inProgressWithFailure',
  3: 'succeeded',
  4: 'failure',
  5: 'failed',
} as const;

function statusCounts(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  const counts = {
    all: 0,
    demo: 0,
    inProgress: 0,
    inProgressWithFailure: 0,
    succeeded: 0,
    failure: 0,
    failed: 0,
  };
  for (const job of ownJobs(core, call)) {
    counts.all += 1;
    counts[COUNTED[jobStatus(core.world, job, now)]] += 1;
    if (agentOf(core.world, job)?.demo) counts.demo += 1;
  }
  return { data: counts };
}
