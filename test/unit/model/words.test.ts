import { expect, it, test } from 'vitest';
import {
  agree,
  andMore,
  count,
  instantText,
  naturalOrder,
  readDuration,
  some,
  wordList,
} from '../../../src/model/words.js';

test('a noun agrees with its number', () => {
  expect([0, 1, 2].map((number) => count(number, 'error'))).toEqual(['0 errors', '1 error', '2 errors']);
  expect(count(2, 'entry', 'entries')).toBe('2 entries');
  expect([agree(1, 'is', 'are'), agree(0, 'is', 'are')]).toEqual(['is', 'are']);
});

test('a list names the first few and counts the others', () => {
  expect(some(['a', 'b'], 2)).toBe('a, b');
  expect(some(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  expect(some([], 2)).toBe('');
  expect([andMore(0), andMore(3)]).toEqual(['', ' and 3 more']);
});

test('numbers in names are compared as numbers', () => {
  const names = ['g10', 'g2', 'g', 'g1-b', 'g1', 'g01', 'a9', 'g2x', 'g99999999999999999999', 'G3'];
  expect(names.sort(naturalOrder)).toEqual([
    ...['G3', 'a9', 'g', 'g01', 'g1', 'g1-b', 'g2', 'g2x', 'g10', 'g99999999999999999999'],
  ]);
  expect(naturalOrder('g1', 'g1')).toBe(0);
});

test('the order of any names is the same from both sides, and only equal names are equal', () => {
  const names = ['', '1', '01', '1a', 'a1', 'a01', 'a001', 'a', 'a1b2', 'a1b10', 'b', '-', '1-1', '1-01'];
  for (const a of names)
    for (const b of names) {
      expect(Math.sign(naturalOrder(a, b))).toBe(-Math.sign(naturalOrder(b, a)) + 0);
      expect(naturalOrder(a, b) === 0).toBe(a === b);
    }
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('%j are listed as "%s"', (words, text) => {
  expect(wordList(words, 'and')).toBe(text);
  expect(wordList(words, 'or')).toBe(text.replace(' and ', ' or '));
});

it.each([
  ['2026-11-01T12:00:00.000Z', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00:59Z', '2026-11-01 12:00 UTC'],
  ['2026-11-01 12:00:00', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00', '2026-11-01 12:00 UTC'],
  ['2026-11-01T12:00:00+02:00', '2026-11-01 10:00 UTC'],
  ['unreadable', 'unreadable'],
])('the instant %s is shown to people as %s', (text, shown) => {
  expect(instantText(text)).toBe(shown);
});

test.each([
  ['0s', 0],
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['8h', 28_800_000],
  ['3d', 259_200_000],
  ['2w', 1_209_600_000],
])('%s is a duration', (text, milliseconds) => {
  expect(readDuration(text)).toBe(milliseconds);
});

test.each(['', '90', 'm', '1.5h', '-1h', '1 h', '1h30m', '1M', '1y', '1e3s', '1234567890s', '1h\n'])(
  '%j is not a duration',
  (text) => {
    expect(readDuration(text)).toBeNull();
  },
);

test.each([
  [0, '0 entries'],
  [1, '1 entry'],
  [999, '999 entries'],
  [3_000, '3,000 entries'],
  [1_234_567, '1,234,567 entries'],
])('a number with its noun: %i', (number, text) => {
  expect(count(number, 'entry', 'entries')).toBe(text);
});
