import { writeJson } from '../model/exact-number.js';
import { isJsonObject, type JsonObject } from '../model/json.js';
import { type ListCall, type Reader, Unexpected } from '../model/request.js';
import { rawList, unexpected, wholeNumber } from '../model/shape.js';
import type { Envelope } from './answer.js';
import { asRecord, cursor, looseId } from './operations/record.js';
import type { Queue } from './queue.js';

/** The largest page that the interface allows (§8). */
const LARGEST_PAGE = 100;
const PAGES_AT_FIRST = 8;
const MAX_PAGES = 10_000;
const MAX_ITEMS = 1_000_000;

export type PageQuery = Readonly<Record<string, string | number>>;

export interface PageSource {
  /** Reads one page; null requests the list without paging, because the interface pages no list (§4). */
  fetch(query: PageQuery | null): Promise<Envelope>;
  /** How many items the user wants on a page; null for as many as possible. */
  readonly pageSize: number | null;
  readonly queue: Queue;
}

/**
 * Every item of a list in any form: bare, as `{ items }`, by cursor or by page number (interface §1.7, §1.8). Throws
 * `Unexpected` rather than return a part of it: roster may create or delete what a list lacks.
 */
export async function readPages(source: PageSource): Promise<unknown[]> {
  const first = await readOne(null, source);
  const pages = await completeList(first, source);
  checkPages(pages);
  const items = pages.flat();
  checkRepeats(items);
  return items;
}

/** Parses the items one by one. `UnexpectedItem` says which one could not be read. */
export function parseItems<T>(items: readonly unknown[], call: ListCall<T>): T[] {
  return items.map((item, index) => {
    try {
      return call.parse(item);
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error;
      throw new UnexpectedItem(`${call.noun} ${index + 1}`, error.message);
    }
  });
}

export class UnexpectedItem extends Unexpected {
  /** @param item `group 3` */
  constructor(
    readonly item: string,
    expected: string,
  ) {
    super(expected);
  }
}

/** The items of each page. */
async function completeList(first: Page, source: PageSource): Promise<unknown[][]> {
  const { pageSize } = source;
  if (first.nextCursor !== null) return byCursor(first, first.total, source);
  if (first.total === null || first.total === first.items.length) {
    if (first.total === null && first.items.length === pageSize) checkEnd(first.holders);
    checkWhole(first, { items: first.items.length, pages: 1 });
    return [first.items];
  }
  if (first.total < first.items.length) throw disagreeing(first.total, first.items.length);
  return byNumber(
    Math.ceil(first.total / Math.max(pageSize ?? LARGEST_PAGE, first.items.length)),
    first.total,
    source,
  );
}

async function byCursor(first: Page, announced: number | null, source: PageSource): Promise<unknown[][]> {
  const pages = [first.items];
  const seen = new Set<string>();
  let page = first;
  let items = first.items.length;
  while (page.nextCursor !== null) {
    if (page.items.length === 0)
      throw new Unexpected('expected items before the next cursor, got an empty page');
    if (seen.has(page.nextCursor)) throw new Unexpected('expected each cursor once, got one twice');
    seen.add(page.nextCursor);
    checkSize(seen.size + 1, items);
    page = await readOne({ cursor: page.nextCursor, pageSize: source.pageSize ?? LARGEST_PAGE }, source);
    pages.push(page.items);
    items += page.items.length;
  }
  for (const total of [page.total, announced])
    if (total !== null && total !== items) throw disagreeing(total, items);
  checkWhole(page, { items, pages: pages.length });
  return pages;
}

/**
 * `likely` pages, which the service needs if it fills them, are requested at the same time, but only a few of them before
 * the first shows how many items it puts on a page: the total may be false.
 */
