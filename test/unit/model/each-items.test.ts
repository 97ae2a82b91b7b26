import { describe, expect, it } from 'vitest';
import { type Diagnostic, messageOf } from '../../../src/model/diagnostic.js';
import { merged } from '../../../src/model/merged-diagnostics.js';
import { many } from '../../support/size.js';

/** `de: message`, of an item at one place; without an item, of an ordinary entry there. */
function at(text: string, line = 3): Diagnostic {
  const [, each, message = ''] = /^(?:(\w+): )?(.*)$/.exec(text) ?? [];
  const place = { file: 'roster.yaml', line, column: 3, length: 1, lineText: 'x' };
  const own = each === undefined ? place : { ...place, each };
  return { severity: 'error', code: 'schema', message, place: own };
}

describe('problems of items of one entry', () => {
  it.each<[string, string[], string[]]>([
    ['in the same words', ['de: wrong', 'fr: wrong'], ['wrong (for de and fr)']],
    [
      'that name the item',
      ['de: p-de is gone', 'fr: p-fr is gone'],
      ['p-de is gone (for de; similar for fr)'],
    ],
    [
      'that name values of items',
      ['a: "x"', 'b: "y"', 'c: "x"', 'd: "z"'],
      ['"x" (for a and c; similar for b and d)'],
    ],
    ['that one item has twice', ['a: "x"', 'a: "x"'], ['"x" (for a)']],
    [
      'of which an item has several',
      ['a: no x', 'a: no y', 'b: no x', 'b: no y', 'c: no y'],
      ['no x (for a and b; similar for c)', 'no y (for a and b)'],
    ],
    ['of no item', ['one', 'other', 'one'], ['one', 'other']],
  ])('%s', (_, found, expected) => {
    const once = merged(found.map((each) => at(each)));
    expect(once.map(messageOf)).toEqual(expected);
    // The manifests are read first, and the service has something to say of the same entries.
    expect(merged([...once, ...found.map((each) => at(each))])).toEqual(once);
  });

  it('are listed by place and code', () => {
    const other: Diagnostic = { ...at('fr: other'), code: 'unknown-agent' };
    expect(merged([at('de: one'), at('fr: one', 4), other]).map(messageOf)).toEqual([
      'one (for de)',
      'one (for fr)',
      'other (for fr)',
    ]);
  });

  it('are counted by their own words where a word is added to the message', () => {
    const [one] = merged([at('a: "x"'), at('b: "x"'), at('c: "y"')]);
    expect(one && messageOf({ ...one, message: `${one.message} (environment: e)` })).toBe(
      '"x" (environment: e) (for a and b; similar for c)',
    );
  });

  it('have the entries of all of them', () => {
    const entry = (item: string): Diagnostic => ({ ...at(`${item}: wrong`), address: `group/${item}` });
    expect(merged([entry('de'), entry('fr')]).map(({ entries }) => entries)).toEqual([
      ['group/de', 'group/fr'],
    ]);
  });

  it('are counted in one step each, however many one item has', () => {
    const all = Array.from({ length: many(5_000, 50_000) }, (_, index) => at(`de: no ${index}`));
    expect(merged([...all, at('fr: no agent')])).toHaveLength(all.length);
  });

  it.each<[string, readonly string[]]>([
    ['wrong (for de)', ['de']],
    ['wrong (for de and fr)', ['de', 'fr']],
    ['wrong (for de, fr and it)', ['de', 'fr', 'it']],
    ['wrong (for de, fr and 2 more)', ['de', 'fr', 'it', 'pl']],
    ['wrong (for "a b" and "x\\ny")', ['a b', 'x\ny']],
    [`wrong (for ${'x'.repeat(59)}…)`, ['x'.repeat(100)]],
  ])('%s', (expected, items) => {
    const message = 'wrong';
    expect(messageOf({ message, items: items.map((item) => ({ item, message })) })).toBe(expected);
  });
});
