import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../model/json.js';
import { type ListCall, Unexpected } from '../model/request.js';
import type { Envelope } from './answer.js';
import { looseId, unexpected, wholeNumber } from './operations/record.js';
import type { Queue } from './queue.js';
import { checkNoMore, type ReadSoFar } from './signs-of-more.js';

/** The largest page that the interface allows (§8). */
const PAGE_SIZE = 100;
const MAX_PAGES = 10_000;
const MAX_ITEMS = 1_000_000;

export type PageQuery = Readonly<Record<string, string | number>>;

export interface PageSource {
  /** Reads one page; null requests the list without paging, because the interface pages no list (§4). */
  fetch(query: PageQuery | null): Promise<Envelope>;
  readonly queue: Queue;
}

/**
 * Every item of a list in any form: bare, as `{ items }`, by cursor or by page number (interface §1.7, §1.8). Throws
 * `Unexpected` rather than return a part of it: roster may create or delete what a list lacks.
 */
export async function readPages(source: PageSource): Promise<unknown[]> {
  const first = await readOne(null, source);
  const items = await completeList(first, source);
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

async function completeList(first: Page, source: PageSource): Promise<unknown[]> {
  if (first.nextCursor !== null) return byCursor(first, source);
  if (first.total === null || first.total === first.items.length) {
    checkWhole(first, { items: first.items.length, pages: 1 });
    return first.items;
  }
  if (first.total < first.items.length) throw disagreeing(first.total, first.items.length);
  return byNumber(Math.ceil(first.total / Math.max(PAGE_SIZE, first.items.length)), first.total, source);
}

async function byCursor(first: Page, source: PageSource): Promise<unknown[]> {
  const items = [...first.items];
  const seen = new Set<string>();
  let page = first;
  while (page.nextCursor !== null) {
    if (page.items.length === 0)
      throw new Unexpected('expected items before the next cursor, got an empty page');
    if (seen.has(page.nextCursor)) throw new Unexpected('expected each cursor once, got one twice');
    seen.add(page.nextCursor);
    checkSize(seen.size + 1, items.length);
    page = await readOne({ cursor: page.nextCursor, pageSize: PAGE_SIZE }, source);
    for (const item of page.items) items.push(item);
  }
  if (page.total !== null && page.total !== items.length) throw disagreeing(page.total, items.length);
  checkWhole(page, { items: items.length, pages: seen.size + 1 });
  return items;
}

/**
 * `likely` pages, which the service needs if it fills them, are requested at the same time. The first of them shows how
 * many items it puts on a page, and so whether there are more.
 */
async function byNumber(likely: number, announced: number, source: PageSource): Promise<unknown[]> {
  checkSize(likely, announced);
  const [first, ...others] = await readLikely(likely, source);
  if (first === undefined) throw new Error('a list with a total has a first page');
  if (first.nextCursor !== null) return byCursor(first, source);
  const { total, items } = first;
  if (total === null) throw new Unexpected('expected a total on every page, got a page without one');
  if (items.length === 0 && total > 0) throw disagreeing(total, 0);
  const count = items.length === 0 ? 0 : Math.ceil(total / items.length);
  checkSize(count, total);
  const rest = [...others, ...(await readNumbers(likely + 1, count, source))];
  const other = rest.find((page) => page.total !== total);
  if (other !== undefined)
    throw new Unexpected(`expected the total ${total} on every page, got ${other.total}`);
  const all = [items, ...rest.map((page) => page.items)].flat();
  if (all.length !== total) throw disagreeing(total, all.length);
  return all;
}

async function readOne(query: PageQuery | null, source: PageSource): Promise<Page> {
  return readPage(await source.fetch(query));
}

/** Stops at a first page with a cursor: the others are then read by cursor. */
async function readLikely(likely: number, source: PageSource): Promise<Page[]> {
  let hasCursor = false;
  const pages = await source.queue.map(numbersFrom(1, likely), async (number) => {
    if (hasCursor) return [];
    const page = await readNumber(number, source);
    hasCursor ||= number === 1 && page.nextCursor !== null;
    return [page];
  });
  return pages.flat();
}

/** The pages from one number to another. */
function readNumbers(from: number, to: number, source: PageSource): Promise<Page[]> {
  return source.queue.map(numbersFrom(from, to), (number) => readNumber(number, source));
}

function readNumber(page: number, source: PageSource): Promise<Page> {
  return readOne({ page, pageSize: PAGE_SIZE }, source);
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

function readMarks(holder: JsonObject): Pick<Page, 'nextCursor' | 'total'> {
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
  if (full && total === null && holder['nextCursor'] === undefined)
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
    const value: unknown = isJsonObject(item)
      ? idNames.map((name) => item[name]).find((each) => each != null)
      : undefined;
    if (value === undefined || value === null) continue;
    const { id } = looseId(value, 'id');
    if (seen.has(id)) throw new Unexpected(`expected each id once, got ${id} twice`);
    seen.add(id);
  }
}
