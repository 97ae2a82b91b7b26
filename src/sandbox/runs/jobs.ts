import { isOwn, visibleAgent } from '../access.js';
import type { Answer, Call, Core, Route } from '../api.js';
import type { Fields } from '../body.js';
import {
  agentOf,
  counted,
  isActive,
  isTerminal,
  type JobStatus,
  jobStatus,
  runsOf,
} from '../engine/phase.js';
import type { JobRecord } from '../engine/records.js';
import { queryRange } from '../instants.js';
import { pageByCursor } from '../paging.js';
import type { World } from '../world.js';
import { checkAgentId } from './visible.js';

/** Jobs: lists and counts (interface.md §4, Jobs), and how responses show them (§2). */
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

function ownJobs({ world }: Core, { caller }: Call): JobRecord[] {
  return [...world.jobs.values()].filter(
    (job) => isOwn(job, caller.user) && visibleAgent(world, job.agentId, caller.user),
  );
}

export const STATUS_NAMES: Readonly<Record<JobStatus, string>> = {
  1: 'In progress',
  2: 'In progress with failure',
  3: 'Succeeded',
  4: 'Failure',
  5: 'Failed',
};

export function showJob(world: World, job: JobRecord, now: number): Fields {
  const runs = runsOf(world, job);
  const status = jobStatus(world, job, now);
  const sum = (field: 'records' | 'errors') =>
    runs.reduce((total, run) => total + counted(run, field, now), 0);
  return {
    agentJobHistoryId: job.id,
    agentName: agentOf(world, job)?.name ?? '',
    status,
    statusName: STATUS_NAMES[status],
    isTerminal: isTerminal(status),
    completedRunCount: runs.filter((run) => !isActive(run, now)).length,
    totalRunCount: runs.length,
    totalDataCount: sum('records'),
    totalErrors: sum('errors'),
    inputParameters: job.inputParameters,
    triggerSource: job.trigger,
    scheduleId: job.scheduleId,
    searchGroupRunId: job.groupRunId,
    pipelineRunId: job.pipelineRunId,
    errorMessage: jobError(world, job, now),
  };
}

/** Null while the job is in progress, and when it succeeded. */
function jobError(world: World, job: JobRecord, now: number): string | null {
  if (jobStatus(world, job, now) < 4) return null;
  const messages = runsOf(world, job).flatMap(({ message }) => message ?? []);
  return messages[0] ?? 'A run of the job failed.';
}
