import { describe, expect, test } from 'vitest';
import { type Call, type ListCall, Unexpected } from '../../../src/model/request.js';
import type { Envelope } from '../../../src/service/answer.js';
import { type PageQuery, pages, parseItems, readPages, UnexpectedItem } from '../../../src/service/paging.js';
import { createQueue } from '../../../src/service/queue.js';

type Respond = (query: PageQuery | null) => unknown;

function source(respond: Respond, rest = {}) {
  const queries: (PageQuery | null)[] = [];
  return {
    queries,
    queue: createQueue(4),
    pageSize: null,
    async fetch(query: PageQuery | null): Promise<Envelope> {
      queries.push(query);
      return { data: respond(query), rest };
    },
  };
}

const items = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({ id: `i${from + n}` }));

const numbered =
  (count: number, most = 100): Respond =>
  (query) => {
    const size = Math.min(Number(query?.['pageSize'] ?? 25), most);
    const from = (Number(query?.['page'] ?? 1) - 1) * size;
    return { items: items(from, Math.min(count, from + size)), total: count };
  };

/** The size that is asked for is ignored. */
const pagesOf =
  (size: number, count: number): Respond =>
  (query) => {
    const from = (Number(query?.['page'] ?? 1) - 1) * size;
    return { items: items(from, Math.min(count, from + size)), total: count };
  };

describe('complete lists', () => {
  const cases: [string, Respond, number, number][] = [
    ['bare', () => items(0, 3), 3, 1],
    ['bare and empty', () => [], 0, 1],
    ['items alone', () => ({ items: items(0, 3) }), 3, 1],
    ['items and no cursor', () => ({ items: items(0, 25), nextCursor: null, pageSize: 25 }), 25, 1],
    ['a total that is met', () => ({ items: items(0, 3), total: 3, totalSchedules: 3 }), 3, 1],
    ['an empty total', () => ({ items: [], total: 0 }), 0, 1],
    ['by number', numbered(230), 230, 4],
    ['by number, exactly two pages', numbered(200), 200, 3],
    ['by number, where 40 is the most', numbered(100, 40), 100, 4],
    ['by number, once asked for more', numbered(90), 90, 2],
    ['by number, where a page has 200 whatever is asked for', pagesOf(200, 450), 450, 4],
    ['by number, where a page has 25 whatever is asked for', pagesOf(25, 130), 130, 7],
    [
      'by number, each page saying whether there are more',
      (query) => ({
        ...Object(numbered(250)(query)),
        hasMore: query?.['page'] !== 3,
        totalPages: query ? 3 : 10,
      }),
      250,
      4,
    ],
    ['keys without ids', () => [{ name: 'a' }, { name: 'a' }], 2, 1],
    [
      'a last page with the cursor of its last item',
      () => ({ items: items(0, 3), pageInfo: { endCursor: 'i2', hasNextPage: false } }),
      3,
      1,
    ],
    [
      'by cursor',
      (query) => {
        const from = Number(query?.['cursor'] ?? 0);
        return { items: items(from, from + 10), nextCursor: from < 40 ? String(from + 10) : null };
      },
      50,
      5,
    ],
  ];
  test.each(cases)('%s', async (_name, respond, count, requests) => {
    const pages = source(respond);
    const found = await readPages(pages);
    expect(found).toHaveLength(count);
    expect(pages.queries).toHaveLength(requests);
    expect(pages.queries[0]).toBeNull();
  });

  test('pages have the size that the user wants', async () => {
    const [byNumber, byCursor] = [source(numbered(10)), source(cases.at(-1)?.[1] ?? (() => []))];
    await readPages({ ...byNumber, pageSize: 4 });
    await readPages({ ...byCursor, pageSize: 4 });
    const sizes = [...byNumber.queries, ...byCursor.queries].flatMap((query) => query?.['pageSize'] ?? []);
    expect(new Set(sizes)).toEqual(new Set([4]));
    const full = source(() => items(0, 4));
    await expect(readPages({ ...full, pageSize: 4 })).rejects.toThrow(/with a full page/);
  });

  test('totals next to a bare list are read', async () => {
    const pages = source((query) => (query === null ? items(0, 2) : items(0, 5)), { total: 5 });
    expect(await readPages(pages)).toHaveLength(5);
  });
});

