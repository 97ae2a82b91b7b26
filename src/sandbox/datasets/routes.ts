import { randomUUID } from 'node:crypto';
import { companyOf, isOwn } from '../access.js';
import {
  type Answer,
  badRequest,
  type Call,
  type Core,
  type FileAnswer,
  isoTime,
  notFound,
  Refusal,
  type Route,
} from '../api.js';
import { parseJson, writeJson } from '../digits.js';
import type { DatasetRecord, JobRecord, RunRecord, SavedQueryRecord } from '../engine/records.js';
import { bodyFields, type Fields, isFields, optionalWord, requiredText, requiredTexts } from '../http.js';
import { pageByNumber } from '../paging.js';
import { findGroupRun, findJob, findPipelineRun, findRun } from '../runs/runs.js';
import { byId, isGuid, put, remove as removeRecord, type World } from '../world.js';
import {
  asObject,
  columnsOf,
  contentType,
  type DataFile,
  fileOf,
  type Row,
  rowsOf,
  sizeOf,
  zipFile,
} from './data.js';
import { readQuery } from './query.js';

/** The list of datasets, and the delete of one (interface.md §4, Datasets). */
const BASE = '/api/scraper-agents/cached-exports';
export const datasetRoutes: readonly Route[] = [
  { method: 'GET', path: BASE, scoped: true, handle: list },
  { method: 'DELETE', path: `${BASE}/:datasetId`, scoped: true, handle: remove },
];

function list(core: Core, call: Call): Answer {
  const { query } = call;
  const now = core.clock().getTime();
  const all = [...core.world.datasets.values()].reverse();
  const found = all.filter((dataset) => isReadable(core, call, dataset) && matches(core, query, dataset));
  const { items, total } = pageByNumber(found, query);
  const available = found.filter((dataset) => statusOf(dataset, now) === 'Available');
  const data = {
    items: items.map((dataset) => showDataset(core, call, dataset)),
    total,
    availableCount: available.length,
    totalBytes: found.reduce((sum, dataset) => sum + sizeOf(core.world, dataset), 0),
  };
  return { data };
}

/** Unknown words of a filter are ignored, as those of the job list. */
function matches({ world, clock }: Core, query: URLSearchParams, dataset: DatasetRecord): boolean {
  const agent = byId(world.agents, dataset.agentId);
  const word = (name: string) => (query.get(name) ?? '').trim().toLowerCase();
  const isOneOf = (name: string, words: readonly string[], value: string) =>
    !words.includes(word(name)) || word(name) === value.toLowerCase();
  const texts = [agent?.name, agent?.externalAgentId, dataset.fileName, dataset.id];
  return (
    (agent?.demo === true) === (word('section') === 'demo') &&
    isOneOf('status', ['available', 'failed', 'stale', 'expired'], statusOf(dataset, clock().getTime())) &&
    isOneOf('scope', ['job', 'run'], dataset.scope) &&
    texts.join('\n').toLowerCase().includes(word('q'))
  );
}

function showDataset({ world, clock }: Core, { caller }: Call, dataset: DatasetRecord): Fields {
  const now = clock().getTime();
  const { id, agentId, jobId, runId, groupRunId, fileName, accessLevel } = dataset;
  return {
    id,
    agentName: byId(world.agents, agentId)?.name ?? '',
    scraperAgentId: agentId,
    agentJobHistoryId: jobId,
    agentRunHistoryId: runId,
    groupRunId,
    status: statusOf(dataset, now),
    sizeBytes: sizeOf(world, dataset),
    fileName,
    expiresAt: isoTime(dataset.expiresAt),
    isExpired: isExpired(dataset, now),
    accessLevel,
    canManage: isOwn(dataset, caller.user),
  };
}

function remove(core: Core, call: Call): Answer {
  removeDataset(core.world, findOwn(core, call));
  return { message: 'The dataset was deleted.', data: null };
}

/** Removes the file and any saved queries on it; the run stays in history (§4). */
function removeDataset(world: World, dataset: DatasetRecord): void {
  removeRecord(world, 'datasets', dataset.id);
  for (const [id, query] of world.savedQueries) {
    if (query.datasetId === dataset.id) removeRecord(world, 'savedQueries', id);
  }
}

/** Finds datasets and says why their file cannot be had (interface.md §7). */

/** The caller's own, and those that the company shares with the caller. */
function isReadable({ world }: Core, { caller }: Call, dataset: DatasetRecord): boolean {
  if (isOwn(dataset, caller.user)) return true;
  const company = companyOf(world, caller.user);
  return dataset.accessLevel === 'Company' && company !== null && company === companyOf(world, dataset.owner);
}

function findDataset(core: Core, call: Call): DatasetRecord {
  const found = datasetById(core, call, call.params.datasetId ?? '');
  if (found) return found;
  throw notFound('The dataset');
}

