import { expect, it } from 'vitest';
import { eventsOf, isTooDeep } from '../../../src/yaml/events.js';
import { refusalError } from '../../../src/yaml/syntax/refusal.js';

function refusalOf(text: string) {
  const refusal = eventsOf(text);
  if (Array.isArray(refusal)) throw new Error('the text is not refused');
  return refusal;
}

it.each([
  ['a:\n\tb: c\n', /^tab characters/, 'TAB_AS_INDENT'],
  ['a:\n  b: c\n d: e\n', /indentation/, 'BAD_INDENT'],
  ['a: \u0001\n', /non-printable/, 'UNPRINTABLE'],
  ['a: "\\z"\n', /escape sequence/, 'BAD_DQ_ESCAPE'],
  ['a: "\\xZZ"\n', /hexadecimal/, 'BAD_DQ_ESCAPE'],
  ['"b', /quoted scalar$/, 'UNCLOSED'],
  ['[b', /flow collection$/, 'UNCLOSED'],
  ['a: b\nc\n', /multiline key/, 'MULTILINE_IMPLICIT_KEY'],
  ['a: [b c: d, "e" f]\n', /missed comma/, 'MISSING_CHAR'],
  ['"a":b\n', /whitespace character is expected/, 'MISSING_CHAR'],
])('the parser refuses %j in words that are known', (text, words, code) => {
  const refusal = refusalOf(text);
  expect(refusal.reason).toMatch(words);
  expect(refusalError(refusal).code).toBe(code);
});

it('the parser refuses deep nesting in words that are known', () => {
  expect(isTooDeep(refusalOf('['.repeat(1_000)))).toBe(true);
});
