import { expect, test } from 'vitest';
import { wordList } from '../../../src/model/word-list.js';

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('%j are listed as "%s"', (words, text) => {
  expect(wordList(words, 'and')).toBe(text);
  expect(wordList(words, 'or')).toBe(text.replace(' and ', ' or '));
});
