import { expect, test } from 'vitest';
import { isPrefixOf } from '../../../src/model/connection.js';
import { explainText, wordsWith } from '../../../src/service/failure.js';
import { csvCell } from '../../../src/view/data/rows.js';
import { markdownProse } from '../../../src/view/markdown/markdown-escape.js';

const size = 1_000_000;

/** With an expression that begins anew at each character, each of them would take more than ten minutes. */
test.each<[string, () => unknown, unknown]>([
  ['a number in a dataset that is none', () => csvCell(`+${'1'.repeat(size)}x`).length, size + 3],
  ['the prefix of a key', () => isPrefixOf(`${'.'.repeat(size)}x`, 'key'), false],
  [
    'the page of a web server',
    () =>
      explainText(
        '<title'.repeat(size),
        wordsWith((text) => text),
      ).message,
    '',
  ],
  ['a word of digits', () => markdownProse(`${'1'.repeat(size)}x`).length, size + 3],
])('%s is read once, however long it is', (_, read, expected) => {
  expect(read()).toBe(expected);
});
