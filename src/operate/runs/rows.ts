import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import type { ListedRun } from '../../model/run-history.js';
import { readInstant } from '../../service/operations/record.js';
import type { DetailsReader } from '../run/details.js';
import type { PageReader } from './page-reader.js';

/** What the lists of runs are read with. */
export interface ListContext {
  readonly reader: Reader;
  readonly agents: readonly Agent[];
  readonly details: DetailsReader;
  readonly pages: PageReader;
  /** Rows that are wanted. Each list is read until it has one more, which shows that there are more. */
  readonly limit: number;
  readonly state: 'active' | 'succeeded' | 'failed' | undefined;
  /** ISO 8601. */
  readonly from: string | undefined;
  /** The addresses of what this project owns, by the kind of its runs and its id: `groupRun 4711`. */
  readonly addresses: ReadonlyMap<string, Address>;
}

export interface Rows {
  readonly runs: readonly ListedRun[];
  /** The list goes on, or was not read to its end. */
  readonly isCut: boolean;
}

/** The most pages read of one list: a filter that the service does not have may leave nothing of thousands. */
const MOST_PAGES = 10;

export interface RunsPage<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The first items that `isWanted`, at most `most`, of at most ten pages. */
export async function readPages<T>(
  read: (page: number) => Promise<RunsPage<T>>,
  isWanted: (item: T) => boolean,
  most: number,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const found: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { items, hasMore } = await read(page);
    found.push(...items.filter(isWanted));
    if (found.length > most) return { items: found.slice(0, most), isCut: true };
    if (!hasMore) return { items: found, isCut: false };
  }
  return { items: found, isCut: true };
}

/** Lists that ignore `from` show what is older, too. */
export function isSince(startedAt: string | null, { from }: Pick<ListContext, 'from'>): boolean {
  if (from === undefined || startedAt === null) return true;
  const at = readInstant(startedAt);
  return at === null || at >= Date.parse(from);
}
