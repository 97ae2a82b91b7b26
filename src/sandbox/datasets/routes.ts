import { isOwn } from '../access.js';
import { type Answer, badRequest, type Call, type Core, type FileAnswer, type Route } from '../api.js';
import { bodyFields, type Fields, optionalWord } from '../body.js';
import type { DatasetRecord } from '../engine/records.js';
import { isoTime } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { byId, remove as removeRecord, type World } from '../world.js';
import { sizeOf } from './files.js';
import {
  checkFile,
  findDataset,
  findOwn,
  isExpired,
  isReadable,
  sendDataset,
  setAccess,
  statusOf,
} from './find.js';
import { readQuery } from './query.js';
import { asObject, columnsOf, type Row, rowsOf } from './rows.js';

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
export function removeDataset(world: World, dataset: DatasetRecord): void {
  removeRecord(world, 'datasets', dataset.id);
  for (const [id, query] of world.savedQueries) {
    if (query.datasetId === dataset.id) removeRecord(world, 'savedQueries', id);
  }
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
