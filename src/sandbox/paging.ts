import { badRequest } from './api.js';

/** Paging (interface.md §1, conventions 7 and 8). A page or size out of range is replaced by the nearest valid one. */

const DEFAULT_SIZE = 25;
const MAX_SIZE = 100;

export function pageByNumber<T>(all: readonly T[], query: URLSearchParams): { items: T[]; total: number } {
  const size = pageSize(query);
  const page = Math.max(1, integer(query.get('page'), 1));
  return { items: all.slice((page - 1) * size, page * size), total: all.length };
}

export function pageSize(query: URLSearchParams): number {
  return Math.min(MAX_SIZE, Math.max(1, integer(query.get('pageSize'), DEFAULT_SIZE)));
}

function integer(text: string | null, fallback: number): number {
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : fallback;
}

/**
 * Newest first. `all` is in the order of creation, and a cursor names the last item of a page: what is created meanwhile
 * shifts no page.
 */
export function pageByCursor<T extends { readonly seq: number }>(
  all: readonly T[],
  query: URLSearchParams,
): { items: T[]; nextCursor: string | null } {
  const size = pageSize(query);
  const before = readCursor(query.get('cursor'));
  const rest = all.filter((each) => each.seq < before).reverse();
  const items = rest.slice(0, size);
  const last = items.at(-1);
  return { items, nextCursor: last === undefined || rest.length <= size ? null : cursorOf(last.seq) };
}

function cursorOf(seq: number): string {
  return Buffer.from(`before:${seq}`).toString('base64url');
}

function readCursor(cursor: string | null): number {
  if (cursor === null || cursor === '') return Number.POSITIVE_INFINITY;
  const [, seq] = /^before:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (seq === undefined) throw badRequest("The query value 'cursor' is not valid.");
  return Number(seq);
}
