import type { Call, ListCall } from '../../model/request.js';
import { anything, named, object, optional, type Read, text } from '../../model/shape.js';
import { type DatasetQuery, queryBody } from './dataset-queries.js';
import { idText, optionalId } from './record.js';
import { action, get, segment } from './requests.js';

/** A saved query (interface §2). Only its id is certain: the fields of the stored record are not shown. */
export type SavedQuery = Read<typeof parseSavedQuery>;

const parseSavedQuery = object({
  id: named(idText, 'id', 'savedQueryId'),
  name: optional(text),
  datasetId: optionalId,
  /** As received. */
  definition: anything,
});

const path = '/api/data-explorer/saved-queries';

/** The caller's saved queries, newest first, up to 100 (§4). */
export function listSavedQueries(): ListCall<SavedQuery> {
  return { request: get(path), noun: 'saved query', parse: parseSavedQuery };
}

export function saveQuery(name: string, datasetId: string, definition: DatasetQuery): Call<SavedQuery> {
  const body = { name, datasetId, definition: queryBody(definition) };
  return { request: { method: 'POST', path, body, effect: 'create' }, parse: parseSavedQuery };
}

export function deleteSavedQuery(id: string): Call<null> {
  return action({ method: 'DELETE', path: `${path}/${segment(id)}`, effect: 'repeatable' });
}
