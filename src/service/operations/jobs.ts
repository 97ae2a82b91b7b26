import type { Call, ListCall, Request } from '../../model/request.js';
import {
  flag,
  integer,
  listOf,
  named,
  object,
  optional,
  type Read,
  text,
  within,
} from '../../model/shape.js';
import { type CursorPage, counts, cursorPage, idText, optionalId, parseCount } from './record.js';
import { type DownloadCall, file, get, segment } from './requests.js';

/** A job (interface §2, Job). */
export type Job = Read<typeof parseJob>;

export const parseJob = object({
  /** 0 never run, 1 in progress, 2 in progress with a failed run, 3 succeeded, 4 and 5 failed (§3). */
  status: integer,
  /** As start-job returns it. */
  id: named(idText, 'agentJobHistoryId'),
  agentName: optional(text, ''),
  /** For people only. */
  statusName: optional(text),
  isTerminal: flag,
  completedRunCount: optional(integer),
  totalRunCount: optional(integer),
  totalDataCount: optional(integer),
  totalErrors: optional(integer),
  /** A JSON object written as text. */
  inputParameters: optional(text),
  triggerSource: optional(text),
  scheduleId: optionalId,
  groupRunId: named(optionalId, 'searchGroupRunId'),
  pipelineRunId: optionalId,
  errorMessage: optional(text),
});

/** Filters of the list of jobs (§4, Jobs). `from` and `to` are instants in ISO 8601. */
export interface JobFilter {
  readonly state?: 'active' | 'succeeded' | 'failed' | undefined;
  readonly jobId?: string | undefined;
  readonly search?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What start-job returns (§4). The job has started, not finished. */
export type StartedJob = Read<typeof parseStartedJob>;

const parseStartedJob = object(
  {
    id: named(idText, 'agentJobHistoryId'),
    agentId: optionalId,
    externalAgentId: optional(text),
    jobRunId: optional(integer),
    sessionId: optional(text),
    startedAt: optional(text),
  },
  'an object with the job',
);

/** What `run` returns (§4). */
export type StartedRuns = Read<typeof parseStartedRuns>;

const parseStartedRuns = object(
  {
    runIds: named(
      listOf((id) => idText(id, 'agentRunHistoryIds')),
      'agentRunHistoryIds',
    ),
    started: flag,
    lastRunStatus: optional(text),
  },
  'an object with the runs',
);

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

/** Every job that the filter selects, newest first. There is no read of a single job: use `jobId` (§4). */
export function listJobs(filter: JobFilter = {}): ListCall<Job> {
  return { request: get(`${base}/jobs`, { ...filter }), noun: 'job', parse: parseJob };
}

/** One page of that list, at most 100 jobs. */
export function jobPage(filter: JobFilter = {}, pageSize = 25, cursor?: string): Call<CursorPage<Job>> {
  const request = get(`${base}/jobs`, { ...filter, pageSize, cursor });
  return { request, parse: cursorPage(parseJob) };
}

/** The jobs of one agent, by its GUID. */
export function listJobsOfAgent(agentId: string): ListCall<Job> {
  return { request: get(`${base}/${segment(agentId)}/jobs`), noun: 'job', parse: parseJob };
}

/** Everything that the job collected; one zip for a job of several runs. 400, 402 and 410 as in §7. */
export function exportJob(jobId: string): DownloadCall {
  return file(get(`${base}/jobs/${segment(jobId)}/export`));
}

/** The id of the job's dataset. Fails as the download does (§4, §7). */
export function jobDataset(jobId: string): Call<string> {
  return { request: get(`${base}/jobs/${segment(jobId)}/dataset`), parse: parseDatasetId };
}

export const parseDatasetId = within('datasetId', idText, 'an object with datasetId');

export function activeJobCount(): Call<number> {
  return { request: get(`${base}/jobs/active-count`), parse: parseCount };
}

/** By state (§3). */
const jobCounts = counts(
  'all',
  'demo',
  'inProgress',
  'inProgressWithFailure',
  'succeeded',
  'failure',
  'failed',
);
export type JobCounts = Read<typeof jobCounts>;

export function jobStatusCounts(): Call<JobCounts> {
  return { request: get(`${base}/jobs/status-counts`), parse: jobCounts };
}
