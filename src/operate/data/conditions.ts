import { suggest } from '../../manifest/suggest.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import { shellWord } from '../../model/shell-word.js';
import {
  type DatasetCondition,
  type DatasetQuery,
  type QueryOperator,
  queryOperators,
} from '../../service/operations/dataset-queries.js';

/** A query as it was typed. */
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
  return {
    ...(search === undefined ? {} : { search }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(sort === undefined ? {} : sorting(sort)),
  };
}

function sorting(sort: string): Pick<DatasetQuery, 'sortColumn' | 'sortDirection'> {
  return sort.startsWith('-')
    ? { sortColumn: sort.slice(1), sortDirection: 'desc' }
    : { sortColumn: sort, sortDirection: 'asc' };
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
  return { column, operator, value: conditionValue(value, operator) };
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

/** Quotes keep spaces at the ends, and are left out. Only a comparison needs a number as such. */
function conditionValue(text: string, operator: QueryOperator): string | number {
  const [, , inner] = /^(["'])([\s\S]*)\1$/.exec(text) ?? [];
  if (inner !== undefined) return inner;
  const number = Number(text);
  return forNumbers.has(operator) && Number.isFinite(number) ? number : text;
}

/** Numbers, and dates, which have digits. Any other word needs quotes to be compared as text: it is mostly a slip. */
function isComparable(text: string): boolean {
  return /\d/.test(text) || /^(["'])[\s\S]*\1$/.test(text);
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
    ...(filters === undefined
      ? {}
      : { filters: filters.map((each) => ({ ...each, column: known(each.column, '--where') })) }),
    ...(sortColumn === undefined ? {} : { sortColumn: known(sortColumn, '--sort') }),
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

/** In quotes where it would be read as another value without them. */
function valueText(value: NonNullable<DatasetCondition['value']>, operator: QueryOperator): string {
  const text = String(value);
  const isRead = text !== '' && text.trim() === text && conditionValue(text, operator) === value;
  const isWord = forNumbers.has(operator) && !isComparable(text);
  return (isRead && !isWord) || typeof value !== 'string' ? text : `"${text}"`;
}