describe('lists that name what they have', () => {
  const whole: [string, Respond, number][] = [
    ['no further page', () => ({ items: items(0, 3), hasMore: false, next: null, totalPages: 1 }), 3],
    ['a count', () => ({ items: items(0, 3), count: 3, totalItems: 3 }), 3],
    [
      'marks one level down',
      () => ({ items: items(0, 3), pagination: { total: 3, page: 1, hasMore: false } }),
      3,
    ],
    ['links', () => ({ items: items(0, 3), links: { self: '/api/x', next: null } }), 3],
    ['no page at all', () => ({ items: [], totalPages: 0, count: 0 }), 0],
  ];
  test.each(whole)('%s', async (_name, respond, count) => {
    expect(await readPages(source(respond))).toHaveLength(count);
  });

  test.each([[{ hasMore: true }], [{ pagination: { total: 5 } }], [{ total: 5 }], [{ next: '/api/x' }]])(
    'signs of more next to the data are not ignored: %j',
    async (rest) => {
      await expect(readPages(source(() => ({ items: [] }), rest))).rejects.toThrow(Unexpected);
    },
  );

  test('a link to the next page in the header is a sign of more', async () => {
    const pages = source(() => items(0, 2));
    const fetch = async (query: PageQuery | null) => ({ ...(await pages.fetch(query)), hasNextLink: true });
    await expect(readPages({ ...pages, fetch })).rejects.toThrow(/Link/);
  });
});

