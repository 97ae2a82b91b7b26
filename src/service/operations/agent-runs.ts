import type { Call, ListCall, Request } from '../../model/request.js';
import { parseDatasetId } from './jobs.js';
import {
  asRecord,
  type CursorPage,
  field,
  flag,
  idText,
  optionalFlag,
  optionalNumber,
  optionalText,
  parseCount,
  parseCounts,
  parseCursorPage,
  textOr,
  unexpected,
} from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** A run of an agent (interface §2, Run). */
export interface AgentRun {
  /** `agentRunHistoryId`. */
  readonly id: string;
  readonly agentName: string;
  /** The execution engine's word, for people only: do not compare it (§2). */
  readonly status: string | null;
  readonly isRunning: boolean | null;
  readonly isTerminal: boolean;
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly runTimeSeconds: number | null;
  readonly pages: number | null;
  readonly requests: number | null;
  readonly errors: number | null;
  /** Data items collected. */
  readonly data: number | null;
  readonly statusMessage: string | null;
  /** `Fast` can mean a quiet failure. `None` also for a word that the interface does not have. */
  readonly runtimeAnomaly: 'None' | 'Slow' | 'Fast';
  readonly triggerSource: string | null;
}

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
  return { request, parse: (data) => parseCursorPage(data, parseRun) };
}

/** The runs of one agent, by its GUID. */
export function listRunsOfAgent(agentId: string, filter: RunFilter = {}): ListCall<AgentRun> {
  return { request: get(`${base}/${segment(agentId)}/runs`, { ...filter }), noun: 'run', parse: parseRun };
}

/** Every run of a job. The service re-reads unfinished ones from its execution engine first (§4). */
export function listRunsOfJob(jobId: string): ListCall<AgentRun> {
  return { request: get(`${base}/jobs/${segment(jobId)}/runs`), noun: 'run', parse: parseRun };
}

export function parseRun(item: unknown): AgentRun {
  const record = asRecord(item, 'an object');
  return {
    id: idText(field(record, 'agentRunHistoryId'), 'agentRunHistoryId'),
    agentName: textOr(record, 'agentName', ''),
    status: optionalText(record, 'status'),
    isRunning: optionalFlag(record, 'isRunning'),
    isTerminal: flag(record, 'isTerminal'),
    startTime: optionalText(record, 'startTime'),
    endTime: optionalText(record, 'endTime'),
    runTimeSeconds: optionalNumber(record, 'runTimeSeconds'),
    pages: optionalNumber(record, 'pages'),
    requests: optionalNumber(record, 'requests'),
    errors: optionalNumber(record, 'errors'),
    data: optionalNumber(record, 'data'),
    statusMessage: optionalText(record, 'statusMessage'),
    runtimeAnomaly: anomaly(field(record, 'runtimeAnomaly')),
    triggerSource: optionalText(record, 'triggerSource'),
  };
}

function anomaly(value: unknown): AgentRun['runtimeAnomaly'] {
  if (value === undefined || value === null) return 'None';
  if (typeof value !== 'string') throw unexpected('runtimeAnomaly to be text', value);
  return (['Slow', 'Fast'] as const).find((word) => word.toLowerCase() === value.toLowerCase()) ?? 'None';
}

/** Runs in progress. */
export function activeRunCount(): Call<number> {
  return { request: get(`${base}/runs/active-count`), parse: parseCount };
}

/** Failures that nobody has dismissed. */
export function attentionCount(): Call<number> {
  return { request: get(`${base}/runs/attention-count`), parse: parseCount };
}

/** The keys of the counts (§3). */
const runStates = [
  'all',
  'demo',
  'starting',
  'running',
  'delivery',
  'succeeded',
  'failed',
  'stopped',
] as const;
export type RunCounts = Record<(typeof runStates)[number], number | null>;

export function runStatusCounts(): Call<RunCounts> {
  return { request: get(`${base}/runs/status-counts`), parse: (data) => parseCounts(data, runStates) };
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
