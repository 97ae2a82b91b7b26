import { isOwn } from '../access.js';
import type { Answer, Call, Core, Route } from '../api.js';
import type { Fields } from '../body.js';
import type { DatasetRecord } from '../engine/records.js';
import { isoTime } from '../instants.js';
import { pageByNumber } from '../paging.js';
import { byId, type World } from '../world.js';
import { findOwn, isExpired, isReadable, statusOf } from './find.js';

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
    totalBytes: found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
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
  const { id, agentId, jobId, runId, groupRunId, sizeBytes, fileName, accessLevel } = dataset;
  return {
    id,
    agentName: byId(world.agents, agentId)?.name ?? '',
    scraperAgentId: agentId,
    agentJobHistoryId: jobId,
    agentRunHistoryId: runId,
    groupRunId,
    status: statusOf(dataset, now),
    sizeBytes,
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
  world.datasets.delete(dataset.id);
  for (const [id, query] of world.savedQueries) {
    if (query.datasetId === dataset.id) world.savedQueries.delete(id);
  }
}
