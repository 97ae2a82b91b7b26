import { ExactNumber, plainNumber } from '../../model/exact-number.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { Unexpected } from '../../model/request.js';
import { isId, isPlainGuid, normalId } from '../../model/resource.js';

/** An object from the service whose content is not checked yet. */
export type RemoteRecord = { readonly [key: string]: unknown };

/** Describes a value briefly: it may be private, and must not make a message long. */
export function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return `the number ${value.text.slice(0, 60)}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  // A part of a long text is not shown: it may be a part of a secret, which is masked only as a whole.
  return value.length > 60 ? `a text of ${value.length} characters` : `the text ${JSON.stringify(value)}`;
}

export function unexpected(expected: string, value: unknown): Unexpected {
  return new Unexpected(`expected ${expected}, got ${described(value)}`);
}

export function asRecord(value: unknown, what: string): RemoteRecord {
  if (isJsonObject(value)) return value;
  throw unexpected(what, value);
}

/** An own property; undefined when it is absent. Inherited ones, such as `constructor`, do not come from the service. */
export function field(record: RemoteRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function text(record: RemoteRecord, name: string): string {
  const value = field(record, name);
  if (typeof value === 'string') return value;
  throw unexpected(`${name} to be text`, value);
}

export function optionalText(record: RemoteRecord, name: string): string | null {
  return field(record, name) === undefined || field(record, name) === null ? null : text(record, name);
}

/** Null when absent: unknown is not false. A text is not a boolean, not even "true": what it means would be a guess. */
export function optionalFlag(record: RemoteRecord, name: string): boolean | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value;
  throw unexpected(`${name} to be true or false`, value);
}

export function flag(record: RemoteRecord, name: string): boolean {
  const value = optionalFlag(record, name);
  if (value === null) throw unexpected(`${name} to be true or false`, field(record, name));
  return value;
}

/** A whole number of zero or more, also when it is written as text. */
export function wholeNumber(value: unknown): number | null {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : plainNumber(value);
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 0 ? read : null;
}

export function optionalCount(record: RemoteRecord, name: string): number | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  const count = wholeNumber(value);
  if (count === null) throw unexpected(`${name} to be a whole number`, value);
  return count;
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

/** An instant as received, or `UNREADABLE`; null when absent. */
export function optionalInstant(record: RemoteRecord, name: string): string | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && readInstant(value) !== null ? value : UNREADABLE;
}

/** An id as text, GUIDs in lower case. */
export function idText(value: unknown, name: string): string {
  if (typeof value === 'string' && isPlainGuid(value)) return value;
  if (typeof value === 'string' && isId(value)) return normalId(value);
  throw unexpected(`${name} to be an id`, value);
}

/** An id whose type the interface does not state (§1.4): as text to compare, and as received to send back. */
export interface LooseId {
  readonly id: string;
  readonly rawId: string | number;
}

/** Rejects fractions, and numbers beyond 2^53, which other programs round. */
export function looseId(given: unknown, name: string): LooseId {
  const value = plainNumber(given);
  if (typeof value !== 'number') {
    const id = idText(value, name);
    return { id, rawId: id };
  }
  if (Number.isSafeInteger(value)) return { id: String(value), rawId: value };
  throw unexpected(`${name} to be an id`, value);
}

/** The word of `known` that equals `value` in any case. Throws for an unknown word. */
export function oneOf<W extends string>(value: unknown, known: readonly W[], name: string): W {
  const word = typeof value === 'string' ? value.toLowerCase() : null;
  const found = known.find((each) => each.toLowerCase() === word);
  if (found === undefined) throw unexpected(`${name} to be one of ${known.join(', ')}`, value);
  return found;
}

/** Properties to show to people, on which no decision depends. Only plain values. */
export function factsOf(record: RemoteRecord, names: readonly string[]): JsonObject {
  const facts: Record<string, Json> = {};
  for (const name of names) {
    const value = plainNumber(field(record, name));
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
export function parseCounts<N extends string>(data: unknown, names: readonly N[]): Record<N, number | null> {
  const record = asRecord(data, 'an object with counts');
  const entries = names.map((name) => [name, wholeNumber(field(record, name))]);
  return Object.fromEntries(entries) as Record<N, number | null>;
}

/** One page of a list with page numbers (§1.8). */
export interface NumberedPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** One page of a list with cursors, newest first (§1.7). */
export interface CursorPage<T> {
  readonly items: readonly T[];
  /** For the next page; null on the last. */
  readonly nextCursor: string | null;
}

export function parseNumberedPage<T>(data: unknown, parse: (item: unknown) => T): NumberedPage<T> {
  const record = asRecord(data, 'a page');
  const items = itemsOf(record).map(parse);
  const total = wholeNumber(field(record, 'total')) ?? wholeNumber(field(record, 'totalCount'));
  if (total === null) throw unexpected('total to be a whole number', field(record, 'total'));
  return { items, total };
}

export function parseCursorPage<T>(data: unknown, parse: (item: unknown) => T): CursorPage<T> {
  if (Array.isArray(data)) return { items: data.map(parse), nextCursor: null };
  const record = asRecord(data, 'a page');
  return { items: itemsOf(record).map(parse), nextCursor: optionalText(record, 'nextCursor') || null };
}

function itemsOf(record: RemoteRecord): readonly unknown[] {
  return listIn(record, 'items');
}

export function listIn(record: RemoteRecord, name: string): readonly unknown[] {
  const items = field(record, name);
  if (Array.isArray(items)) return items;
  throw unexpected(`${name} to be a list`, items);
}

/** What all runs of a group or of pipelines together show (§4). */
export interface RunMetrics {
  readonly total: number | null;
  readonly completed: number | null;
  readonly inProgress: number | null;
  readonly issues: number | null;
}

export function parseMetrics(data: unknown): RunMetrics {
  const metrics = field(asRecord(data, 'a page'), 'metrics') ?? {};
  return parseCounts(metrics, ['total', 'completed', 'inProgress', 'issues']);
}

/** A number of any kind, also when it is written as text; null when absent. */
export function optionalNumber(record: RemoteRecord, name: string): number | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  const isWritten = (typeof value === 'string' && value.trim() !== '') || value instanceof ExactNumber;
  const read = isWritten ? Number(value) : value;
  if (typeof read === 'number' && Number.isFinite(read)) return read;
  throw unexpected(`${name} to be a number`, value);
}

export function textOr(record: RemoteRecord, name: string, fallback: string): string {
  return optionalText(record, name) ?? fallback;
}

/** An id of another object, GUIDs in lower case; null when absent. */
export function optionalId(record: RemoteRecord, name: string): string | null {
  const value = field(record, name);
  return value === undefined || value === null || value === '' ? null : looseId(value, name).id;
}

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
