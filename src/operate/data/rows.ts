import type { ReadSession } from '../../engine/session.js';
import { suggest } from '../../manifest/suggest.js';
import { conditionText, parseCondition } from '../../model/condition.js';
import type { DataTable } from '../../model/data.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import { shellWord } from '../../model/words.js';
import { ServiceFailure } from '../../service/failure.js';
import {
  type DatasetMatches,
  type DatasetQuery,
  previewDataset,
  queryDataset,
} from '../../service/operations/dataset-queries.js';
import { type ChosenDataset, chooseDatasets, noDataOutcome, unavailable } from './datasets.js';

export interface DataRows {
  /** One for each dataset that can be read. */
  readonly tables: readonly DataTable[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The largest page of a query (interface §8). */
const PAGE = 200;
/** All rows are kept until they are printed. A file may have more: `data get` streams it. */
export const MAX_ROWS = 100_000;

/** The first rows of each dataset, as many as the service shows. Throws a Problem. */
export function previewData(session: ReadSession, names: readonly string[]): Promise<DataRows> {
  return readEach(session, names, async ({ id, agent }, reader) => {
    const { columns, rows, isTruncated } = await reader.read(previewDataset(id));
    return { id, agent, columns, rows, totalMatches: null, isTruncated };
  });
}

/** The rows that match, of each dataset at most `limit`; null for all of them. Throws a Problem. */
export function queryData(
  session: ReadSession,
  names: readonly string[],
  query: DatasetQuery,
  limit: number | null,
): Promise<DataRows> {
  const checkRows = rowLimit(limit);
  return readEach(session, names, async ({ id, agent }, reader) => {
    const name = agent ?? `dataset ${id}`;
    const columns = namesColumns(query) ? (await reader.read(previewDataset(id))).columns : null;
    const checked = columns === null ? query : withColumns(query, columns, name);
    const rows: DataTable['rows'][number][] = [];
    let first: DatasetMatches | null = null;
    for await (const page of matchingPages(reader, id, checked, limit)) {
      if (session.interrupted()) throw problem('interrupted', 'interrupted before all rows were read');
      if (first === null) checkRows(page);
      first ??= page;
      for (const row of page.rows) rows.push(row);
    }
    const { totalMatches = 0, columns: shown = columns ?? [] } = first ?? {};
    return { id, agent, columns: shown, rows, totalMatches, isTruncated: rows.length < totalMatches };
  });
}

/** Counts the rows of all datasets of a query. Throws a Problem for more rows than roster keeps. */
function rowLimit(limit: number | null): (first: DatasetMatches) => void {
  let all = 0;
  return ({ totalMatches }) => {
    all += Math.min(totalMatches, limit ?? totalMatches);
    if (all > MAX_ROWS) throw tooMany(all);
  };
}

/** The pages of a query up to so many rows. */
async function* matchingPages(
  reader: Reader,
  id: string,
  query: DatasetQuery,
  limit: number | null,
): AsyncGenerator<DatasetMatches> {
  const pageSize = Math.min(PAGE, limit ?? PAGE);
  let read = 0;
  for await (const page of queryPages(reader, id, query, pageSize)) {
    const rows = page.rows.slice(0, (limit ?? MAX_ROWS) - read);
    read += rows.length;
    yield { ...page, rows };
    if (limit !== null && read >= limit) return;
  }
}

/** Page by page, until all matches were read. Throws for pages that are not those of one and the same query. */
export async function* queryPages(
  reader: Reader,
  id: string,
  query: DatasetQuery,
  pageSize = PAGE,
): AsyncGenerator<DatasetMatches> {
  let read = 0;
  let previous: DatasetMatches | null = null;
  for (let page = 1; ; page += 1) {
    const found = await reader.read(queryDataset(id, { ...query, page, pageSize }));
    checkProgress(id, previous, found);
    read += found.rows.length;
    yield found;
    if (read >= found.totalMatches) return;
    if (found.rows.length === 0) throw incomplete(id, read, found.totalMatches);
    previous = found;
  }
}

/** Without these, rows would be missing or repeated, and a query might never end. */
function checkProgress(id: string, previous: DatasetMatches | null, found: DatasetMatches): void {
  if (previous === null) return;
  if (found.page !== null && found.page === previous.page)
    throw unexpectedPage(id, `returned page ${found.page} twice`);
  if (found.totalMatches !== previous.totalMatches)
    throw unexpectedPage(id, `returned ${previous.totalMatches} matches, then ${found.totalMatches}`);
}

function incomplete(id: string, read: number, total: number): ServiceFailure {
  return unexpectedPage(id, `returned ${read} rows of ${total}`);
}

function unexpectedPage(id: string, what: string): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `the query of dataset ${id} ${what}`,
  });
}

function tooMany(total: number) {
  const help = 'Add conditions, use `--limit`, or get the whole file with `roster data get`.';
  return problem('limit-exceeded', `${total} rows or more match, and a query can print ${MAX_ROWS}`, help);
}

