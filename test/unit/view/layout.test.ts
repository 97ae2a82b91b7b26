import { expect, it } from 'vitest';
import { cut, widthOf } from '../../../src/view/columns.js';
import { escapeControls } from '../../../src/view/escape.js';
import { flow, folded, usableWidth, wrap } from '../../../src/view/text/layout.js';

it.each([
  ['Latin, accents and arrows take one column each', 'à la carte → …', 14],
  ['so do letters of other alphabets', 'Ωмשع', 4],
  ['an ideograph takes two', '日本語', 6],
  ['so does a Hangul syllable', '한글', 4],
  ['so does a full-width sign', '（！）', 6],
  ['a half-width letter takes one', 'ｱｲ', 2],
  ['a mark takes none', 'e\u0301', 1],
  ['an emoji takes two', '👍', 2],
  ['so does one of several characters', '👨‍👩‍👧🇫🇷1️⃣', 6],
  ['a symbol without its own picture takes one', '™☎', 2],
])('widthOf: %s', (_name, text, columns) => expect(widthOf(text)).toBe(columns));

it('cut keeps a text that fits', () => expect(cut('short', 24)).toBe('short'));

it('cut removes the middle and shows the length', () => {
  const out = cut(`begin${'x'.repeat(1000)}end`, 40);
  expect(widthOf(out)).toBeLessThanOrEqual(40);
  expect(out).toMatch(/^begin.*…\(1008 characters\)….*end$/);
});

it('cut counts wide characters as two columns and never splits a surrogate pair', () => {
  const out = cut('👍価'.repeat(200), 41);
  expect(widthOf(out)).toBeLessThanOrEqual(41);
  expect(out).not.toMatch(/\p{Cs}/u);
});

it('cut shortens a text of stacked marks, which takes few columns', () => {
  expect(cut(`a${'\u0301'.repeat(5000)}`, 40).length).toBeLessThan(80);
});

it('folded keeps every character, and marks each line but the first', () => {
  for (const text of ['x'.repeat(1000), '👍価'.repeat(200), `a${'\u0301'.repeat(500)}`]) {
    const lines = folded(text, 41);
    expect(lines.map((line, index) => (index === 0 ? line : line.replace(/^┊ /, ''))).join('')).toBe(text);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(41);
  }
});

it('wrap breaks at spaces and breaks words longer than a line', () => {
  expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(wrap('', 30)).toEqual([]);
  for (const line of wrap(`a ${'x'.repeat(100)} b`, 30)) expect(widthOf(line)).toBeLessThanOrEqual(30);
});

it('wrap keeps code together, which people copy', () => {
  expect(wrap('bind this entry: `id: 83ca9266`. Or run (`roster resume schedule/a`), then', 26)).toEqual([
    'bind this entry:',
    '`id: 83ca9266`. Or run',
    '(`roster resume',
    'schedule/a`), then',
  ]);
  expect(wrap('or run (`roster resume schedule/a`), then', 30)).toEqual([
    'or run',
    '(`roster resume schedule/a`),',
    'then',
  ]);
});

it('wrap breaks at every space where a backtick has no partner, or the code is longer than a line', () => {
  expect(wrap('one `two three four', 9)).toEqual(['one `two', 'three', 'four']);
  expect(wrap('`one two three`', 9)).toEqual(['`one two', 'three`']);
  const text = '` '.repeat(50_001);
  expect(wrap(text, 9).join(' ').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
});

it('wrap never cuts a path, which people copy', () => {
  const paths = [
    `.roster/rescued/.key-${'c'.repeat(90)}.key`,
    `/tmp/${'x'.repeat(100)}`,
    `C:\\Users\\${'x'.repeat(100)}`,
  ];
  for (const path of paths)
    expect(wrap(`the key is kept in ${path}; it must be moved somewhere else`, 40)).toContain(`${path};`);
});

it('flow ignores colours when it measures fragments', () => {
  const pieces = ['aaa', 'bbb', 'ccc'].map((text) => ({ text, shown: `<${text}>` }));
  expect(flow(pieces, 7, ' ')).toEqual(['<aaa> <bbb>', '<ccc>']);
});

it('the usable width is 80 if unknown, and at least 40', () => {
  expect(usableWidth(undefined)).toBe(80);
  expect(usableWidth(Number.NaN)).toBe(80);
  expect(usableWidth(0)).toBe(40);
  expect(usableWidth(133)).toBe(133);
});

it('a text is never cut or broken inside an escape', () => {
  const text = escapeControls('\u202e\u200b'.repeat(40));
  const whole = /^(\\u\{[0-9a-f]+\}|…\(\d+ characters\)…)*$/;
  for (let width = 24; width < 100; width += 1) {
    expect(cut(text, width)).toMatch(whole);
    expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width);
    for (const line of folded(text, width)) expect(line.replace(/^┊ /, '')).toMatch(whole);
  }
});
