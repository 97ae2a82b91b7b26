import type { Call, ListCall, Request } from '../../model/request.js';
import {
  asRecord,
  type CursorPage,
  field,
  flag,
  idText,
  optionalCount,
  optionalId,
  optionalText,
  parseCount,
  parseCounts,
  parseCursorPage,
  textOr,
  unexpected,
  wholeNumber,
} from './record.js';
import { type DownloadCall, file, get, segment } from './requests.js';

/** A job (interface §2, Job). */
export interface Job {
  /** `agentJobHistoryId`, as start-job returns it. */
  readonly id: string;
  readonly agentName: string;
  /** 0 never run, 1 in progress, 2 in progress with a failed run, 3 succeeded, 4 and 5 failed (§3). */
  readonly status: number;
  /** For people only. */
  readonly statusName: string | null;
  readonly isTerminal: boolean;
  readonly completedRunCount: number | null;
  readonly totalRunCount: number | null;
  readonly totalDataCount: number | null;
  readonly totalErrors: number | null;
  /** A JSON object written as text. */
  readonly inputParameters: string | null;
  readonly triggerSource: string | null;
  readonly scheduleId: string | null;
  readonly groupRunId: string | null;
  readonly pipelineRunId: string | null;
  readonly errorMessage: string | null;
}

/** Filters of the list of jobs (§4, Jobs). `from` and `to` are instants in ISO 8601. */
export interface JobFilter {
  readonly state?: 'active' | 'succeeded' | 'failed' | undefined;
  readonly jobId?: string | undefined;
  readonly search?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What start-job returns (§4). The job has started, not finished. */
export interface StartedJob {
  readonly id: string;
  readonly agentId: string | null;
  readonly externalAgentId: string | null;
  readonly jobRunId: number | null;
  readonly sessionId: string | null;
  readonly startedAt: string | null;
}

/** What `run` returns (§4). */
export interface StartedRuns {
  readonly started: boolean;
  readonly lastRunStatus: string | null;
  readonly runIds: readonly string[];
}

const base = '/api/scraper-agents';

/** Starts an agent as a job (§4, Starting and stopping). At most 60 starts a minute and user (§8). */
export function startJob(externalAgentId: string, inputParameters?: string): Call<StartedJob> {
  return { request: start(externalAgentId, 'start-job', inputParameters), parse: parseStartedJob };
}

/** Starts runs without a job (§4). `startJob` is the recommended form: several runs are followed as one only as a job. */
export function startRuns(externalAgentId: string, inputParameters?: string): Call<StartedRuns> {
  return { request: start(externalAgentId, 'run', inputParameters), parse: parseStartedRuns };
}

function start(externalAgentId: string, word: string, inputParameters: string | undefined): Request {
  const body = inputParameters === undefined ? {} : { body: { inputParameters } };
  return { method: 'POST', path: `${base}/${segment(externalAgentId)}/${word}`, ...body, effect: 'create' };
}

function parseStartedJob(data: unknown): StartedJob {
  const record = asRecord(data, 'an object with the job');
  return {
    id: idText(field(record, 'agentJobHistoryId'), 'agentJobHistoryId'),
    agentId: optionalId(record, 'agentId'),
    externalAgentId: optionalText(record, 'externalAgentId'),
    jobRunId: optionalCount(record, 'jobRunId'),
    sessionId: optionalText(record, 'sessionId'),
    startedAt: optionalText(record, 'startedAt'),
  };
}

function parseStartedRuns(data: unknown): StartedRuns {
  const record = asRecord(data, 'an object with the runs');
  const ids = field(record, 'agentRunHistoryIds');
  if (!Array.isArray(ids)) throw unexpected('agentRunHistoryIds to be a list', ids);
  return {
    started: flag(record, 'started'),
    lastRunStatus: optionalText(record, 'lastRunStatus'),
    runIds: ids.map((id) => idText(id, 'agentRunHistoryIds')),
  };
}

/** Every job that the filter selects, newest first. There is no read of a single job: use `jobId` (§4). */
export function listJobs(filter: JobFilter = {}): ListCall<Job> {
  return { request: get(`${base}/jobs`, { ...filter }), noun: 'job', parse: parseJob };
}

/** One page of that list, at most 100 jobs. */
export function jobPage(filter: JobFilter = {}, pageSize = 25, cursor?: string): Call<CursorPage<Job>> {
  const request = get(`${base}/jobs`, { ...filter, pageSize, cursor });
  return { request, parse: (data) => parseCursorPage(data, parseJob) };
}

/** The jobs of one agent, by its GUID. */
export function listJobsOfAgent(agentId: string): ListCall<Job> {
  return { request: get(`${base}/${segment(agentId)}/jobs`), noun: 'job', parse: parseJob };
}

export function parseJob(item: unknown): Job {
  const record = asRecord(item, 'an object');
  const status = wholeNumber(field(record, 'status'));
  if (status === null) throw unexpected('status to be a whole number', field(record, 'status'));
  return {
    id: idText(field(record, 'agentJobHistoryId'), 'agentJobHistoryId'),
    agentName: textOr(record, 'agentName', ''),
    status,
    statusName: optionalText(record, 'statusName'),
    isTerminal: flag(record, 'isTerminal'),
    completedRunCount: optionalCount(record, 'completedRunCount'),
    totalRunCount: optionalCount(record, 'totalRunCount'),
    totalDataCount: optionalCount(record, 'totalDataCount'),
    totalErrors: optionalCount(record, 'totalErrors'),
    inputParameters: optionalText(record, 'inputParameters'),
    triggerSource: optionalText(record, 'triggerSource'),
    scheduleId: optionalId(record, 'scheduleId'),
    groupRunId: optionalId(record, 'searchGroupRunId'),
    pipelineRunId: optionalId(record, 'pipelineRunId'),
    errorMessage: optionalText(record, 'errorMessage'),
  };
}

/** Everything that the job collected; one zip for a job of several runs. 400, 402 and 410 as in §7. */
export function exportJob(jobId: string): DownloadCall {
  return file(get(`${base}/jobs/${segment(jobId)}/export`));
}

/** The id of the job's dataset. Fails as the download does (§4, §7). */
export function jobDataset(jobId: string): Call<string> {
  return { request: get(`${base}/jobs/${segment(jobId)}/dataset`), parse: parseDatasetId };
}

export function parseDatasetId(data: unknown): string {
  return idText(field(asRecord(data, 'an object with datasetId'), 'datasetId'), 'datasetId');
}

/** Jobs in progress. */
export function activeJobCount(): Call<number> {
  return { request: get(`${base}/jobs/active-count`), parse: parseCount };
}

/** The keys of the counts (§3). */
const jobStates = [
  'all',
  'demo',
  'inProgress',
  'inProgressWithFailure',
  'succeeded',
  'failure',
  'failed',
] as const;
export type JobCounts = Record<(typeof jobStates)[number], number | null>;

export function jobStatusCounts(): Call<JobCounts> {
  return { request: get(`${base}/jobs/status-counts`), parse: (data) => parseCounts(data, jobStates) };
}
