import type { Answer, Call, Core, FileAnswer, Route } from '../api.js';
import type { DatasetRecord, JobRecord, RunRecord } from '../engine/records.js';
import { findGroupRun, findJob, findPipelineRun, findRun } from '../runs/find.js';
import { zipFile } from './files.js';
import { fileProblem, noFile, send, sendDataset } from './find.js';
import { fileOf } from './store.js';

/** The data of jobs, runs, group runs and pipeline runs (interface.md §4). */
const BASE = '/api/scraper-agents';
export const exportRoutes: readonly Route[] = [
  { method: 'GET', path: `${BASE}/runs/:runId/export`, scoped: true, handle: exportRun },
  { method: 'GET', path: `${BASE}/runs/:runId/dataset`, scoped: true, handle: datasetOfRun },
  { method: 'GET', path: `${BASE}/jobs/:jobId/export`, scoped: true, handle: exportJob },
  { method: 'GET', path: `${BASE}/jobs/:jobId/dataset`, scoped: true, handle: datasetOfJob },
  { method: 'GET', path: `${BASE}/group-runs/:groupRunId/export`, scoped: true, handle: exportGroupRun },
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