describe('incomplete lists', () => {
  const cases: [string, Respond, RegExp][] = [
    [
      'the cursor of the last item, without a word on whether there is a next page',
      () => ({ items: items(0, 3), pageInfo: { endCursor: 'i2' } }),
      /next to pageInfo\.endCursor/,
    ],
    [
      'the cursor of the last item, and a next page',
      () => ({ items: items(0, 3), pageInfo: { endCursor: 'i2', hasNextPage: true } }),
      /next to pageInfo\.hasNextPage/,
    ],
    ['null', () => null, /a list, got null/],
    ['an empty object', () => ({}), /the list items, got an object/],
    ['items missing', () => ({ groups: [] }), /the list items/],
    ['items of another type', () => ({ items: 'none' }), /got the text "none"/],
    [
      'a repeated cursor',
      (q) => ({ items: items(q ? 5 : 0, q ? 6 : 5), nextCursor: 'a' }),
      /each cursor once/,
    ],
    ['an empty page and a cursor', () => ({ items: [], nextCursor: 'a' }), /empty page/],
    ['a cursor that is a number', () => ({ items: [], nextCursor: 1 }), /nextCursor to be text/],
    ['the same page again', () => ({ items: items(0, 25), total: 50 }), /each id once, got i0 twice/],
    ['the same id in two spellings', () => [{ id: 1 }, { id: '1' }], /each id once/],
    ['a total below the items', () => ({ items: items(0, 3), total: 2 }), /got 3 of 2/],
    ['a total never met', () => ({ items: [], total: 2 }), /got 0 of 2/],
    ['a short page', (q) => ({ items: q?.['page'] === 2 ? [] : items(0, 2), total: 3 }), /got 2 of 3/],
    ['two totals', () => ({ items: items(0, 3), total: 3, totalSchedules: 4 }), /one total, got 3 and 4/],
    ['a total that is text', () => ({ items: [], total: 'many' }), /total to be a whole number/],
    [
      'a total that moves',
      (q) => ({ items: items(0, 2), total: q?.['page'] === 2 ? 5 : 4 }),
      /total 4 on every page/,
    ],
    [
      'a total that falls after the first answer, to nothing',
      (q) => (q ? { items: [], total: 0 } : { items: items(0, 25), total: 250 }),
      /total 250 on every page, got 0/,
    ],
    [
      'a total that falls after the first answer',
      (q) => ({ items: items(0, 25), total: q ? 25 : 30 }),
      /total 30 on every page, got 25/,
    ],
    [
      'a total of the first answer that the cursors do not reach',
      (q) =>
        q?.['cursor'] === undefined
          ? { items: items(0, 25), total: 250, nextCursor: q ? 'a' : null }
          : { items: items(25, 30), nextCursor: null },
      /got 30 of 250/,
    ],
    [
      'the same items without ids on two numbered pages',
      () => ({ items: items(0, 100).map(({ id }) => ({ name: id })), total: 200 }),
      /each page once/,
    ],
    [
      'the same items without ids behind two cursors',
      (q) => ({ items: [{ name: 'a' }], nextCursor: q?.['cursor'] === 'b' ? null : q ? 'b' : 'a' }),
      /each page once/,
    ],
    [
      'more after the last numbered page',
      (q) => ({ ...Object(numbered(250)(q)), hasMore: true }),
      /next to hasMore/,
    ],
    [
      'more pages than the total needs',
      (q) => ({ ...Object(numbered(250)(q)), totalPages: q ? 9 : 10 }),
      /next to totalPages/,
    ],
    ['too many pages', () => ({ items: items(0, 1), total: 10_001 }), /at most 10000 pages/],
    ['more without a way to it', () => ({ items: items(0, 2), hasMore: true }), /next to hasMore/],
    ['more in words', () => ({ items: [], hasMore: 'true' }), /next to hasMore/],
    ['more than one page', () => ({ items: [], totalPages: 3, pageSize: 25 }), /totalPages/],
    ['more items in all', () => ({ items: [], totalItems: 5 }), /totalItems/],
    ['a larger count', () => ({ items: [], count: 5 }), /count/],
    ['marks one level down', () => ({ items: [], pagination: { total: 7, hasMore: true } }), /pagination/],
    ['a total one level down', () => ({ items: [], meta: { total: 7 } }), /meta\.total/],
    ['a link to more', () => ({ items: [], next: '/api/x?page=2' }), /next/],
    ['links to more', () => ({ items: [], links: { next: { href: '/api/x?page=2' } } }), /links\.next/],
    ['a cursor of another name', () => ({ items: [], nextPageToken: 'a' }), /nextPageToken/],
    ['more than the total', () => ({ items: items(0, 2), total: 2, hasMore: true }), /hasMore/],
    [
      'more after the last cursor',
      (q) => ({ items: items(q ? 1 : 0, q ? 2 : 1), nextCursor: q ? null : 'a', hasMore: true }),
      /hasMore/,
    ],
    ['a full page without a way on', () => ({ items: items(0, 2), pageSize: 2 }), /with a full page/],
    ['an id like a path', () => [{ id: '../keys' }], /id to be an id/],
    ['an id above 2^53', () => [{ id: 2 ** 53 }], /id to be an id/],
  ];
  test.each(cases)('%s', async (_name, respond, message) => {
    const found = readPages(source(respond));
    await expect(found).rejects.toThrow(Unexpected);
    await expect(found).rejects.toThrow(message);
  });

  test('endless cursors', async () => {
    let page = 0;
    const endless = source(() => {
      page += 1;
      return { items: [{ id: `i${page}` }], nextCursor: String(page) };
    });
    await expect(readPages(endless)).rejects.toThrow('at most 10000 pages');
  });

  test('after a page failed no further page is requested', async () => {
    const pages = source(numbered(10_000));
    const fetch = pages.fetch;
    pages.fetch = async (query) => {
      const answer = await fetch(query);
      if (query?.['page'] === 2) throw new Error('page 2');
      return answer;
    };
    await expect(readPages(pages)).rejects.toThrow('page 2');
    await new Promise((resolve) => setImmediate(resolve));
    expect(pages.queries.length).toBeLessThan(10);
  });
});

describe('a total that is false costs few requests', () => {
  const cases: [string, Respond][] = [
    ['where page 1 has one item', (query) => ({ items: query ? items(0, 1) : items(0, 25), total: 900_000 })],
    [
      'where only page 1 is full',
      (query) => ({ items: items(0, query?.['page'] === 1 ? 100 : 25), total: 900_000 }),
    ],
    ['where page 1 is empty', (query) => ({ items: query ? [] : items(0, 25), total: 900_000 })],
  ];
  test.each(cases)('%s', async (_name, respond) => {
    const pages = source(respond);
    await expect(readPages(pages)).rejects.toThrow(Unexpected);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pages.queries.length).toBeLessThan(20);
  });
});

