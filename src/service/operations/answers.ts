import { isJsonObject } from '../../model/json.js';
import type { Call, Request } from '../../model/request.js';
import {
  asRecord,
  field,
  looseId,
  optionalText,
  type RemoteRecord,
  unexpected,
  wholeNumber,
} from './record.js';

/** Parsers of answers that several areas of the interface have in common. */

/** A request with a query, without the values that are not set. */
export function get(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Request {
  const set = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const request = { method: 'GET', path, effect: 'read' } as const;
  return set.length === 0 ? request : { ...request, query: Object.fromEntries(set) };
}

/** An action whose answer says nothing that a decision rests on (end of §4: bodies not shown). */
export function action(request: Request): Call<null> {
  return { request, parse: () => null };
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
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
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
