import { badRequest } from '../../../src/sandbox/api.js';
import { isFields } from '../../../src/sandbox/body.js';
import { pageByNumber, pageSize } from '../../../src/sandbox/paging.js';
import { isGuid } from '../../../src/sandbox/world.js';
import type { Variant } from './names.js';
import { hasUnspecifiedBody, type Operation } from './operations.js';

/** The variants that change the `data` of a response as a whole: how lists are wrapped, what an action returns. */

export type PayloadRewrite = (data: unknown, operation: Operation, query: URLSearchParams) => unknown;

export const PAYLOAD_REWRITES: Partial<Record<Variant, PayloadRewrite>> = {
  'uppercase-guids': (data) => deep(data, (text) => (isGuid(text) ? text.toUpperCase() : text)),
  'extra-fields': (data) =>
    deep(data, (text) => text, { tenantId: 'acme', tags: ['x'], audit: { by: null } }),
  'answers-id-only': (data, operation) =>
    hasUnspecifiedBody(operation) && isFields(data) ? { id: idOf(data) } : data,
  'answers-bare-id': (data, operation) =>
    hasUnspecifiedBody(operation) && isFields(data) ? idOf(data) : data,
  'revoked-keys-hidden': (data, { kind, action }) =>
    kind === 'key' && action === 'list' && Array.isArray(data) ? data.filter(isNotRevoked) : data,
  'counts-as-objects': (data) => (typeof data === 'number' ? { count: data } : data),
  'rows-as-lists': onRows(({ columns, ...rest }) => ({
    ...rest,
    columns: columns.map((name) => ({ name })),
    rows: rest.rows.map((row) => columns.map((column) => row[column])),
  })),
  'truncation-unnamed': onRows(({ isTruncated: _, ...rest }) => rest),
  'reasons-as-text': (data) =>
    isFields(data) && Array.isArray(data.notStarted)
      ? { ...data, notStarted: data.notStarted.map((each) => each.reason) }
      : data,
  'query-id-named': (data) => (Array.isArray(data) ? data.map(nameQueryId) : nameQueryId(data)),
  'agents-reordered': (data, { kind, action }) =>
    kind === 'agent' && action === 'list' && Array.isArray(data) ? data.toReversed() : data,
  'no-error-empty': (data) => emptyMessages(data),
  'lists-newest-first': onLists((list) => list.toReversed()),
  'lists-as-items': onLists((list) => ({ items: list })),
  'lists-paged': onLists(pageByNumber),
  'lists-cursor': onLists(pageByCursor),
  'preview-short': onPreview((times) => times.slice(0, 3)),
  'preview-an-hour-late': onPreview((times) =>
    times.map((time) => new Date(Date.parse(String(time)) + 3_600_000).toISOString()),
  ),
  'preview-doubled': onPreview((times) => times.flatMap((time) => [time, time])),
  'preview-never': onPreview(() => []),
  'preview-objects': onPreview((times) => times.map((runTime) => ({ runTime }))),
  'preview-run-times': onPreview((times) => ({ runTimes: times })),
};

/** Not for agents: the interface says that their list is an array (§4, Agents). */
function onLists(change: (list: unknown[], query: URLSearchParams) => unknown): PayloadRewrite {
  return (data, { kind, action }, query) =>
    action === 'list' && kind !== 'agent' && Array.isArray(data) ? change(data, query) : data;
}

function onPreview(change: (times: unknown[]) => unknown): PayloadRewrite {
  return (data, { action }) => (action === 'preview' && Array.isArray(data) ? change(data) : data);
}

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Record<string, unknown>[];
  readonly isTruncated?: unknown;
}

function onRows(change: (data: Rows) => unknown): PayloadRewrite {
  return (data) => (isFields(data) && Array.isArray(data.columns) ? change(data as unknown as Rows) : data);
}

function isNotRevoked(key: unknown): boolean {
  return !isFields(key) || key.isRevoked !== true;
}

function idOf(record: Record<string, unknown>): unknown {
  return record.id ?? record.scheduleId;
}

/** Saved queries are the only records with a definition. */
function nameQueryId(record: unknown): unknown {
  if (!isFields(record) || record.definition === undefined) return record;
  const { id, ...rest } = record;
  return { savedQueryId: id, ...rest };
}

function emptyMessages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptyMessages);
  if (!isFields(value)) return value;
  const empty = (name: string) => (value[name] === null ? { [name]: '' } : {});
  const entries = Object.entries(value).map(([name, each]) => [name, emptyMessages(each)]);
  return { ...Object.fromEntries(entries), ...empty('errorMessage'), ...empty('statusMessage') };
}

/** Rewrites every text of a payload, and adds fields to every object of it. */
function deep(value: unknown, change: (text: string) => string, extra: object = {}): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => deep(entry, change, extra));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, deep(entry, change, extra)]);
  return { ...Object.fromEntries(entries), ...extra };
}

/** Clients treat the cursor as opaque; here it is the offset of the next item. */
function pageByCursor<T>(
  all: readonly T[],
  query: URLSearchParams,
): { items: T[]; nextCursor: string | null } {
  const from = offsetOf(query.get('cursor'));
  const end = from + pageSize(query);
  return { items: all.slice(from, end), nextCursor: end < all.length ? cursorOf(end) : null };
}

function cursorOf(offset: number): string {
  return Buffer.from(`from:${offset}`).toString('base64url');
}

function offsetOf(cursor: string | null): number {
  if (cursor === null || cursor === '') return 0;
  const match = /^from:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw badRequest("The query value 'cursor' is not a cursor of this service.");
  return Number(match[1]);
}
