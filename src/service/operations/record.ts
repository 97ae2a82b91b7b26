import { ExactNumber, plainNumber } from '../../model/exact-number.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { isId, isPlainGuid, normalId } from '../../model/resource.js';
import {
  listOf,
  mismatch,
  object,
  optional,
  type Property,
  type Read,
  type Shape,
  text,
  unexpected,
  wholeNumber,
} from '../../model/shape.js';

export function asRecord(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw unexpected(what, value);
}

/** A real day and time without an offset: 30 February would roll over to another day. */
export function isWallClock(text: string): boolean {
  const minutes = /^(\d{4}-\d{2}-(\d{2}))[Tt ]((\d{2}):\d{2})(?::[0-5]\d(?:\.\d+)?)?$/.exec(text);
  if (minutes === null) return false;
  const [, date, day, clock, hour] = minutes;
  const written = `${date}T${clock}`;
  const time = Date.parse(`${written}Z`);
  if (Number.isNaN(time)) return false;
  // Only the last days of a month and 24:00 roll over. There may be thousands of times, and this is slow.
  const isPlain = Number(day) <= 28 && Number(hour) < 24;
  return isPlain || new Date(time).toISOString().startsWith(written);
}

const isoInstant = /^(.+?)(Z|[+-]\d{2}:?\d{2})?$/i;

/** Milliseconds since 1970; null for a text that is not an instant. Without an offset it is in UTC (interface §1.6). */
export function readInstant(text: string): number | null {
  const match = isoInstant.exec(text);
  if (match === null || !isWallClock(match[1] ?? '')) return null;
  const time = Date.parse(match[2] === undefined ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time) ? null : time;
}

/** In place of a value that cannot be read and that only few decisions rest on: unknown is neither absent nor zero. */
export const UNREADABLE = 'unreadable';

/** An instant as received, or `UNREADABLE`. */
export const receivedInstant: Shape<string> = (value) =>
  typeof value === 'string' && readInstant(value) !== null ? value : UNREADABLE;

/** An id as text, GUIDs in lower case. */
export const idText: Shape<string> = (value, name) => {
  if (typeof value === 'string' && isPlainGuid(value)) return value;
  if (typeof value === 'string' && isId(value)) return normalId(value);
  throw mismatch('an id', value, name);
};

/** An id whose type the interface does not state (§1.4): as text to compare, and as received to send back. */
export interface LooseId {
  readonly id: string;
  readonly rawId: string | number;
}

/** Rejects fractions, and numbers beyond 2^53, which other programs round. */
export const looseId: Shape<LooseId> = (given, name) => {
  const value = plainNumber(given);
  if (typeof value !== 'number') {
    const id = idText(value, name);
    return { id, rawId: id };
  }
  if (Number.isSafeInteger(value)) return { id: String(value), rawId: value };
  throw mismatch('an id', value, name);
};

/** The id of another object, GUIDs in lower case; null when absent. */
export const optionalId: Shape<string | null> = (value, name) =>
  value === undefined || value === null || value === '' ? null : looseId(value, name).id;

/** Properties to show to people, on which no decision depends. Only plain values. */
export function factsOf(record: JsonObject, names: readonly string[]): JsonObject {
  const facts: Record<string, Json> = {};
  for (const name of names) {
    const value = plainNumber(record[name]);
    if (typeof value === 'string' || typeof value === 'boolean' || isNumber(value)) facts[name] = value;
  }
  return facts;
}

export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** `data` is a number (§4: active and attention counts), or an object with one. */
export function parseCount(data: unknown): number {
  const inner = isJsonObject(data)
    ? Object.values(data).filter((value) => wholeNumber(value) !== null)
    : [data];
  const [only] = inner;
  const count = inner.length === 1 ? wholeNumber(only) : null;
  if (count === null) throw unexpected('a count', data);
  return count;
}

/** Counts by state. A state that the answer lacks is null: unknown is not zero. */
export function counts<N extends string>(...names: readonly N[]): Shape<Readonly<Record<N, number | null>>> {
  const fields = Object.fromEntries(names.map((name) => [name, wholeNumber]));
  return object(fields as Record<N, typeof wholeNumber>, 'an object with counts');
}

/** The properties of one page of a list with page numbers (§1.8). */
export function pageFields<T>(item: Shape<T>) {
  return { items: listOf(item), total: { of: totalOf } };
}

function totalOf(page: JsonObject): number {
  const total = wholeNumber(page['total']) ?? wholeNumber(page['totalCount']);
  if (total === null) throw unexpected('total to be a whole number', page['total']);
  return total;
}

/** One page of a list with cursors, newest first (§1.7). */
export interface CursorPage<T> {
  readonly items: readonly T[];
  /** For the next page; null on the last. */
  readonly nextCursor: string | null;
}

export function cursorPage<T>(item: Shape<T>): Shape<CursorPage<T>> {
  const items = listOf(item);
  const page = object({ items, nextCursor: cursor }, 'a page');
  return (data) => (Array.isArray(data) ? { items: items(data), nextCursor: null } : page(data));
}

const optionalText = optional(text);

export const cursor: Shape<string | null> = (value, name) => optionalText(value, name) || null;

/** What all runs of a group or of pipelines together show (§4). */
export type RunMetrics = Read<typeof runCounts>;
const runCounts = counts('total', 'completed', 'inProgress', 'issues');
export const runMetrics: Property<RunMetrics> = { of: (page) => runCounts(page['metrics'] ?? {}) };

/**
 * The id of a new object in the `data` of the answer to its create, whose shape the interface does not show (§4): the id
 * itself, a record with the id, or such a record one level down. Null when there is none: the caller then looks for the
 * object in the list.
 */
export function findCreatedId(data: unknown, names: readonly string[]): string | null {
  const direct = bareId(data) ?? ownId(data, names);
  if (direct !== null || !isJsonObject(data)) return direct;
  const inner = Object.values(data).flatMap((value) => ownId(value, names) ?? []);
  // With two ids, it is not known which one is that of the new object.
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

function ownId(value: unknown, names: readonly string[]): string | null {
  if (!isJsonObject(value)) return null;
  for (const name of names) {
    const id = Object.hasOwn(value, name) ? asId(value[name]) : null;
    if (id !== null) return id;
  }
  return null;
}

const clearlyAnId = /^(\d{1,15}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Data that is an id. Text must look like one: `data: "Created"` is a message. */
function bareId(data: unknown): string | null {
  return typeof data === 'string' && !clearlyAnId.test(data) ? null : asId(data);
}

function asId(given: unknown): string | null {
  const value = plainNumber(given);
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  return typeof value === 'string' && isId(value) ? normalId(value) : null;
}