async function byNumber(likely: number, total: number, source: PageSource): Promise<unknown[][]> {
  checkSize(likely, total);
  const begun = Math.min(likely, PAGES_AT_FIRST);
  const [first, ...others] = await readNumbers(1, begun, source);
  if (first === undefined) throw new Error('a list with a total has a first page');
  if (first.nextCursor !== null) return byCursor(first, total, source);
  checkTotal(first, total);
  const size = first.items.length;
  if (size === 0) throw disagreeing(total, 0);
  const count = Math.ceil(total / size);
  checkSize(count, total);
  const check = (page: Page, number: number) => {
    checkTotal(page, total);
    if (number < count && page.items.length < size)
      throw new Unexpected(`expected ${size} items on page ${number}, got ${page.items.length}`);
  };
  for (const [index, page] of others.entries()) check(page, index + 2);
  const pages = [first, ...others, ...(await readNumbers(begun + 1, count, source, check))];
  const items = pages.reduce((sum, page) => sum + page.items.length, 0);
  if (items !== total) throw disagreeing(total, items);
  checkWhole(pages[count - 1] ?? first, { items, pages: count });
  return pages.map((page) => page.items);
}

/** Fewer items than announced may be a part of the list, and what roster does not find, it may create. */
function checkTotal(page: Page, total: number): void {
  if (page.total === null) throw new Unexpected('expected a total on every page, got a page without one');
  if (page.total !== total)
    throw new Unexpected(`expected the total ${total} on every page, got ${page.total}`);
}

async function readOne(query: PageQuery | null, source: PageSource): Promise<Page> {
  return readPage(await source.fetch(query));
}

/** The pages from one number to another. After a page that `check` refuses, no further page is requested. */
function readNumbers(
  from: number,
  to: number,
  source: PageSource,
  check: (page: Page, number: number) => void = () => {},
): Promise<Page[]> {
  return source.queue.map(numbersFrom(from, to), async (number) => {
    const page = await readOne({ page: number, pageSize: source.pageSize ?? LARGEST_PAGE }, source);
    check(page, number);
    return page;
  });
}

function numbersFrom(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function disagreeing(total: number, items: number): Unexpected {
  return new Unexpected(`expected as many items as the total says, got ${items} of ${total}`);
}

function checkSize(pages: number, items: number): void {
  if (pages > MAX_PAGES) throw new Unexpected(`expected at most ${MAX_PAGES} pages, got more`);
  if (items > MAX_ITEMS) throw new Unexpected(`expected at most ${MAX_ITEMS} items, got more`);
}

interface Page {
  readonly items: unknown[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  /** What else the answer says of the list. */
  readonly holders: readonly JsonObject[];
  readonly hasNextLink: boolean;
}

function readPage({ data, rest, hasNextLink = false }: Envelope): Page {
  if (Array.isArray(data)) return { items: data, ...readMarks(rest), holders: [rest], hasNextLink };
  if (!isJsonObject(data)) throw unexpected('a list', data);
  const items: unknown = data['items'];
  if (!Array.isArray(items)) throw unexpected('a list, or an object with the list items', items ?? data);
  return { items, ...readMarks(data), holders: [data, rest], hasNextLink };
}

function readMarks(holder: JsonObject) {
  return { nextCursor: readCursor(holder['nextCursor']), total: readTotal(holder) };
}

function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw unexpected('nextCursor to be text or null', value);
}

/** `totalSchedules` counts the unfiltered list, and no list here is filtered: all totals must be equal. */
function readTotal(holder: JsonObject): number | null {
  const named = ['total', 'totalCount', 'totalSchedules'].filter((name) => holder[name] != null);
  const totals = named.map((name) => {
    const total = wholeNumber(holder[name]);
    if (total === null) throw unexpected(`${name} to be a whole number`, holder[name]);
    return total;
  });
  if (new Set(totals).size > 1) throw new Unexpected(`expected one total, got ${totals.join(' and ')}`);
  return totals[0] ?? null;
}

/** Signs of more items without a way to get them: to take the page for the whole list would be a guess. */
function checkWhole({ holders, items, total, hasNextLink }: Page, read: ReadSoFar): void {
  if (hasNextLink) throw new Unexpected('expected a cursor or a total with the header Link, got neither');
  for (const holder of holders) checkNoMore(holder, read);
  const [holder = {}] = holders;
  const size = wholeNumber(holder['pageSize']);
  const full = size !== null && size > 0 && items.length >= size;
  if (full && total === null) checkEnd(holders);
}

/** A full page without a total that does not say whether the list goes on is not taken for its end. */
function checkEnd(holders: Page['holders']): void {
  if (holders[0]?.['nextCursor'] === undefined)
    throw new Unexpected('expected a cursor or a total with a full page, got neither');
}

/** What an item may call its own id, best first: a job also has the id of its schedule. */
const idNames = [
  'id',
  'agentJobHistoryId',
  'agentRunHistoryId',
  'groupRunId',
  'pipelineRunId',
  'scheduleId',
  'keyId',
];

/** An id on two pages means that the list changed while it was read, so that an item may be missing. */
function checkRepeats(items: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const item of items) {
    const value = ownId(item);
    if (value === undefined) continue;
    const { id } = looseId(value, 'id');
    if (seen.has(id)) throw new Unexpected(`expected each id once, got ${id} twice`);
    seen.add(id);
  }
}

