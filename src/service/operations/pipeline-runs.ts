import type { Call, ListCall } from '../../model/request.js';
import {
  firstOf,
  integer,
  listOf,
  named,
  object,
  oneOf,
  optional,
  type Read,
  text,
} from '../../model/shape.js';
import { idText, optionalId, pageFields, runMetrics } from './record.js';
import { action, type DownloadCall, file, get, segment } from './requests.js';

/** What a start of a pipeline returns (interface §4). */
export type StartedPipelineRun = Read<typeof parseStarted>;

const parseStarted = object(
  { id: named(idText, 'pipelineRunId'), stepCount: optional(integer) },
  'an object with the pipeline run',
);

/** A stage of a pipeline run (§2, §3). */
export type StageRun = Read<typeof parseStage>;

const parseStage = object(
  {
    status: oneOf(['Pending', 'Running', 'Succeeded', 'Failed', 'Skipped']),
    error: optional(text),
    jobId: named(optionalId, 'agentJobHistoryId'),
  },
  'steps to hold objects',
);

const runFields = {
  id: named(idText, 'pipelineRunId', 'id'),
  /** Not a field of the interface: null where a service does not show it. */
  pipelineId: optionalId,
  currentStepIndex: optional(integer),
  stepCount: optional(integer),
  startedAt: optional(text),
  finishedAt: optional(text),
  /** Empty in lists that lack them. */
  steps: optional(listOf(parseStage), []),
};

const runStatus = oneOf(['Running', 'Completed', 'Failed']);

/** A pipeline run (§2). */
export type PipelineRun = Read<typeof parsePipelineRun>;

const parsePipelineRun = object({ ...runFields, status: runStatus });

/** An entry of the list, whose fields are not shown in the interface: what is missing is null. */
export type PipelineRunEntry = Read<typeof parseEntry>;

const parseEntry = object({
  ...runFields,
  status: optional(runStatus),
  pipelineName: firstOf(optional(text), 'pipelineName', 'name'),
});

const parsePage = object({ ...pageFields(parseEntry), metrics: runMetrics }, 'a page');

/** Filters of the list of pipeline runs (§4). */
export interface PipelineRunFilter {
  readonly pipelineId?: string | undefined;
  readonly status?: PipelineRun['status'] | undefined;
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
): Call<Read<typeof parsePage>> {
  return { request: get(`${base}/runs`, { ...filter, page, pageSize }), parse: parsePage };
}

/** One zip with the output of every stage (§4). */
export function exportPipelineRun(pipelineRunId: string): DownloadCall {
  return file(get(`${pathOf(pipelineRunId)}/export`));
}

/** Deletes a pipeline run with its jobs and run history, permanently (§4). */
export function deletePipelineRun(pipelineRunId: string): Call<null> {
  return action({ method: 'DELETE', path: pathOf(pipelineRunId), effect: 'repeatable' });
}
