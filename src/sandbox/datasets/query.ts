import { badRequest } from '../api.js';
import { bodyFields, type Fields, isFields, optionalText, optionalWord } from '../body.js';
import { Digits, plainNumber } from '../digits.js';
import type { Row, Value } from './rows.js';

/** The query of a dataset (interface.md §4, Query request body). */

const DEFAULT_SIZE = 50;
const MAX_SIZE = 200;

type Test = (value: Value, wanted: string) => boolean;

/** Text comparisons ignore case (§4). */
const OPERATORS: Readonly<Record<string, Test>> = {
  contains: (value, wanted) => lower(value).includes(wanted.toLowerCase()),
  equals: (value, wanted) => lower(value) === wanted.toLowerCase(),
  notequals: (value, wanted) => lower(value) !== wanted.toLowerCase(),
  startswith: (value, wanted) => lower(value).startsWith(wanted.toLowerCase()),
  endswith: (value, wanted) => lower(value).endsWith(wanted.toLowerCase()),
  isempty: (value) => isEmpty(value),
  isnotempty: (value) => !isEmpty(value),
  gt: (value, wanted) => !isEmpty(value) && compare(value, wanted) > 0,
  gte: (value, wanted) => !isEmpty(value) && compare(value, wanted) >= 0,
  lt: (value, wanted) => !isEmpty(value) && compare(value, wanted) < 0,
  lte: (value, wanted) => !isEmpty(value) && compare(value, wanted) <= 0,
};

export interface Query {
  readonly matches: (row: Row) => boolean;
  /** Null keeps the order of the file. */
  readonly order: ((one: Row, other: Row) => number) | null;
  readonly page: number;
  readonly pageSize: number;
}

export function readQuery(body: unknown, columns: readonly string[]): Query {
  const fields = bodyFields(body);
  const search = (optionalText(fields, 'search') ?? '').trim().toLowerCase();
  const tests = readFilters(fields.filters ?? [], columns);
  const finds = (row: Row) => search === '' || row.some((value) => lower(value).includes(search));
  return {
    matches: (row) => finds(row) && tests.every((test) => test(row)),
    order: readOrder(fields, columns),
    page: wholeNumber(fields, 'page', 1, Number.MAX_SAFE_INTEGER),
    pageSize: wholeNumber(fields, 'pageSize', DEFAULT_SIZE, MAX_SIZE),
  };
}

function readFilters(filters: unknown, columns: readonly string[]): ((row: Row) => boolean)[] {
  if (!Array.isArray(filters) || !filters.every(isFields))
    throw badRequest("The field 'filters' must be an array of objects.");
  return filters.map((filter) => {
    const index = columnIndex(filter, 'column', columns) ?? -1;
    if (index < 0) throw badRequest("A filter needs a 'column'.");
    const name = optionalText(filter, 'operator')?.toLowerCase() ?? 'contains';
    const test = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (test === undefined) throw badRequest(`The operator '${name}' is not known.`);
    const wanted = valueText(filter.value);
    return (row) => test(row[index] ?? null, wanted);
  });
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (['string', 'number', 'boolean'].includes(typeof value) || value instanceof Digits) return String(value);
  throw badRequest("The 'value' of a filter must be a text, a number or a boolean.");
}

function readOrder(fields: Fields, columns: readonly string[]): Query['order'] {
  const index = columnIndex(fields, 'sortColumn', columns);
  const direction = optionalWord({ d: lowered(fields.sortDirection) }, 'd', ['asc', 'desc']) ?? 'asc';
  if (index === undefined) return null;
  const sign = direction === 'desc' ? -1 : 1;
  return (one, other) => sign * compareValues(one[index] ?? null, other[index] ?? null);
}

function lowered(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** Undefined where the body names no column. */
function columnIndex(fields: Fields, field: string, columns: readonly string[]): number | undefined {
  const name = optionalText(fields, field);
  if (name === undefined || name === '') return undefined;
  const index = columns.findIndex((column) => column.toLowerCase() === name.toLowerCase());
  if (index < 0) throw badRequest(`The dataset has no column '${name}'.`);
  return index;
}

/** A number out of range is replaced by the nearest valid one, as in the lists. */
function wholeNumber(fields: Fields, field: string, fallback: number, most: number): number {
  const value = plainNumber(fields[field] ?? fallback);
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw badRequest(`The field '${field}' must be an integer.`);
  return Math.min(most, Math.max(1, value));
}

function isEmpty(value: Value): boolean {
  return value === null || value === '';
}

function lower(value: Value): string {
  return value === null ? '' : String(value).toLowerCase();
}

/** As numbers where both are, else as text. */
function compare(value: Value, wanted: string): number {
  const [one, other] = [Number(value), Number(wanted)];
  if (wanted.trim() !== '' && !Number.isNaN(one) && !Number.isNaN(other)) return one - other;
  return compareText(lower(value), wanted.toLowerCase());
}

/** Empty values come first. */
function compareValues(one: Value, other: Value): number {
  if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(other)) - Number(isEmpty(one));
  return compare(one, String(other));
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
