import { isJsonObject, type JsonObject } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import { wholeNumber } from './operations/record.js';

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
export function checkNoMore(holder: JsonObject, read: ReadSoFar, prefix = ''): void {
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
