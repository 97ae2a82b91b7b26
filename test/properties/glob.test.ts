import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { Glob } from '../../src/model/glob.js';
import { runs } from '../support/size.js';

const names = fc
  .string({ unit: fc.constantFrom('a', 'b', '.', '-'), minLength: 1, maxLength: 4 })
  .filter((each) => !each.endsWith('.'));
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((each) => each.join('/'));

const text = fc.constantFrom('a', 'b', 'ab', '.', '-');
const wildcard = fc.constantFrom('*', '?', '[ab]', '[!a]', '[a-b]');
const plainName = fc
  .array(fc.oneof(text, wildcard), { minLength: 1, maxLength: 4 })
  .map((each) => each.join('').replace(/\*+/g, '*'));
const braces = fc
  .array(fc.oneof(names, fc.constantFrom('a?', '[!a]b', 'b*', '*b')), { minLength: 2, maxLength: 3 })
  .map((each) => `{${each.join(',')}}`);
const name = fc.oneof(
  { weight: 4, arbitrary: plainName },
  fc.constant('**'),
  fc.tuple(fc.oneof(text, fc.constant('')), braces).map((each) => each.join('')),
);
const patterns = fc.array(name, { minLength: 1, maxLength: 4 }).map((each) => each.join('/'));

/**
 * Where picomatch is no example: it takes `a/**` for `a` itself, two dots in braces for a range, and `./` for nothing; its `*.*` is
 * for no name that ends in a dot, and its classes and braces can stand for the dot of a hidden name.
 */
function isAgreed(pattern: string): boolean {
  return !pattern.endsWith('/**') && !pattern.includes('..') && !pattern.split('/').includes('.');
}

const isHidden = (path: string) => /(?:^|\/)\./.test(path);

test.each([
  ['all names', true, paths],
  ['names that are not hidden', false, paths.filter((each) => !isHidden(each))],
])('a glob for %s matches what picomatch matches', (_, hidden, path) => {
  const texts = fc.array(path, { minLength: 5, maxLength: 20 });
  fc.assert(
    fc.property(patterns.filter(isAgreed), texts, (pattern, all) => {
      const isMatch = picomatch(pattern, { dot: hidden, noextglob: true, nonegate: true, posix: true });
      const glob = new Glob(pattern, { hidden });
      expect(all.filter((each) => glob.matches(each))).toEqual(all.filter((each) => isMatch(each)));
    }),
    { numRuns: runs(1_000, 20_000) },
  );
});
