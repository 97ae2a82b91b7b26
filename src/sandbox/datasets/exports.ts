import { companyOf, isOwn } from '../access.js';
import {
  type Answer,
  badRequest,
  type Call,
  type Core,
  type FileAnswer,
  Refusal,
  type Route,
} from '../api.js';
import { bodyFields, requiredTexts } from '../body.js';
import type { DatasetRecord, JobRecord, RunRecord } from '../engine/records.js';
import { findGroupRun, findJob, findPipelineRun, findRun } from '../runs/visible.js';
import { fileOf, zipFile } from './files.js';
import { datasetById, fileProblem, noFile, send, sendDataset } from './find.js';
import { removeDataset } from './routes.js';

/** The data of jobs, runs, group runs and pipeline runs (interface.md §4). */
const BASE = '/api/scraper-agents';
export const exportRoutes: readonly Route[] = [
  { method: 'GET', path: `${BASE}/runs/:runId/export`, scoped: true, handle: exportRun },
  { method: 'GET', path: `${BASE}/runs/:runId/dataset`, scoped: true, handle: datasetOfRun },
  { method: 'GET', path: `${BASE}/jobs/:jobId/export`, scoped: true, handle: exportJob },
  { method: 'GET', path: `${BASE}/jobs/:jobId/dataset`, scoped: true, handle: datasetOfJob },
  {
    method: 'GET',
    path: `${BASE}/group-runs/:groupRunId/export`,
    scoped: true,
    handle: exportGroupRun,
  },
  {
    method: 'GET',
    path: '/api/pipelines/runs/:pipelineRunId/export',
    scoped: true,
    handle: exportPipelineRun,
  },
];

function exportRun(core: Core, call: Call): FileAnswer {
  return sendDataset(core, stored(core, findRun(core, call), 'run'));
}

function exportJob(core: Core, call: Call): FileAnswer {
  return sendDataset(core, stored(core, findJob(core, call), 'job'));
}

/** Fails like a download (§4, Jobs). */
function datasetOfRun(core: Core, call: Call): Answer {
  return datasetId(core, stored(core, findRun(core, call), 'run'));
}

function datasetOfJob(core: Core, call: Call): Answer {
  return datasetId(core, stored(core, findJob(core, call), 'job'));
}

function datasetId(core: Core, dataset: DatasetRecord): Answer {
  const problem = fileProblem(core, dataset);
  if (problem) throw problem;
  return { data: { datasetId: dataset.id } };
}

function stored({ world }: Core, { datasetId: id }: JobRecord | RunRecord, what: string): DatasetRecord {
  const dataset = id === null ? undefined : world.datasets.get(id);
  if (dataset === undefined) throw noFile(`The ${what} produced no file.`);
  return dataset;
}

function exportGroupRun(core: Core, call: Call): FileAnswer {
  const run = findGroupRun(core, call);
  return zipOf(core, run.members, `group-run-${run.id.slice(0, 8)}.zip`);
}

function exportPipelineRun(core: Core, call: Call): FileAnswer {
  const run = findPipelineRun(core, call);
  return zipOf(core, run.steps, `pipeline-run-${run.id.slice(0, 8)}.zip`);
}

/** One file for each agent that has one. Without any, it fails as the first of them does. */
function zipOf(core: Core, parts: readonly { jobId: string | null }[], name: string): FileAnswer {
  const { world } = core;
  const datasets = parts.flatMap(({ jobId }) => {
    const id = jobId === null ? null : (world.jobs.get(jobId)?.datasetId ?? null);
    return id === null ? [] : (world.datasets.get(id) ?? []);
  });
  const available = datasets.filter((dataset) => fileProblem(core, dataset) === null);
  const [first] = datasets;
  if (available.length > 0)
    return send(
      zipFile(
        name,
        available.map((dataset) => fileOf(world, dataset)),
      ),
    );
  throw (first && fileProblem(core, first)) ?? noFile('The run produced no file.');
}

/** Several datasets at once (interface.md §4, Datasets, and §8). */
const BULK_BASE = '/api/data-explorer/bulk';
export const bulkRoutes: readonly Route[] = [
  { method: 'POST', path: `${BULK_BASE}/export`, scoped: true, handle: exportMany },
  { method: 'POST', path: `${BULK_BASE}/delete`, scoped: true, handle: removeMany },
];

const MAX_DATASETS = 50;

/** One at a time for an account and its company. Datasets without a file are left out (§4). */
function exportMany(core: Core, call: Call): FileAnswer {
  const ids = readIds(call);
  const datasets = ids
    .flatMap((id) => datasetById(core, call, id) ?? [])
    .filter((dataset) => fileProblem(core, dataset) === null);
  if (datasets.length === 0)
    throw new Refusal(404, 'None of the datasets has an available file.', 'DATASETS_NOT_FOUND');
  const { user } = call.caller;
  const sent = core.limits.beginExport(`${user}/${companyOf(core.world, user) ?? ''}`);
  const files = datasets.map((dataset) => fileOf(core.world, dataset));
  const headers = { 'X-Export-File-Count': String(files.length) };
  return { ...send(zipFile('datasets.zip', files)), headers, sent };
}

/** Only owned datasets are deleted; others are skipped (§4). */
function removeMany(core: Core, call: Call): Answer {
  const ids = readIds(call);
  const own = ids
    .flatMap((id) => datasetById(core, call, id) ?? [])
    .filter((dataset) => isOwn(dataset, call.caller.user));
  for (const dataset of own) removeDataset(core.world, dataset);
  const data = { processed: own.length, skipped: ids.length - own.length };
  return { message: `${own.length} dataset(s) deleted.`, data };
}

function readIds(call: Call): string[] {
  const ids = requiredTexts(bodyFields(call.body), 'datasetIds').map((id) => id.toLowerCase());
  if (ids.length > MAX_DATASETS) throw badRequest(`At most ${MAX_DATASETS} datasets at once.`);
  return [...new Set(ids)];
}
