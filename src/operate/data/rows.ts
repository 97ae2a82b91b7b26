import type { ReadSession } from '../../engine/session.js';
import { suggest } from '../../manifest/suggest.js';
import type { DataTable } from '../../model/data.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import { type ExactNumber, isInexact } from '../../model/exact-number.js';
import { type Json, parseJson } from '../../model/json.js';
import type { Reader } from '../../model/request.js';
import { shellWord } from '../../model/words.js';
import { ServiceFailure } from '../../service/failure.js';
import {
  type DatasetCondition,
  type DatasetMatches,
  type DatasetQuery,
  previewDataset,
  type QueryOperator,
  queryDataset,
  queryOperators,
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

const withoutValue: ReadonlySet<QueryOperator> = new Set<QueryOperator>(['isempty', 'isnotempty']);
const forNumbers: ReadonlySet<QueryOperator> = new Set<QueryOperator>(['gt', 'gte', 'lt', 'lte']);
const symbols: Readonly<Record<string, QueryOperator>> = {
  '=': 'equals',
  '==': 'equals',
  '!=': 'notequals',
  '<>': 'notequals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'contains',
  eq: 'equals',
  ne: 'notequals',
  ge: 'gte',
  le: 'lte',
};

/** Throws a Problem with everything that is wrong. Columns are not checked yet. */
export function parseQuery({ where = [], search, sort }: TypedQuery): DatasetQuery {
  const problems: Diagnostic[] = [];
  const filters = where.flatMap((text) => {
    try {
      return [parseCondition(text)];
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

/** The first operator ends the column, which may have several words; one in double quotes may contain operators. */
function parseCondition(text: string): DatasetCondition {
  const [, quoted, plain] = /^\s*(?:"([^"]+)"|(\S+))\s/.exec(`${text} `) ?? [];
  if (quoted !== undefined) {
    const rest = text.slice(text.indexOf(quoted) + quoted.length + 1).trim();
    return conditionOf(quoted, rest, text);
  }
  const words = [...text.matchAll(/\S+/g)];
  const at = words.findIndex(([word], index) => index > 0 && operatorNamed(word) !== null);
  const start = words[at]?.index;
  if (start !== undefined) return conditionOf(text.slice(0, start).trim(), text.slice(start), text);
  const [, second] = words;
  return conditionOf(plain ?? '', second === undefined ? '' : text.slice(second.index), text);
}

function conditionOf(column: string, rest: string, text: string): DatasetCondition {
  const [word = ''] = /^\S+/.exec(rest) ?? [];
  const operator = operatorNamed(word);
  if (column === '' || word === '')
    throw problem('usage', `--where: "${text}" is not a condition`, "For example: `--where 'price gt 10'`.");
  if (operator === null) throw unknownOperator(word, text);
  const value = rest.slice(word.length).trim();
  if (withoutValue.has(operator)) {
    if (value === '') return { column, operator };
    throw problem('usage', `--where: "${text}": \`${operator}\` takes no value`);
  }
  if (value === '')
    throw problem('usage', `--where: "${text}": the value is missing`, "Use `''` for an empty value.");
  if (forNumbers.has(operator) && !isComparable(value)) throw notANumber(value, operator, text);
  const read = conditionValue(value, operator);
  if (forNumbers.has(operator) && read === value && isNumeric(value)) throw otherSpelling(value, text);
  return { column, operator, value: read };
}

function operatorNamed(word: string): QueryOperator | null {
  const lower = word.toLowerCase();
  return queryOperators.find((each) => each === lower) ?? null;
}

function unknownOperator(word: string, text: string): Problem {
  const near = Object.hasOwn(symbols, word) ? symbols[word] : suggest(word, queryOperators);
  const hint = near == null ? `One of: ${queryOperators.join(', ')}.` : `Did you mean \`${near}\`?`;
  return problem('usage', `--where: "${text}": there is no operator "${word}"`, hint);
}

function notANumber(value: string, operator: QueryOperator, text: string): Problem {
  const message = `--where: "${text}": "${value}" is neither a number nor a date`;
  return problem('usage', message, `To compare it as text, put it in quotes: \`${operator} "${value}"\`.`);
}

/** It would be sent with other digits than those that were typed. Another number is not proposed. */
function otherSpelling(value: string, text: string): Problem {
  const written = isInexact(value.toLowerCase()) ? 'Put' : `Write \`${Number(value)}\`, or put`;
  const message = `--where: "${text}": "${value}" is not written as a decimal number`;
  return problem('inexact-number', message, `${written} it in quotes to compare it as text.`);
}

/** Quotes keep spaces at the ends, and are left out. Only a comparison needs a number as such. */
function conditionValue(text: string, operator: QueryOperator): string | number | ExactNumber {
  const [, , inner] = /^(["'])([\s\S]*)\1$/.exec(text) ?? [];
  if (inner !== undefined) return inner;
  const number = forNumbers.has(operator) && isNumeric(text) ? parseJson(text) : undefined;
  return number === undefined ? text : (number as number | ExactNumber);
}

/** Also in other spellings than those of JSON. */
function isNumeric(text: string): boolean {
  return text.trim() !== '' && !Number.isNaN(Number(text));
}

/** Numbers and dates. Any other word needs quotes to be compared as text: it is mostly a slip, such as `600,50`. */
function isComparable(text: string): boolean {
  return isNumeric(text) || isDate(text) || /^(["'])[\s\S]*\1$/.test(text);
}

/** ISO 8601: a year with a month, a day, or a time of day, also without seconds and with an offset. */
function isDate(text: string): boolean {
  return (
    /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
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

function conditionText({ column, operator = 'contains', value }: DatasetCondition): string {
  const name = /\s/.test(column) && !column.includes('"') ? `"${column}"` : column;
  return [name, operator, ...(value === undefined ? [] : [valueText(value, operator)])].join(' ');
}

function isSame(one: Json, other: Json): boolean {
  return typeof one === typeof other && String(one) === String(other);
}

/** In quotes where it would be read as another value without them. */
function valueText(value: NonNullable<DatasetCondition['value']>, operator: QueryOperator): string {
  const text = String(value);
  const isRead = text !== '' && text.trim() === text && isSame(conditionValue(text, operator), value);
  const isWord = forNumbers.has(operator) && !isComparable(text);
  return (isRead && !isWord) || typeof value !== 'string' ? text : `"${text}"`;
}
