import type { Call, ListCall } from '../../model/request.js';
import {
  asRecord,
  field,
  idText,
  listIn,
  type NumberedPage,
  oneOf,
  optionalCount,
  optionalId,
  optionalText,
  parseMetrics,
  parseNumberedPage,
  type RemoteRecord,
  type RunMetrics,
} from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** What a start of a pipeline returns (interface §4). */
export interface StartedPipelineRun {
  readonly id: string;
  readonly stepCount: number | null;
}

const stageStatuses = ['Pending', 'Running', 'Succeeded', 'Failed', 'Skipped'] as const;
const statuses = ['Running', 'Completed', 'Failed'] as const;

/** A stage of a pipeline run (§2, §3). */
export interface StageRun {
  readonly status: (typeof stageStatuses)[number];
  readonly error: string | null;
  readonly jobId: string | null;
}

/** A pipeline run (§2). */
export interface PipelineRun {
  readonly id: string;
  /** Not a field of the interface: null where a service does not show it. */
  readonly pipelineId: string | null;
  readonly status: (typeof statuses)[number];
  readonly currentStepIndex: number | null;
  readonly stepCount: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Empty in lists that lack them. */
  readonly steps: readonly StageRun[];
}

/** An entry of the list, whose fields are not shown in the interface: what is missing is null. */
export interface PipelineRunEntry extends Omit<PipelineRun, 'status'> {
  readonly status: PipelineRun['status'] | null;
  readonly pipelineName: string | null;
}

/** Filters of the list of pipeline runs (§4). */
export interface PipelineRunFilter {
  readonly pipelineId?: string | undefined;
  readonly status?: (typeof statuses)[number] | undefined;
  readonly q?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const base = '/api/pipelines';
const pathOf = (pipelineRunId: string) => `${base}/runs/${segment(pipelineRunId)}`;

/** Starts a pipeline; each stage runs with its agent's default inputs (§1). */
export function runPipeline(pipelineId: string): Call<StartedPipelineRun> {
  const path = `${base}/${segment(pipelineId)}/run`;
  return { request: { method: 'POST', path, effect: 'create' }, parse: parseStarted };
}

function parseStarted(data: unknown): StartedPipelineRun {
  const record = asRecord(data, 'an object with the pipeline run');
  const id = idText(field(record, 'pipelineRunId'), 'pipelineRunId');
  return { id, stepCount: optionalCount(record, 'stepCount') };
}

export function getPipelineRun(pipelineRunId: string): Call<PipelineRun> {
  return { request: get(pathOf(pipelineRunId)), parse: parsePipelineRun };
}

/** Every pipeline run of the caller that the filter selects, newest first. */
export function listPipelineRuns(filter: PipelineRunFilter = {}): ListCall<PipelineRunEntry> {
  return { request: get(`${base}/runs`, { ...filter }), noun: 'pipeline run', parse: parseEntry };
}

/** One page of that list, with the metrics of all pipeline runs of the caller. */
export function pipelineRunPage(
  filter: PipelineRunFilter = {},
  page = 1,
  pageSize = 25,
): Call<NumberedPage<PipelineRunEntry> & { readonly metrics: RunMetrics }> {
  return {
    request: get(`${base}/runs`, { ...filter, page, pageSize }),
    parse: (data) => ({ ...parseNumberedPage(data, parseEntry), metrics: parseMetrics(data) }),
  };
}

function parsePipelineRun(item: unknown): PipelineRun {
  const record = asRecord(item, 'an object');
  return { ...parseFields(record), status: statusIn(record) };
}

function statusIn(record: RemoteRecord): PipelineRun['status'] {
  return oneOf(field(record, 'status'), statuses, 'status');
}

function parseFields(record: RemoteRecord): Omit<PipelineRun, 'status'> {
  const steps = field(record, 'steps') == null ? [] : listIn(record, 'steps');
  return {
    id: idText(field(record, 'pipelineRunId') ?? field(record, 'id'), 'pipelineRunId'),
    pipelineId: optionalId(record, 'pipelineId'),
    currentStepIndex: optionalCount(record, 'currentStepIndex'),
    stepCount: optionalCount(record, 'stepCount'),
    startedAt: optionalText(record, 'startedAt'),
    finishedAt: optionalText(record, 'finishedAt'),
    steps: steps.map(parseStage),
  };
}

function parseEntry(item: unknown): PipelineRunEntry {
  const record = asRecord(item, 'an object');
  const pipelineName = optionalText(record, 'pipelineName') ?? optionalText(record, 'name');
  const status = field(record, 'status') == null ? null : statusIn(record);
  return { ...parseFields(record), status, pipelineName };
}

function parseStage(item: unknown): StageRun {
  const record = asRecord(item, 'steps to hold objects');
  return {
    status: oneOf(field(record, 'status'), stageStatuses, 'status'),
    error: optionalText(record, 'error'),
    jobId: optionalId(record, 'agentJobHistoryId'),
  };
}

/** One zip with the output of every stage (§4). */
export function exportPipelineRun(pipelineRunId: string): DownloadCall {
  return file(get(`${pathOf(pipelineRunId)}/export`));
}

/** Deletes a pipeline run with its jobs and run history, permanently (§4). */
export function deletePipelineRun(pipelineRunId: string): Call<null> {
  return action({ method: 'DELETE', path: pathOf(pipelineRunId), effect: 'repeatable' });
}
