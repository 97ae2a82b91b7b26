import { isOwn } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import type { Fields } from '../body.js';
import { startMember } from '../engine/group-runs.js';
import { type GroupRunStatus, groupRunStatus, memberStatuses } from '../engine/phase.js';
import type { GroupRunMember, GroupRunRecord } from '../engine/records.js';
import { isoTime, queryRange } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { byId, type World } from '../world.js';
import { findGroupRun } from './find.js';
import { removeJobs } from './remove.js';
import { showJob } from './show.js';
import { refusedAs } from './starts.js';

/** Group runs (interface.md §3 and §4, Agent groups). Listed before the routes of groups, whose `:id` would match. */
const BASE = '/api/search-groups/runs';
export const groupRunRoutes: readonly Route[] = [
  { method: 'GET', path: BASE, scoped: true, handle: list },
  { method: 'GET', path: `${BASE}/:groupRunId`, scoped: true, handle: read },
  { method: 'DELETE', path: `${BASE}/:groupRunId`, scoped: true, handle: remove },
  { method: 'POST', path: `${BASE}/:groupRunId/members/:agentId/retry`, scoped: true, handle: retry },
];

const STATUSES: readonly GroupRunStatus[] = ['ontrack', 'completed', 'atrisk', 'behind'];

function list(core: Core, call: Call): Answer {
  const now = core.clock().getTime();
  const { query } = call;
  const all = [...core.world.groupRuns.values()].filter((run) => isOwn(run, call.caller.user)).reverse();
  const statusOf = (run: GroupRunRecord) => groupRunStatus(core.world, run, now);
  const status = STATUSES.find((each) => each === query.get('status')?.toLowerCase());
  const groupId = query.get('groupId')?.toLowerCase() ?? '';
  const text = (query.get('q') ?? '').trim().toLowerCase();
  const inRange = queryRange(query);
  const found = all.filter(
    (run) =>
      (groupId === '' || run.groupId.toLowerCase() === groupId) &&
      (status === undefined || statusOf(run) === status) &&
      `${run.groupName}\n${run.id}`.toLowerCase().includes(text) &&
      inRange(run.startedAt),
  );
  const { items, total } = pageByNumber(found, query);
  const shown = items.map((run) => ({
    ...summary(core.world, run, now),
    ...about(run),
    status: statusOf(run),
  }));
  return { data: { items: shown, total, metrics: metrics(all.map(statusOf)) } };
}

function about({ groupId, groupName, startedAt }: GroupRunRecord): Fields {
  return { groupId, groupName, startedAt: isoTime(startedAt) };
}

/** Across all the caller's group runs (§4). */
function metrics(statuses: readonly GroupRunStatus[]): Fields {
  const count = (...words: GroupRunStatus[]) => statuses.filter((status) => words.includes(status)).length;
  return {
    total: statuses.length,
    completed: count('completed'),
    inProgress: count('ontrack'),
    issues: count('atrisk', 'behind'),
  };
}

function read(core: Core, call: Call): Answer {
  const run = findGroupRun(core, call);
  const now = core.clock().getTime();
  const { world } = core;
  const jobs = run.members.flatMap(({ jobId }) => (jobId === null ? [] : (world.jobs.get(jobId) ?? [])));
  const notStarted = run.members.flatMap((member) =>
    member.reason === null ? [] : [{ ...agentIds(world, member), reason: member.reason }],
  );
  return {
    data: { ...summary(world, run, now), jobs: jobs.map((job) => showJob(world, job, now)), notStarted },
  };
}

function summary(world: World, run: GroupRunRecord, now: number): Fields {
  const statuses = memberStatuses(world, run, now);
  return {
    groupRunId: run.id,
    memberCount: run.members.length,
    startedCount: statuses.filter((status) => typeof status === 'number').length,
    failedCount: statuses.filter((status) => status === 4 || status === 5).length,
  };
}

function agentIds(world: World, { agentId }: GroupRunMember): Fields {
  const agent = byId(world.agents, agentId);
  const externalAgentId = agent?.externalAgentId ?? '';
  return { scraperAgentId: agentId, externalAgentId, agentName: agent?.name ?? '' };
}

/** Starts a member that never started, under the same group run (§4). */
function retry(core: Core, call: Call): Answer {
  const run = findGroupRun(core, call);
  const id = (call.params.agentId ?? '').toLowerCase();
  const member = run.members.find(({ agentId }) => agentId.toLowerCase() === id);
  if (member === undefined) throw notFound('The member');
  if (member.reason === null) throw badRequest('The member has started, or is about to start.');
  const at = core.clock().getTime();
  const job = refusedAs(undefined, () => startMember(core.engine, run, member, at));
  return { message: 'The member was started.', data: { groupRunId: run.id, agentJobHistoryId: job.id } };
}

/** With its member jobs and their run history, permanently (§4). */
function remove(core: Core, call: Call): Answer {
  const run = findGroupRun(core, call);
  core.world.groupRuns.delete(run.id);
  removeJobs(core.world, run.members);
  return { message: 'The group run was deleted.', data: null };
}
