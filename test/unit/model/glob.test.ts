import { describe, expect, test } from 'vitest';
import { Glob, type GlobRules } from '../../../src/model/glob.js';

/** A glob, texts that it matches, and texts that it does not match. */
type Case = readonly [pattern: string, matched: readonly string[], unmatched: readonly string[]];

function check(rules: GlobRules) {
  return (pattern: string, matched: readonly string[], unmatched: readonly string[]) => {
    const glob = new Glob(pattern, rules);
    expect(matched.filter((each) => !glob.matches(each))).toEqual([]);
    expect(unmatched.filter((each) => glob.matches(each))).toEqual([]);
  };
}

describe('a glob', () => {
  test.each<Case>([
    ['', [''], ['a']],
    ['group/a', ['group/a'], ['group/ab', 'group/', 'xgroup/a']],
    ['schedule/*', ['schedule/a', 'schedule/.a', 'schedule/'], ['schedule/a/b', 'group/a', 'schedule']],
    ['*', ['a', ''], ['a/b']],
    ['*a*b*', ['ab', 'xaxbx', 'aab'], ['ba', 'a/b']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['???', ['abc', 'a😀c'], ['ab', 'abcd', 'a/c']],
    ['**', ['', 'a', 'a/b/.c'], []],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'x/ya', 'a/x']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'b']],
    ['**/a/**/*.b', ['a/.b', 'x/a/y/z.b'], ['x/y.b']],
    ['[abc]-[x-z]', ['a-x', 'c-z'], ['d-x', 'a-w', 'a-']],
    ['[!a-c]', ['d', '-'], ['a', '/', '']],
    ['[^a]b', ['bb'], ['ab', '/b']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[\\]a]', [']', 'a'], ['\\']],
    ['[a/b]', ['a', 'b'], ['/']],
    ['{a,b}/{c,}', ['a/c', 'b/'], ['a', 'c/a', '{a,b}/c']],
    ['{a,b{c,d/e}}*', ['a1', 'bc1', 'bd/e1'], ['b', 'bd/e/']],
    ['a{,/**}', ['a', 'a/b/c'], ['ab']],
    ['{**/a,b}', ['a', 'x/y/a', 'b'], ['x/b', 'xa']],
    ['\\*\\{a,b\\}\\\\', ['*{a,b}\\'], ['x{a,b}\\', '*a\\']],
    ['[a', ['[a'], ['a']],
    ['{a,b', ['{a,b'], ['a']],
    ['a}{b}', ['a}{b}'], ['ab']],
    ['{[,],x}', [',', 'x'], ['[', '{[,]']],
    ['@(a|b)!', ['@(a|b)!'], ['a']],
    ['!a', ['!a'], ['b']],
    ['\\', ['\\'], ['']],
  ])('%j', check({}));

  test.each<Case>([
    ['*', ['', 'group/a', '.a'], []],
    ['*/retail-*', ['group/retail-a', 'x/retail-y/z'], ['group/retail', 'retail-a']],
    ['R?*il', ['Retail', 'R/ail'], ['Ril']],
    ['a{*,/}b', ['ab', 'a/b', 'axb'], ['b']],
    ['a**b', ['a/x/b'], ['a/x']],
  ])('that crosses slashes: %j', check({ crossing: true }));

  test.each<Case>([
    ['*', ['a', 'a.b'], ['.a']],
    ['.*', ['.a'], ['a']],
    ['**/*.yaml', ['a.yaml', 'x/y.yaml'], ['.a.yaml', '.git/a.yaml', 'x/.y/z.yaml', 'x/.yaml']],
    ['**', ['a/b'], ['.a', 'a/.b', 'a/.b/c']],
    ['?a', ['xa'], ['.a']],
    ['[.x]a', ['xa'], ['.a']],
    ['{.a,*}/b', ['.a/b', 'x/b'], ['.b/b']],
  ])('that leaves out hidden names: %j', check({ hidden: false }));

  test('is told from its own text', () => {
    const globs = ['a*', 'a?', '[a]', '{a,b}', '**/a', 'teams/a.yaml', '[a', '{a}', '{1..3}', '(a|b)'];
    expect(globs.filter((each) => new Glob(each).isLiteral)).toEqual([
      'teams/a.yaml',
      '[a',
      '{a}',
      '{1..3}',
      '(a|b)',
    ]);
  });
});

test.each([
  ['many wildcards', '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(500)],
  ['many names', '**/a/**/a/**/a/**/a/**/a/**/b', 'a/'.repeat(250)],
  ['many braces', `${'{a,aa,a*}'.repeat(30)}b`, 'a'.repeat(500)],
  ['braces in braces', `${'{a*,'.repeat(40)}b${'}'.repeat(40)}c`, 'a'.repeat(500)],
])('%s take no more steps than the product of both lengths', (_, pattern, text) => {
  let steps = 0;
  const spend = (count: number) => {
    steps += count;
  };
  expect(new Glob(pattern, { spend }).matches(text)).toBe(false);
  expect(steps).toBeLessThan((pattern.length + 1) * (text.length + 1));
});
