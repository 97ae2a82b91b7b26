import { randomUUID } from 'node:crypto';
import { isOwn } from '../access.js';
import { type Answer, badRequest, type Call, type Core, notFound, type Route } from '../api.js';
import { bodyFields, type Fields, isFields, requiredText } from '../body.js';
import { parseJson, writeJson } from '../digits.js';
import type { DatasetRecord, SavedQueryRecord } from '../engine/records.js';
import { isoTime } from '../instants.js';
import { byId, put, remove as removeRecord, type World } from '../world.js';
import { datasetById } from './find.js';
import { readQuery } from './query.js';
import { columnsOf } from './rows.js';

/** Saved queries: private to the caller (interface.md §2 and §4). */
const BASE = '/api/data-explorer/saved-queries';
export const savedQueryRoutes: readonly Route[] = [
  { method: 'GET', path: BASE, scoped: true, handle: list },
  { method: 'POST', path: BASE, scoped: true, handle: create },
  { method: 'DELETE', path: `${BASE}/:id`, scoped: true, handle: remove },
];

const MOST_LISTED = 100;
/** Bounds memory: the interface has no limit. */
const MOST_STORED = 1_000;

/** Newest first, up to 100 (§4). */
function list({ world }: Core, { caller }: Call): Answer {
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

function remove({ world }: Core, { params, caller }: Call): Answer {
  const query = byId(world.savedQueries, params.id ?? '');
  if (!query || !isOwn(query, caller.user)) throw notFound('The saved query');
  removeRecord(world, 'savedQueries', query.id);
  return { message: 'The saved query was deleted.', data: null };
}

function show({ id, name, datasetId, definition, createdAt }: SavedQueryRecord): Fields {
  return { id, name, datasetId, definition, createdAt: isoTime(createdAt) };
}
