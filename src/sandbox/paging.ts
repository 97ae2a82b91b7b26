import { badRequest } from './api.js';

/** Paging (interface.md §1, conventions 7 and 8). A page or size out of range is replaced by the nearest valid one. */

const DEFAULT_SIZE = 25;
const MAX_SIZE = 100;

export function pageByNumber<T>(all: readonly T[], query: URLSearchParams): { items: T[]; total: number } {
  const size = pageSize(query);
  const page = Math.max(1, integer(query.get('page'), 1));
  return { items: all.slice((page - 1) * size, page * size), total: all.length };
}

/** Clients treat the cursor as opaque; here it is the offset of the next item. */
export function pageByCursor<T>(
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

function pageSize(query: URLSearchParams): number {
  return Math.min(MAX_SIZE, Math.max(1, integer(query.get('pageSize'), DEFAULT_SIZE)));
}

function integer(text: string | null, fallback: number): number {
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : fallback;
}