async function readEach(
  session: ReadSession,
  names: readonly string[],
  read: (dataset: ChosenDataset, reader: Reader) => Promise<DataTable>,
): Promise<DataRows> {
  const reader = session.client.reader();
  const { datasets, missing } = await chooseDatasets(session, names);
  const found = await Promise.all(datasets.map((each) => orReason(each, read(each, reader))));
  const tables = found.filter((each) => 'columns' in each);
  const failures = found.flatMap((each) => ('failure' in each ? [each.failure] : []));
  const [only] = failures;
  if (only !== undefined && tables.length === 0) throw only;
  const unread = found.flatMap((each) => ('reasons' in each ? each.reasons : []));
  return { tables, diagnostics: [...session.warnings, ...missing, ...unread] };
}

interface Unread {
  readonly reasons: readonly Diagnostic[];
}

interface FailedRead extends Unread {
  readonly failure: ServiceFailure;
}

/** One dataset that cannot be read does not withhold the others. */
async function orReason(
  { id, agent }: ChosenDataset,
  table: Promise<DataTable>,
): Promise<DataTable | Unread | FailedRead> {
  try {
    return await table;
  } catch (failure) {
    const outcome = noDataOutcome(failure);
    const name = agent === null ? `dataset ${id}` : `dataset ${id} of ${agent}`;
    if (outcome !== null) return { reasons: [unavailable(name, outcome)] };
    if (!(failure instanceof ServiceFailure) || failure.facts.code === 'interrupted') throw failure;
    return { reasons: failure.diagnostics, failure };
  }
}

export interface TypedQuery {
  /** `price gt 10` */
  readonly where?: readonly string[] | undefined;
  readonly search?: string | undefined;
  /** `price`, or `-price` for the largest first. */
  readonly sort?: string | undefined;
}

const inWhere = { name: '--where', example: "--where 'price gt 10'", suggest };

/** Throws a Problem with everything that is wrong. Columns are not checked yet. */
export function parseQuery({ where = [], search, sort }: TypedQuery): DatasetQuery {
  const problems: Diagnostic[] = [];
  const filters = where.flatMap((text) => {
    try {
      return [parseCondition(text, inWhere)];
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      problems.push(...failure.diagnostics);
      return [];
    }
  });
  if (problems.length > 0) throw new Problem(problems);
  if (sort !== undefined && sort.replace(/^-/, '') === '')
    throw problem('usage', '--sort: the column is missing', 'For example: `--sort -price`.');
  const direction = sort?.startsWith('-') === true ? 'desc' : 'asc';
  return {
    search,
    filters: filters.length === 0 ? undefined : filters,
    sortColumn: sort?.replace(/^-/, ''),
    sortDirection: sort === undefined ? undefined : direction,
  };
}

export function namesColumns({ filters, sortColumn }: DatasetQuery): boolean {
  return filters !== undefined || sortColumn !== undefined;
}

/** The same query with the columns as the dataset writes them. Throws a Problem for those that it does not have. */
export function withColumns(query: DatasetQuery, columns: readonly string[], dataset: string): DatasetQuery {
  const problems: Diagnostic[] = [];
  const known = (name: string, flag: string) => {
    const found = columnNamed(name, columns);
    if (found === null) problems.push(unknownColumn(name, columns, `${flag}: ${dataset}`));
    return found ?? name;
  };
  const { filters, sortColumn, ...rest } = query;
  const checked: DatasetQuery = {
    ...rest,
    filters: filters?.map((each) => ({ ...each, column: known(each.column, '--where') })),
    sortColumn: sortColumn === undefined ? undefined : known(sortColumn, '--sort'),
  };
  if (problems.length > 0) throw new Problem(problems);
  return checked;
}

function columnNamed(name: string, columns: readonly string[]): string | null {
  if (columns.includes(name)) return name;
  return columns.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null;
}

/** Columns that a hint names. */
const MOST_NAMED = 20;

function unknownColumn(name: string, columns: readonly string[], where: string): Diagnostic {
  const near = suggest(name, columns);
  const more = columns.length > MOST_NAMED ? ', …' : '';
  const help =
    near === null
      ? `Columns: ${columns.slice(0, MOST_NAMED).join(', ')}${more}.`
      : `Did you mean \`${near}\`?`;
  return { severity: 'error', code: 'usage', message: `${where} has no column "${name}"`, help };
}

/** The flags with which `roster data query` asks the same, to be copied into a shell: columns come from collected data. */
export function queryText({ search, filters = [], sortColumn, sortDirection }: DatasetQuery): string {
  const sort = `${sortDirection === 'desc' ? '-' : ''}${sortColumn}`;
  return [
    ...filters.map((each) => `--where ${shellWord(conditionText(each))}`),
    ...(search === undefined ? [] : [`--search ${shellWord(search)}`]),
    ...(sortColumn === undefined ? [] : [`--sort ${/^-?\w[\w.-]*$/.test(sort) ? sort : shellWord(sort)}`]),
  ].join(' ');
}