test('a list that turns out to have cursors gets few requests for page numbers', async () => {
  const pages = source((query) => {
    if (query === null) return { items: items(0, 25), total: 10_000 };
    const from = Number(query['cursor'] ?? 0);
    return { items: items(from, from + 100), nextCursor: from < 9_900 ? String(from + 100) : null };
  });
  expect(await readPages(pages)).toEqual(items(0, 10_000));
  expect(pages.queries.filter((query) => query?.['page']).length).toBeLessThan(10);
});

test('an unreadable item is named by its position; a bug in a parser is not hidden', () => {
  const call = { request: { method: 'GET', path: '/api/x', effect: 'read' }, noun: 'group' } as const;
  const parse = (item: unknown) => {
    if (item === 3) throw new Unexpected('expected two');
    if (item === 4) throw new TypeError('bug');
    return item;
  };
  expect(() => parseItems([1, 3], { ...call, parse })).toThrow(UnexpectedItem);
  expect(() => parseItems([1, 3], { ...call, parse })).toThrow('expected two');
  expect(() => parseItems([4], { ...call, parse })).toThrow(TypeError);
});

/** Lists of which the first items matter, by cursor and by number (interface §1.7, §1.8). */

const list: ListCall<{ id: string }> = {
  request: { method: 'GET', path: '/api/things', query: { q: 'x' }, effect: 'read' },
  noun: 'thing',
  parse: (item) => item as { id: string },
};
const named = (...ids: string[]) => ids.map((id) => ({ id }));

/** The ids of each page, whether the list goes on, and what was asked for. */
async function read(answers: readonly object[], limits: { size?: number; most?: number } = {}) {
  const asked: unknown[] = [];
  const reader = {
    async read<T>({ request, parse }: Call<T>): Promise<T> {
      asked.push(request.query);
      return parse(answers[asked.length - 1] ?? answers.at(-1));
    },
    readAll: () => Promise.reject(new Error('a page at a time')),
  };
  const found: (readonly [string, boolean])[] = [];
  for await (const page of pages(reader, list, limits))
    found.push([page.items.map(({ id }) => id).join(''), page.hasMore]);
  return { found, asked };
}

test('cursors are followed, and an item that moved down is returned once', async () => {
  const { found, asked } = await read([
    { items: named('a', 'b'), nextCursor: '1' },
    { items: named('b', 'c'), nextCursor: null },
  ]);
  expect(found).toEqual([
    ['ab', true],
    ['c', false],
  ]);
  expect(asked).toEqual([
    { q: 'x', pageSize: 100 },
    { q: 'x', cursor: '1', pageSize: 100 },
  ]);
});

test('pages with a total are followed by their numbers, whatever fits on one', async () => {
  const { found, asked } = await read([
    { items: named('a', 'b'), total: 3 },
    { items: named('c'), total: 3 },
  ]);
  expect(found).toEqual([
    ['ab', true],
    ['c', false],
  ]);
  expect(asked[1]).toEqual({ q: 'x', page: 2, pageSize: 100 });
});

test.each([
  ['a cursor that is stuck', { items: named('a'), nextCursor: '1' }],
  ['a page that repeats itself', { items: named('a'), total: 9 }],
])('%s ends the list', async (_, answer) => {
  expect((await read([answer])).found).toEqual([
    ['a', true],
    ['', false],
  ]);
});

test('no more pages than asked for are read, and the last one says that the list goes on', async () => {
  const answers = ['a', 'b', 'c'].map((id) => ({ items: named(id), nextCursor: id }));
  expect((await read(answers, { most: 2 })).found).toEqual([
    ['a', true],
    ['b', true],
  ]);
});

test('a full page without a cursor or a total is not taken for the whole list', async () => {
  await expect(read([{ items: named('a', 'b') }], { size: 2 })).rejects.toThrow('cursor or a total');
  expect((await read([{ items: named('a') }], { size: 2 })).found).toEqual([['a', false]]);
});