function datasetById(core: Core, call: Call, id: string): DatasetRecord | undefined {
  const dataset = isGuid(id) ? core.world.datasets.get(id.toLowerCase()) : undefined;
  return dataset && isReadable(core, call, dataset) ? dataset : undefined;
}

/** Only the owner can change a dataset (§4); for others it does not exist. */
function findOwn(core: Core, call: Call): DatasetRecord {
  const dataset = findDataset(core, call);
  if (!isOwn(dataset, call.caller.user)) throw notFound('The dataset');
  return dataset;
}

/** Sharing needs a company (§4). */
export function setAccess(world: World, dataset: DatasetRecord, level: DatasetRecord['accessLevel']): void {
  if (level === 'Company' && companyOf(world, dataset.owner) === null)
    throw new Refusal(400, 'Your account belongs to no company.', 'INVALID_ACCESS_POLICY');
  dataset.accessLevel = level;
  put(world, 'datasets', dataset);
}

function isExpired(dataset: DatasetRecord, now: number): boolean {
  return now >= dataset.expiresAt;
}

function statusOf(dataset: DatasetRecord, now: number): DatasetRecord['state'] | 'Expired' {
  return isExpired(dataset, now) ? 'Expired' : dataset.state;
}

/** Null when the file is available; Stale data still is. */
function fileProblem({ world, clock }: Core, dataset: DatasetRecord): Refusal | null {
  if (byId(world.agents, dataset.agentId)?.unpaid === true)
    return new Refusal(402, 'The final payment for this data has not settled.', 'PAYMENT_REQUIRED');
  if (isExpired(dataset, clock().getTime()))
    return new Refusal(410, 'The file was removed by retention.', 'EXPORT_EXPIRED');
  return dataset.state === 'Failed' ? noFile('The file could not be stored.') : null;
}

function checkFile(core: Core, dataset: DatasetRecord): void {
  const problem = fileProblem(core, dataset);
  if (problem) throw problem;
}

function noFile(message: string): Refusal {
  return new Refusal(400, message, 'NO_FILE_EXPORT');
}

function sendDataset(core: Core, dataset: DatasetRecord): FileAnswer {
  checkFile(core, dataset);
  return send(fileOf(core.world, dataset));
}

function send(file: DataFile): FileAnswer {
  return { fileName: file.name, contentType: contentType(file.name), pieces: file.pieces };
}

/** One dataset: preview, query, download, lineage and access (interface.md §4, Datasets). */
const ONE = '/api/data-explorer/datasets/:datasetId';
export const explorerRoutes: readonly Route[] = [
  { method: 'GET', path: `${ONE}/preview`, scoped: true, handle: preview },
  { method: 'POST', path: `${ONE}/query`, scoped: true, handle: query },
  { method: 'GET', path: `${ONE}/download`, scoped: true, handle: download },
  { method: 'GET', path: `${ONE}/lineage`, scoped: true, handle: lineage },
  { method: 'GET', path: `${ONE}/access`, scoped: true, handle: readAccess },
  { method: 'PUT', path: `${ONE}/access`, scoped: true, handle: changeAccess },
];

const PREVIEW_ROWS = 20;

function preview(core: Core, call: Call): Answer {
  const { fields, rows } = open(core, findDataset(core, call));
  const first: Row[] = [];
  let total = 0;
  for (const row of rows) {
    total += 1;
    if (first.length < PREVIEW_ROWS) first.push(row);
  }
  return { data: { ...shown(fields, first), isTruncated: total > first.length } };
}

function query(core: Core, call: Call): Answer {
  const { fields, rows } = open(core, findDataset(core, call));
  const { matches, order, page, pageSize } = readQuery(call.body, fields);
  const from = (page - 1) * pageSize;
  const found: Row[] = [];
  let totalMatches = 0;
  for (const row of rows) {
    if (!matches(row)) continue;
    // Only a sorted query needs all rows at once.
    if (order !== null || (totalMatches >= from && totalMatches < from + pageSize)) found.push(row);
    totalMatches += 1;
  }
  const items = order === null ? found : found.sort(order).slice(from, from + pageSize);
  const isTruncated = from + items.length < totalMatches;
  return { data: { ...shown(fields, items), isTruncated, totalMatches, page, pageSize } };
}

function open(core: Core, dataset: DatasetRecord): { fields: readonly string[]; rows: Iterable<Row> } {
  checkFile(core, dataset);
  const fields = columnsOf(byId(core.world.agents, dataset.agentId), dataset.parts);
  return { fields, rows: rowsOf(fields, dataset.parts) };
}

function shown(columns: readonly string[], rows: readonly Row[]): Fields {
  return { columns, rows: rows.map((row) => asObject(columns, row)) };
}

function download(core: Core, call: Call): FileAnswer {
  return sendDataset(core, findDataset(core, call));
}

