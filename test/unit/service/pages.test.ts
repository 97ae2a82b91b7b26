import { expect, test } from 'vitest';
import type { Call, ListCall } from '../../../src/model/request.js';
import { pages } from '../../../src/service/pages.js';

/** Lists of which the first items matter, by cursor and by number (interface §1.7, §1.8). */

const list: ListCall<{ id: string }> = {
  request: { method: 'GET', path: '/api/things', query: { q: 'x' }, effect: 'read' },
  noun: 'thing',
  parse: (item) => item as { id: string },
};
const items = (...ids: string[]) => ids.map((id) => ({ id }));

/** The ids of each page, whether the list goes on, and what was asked for. */
async function read(answers: readonly object[], limits: { size?: number; most?: number } = {}) {
  const asked: unknown[] = [];
  const reader = {
    async read<T>({ request, parse }: Call<T>): Promise<T> {
      asked.push(request.query);
      return parse(answers[asked.length - 1] ?? answers.at(-1));
    },
  };
  const found: (readonly [string, boolean])[] = [];
  for await (const page of pages(reader, list, limits))
    found.push([page.items.map(({ id }) => id).join(''), page.hasMore]);
  return { found, asked };
}

test('cursors are followed, and an item that moved down is returned once', async () => {
  const { found, asked } = await read([
    { items: items('a', 'b'), nextCursor: '1' },
    { items: items('b', 'c'), nextCursor: null },
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
    { items: items('a', 'b'), total: 3 },
    { items: items('c'), total: 3 },
  ]);
  expect(found).toEqual([
    ['ab', true],
    ['c', false],
  ]);
  expect(asked[1]).toEqual({ q: 'x', page: 2, pageSize: 100 });
});

test.each([
  ['a cursor that is stuck', { items: items('a'), nextCursor: '1' }],
  ['a page that repeats itself', { items: items('a'), total: 9 }],
])('%s ends the list', async (_, answer) => {
  expect((await read([answer])).found).toEqual([
    ['a', true],
    ['', false],
  ]);
});

test('no more pages than asked for are read, and the last one says that the list goes on', async () => {
  const answers = ['a', 'b', 'c'].map((id) => ({ items: items(id), nextCursor: id }));
  expect((await read(answers, { most: 2 })).found).toEqual([
    ['a', true],
    ['b', true],
  ]);
});

test('a full page without a cursor or a total is not taken for the whole list', async () => {
  await expect(read([{ items: items('a', 'b') }], { size: 2 })).rejects.toThrow('cursor or a total');
  expect((await read([{ items: items('a') }], { size: 2 })).found).toEqual([['a', false]]);
});
