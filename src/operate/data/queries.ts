import type { ReadSession, Session } from '../../engine/session.js';
import { suggest } from '../../manifest/suggest.js';
import type { ItemResult } from '../../model/batch.js';
import { queryOperators } from '../../model/condition.js';
import type { StoredQuery } from '../../model/data.js';
import { Problem, problem } from '../../model/diagnostic.js';
import { ExactNumber } from '../../model/exact-number.js';
import { isJsonObject } from '../../model/json.js';
import type { Reader } from '../../model/request.js';
import { attempt, orElse } from '../../service/operation.js';
import { type DatasetQuery, previewDataset } from '../../service/operations/dataset-queries.js';
import {
  deleteSavedQuery,
  listSavedQueries,
  type SavedQuery,
  saveQuery,
} from '../../service/operations/saved-queries.js';
import { type ChangedItem, changeOne, deleteItem, itemResult } from '../batch.js';
import { Watch } from '../watch.js';
import { chooseDatasets } from './datasets.js';
import { namesColumns, queryText, withColumns } from './rows.js';

/** The caller's saved queries, newest first (interface §4). */
export async function storedQueries({ client }: ReadSession): Promise<readonly StoredQuery[]> {
  return (await client.reader().readAll(listSavedQueries())).map(shown);
}

function shown({ id, name, datasetId, definition }: SavedQuery): StoredQuery {
  const query = readDefinition(definition);
  return { id, name, datasetId, query: query === null ? null : queryText(query) };
}

export interface QueryToSave {
  readonly name: string;
  /** An address or an id: of one dataset. */
  readonly of: string;
  readonly query: DatasetQuery;
}

/** Saves a query of one dataset under a name that no other query has. Throws a Problem. */
export async function saveStoredQuery(
  session: Session,
  { name, of, query }: QueryToSave,
  begin: () => void,
): Promise<ChangedItem<StoredQuery>> {
  const reader = session.client.reader();
  const { datasets, missing } = await chooseDatasets(session, [of]);
  const [dataset] = datasets;
  if (dataset === undefined) throw new Problem([...missing]);
  if (datasets.length > 1)
    throw problem(
      'usage',
      `--of: ${of} stands for ${datasets.length} datasets`,
      'Name one agent, or a dataset by its id.',
    );
  const before = await reader.readAll(listSavedQueries());
  if (before.some((each) => each.name === name)) {
    const help = 'Choose another name, or delete it with `roster data queries rm`.';
    throw problem('usage', `there is a saved query "${name}" already`, help);
  }
  const columns = namesColumns(query) ? (await reader.read(previewDataset(dataset.id))).columns : null;
  const checked =
    columns === null ? query : withColumns(query, columns, dataset.agent ?? `dataset ${dataset.id}`);
  const known = new Set(before.map(({ id }) => id));
  const call = saveQuery(name, dataset.id, checked);
  return changeOne(session, 'saved', begin, () => savedOrFound(session, call, { name, known }));
}

/** It is sent once. If its answer is lost or not understood, looks for a new query with its name. */
async function savedOrFound(
  session: Session,
  call: ReturnType<typeof saveQuery>,
  { name, known }: { readonly name: string; readonly known: ReadonlySet<string> },
): Promise<ItemResult<StoredQuery | null>> {
  const { client } = session;
  const sent = await attempt(client, call);
  if (sent.type === 'done') return itemResult(shown(sent.data), 'done');
  if (sent.type !== 'unknown') throw sent.failure;
  // A look that fails must not hide what became of the write.
  const look = async () => {
    const listed = await orElse(client.reader().readAll(listSavedQueries()), () => []);
    return listed.filter((each) => each.name === name && !known.has(each.id));
  };
  const watch = new Watch(session, []);
  const found = await watch.lookUntil(look, ({ length }) => length > 0);
  const [only] = found;
  if (only !== undefined && found.length === 1) return itemResult(shown(only), 'done');
  const { code, message } = sent.failure.diagnostic;
  const help = 'It is not known whether it was saved. Check `roster data queries` before you save it again.';
  return itemResult(null, 'unknown', null, problem(watch.interrupted ? 'interrupted' : code, message, help));
}

/** The service lists no more (interface §8). */
const MOST_LISTED = 100;

/** The query with a name or an id. Throws a Problem. */
async function queryNamed(reader: Reader, name: string): Promise<SavedQuery> {
  const all = await reader.readAll(listSavedQueries());
  const named = all.filter((each) => each.id === name || each.name === name);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    throw problem(
      'usage',
      `${named.length} saved queries are called "${name}"`,
      `Name one by its id: ${ids}.`,
    );
  }
  const near = suggest(
    name,
    all.flatMap((each) => each.name ?? []),
  );
  const help = near === null ? '`roster data queries` lists them.' : `Did you mean "${near}"?`;
  const where =
    all.length < MOST_LISTED ? '' : ` among the newest ${MOST_LISTED}, which are all that the service lists`;
  throw problem('usage', `there is no saved query "${name}"${where}`, help);
}

/** The dataset and the query behind a name. Throws a Problem. */
export async function storedQueryNamed(
  { client }: ReadSession,
  name: string,
): Promise<{ readonly datasetId: string; readonly query: DatasetQuery }> {
  const { datasetId, definition } = await queryNamed(client.reader(), name);
  const query = readDefinition(definition);
  if (datasetId !== null && query !== null) return { datasetId, query };
  const help = 'Run it in the dashboard.';
  throw problem('unexpected-response', `roster does not understand what is stored as "${name}"`, help);
}

/** Deletes the query with a name if `confirmed`. Throws a Problem. */
export async function removeStoredQuery(
  session: Session,
  name: string,
  confirmed: boolean,
  begin: () => void,
): Promise<ChangedItem<StoredQuery>> {
  const reader = session.client.reader();
  const query = shown(await queryNamed(reader, name));
  if (!confirmed) return { item: query, diagnostics: [] };
  const isThere = async () => (await reader.readAll(listSavedQueries())).some(({ id }) => id === query.id);
  return changeOne(session, 'deleted', begin, () =>
    deleteItem(session, query, deleteSavedQuery(query.id), isThere),
  );
}

/** The fields of a stored definition are those of a query (interface §2). Null for anything else. */
function readDefinition(definition: unknown): DatasetQuery | null {
  if (!isJsonObject(definition)) return null;
  const { search, filters = [], sortColumn, sortDirection } = definition;
  if (!Array.isArray(filters)) return null;
  const conditions = filters.map(readCondition);
  const texts = [search, sortColumn, sortDirection];
  const known = conditions.flatMap((each) => each ?? []);
  if (known.length < conditions.length) return null;
  if (texts.some((each) => each != null && typeof each !== 'string')) return null;
  const sort = typeof sortColumn === 'string' && sortColumn !== '' ? sortColumn : undefined;
  const direction = String(sortDirection).toLowerCase() === 'desc' ? 'desc' : 'asc';
  return {
    search: typeof search === 'string' && search !== '' ? search : undefined,
    filters: known.length === 0 ? undefined : known,
    sortColumn: sort,
    sortDirection: sort === undefined ? undefined : direction,
  };
}

function readCondition(condition: unknown): NonNullable<DatasetQuery['filters']>[number] | null {
  if (!isJsonObject(condition)) return null;
  const { column, operator = 'contains', value } = condition;
  const known = queryOperators.find((each) => each === String(operator).toLowerCase());
  if (typeof column !== 'string' || known === undefined) return null;
  if (value === undefined || value === null) return { column, operator: known };
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return null;
  return { column, operator: known, value };
}
