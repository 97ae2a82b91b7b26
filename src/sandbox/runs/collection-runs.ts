import { isOwn } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import type { Fields } from '../body.js';
import { startMember } from '../engine/collection-runs.js';
import { type GroupRunStatus, groupRunStatus, memberStatuses } from '../engine/phase.js';
import type { GroupRunMember, GroupRunRecord, PipelineRunRecord } from '../engine/records.js';
import { isoTime, queryRange } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { byId, remove, type World } from '../world.js';
import { showJob } from './jobs.js';
import { refusedAs } from './runs.js';
import { findGroupRun, findPipelineRun } from './visible.js';

/** Group runs (interface.md §3 and §4, Agent groups). Listed before the routes of groups, whose `:id` would match. */
const GROUP_RUNS = '/api/search-groups/runs';
export const groupRunRoutes: readonly Route[] = [
  { method: 'GET', path: GROUP_RUNS, scoped: true, handle: listGroupRuns },
  { method: 'GET', path: `${GROUP_RUNS}/:groupRunId`, scoped: true, handle: readGroupRun },
  { method: 'DELETE', path: `${GROUP_RUNS}/:groupRunId`, scoped: true, handle: removeGroupRun },
  { method: 'POST', path: `${GROUP_RUNS}/:groupRunId/members/:agentId/retry`, scoped: true, handle: retry },
];

const STATUSES: readonly GroupRunStatus[] = ['ontrack', 'completed', 'atrisk', 'behind'];

function listGroupRuns(core: Core, call: Call): Answer {
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
  return { data: { items: shown, total, metrics: groupMetrics(all.map(statusOf)) } };
}

function about({ groupId, groupName, startedAt }: GroupRunRecord): Fields {
  return { groupId, groupName, startedAt: isoTime(startedAt) };
}

/** Across all the caller's group runs (§4). */
function groupMetrics(statuses: readonly GroupRunStatus[]): Fields {
  const count = (...words: GroupRunStatus[]) => statuses.filter((status) => words.includes(status)).length;
  return {
    total: statuses.length,
    completed: count('completed'),
    inProgress: count('ontrack'),
    issues: count('atrisk', 'behind'),
  };
}

function readGroupRun(core: Core, call: Call): Answer {
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
function removeGroupRun(core: Core, call: Call): Answer {
  const run = findGroupRun(core, call);
  remove(core.world, 'groupRuns', run.id);
  removeJobs(core.world, run.members);
  return { message: 'The group run was deleted.', data: null };
}

/** Pipeline runs (interface.md §2, §3 and §4). Listed before the routes of pipelines, whose `:id` would match. */
const PIPELINE_RUNS = '/api/pipelines/runs';
export const pipelineRunRoutes: readonly Route[] = [
  { method: 'GET', path: PIPELINE_RUNS, scoped: true, handle: listPipelineRuns },
  { method: 'GET', path: `${PIPELINE_RUNS}/:pipelineRunId`, scoped: true, handle: readPipelineRun },
  { method: 'DELETE', path: `${PIPELINE_RUNS}/:pipelineRunId`, scoped: true, handle: removePipelineRun },
];

function listPipelineRuns(core: Core, { query, caller }: Call): Answer {
  const all = [...core.world.pipelineRuns.values()].filter((run) => isOwn(run, caller.user)).reverse();
  const status = (query.get('status') ?? '').toLowerCase();
  const isStatus = ['running', 'completed', 'failed'].includes(status);
  const pipelineId = query.get('pipelineId')?.toLowerCase() ?? '';
  const text = (query.get('q') ?? '').trim().toLowerCase();
  const inRange = queryRange(query);
  const found = all.filter(
    (run) =>
      (pipelineId === '' || run.pipelineId.toLowerCase() === pipelineId) &&
      (!isStatus || run.status.toLowerCase() === status) &&
      `${run.pipelineName}\n${run.id}`.toLowerCase().includes(text) &&
      inRange(run.startedAt),
  );
  const { items, total } = pageByNumber(found, query);
  const shown = items.map((run) => ({
    pipelineId: run.pipelineId,
    pipelineName: run.pipelineName,
    ...showRun(core.world, run),
  }));
  return { data: { items: shown, total, metrics: pipelineMetrics(all) } };
}

function pipelineMetrics(all: readonly PipelineRunRecord[]): Fields {
  const count = (status: PipelineRunRecord['status']) => all.filter((run) => run.status === status).length;
  return {
    total: all.length,
    completed: count('Completed'),
    inProgress: count('Running'),
    issues: count('Failed'),
  };
}

function readPipelineRun(core: Core, call: Call): Answer {
  return { data: showRun(core.world, findPipelineRun(core, call)) };
}

/** `currentStepIndex`: the stage that is running, or the last one that ran. */
function showRun(world: World, run: PipelineRunRecord): Fields {
  const reached = run.steps.findLastIndex(({ status }) => status !== 'Pending' && status !== 'Skipped');
  return {
    pipelineRunId: run.id,
    status: run.status,
    currentStepIndex: Math.max(0, reached),
    stepCount: run.steps.length,
    startedAt: isoTime(run.startedAt),
    finishedAt: isoTime(run.finishedAt),
    steps: run.steps.map(({ agentId, jobId, status, error }, sortOrder) => ({
      sortOrder,
      scraperAgentId: agentId,
      externalAgentId: byId(world.agents, agentId)?.externalAgentId ?? '',
      status,
      error,
      agentJobHistoryId: jobId,
    })),
  };
}

/** With its jobs and their run history, permanently (§4). */
function removePipelineRun(core: Core, call: Call): Answer {
  const run = findPipelineRun(core, call);
  remove(core.world, 'pipelineRuns', run.id);
  removeJobs(core.world, run.steps);
  return { message: 'The pipeline run was deleted.', data: null };
}

/**
 * Removes jobs with their runs. Their datasets stay: this is a reading of interface.md §4, which names "its member jobs and run
 * history" and no data, and has a delete of datasets, by which a run stays. Clients must cope with datasets without a job.
 */
function removeJobs(world: World, parts: readonly { readonly jobId: string | null }[]): void {
  for (const { jobId } of parts) {
    const job = jobId === null ? undefined : world.jobs.get(jobId);
    if (job === undefined) continue;
    for (const id of job.runIds) remove(world, 'runs', id);
    remove(world, 'jobs', job.id);
  }
}
