import type { Call, ListCall, Request } from '../../model/request.js';
import {
  flag,
  mismatch,
  named,
  number,
  object,
  optional,
  type Read,
  type Shape,
  text,
} from '../../model/shape.js';
import { parseDatasetId } from './jobs.js';
import { type CursorPage, counts, cursorPage, idText, parseCount } from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** A run of an agent (interface §2, Run). */
export type AgentRun = Read<typeof parseRun>;

/** `Fast` can mean a quiet failure. `None` also for a word that the interface does not have. */
const anomaly: Shape<'None' | 'Slow' | 'Fast'> = (value, name) => {
  if (typeof value !== 'string') throw mismatch('text', value, name);
  return (['Slow', 'Fast'] as const).find((word) => word.toLowerCase() === value.toLowerCase()) ?? 'None';
};

export const parseRun = object({
  id: named(idText, 'agentRunHistoryId'),
  agentName: optional(text, ''),
  /** The execution engine's word, for people only: do not compare it (§2). */
  status: optional(text),
  isRunning: optional(flag),
  isTerminal: flag,
  startTime: optional(text),
  endTime: optional(text),
  runTimeSeconds: optional(number),
  pages: optional(number),
  requests: optional(number),
  errors: optional(number),
  /** Data items collected. */
  data: optional(number),
  statusMessage: optional(text),
  runtimeAnomaly: optional(anomaly, 'None'),
  triggerSource: optional(text),
});

/** Filters of the lists of runs (§4, Runs). `attention` needs `state: 'failed'`; `from` and `to` are instants. */
export interface RunFilter {
  readonly state?: 'all' | 'active' | 'succeeded' | 'failed' | undefined;
  readonly attention?: 'tracked' | 'ignored' | undefined;
}

/** The filter of the list across all agents. */
export interface AllRunsFilter extends RunFilter {
  readonly search?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const base = '/api/scraper-agents';
const pathOf = (runId: string, rest: string) => `${base}/runs/${segment(runId)}/${rest}`;

/** Every run across all accessible agents, newest first. */
export function listRuns(filter: AllRunsFilter = {}): ListCall<AgentRun> {
  return { request: get(`${base}/runs`, { ...filter }), noun: 'run', parse: parseRun };
}

/** One page of that list, at most 100 runs. */
export function runPage(
  filter: AllRunsFilter = {},
  pageSize = 25,
  cursor?: string,
): Call<CursorPage<AgentRun>> {
  const request = get(`${base}/runs`, { ...filter, pageSize, cursor });
  return { request, parse: cursorPage(parseRun) };
}

/** The runs of one agent, by its GUID. */
export function listRunsOfAgent(agentId: string, filter: RunFilter = {}): ListCall<AgentRun> {
  return { request: get(`${base}/${segment(agentId)}/runs`, { ...filter }), noun: 'run', parse: parseRun };
}

/** Every run of a job. The service re-reads unfinished ones from its execution engine first (§4). */
export function listRunsOfJob(jobId: string): ListCall<AgentRun> {
  return { request: get(`${base}/jobs/${segment(jobId)}/runs`), noun: 'run', parse: parseRun };
}

export function activeRunCount(): Call<number> {
  return { request: get(`${base}/runs/active-count`), parse: parseCount };
}

/** Failures that nobody has dismissed. */
export function attentionCount(): Call<number> {
  return { request: get(`${base}/runs/attention-count`), parse: parseCount };
}

/** By state (§3). */
const runCounts = counts('all', 'demo', 'starting', 'running', 'delivery', 'succeeded', 'failed', 'stopped');
export type RunCounts = Read<typeof runCounts>;

export function runStatusCounts(): Call<RunCounts> {
  return { request: get(`${base}/runs/status-counts`), parse: runCounts };
}

/** Stops a run in progress. To stop a job, stop each of its runs (§4). */
export function stopRun(runId: string): Call<null> {
  return action({ method: 'POST', path: pathOf(runId, 'stop'), effect: 'repeatable' });
}

/** Reads the run again from the execution engine; starts and stops nothing (§3). Its method is not shown. */
export function refreshRun(runId: string): Call<null> {
  return action(unshown(pathOf(runId, 'refresh')));
}

/** Ignores a failure (§3). Its method is not shown. */
export function dismissAttention(runId: string): Call<null> {
  return action(unshown(pathOf(runId, 'dismiss-attention')));
}

/** Tracks a failure again (§3). Its method is not shown. */
export function restoreAttention(runId: string): Call<null> {
  return action(unshown(pathOf(runId, 'restore-attention')));
}

function unshown(path: string): Request {
  return { method: 'POST', path, otherMethods: ['PUT', 'PATCH'], effect: 'repeatable' };
}

/** The file of the run's data. 400, 402 and 410 as in §7. */
export function exportRun(runId: string): DownloadCall {
  return file(get(pathOf(runId, 'export')));
}

export function runDataset(runId: string): Call<string> {
  return { request: get(pathOf(runId, 'dataset')), parse: parseDatasetId };
}
