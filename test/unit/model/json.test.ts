import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../../src/model/exact-number.js';
import {
  byCodeUnit,
  canonical,
  equal,
  isJsonObject,
  type Json,
  parseJson,
  readJson,
  TooDeep,
} from '../../../src/model/json.js';
import { runs } from '../../support/size.js';

/** The definition, as short as it can be said. */
function defined(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(defined).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort(byCodeUnit);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${defined(value[key] ?? null)}`).join(',')}}`;
}

describe('the canonical text of a JSON value', () => {
  test('has the keys of every object in the order of their code units, at any depth', () => {
    const value = fc.jsonValue({ maxDepth: 8 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(value, (each) => canonical(each) === defined(each)),
      { numRuns: runs(300, 50_000) },
    );
  });

  test.each([
    ['keys that are numbers come in the order of their characters', { '10': 1, '2': 2 }, '{"10":1,"2":2}'],
    [
      'keys out of order are found below others that are in order',
      { a: [{ b: [{ d: 1, c: 2 }] }] },
      '{"a":[{"b":[{"c":2,"d":1}]}]}',
    ],
    ['a property without a value counts as null', { a: undefined as unknown as Json }, '{"a":null}'],
    [
      'a property with that name is data',
      JSON.parse('{"__proto__":{"b":1,"a":2}}'),
      '{"__proto__":{"a":2,"b":1}}',
    ],
  ])('%s', (_name, value, text) => {
    expect(canonical(value)).toBe(text);
    expect(equal(value, JSON.parse(text))).toBe(true);
  });
});

test('two values are equal exactly when their canonical texts are', () => {
  const leaf = fc.constantFrom<Json>(
    null,
    true,
    0,
    -0,
    1,
    '',
    '1',
    new ExactNumber('1.0'),
    new ExactNumber('1e400'),
  );
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
    ),
  }));
  let alike = 0;
  fc.assert(
    fc.property(value, value, (a, b) => {
      const isSame = canonical(a) === canonical(b);
      if (isSame) alike += 1;
      return equal(a, b) === isSame && equal(a, readJson(canonical(a)) as Json);
    }),
    { numRuns: runs(1_000, 100_000) },
  );
  expect(alike).toBeGreaterThan(0);
});

describe('parsing JSON', () => {
  const levels = (value: Json): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.entries(value).map(([, each]) => levels(each)))
      : 0;

  test('finds a value with more levels than allowed, whatever its strings contain', () => {
    const sign = fc.constantFrom('"', '\\', '[', ']', '{', '}', 'a');
    const text = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ) as fc.Arbitrary<Json>,
    }));
    const property = fc.property(value, fc.nat(6), fc.constantFrom(0, 2), (each, most, indent) => {
      const read = () => readJson(JSON.stringify(each, null, indent), most);
      if (levels(each) > most) expect(read).toThrow(TooDeep);
      else expect(read()).toEqual(each);
    });
    fc.assert(property, { numRuns: runs(300, 50_000) });
  });

  test('refuses what is nested too deeply', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(128))).toBeDefined();
    expect(parseJson(nested(129))).toBeUndefined();
    expect(parseJson(nested(100_000))).toBeUndefined();
  });

  test.each(['"', '["', '["\\', '["\\"', '[[['])('refuses %j, which ends too early', (text) => {
    expect(parseJson(text)).toBeUndefined();
  });
});
