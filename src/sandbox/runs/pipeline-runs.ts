import { isOwn } from '../access.js';
import type { Answer, Call, Core, Route } from '../api.js';
import type { Fields } from '../body.js';
import type { PipelineRunRecord } from '../engine/records.js';
import { isoTime, queryRange } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { byId, type World } from '../world.js';
import { findPipelineRun } from './find.js';
import { removeJobs } from './remove.js';

/** Pipeline runs (interface.md §2, §3 and §4). Listed before the routes of pipelines, whose `:id` would match. */
const BASE = '/api/pipelines/runs';
export const pipelineRunRoutes: readonly Route[] = [
  { method: 'GET', path: BASE, scoped: true, handle: list },
  { method: 'GET', path: `${BASE}/:pipelineRunId`, scoped: true, handle: read },
  { method: 'DELETE', path: `${BASE}/:pipelineRunId`, scoped: true, handle: remove },
];

function list(core: Core, { query, caller }: Call): Answer {
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
  return { data: { items: shown, total, metrics: metrics(all) } };
}

function metrics(all: readonly PipelineRunRecord[]): Fields {
  const count = (status: PipelineRunRecord['status']) => all.filter((run) => run.status === status).length;
  return {
    total: all.length,
    completed: count('Completed'),
    inProgress: count('Running'),
    issues: count('Failed'),
  };
}

function read(core: Core, call: Call): Answer {
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
function remove(core: Core, call: Call): Answer {
  const run = findPipelineRun(core, call);
  core.world.pipelineRuns.delete(run.id);
  removeJobs(core.world, run.steps);
  return { message: 'The pipeline run was deleted.', data: null };
}
