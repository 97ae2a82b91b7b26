import { expect, it } from 'vitest';
import { cut, flow, usableWidth, widthOf, wrap } from '../../../src/view/text/layout.js';

it('keeps what fits', () => expect(cut('short', 24)).toBe('short'));

it('cuts in the middle and tells the length', () => {
  const out = cut(`begin${'x'.repeat(1000)}end`, 40);
  expect(widthOf(out)).toBeLessThanOrEqual(40);
  expect(out).toMatch(/^begin.*…\(1008 characters\)….*end$/);
});

it('counts wide characters as two columns and never halves a pair', () => {
  const out = cut('👍価'.repeat(200), 41);
  expect(widthOf(out)).toBeLessThanOrEqual(41);
  expect(out).not.toMatch(/\p{Cs}/u);
});

it('cuts a text of stacked marks, which takes few columns', () => {
  expect(cut(`a${'\u0301'.repeat(5000)}`, 40).length).toBeLessThan(80);
});

it('wraps at spaces and cuts what is longer than a line', () => {
  expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(wrap('', 30)).toEqual([]);
  for (const line of wrap(`a ${'x'.repeat(100)} b`, 30)) expect(widthOf(line)).toBeLessThanOrEqual(30);
});

it('lets pieces flow by their plain width', () => {
  const pieces = ['aaa', 'bbb', 'ccc'].map((text) => ({ text, shown: `<${text}>` }));
  expect(flow(pieces, 7, ' ')).toEqual(['<aaa> <bbb>', '<ccc>']);
});

it('takes 80 columns where nothing is known, and never too few', () => {
  expect(usableWidth(undefined)).toBe(80);
  expect(usableWidth(Number.NaN)).toBe(80);
  expect(usableWidth(0)).toBe(40);
  expect(usableWidth(133)).toBe(133);
});