/** A service that ignores which page it is asked for answers with the same one. Where items have ids, these are compared. */
function checkPages(pages: readonly (readonly unknown[])[]): void {
  const withoutIds = pages.filter((items) => items.some((item) => ownId(item) === undefined));
  const texts = withoutIds.map((items) => writeJson(items));
  if (new Set(texts).size < texts.length) throw new Unexpected('expected each page once, got one twice');
}

function ownId(item: unknown): unknown {
  if (!isJsonObject(item)) return undefined;
  for (const name of idNames) {
    const id = item[name];
    if (id !== undefined && id !== null) return id;
  }
  return undefined;
}

/** How much of a list was read. */
export interface ReadSoFar {
  readonly items: number;
  readonly pages: number;
}

/**
 * Services page lists in ways that the interface does not describe. Each of these properties says that there is more
 * than was read, without a way to get it that roster knows: to take a part for the whole list would be a guess.
 */
const flags = ['hasMore', 'hasNextPage', 'hasNext', 'isTruncated', 'truncated'];
const links = [
  ...['next', 'nextPage', 'nextLink', 'nextUrl', 'nextUri', '@odata.nextLink'],
  ...['nextCursor', 'nextToken', 'nextPageToken', 'continuationToken', 'endCursor'],
];
const itemCounts = [
  ...['total', 'totalCount', 'totalItems', 'totalRecords', 'totalResults', 'totalElements', 'totalSchedules'],
  ...['count', 'itemCount', '@odata.count'],
];
const pageCounts = ['totalPages', 'pageCount', 'lastPage'];
/** Where these may be, one level down. */
const nested = ['pagination', 'paging', 'page', 'pageInfo', 'meta', 'metadata', 'links', '_links', 'cursors'];

/** Throws `Unexpected` when a property says that the list goes on. */
function checkNoMore(holder: JsonObject, read: ReadSoFar, prefix = ''): void {
  const sign = [
    ...flags.filter((name) => isSet(holder[name])),
    ...links.filter((name) => isSet(holder[name]) && !isEndCursor(holder, name)),
    ...itemCounts.filter((name) => isAbove(holder[name], read.items)),
    ...pageCounts.filter((name) => isAbove(holder[name], Math.max(1, read.pages))),
  ][0];
  if (sign !== undefined)
    throw new Unexpected(`expected a cursor or a total next to ${prefix}${sign}, got neither`);
  if (prefix !== '') return;
  for (const name of nested) {
    const inner = holder[name];
    if (isJsonObject(inner)) checkNoMore(inner, read, `${name}.`);
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** The cursor of the last item is there on the last page, too: `hasNextPage` decides. */
function isEndCursor(holder: JsonObject, name: string): boolean {
  return name === 'endCursor' && holder['hasNextPage'] === false;
}

function isAbove(value: unknown, read: number): boolean {
  if (!isSet(value) || isJsonObject(value)) return false;
  const number = wholeNumber(value);
  return number === null || number > read;
}

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
  reader: Reader,
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
      parse: (data) => parsePage(data, call, size),
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
  reader: Reader,
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
function parsePage<T>(data: unknown, call: ListCall<T>, size: number): ReadPage<T> {
  if (Array.isArray(data)) return { items: parseItems(data, call), nextCursor: null, total: null };
  const record = asRecord(data, 'a page');
  const items = parseItems(rawList(record['items'], 'items'), call);
  const total = wholeNumber(record['total']) ?? wholeNumber(record['totalCount']);
  if (items.length >= size && total === null && record['nextCursor'] === undefined)
    throw new Unexpected('expected a cursor or a total with a full page, got neither');
  return { items, total, nextCursor: cursor(record['nextCursor'], 'nextCursor') };
}