/** The agent, the job or run, and the dataset (§2). */
function lineage(core: Core, call: Call): Answer {
  const dataset = findDataset(core, call);
  const agent = byId(core.world.agents, dataset.agentId);
  const [type, source] = dataset.jobId === null ? ['run', dataset.runId] : ['job', dataset.jobId];
  const nodes = [
    { id: dataset.agentId, type: 'agent', label: agent?.name ?? '' },
    { id: source, type, label: dataset.groupRunId === null ? type : `${type} of a group run` },
    { id: dataset.id, type: 'dataset', label: dataset.fileName },
  ];
  const edges = [
    { from: dataset.agentId, to: source },
    { from: source, to: dataset.id },
  ];
  return { data: { nodes, edges } };
}

function readAccess(core: Core, call: Call): Answer {
  return { data: { accessLevel: findDataset(core, call).accessLevel } };
}

function changeAccess(core: Core, call: Call): Answer {
  const dataset = findOwn(core, call);
  const accessLevel = optionalWord(bodyFields(call.body), 'accessLevel', ['Private', 'Company']);
  if (accessLevel === undefined) throw badRequest("The field 'accessLevel' is required.");
  setAccess(core.world, dataset, accessLevel);
  return { message: 'The access was changed.', data: { accessLevel } };
}

/** The data of jobs, runs, group runs and pipeline runs (interface.md §4). */
const EXPORTS_BASE = '/api/scraper-agents';
export const exportRoutes: readonly Route[] = [
  { method: 'GET', path: `${EXPORTS_BASE}/runs/:runId/export`, scoped: true, handle: exportRun },
  { method: 'GET', path: `${EXPORTS_BASE}/runs/:runId/dataset`, scoped: true, handle: datasetOfRun },
  { method: 'GET', path: `${EXPORTS_BASE}/jobs/:jobId/export`, scoped: true, handle: exportJob },
  { method: 'GET', path: `${EXPORTS_BASE}/jobs/:jobId/dataset`, scoped: true, handle: datasetOfJob },
  {
    method: 'GET',
    path: `${EXPORTS_BASE}/group-runs/:groupRunId/export`,
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

/** Saved queries: private to the caller (interface.md §2 and §4). */
const QUERIES_BASE = '/api/data-explorer/saved-queries';
export const savedQueryRoutes: readonly Route[] = [
  { method: 'GET', path: QUERIES_BASE, scoped: true, handle: listQueries },
  { method: 'POST', path: QUERIES_BASE, scoped: true, handle: create },
  { method: 'DELETE', path: `${QUERIES_BASE}/:id`, scoped: true, handle: removeQuery },
];

const MOST_LISTED = 100;
/** Bounds memory: the interface has no limit. */
const MOST_STORED = 1_000;

/** Newest first, up to 100 (§4). */
function listQueries({ world }: Core, { caller }: Call): Answer {
  const own = [...world.savedQueries.values()].filter((query) => isOwn(query, caller.user)).reverse();
  return { data: own.slice(0, MOST_LISTED).map(show) };
}

function create(core: Core, call: Call): Answer {
  const body = bodyFields(call.body);
  const name = requiredText(body, 'name');
  const dataset = datasetById(core, call, requiredText(body, 'datasetId'));
  if (dataset === undefined) throw notFound('The dataset');
  if (!isFields(body.definition)) throw badRequest("The field 'definition' must be an object.");
  const { definition } = body;
  const query = { owner: call.caller.user, name, definition, createdAt: core.clock().getTime() };
  return { message: 'The query was saved.', data: show(addSavedQuery(core.world, dataset, query)) };
}

type NewQuery = Pick<SavedQueryRecord, 'owner' | 'name' | 'definition' | 'createdAt'>;

export function addSavedQuery(world: World, dataset: DatasetRecord, query: NewQuery): SavedQueryRecord {
  readQuery(query.definition, columnsOf(byId(world.agents, dataset.agentId), dataset.parts));
  if (world.savedQueries.size >= MOST_STORED)
    throw badRequest(`The sandbox keeps at most ${MOST_STORED} saved queries.`);
  const record: SavedQueryRecord = {
    ...query,
    id: randomUUID(),
    datasetId: dataset.id,
    definition: parseJson(writeJson(query.definition)) as SavedQueryRecord['definition'],
  };
  return put(world, 'savedQueries', record);
}

function removeQuery({ world }: Core, { params, caller }: Call): Answer {
  const query = byId(world.savedQueries, params.id ?? '');
  if (!query || !isOwn(query, caller.user)) throw notFound('The saved query');
  removeRecord(world, 'savedQueries', query.id);
  return { message: 'The saved query was deleted.', data: null };
}

function show({ id, name, datasetId, definition, createdAt }: SavedQueryRecord): Fields {
  return { id, name, datasetId, definition, createdAt: isoTime(createdAt) };
}
