/** Paging (interface.md §1, convention 8). A page or size out of range is replaced by the nearest valid one. */

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
