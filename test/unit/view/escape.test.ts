import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControls, escapeLines, quoted, word } from '../../../src/view/escape.js';

describe('escaping control characters', () => {
  it.each([
    ['plain text, 価格 and ❤️', 'plain text, 価格 and ❤️'],
    ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['\u202egnp', '\\u{202e}gnp'],
    ['zero\u200bwidth\u2060', 'zero\\u{200b}width\\u{2060}'],
    ['lone \ud800', 'lone \\u{d800}'],
    ['\u2028\u2029\ue000\u{e0041}', '\\u{2028}\\u{2029}\\u{e000}\\u{e0041}'],
    ['filler \u3164', 'filler \\u{3164}'],
    ['👨\u200d👩', '👨\\u{200d}👩'],
  ])('%j becomes %j', (text, expected) => expect(escapeControls(text)).toBe(expected));

  it.each([
    '::error::x',
    '  ::error::x',
    'a ::error::x',
    '##[error]x',
    'a ##[group]',
    '###vso[x]',
    '##vso[task]',
  ])('takes the meaning for a CI runner out of %j', (text) => {
    const out = escapeControls(text);
    expect(out).not.toMatch(/(^|\s)::|##[a-z]*\[/i);
    expect(out).toContain('\\u{');
  });

  it('leaves colons inside words and ordinary hashes alone', () => {
    expect(escapeControls('std::vector a:b ## heading #[x]')).toBe('std::vector a:b ## heading #[x]');
  });

  it('changes nothing the second time', () =>
    expect(escapeControls(escapeControls('::a\u0000##['))).toBe(escapeControls('::a\u0000##[')));
});

it('splits into escaped lines at line feeds only', () => {
  expect(escapeLines('a\r\nb\u2028c\n')).toEqual(['a\\u{d}', 'b\\u{2028}c', '']);
});

it('quotes different values differently', () => {
  expect(quoted('\u001b')).toBe('"\\u{1b}"');
  expect(quoted('\\u{1b}')).toBe('"\\\\u{1b}"');
  expect(quoted('a"b')).toBe('"a\\"b"');
});

it('quotes words only if needed', () => {
  expect(word('acme-shop')).toBe('acme-shop');
  expect(word('acme shop')).toBe('"acme shop"');
  expect(word('a\u3164')).toBe('"a\\u{3164}"');
  expect(word('')).toBe('""');
});

it('escapes a text of ASCII as it does any other text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', ':', '#', '[', 'vso', '\t', '\u007f', '~', '"') });
  // A text that ends with an invisible character is never ASCII.
  const isSame = (each: string) => escapeControls(`${each}\u200b`) === `${escapeControls(each)}\\u{200b}`;
  fc.assert(fc.property(text, isSame), { numRuns: 2_000 });
});
