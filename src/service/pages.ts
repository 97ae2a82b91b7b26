import { type ListCall, type Reader, Unexpected } from '../model/request.js';
import { listIn } from './operations/answers.js';
import { asRecord, field, optionalText, wholeNumber } from './operations/record.js';
import { type PageQuery, parseItems } from './paging.js';

/** One page of a list. */
export interface ListPage<T> {
  /** Without those that an earlier page had: what is new at the top of a list moves the others down. */
  readonly items: readonly T[];
  /** The list goes on after this page, also where no further page is read. */
  readonly hasMore: boolean;
}

export interface PageLimits {
  /** Items on a page, at most 100 (interface §8). */
  readonly size?: number;
  /** Pages that are read at most. Default: 10. A filter that the service does not have may leave nothing of thousands. */
  readonly most?: number;
}

const SIZE = 100;
const MOST_PAGES = 10;

/**
 * The pages of a list by cursor or by number (interface §1.7, §1.8), each read when the caller asks for it: for lists of
 * which the first items matter. What must be complete is read with `readAll`. Ends where the service repeats itself.
 */
export async function* pages<T extends { readonly id: string }>(
  reader: Pick<Reader, 'read'>,
  call: ListCall<T>,
  { size = SIZE, most = MOST_PAGES }: PageLimits = {},
): AsyncGenerator<ListPage<T>> {
  const seen = new Set<string>();
  let read = 0;
  let next: PageQuery | null = {};
  for (let number = 1; number <= most && next !== null; number += 1) {
    const query: PageQuery = { ...call.request.query, ...next, pageSize: size };
    const page = await reader.read({
      request: { ...call.request, query },
      parse: (data) => readPage(data, call, size),
    });
    const items = page.items.filter(({ id }) => !seen.has(id));
    for (const { id } of items) seen.add(id);
    read += page.items.length;
    next = items.length === 0 ? null : nextQuery(page, { read, number });
    yield { items, hasMore: next !== null };
  }
}

/** The first page of a list: the newest items. */
export async function firstPage<T extends { readonly id: string }>(
  reader: Pick<Reader, 'read'>,
  call: ListCall<T>,
  size = SIZE,
): Promise<readonly T[]> {
  for await (const { items } of pages(reader, call, { size, most: 1 })) return items;
  return [];
}

interface ReadPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total: number | null;
}

function nextQuery(
  { nextCursor, total }: ReadPage<unknown>,
  { read, number }: { readonly read: number; readonly number: number },
): PageQuery | null {
  if (nextCursor !== null) return { cursor: nextCursor };
  return total !== null && read < total ? { page: number + 1 } : null;
}

/** A full page that does not say whether the list goes on is not taken for its end. */
function readPage<T>(data: unknown, call: ListCall<T>, size: number): ReadPage<T> {
  if (Array.isArray(data)) return { items: parseItems(data, call), nextCursor: null, total: null };
  const record = asRecord(data, 'a page');
  const items = parseItems(listIn(record, 'items'), call);
  const total = wholeNumber(field(record, 'total')) ?? wholeNumber(field(record, 'totalCount'));
  if (items.length >= size && total === null && field(record, 'nextCursor') === undefined)
    throw new Unexpected('expected a cursor or a total with a full page, got neither');
  return { items, total, nextCursor: optionalText(record, 'nextCursor') || null };
}
