import type { Call, ListCall } from '../../model/request.js';
import { type DatasetQuery, queryBody } from './dataset-queries.js';
import { asRecord, field, idText, optionalId, optionalText } from './record.js';
import { action, get, segment } from './requests.js';

/** A saved query (interface §2). Only its id is certain: the fields of the stored record are not shown. */
export interface SavedQuery {
  readonly id: string;
  readonly name: string | null;
  readonly datasetId: string | null;
  /** As received. */
  readonly definition: unknown;
}

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

function parseSavedQuery(item: unknown): SavedQuery {
  const record = asRecord(item, 'an object');
  return {
    id: idText(field(record, 'id') ?? field(record, 'savedQueryId'), 'id'),
    name: optionalText(record, 'name'),
    datasetId: optionalId(record, 'datasetId'),
    definition: field(record, 'definition') ?? null,
  };
}
