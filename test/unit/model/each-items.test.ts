import { describe, expect, it } from 'vitest';
import { type Diagnostic, messageOf, problemOf } from '../../../src/model/diagnostic.js';

const at = (each: string, message: string): Diagnostic => ({
  severity: 'error',
  code: 'schema',
  message,
  place: { file: 'roster.yaml', line: 3, column: 3, length: 1, lineText: 'x', each },
});

describe('problems of items of one entry', () => {
  it.each<[string, boolean, Diagnostic, Diagnostic]>([
    ['the same words', true, at('de', 'wrong'), at('fr', 'wrong')],
    ['an address', true, at('de', '`group/p-de` is gone'), at('fr', '`group/p-fr` is gone')],
    ['a short item', true, at('e', '`group/prices-e` is gone'), at('f', '`group/prices-f` is gone')],
    ['an item twice', true, at('a', '"a/a" and "x"'), at('b', '"b/b" and "x"')],
    ['an item that is a word of the message', true, at('a', 'not a list'), at('b', 'not a list')],
    ['an item with signs', true, at('a.b+', '"x-a.b+"'), at('$&', '"x-$&"')],
    ['other values', false, at('de', '"Europe/Berln"'), at('fr', '"Pariss"')],
    ['one item inside another word', false, at('de', '`code`'), at('fr', '`co`')],
  ])('%s: the same problem %s', (_, same, one, other) => {
    expect(problemOf(one) === problemOf(other)).toBe(same);
  });

  it.each<[string, readonly string[]]>([
    ['wrong (for de)', ['de']],
    ['wrong (for de and fr)', ['de', 'fr']],
    ['wrong (for de, fr and it)', ['de', 'fr', 'it']],
    ['wrong (for de, fr and 2 more)', ['de', 'fr', 'it', 'pl']],
    ['wrong (for "a b" and "x\\ny")', ['a b', 'x\ny']],
    [`wrong (for ${'x'.repeat(59)}…)`, ['x'.repeat(100)]],
  ])('%s', (expected, items) => {
    expect(messageOf({ message: 'wrong', items })).toBe(expected);
  });
});
