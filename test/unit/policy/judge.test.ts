import { describe, expect, test } from 'vitest';
import type { Place } from '../../../src/model/diagnostic.js';
import type { JsonObject } from '../../../src/model/json.js';
import type { Policy } from '../../../src/model/policy.js';
import { type JudgedEntry, PolicyJudge } from '../../../src/policy/judge.js';
import { policyLimits } from '../../../src/policy/limits.js';

const at = (path: readonly (string | number)[]): Place => ({
  ...{ file: 'roster.yaml', line: 1, column: 1, length: 1 },
  lineText: path.join('.'),
});

const policy = (require: Policy['require'], more: Partial<Policy> = {}): Policy => ({
  ...{ name: 'p', level: 'error', match: ['*'], environments: null, message: 'No.', isOutside: false },
  exceptions: [],
  ...{ require, place: at(['policy']), placeOf: at },
  ...more,
});

const entry = (properties: JsonObject, address = 'schedule/a'): JudgedEntry => ({
  address,
  properties,
  placeOf: at,
});

function judged(require: Policy['require'], properties: JsonObject) {
  const { diagnostics, broken } = new PolicyJudge().judge([policy(require)], [entry(properties)], null);
  expect(diagnostics).toEqual([]);
  return broken.flatMap(({ breaches }) => breaches.map(({ what, place }) => [what, place.lineText]));
}

function fault(require: Policy['require']) {
  const { diagnostics } = new PolicyJudge().judge([policy(require)], [entry({})], null);
  return diagnostics.map(({ code, message, place }) => [code, message, place?.lineText]);
}

describe('what failed where', () => {
  test.each([
    [{ required: ['a'] }, {}, '`a` is missing', ''],
    [
      { properties: { a: { minLength: 3 } } },
      { a: 'xy' },
      '`a` is `xy`, which has fewer than 3 characters',
      'a',
    ],
    [
      { properties: { a: { maxLength: 1 } } },
      { a: 'xy' },
      '`a` is `xy`, which has more than 1 character',
      'a',
    ],
    [{ properties: { a: { pattern: '^b' } } }, { a: 'xy' }, '`a` is `xy`, which does not match `^b`', 'a'],
    [{ properties: { a: { not: { pattern: 'y$' } } } }, { a: 'xy' }, '`a` is `xy`, which matches `y$`', 'a'],
    [{ properties: { a: { const: 'z' } } }, { a: 'xy' }, '`a` is `xy`, which is not `z`', 'a'],
    [{ properties: { a: { enum: ['y', 'z'] } } }, { a: 'x' }, '`a` is `x`, which is none of `y` or `z`', 'a'],
    [{ properties: { a: { enum: ['z'] } } }, { a: 'x' }, '`a` is `x`, which is not `z`', 'a'],
    [{ properties: { a: { type: 'string' } } }, { a: 1 }, '`a` is `1`, which is not text', 'a'],
    [
      { properties: { a: { type: ['string', 'array'] } } },
      { a: 1 },
      '`a` is `1`, which is not text or a list',
      'a',
    ],
    [{ properties: { a: { minimum: 5 } } }, { a: 1 }, '`a` is `1`, which is not >= 5', 'a'],
    [{ properties: { a: { multipleOf: 5 } } }, { a: 1 }, '`a` is `1`, which is not a multiple of 5', 'a'],
    [
      { properties: { a: { multipleOf: 0.01 } } },
      { a: 19.995 },
      '`a` is `19.995`, which is not a multiple of 0.01',
      'a',
    ],
    [{ properties: { a: { minItems: 1 } } }, { a: [] }, '`a` is `[]`, which has fewer than 1 item', 'a'],
    [
      { properties: { a: { uniqueItems: true } } },
      { a: [1, 1] },
      '`a` is `[1,1]`, which has an item twice',
      'a',
    ],
    [
      { properties: { a: { uniqueItems: true } } },
      {
        a: [
          { b: 1, c: 2 },
          { c: 2, b: 1 },
        ],
      },
      '`a` is `[{"b":1,"c":2},{"c":2,"b":1}]`, which has an item twice',
      'a',
    ],
    [
      { properties: { a: { contains: { const: 2 } } } },
      { a: [1] },
      '`a` is `[1]`, which has no item that fits, or too many',
      'a',
    ],
    [{ properties: { a: { items: { const: 2 } } } }, { a: [2, 1] }, '`a[1]` is `1`, which is not `2`', 'a.1'],
    [
      { properties: { a: { properties: { b: { const: 2 } } } } },
      { a: { b: 1 } },
      '`a.b` is `1`, which is not `2`',
      'a.b',
    ],
    [{ properties: { a: false } }, { a: 1 }, '`a` is not allowed', 'a'],
    [false, { a: 1 }, 'the entry is not allowed', ''],
    [{ additionalProperties: false, properties: { a: {} } }, { a: 1, b: 2 }, '`b` is not allowed', 'b'],
    [{ unevaluatedProperties: false, properties: { a: {} } }, { a: 1, b: 2 }, '`b` is not allowed', 'b'],
    [{ propertyNames: { pattern: '^a' } }, { a: 1, b: 2 }, '`b` is not allowed', 'b'],
    [{ not: { required: ['a'] } }, { a: 1 }, '`a` is `1`', 'a'],
    [
      { not: { properties: { a: { const: 1 } }, required: ['a', 'b'] } },
      { a: 1, b: 2 },
      '`a` is `1` and `b` is `2`',
      'a',
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '`b` is missing, which `a` needs', ''],
    [
      JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'),
      { a: 1 },
      '`b` is missing',
      '',
    ],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, '`a` is missing and `b` is missing', ''],
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 2 },
      'the entry fits more than one alternative',
      '',
    ],
    [{ $ref: '#/$defs/x', $defs: { x: { required: ['a'] } } }, {}, '`a` is missing', ''],
    [{ minProperties: 2 }, { a: 1 }, 'the entry has fewer than 2 properties', ''],
  ] as const)('%j is broken by %j', (require, properties, what, path) => {
    expect(judged(require as Policy['require'], properties)).toEqual([[what, path]]);
  });

  test('every value that does not fit is told', () => {
    const require = { required: ['a'], properties: { b: { const: 1 }, c: { const: 1 } } };
    expect(judged(require, { b: 2, c: 2 }).map(([what]) => what)).toEqual([
      '`a` is missing',
      '`b` is `2`, which is not `1`',
      '`c` is `2`, which is not `1`',
    ]);
  });

  test('a property with the name of a method of objects is missing like any other', () => {
    expect(judged({ required: ['constructor', 'toString'] }, {})).toHaveLength(2);
    expect(judged({ properties: { constructor: false } }, {})).toEqual([]);
  });

  test('a long value is cut', () => {
    expect(
      judged({ properties: { a: { maxLength: 1 } } }, { a: 'x'.repeat(500) })[0]?.[0]?.length,
    ).toBeLessThan(120);
  });
});

test('schemas that ajv breaks down over with all failures are judged', () => {
  const require = {
    anyOf: [{ unevaluatedProperties: false, maxProperties: 0 }, false],
    patternProperties: { '^.{2,5}$': false },
  };
  expect(judged(require as Policy['require'], { every: '30 minutes' })).toHaveLength(1);
});

describe('a schema whose parts look at the same properties', () => {
  const require = { oneOf: [{ additionalProperties: false }, true], patternProperties: { '^ev': {} } };

  test('is judged', () => {
    expect(judged(require as Policy['require'], { every: '30 minutes' })).toEqual([]);
    expect(judged(require as Policy['require'], {})).toHaveLength(1);
  });

  test('is an error together with `unevaluatedProperties`, where ajv breaks down over it', () => {
    const all = policy({ ...require, unevaluatedProperties: true } as Policy['require']);
    const { diagnostics } = new PolicyJudge().judge([all], [entry({ every: '30 minutes' })], null);
    const message = expect.stringContaining('`p` cannot be checked: it combines `unevaluatedProperties`');
    expect(diagnostics).toMatchObject([{ severity: 'error', code: 'schema', message }]);
  });
});

describe('what is wrong with a policy', () => {
  test.each([
    [{ $ref: '#/$defs/x' }, 'schema', 'there is no schema `#/$defs/x`', 'require.$ref'],
    [
      { $defs: { x: { not: { $ref: '#/$defs/x' } } }, $ref: '#/$defs/x' },
      'schema',
      'the schema `#/$defs/x` refers to itself',
      'require.$defs.x.not.$ref',
    ],
    [
      { properties: { a: { pattern: '(?=b)' } } },
      'schema',
      'the pattern is not a regular expression: invalid or unsupported Perl syntax: `(?=`',
      'require.properties.a.pattern',
    ],
    [
      { patternProperties: { '(': {} } },
      'schema',
      'the pattern is not a regular expression: missing closing ): `(`',
      'require.patternProperties.(',
    ],
    [
      { pattern: 'x'.repeat(1_001) },
      'limit-exceeded',
      'the pattern is longer than 1000 characters',
      'require.pattern',
    ],
  ])('%j', (require, code, message, path) => {
    expect(fault(require as unknown as Policy['require'])).toEqual([[code, message, path]]);
  });

  test('references that multiply are counted wherever they stand', () => {
    const $defs: Record<string, JsonObject> = { d0: { required: ['a'] } };
    for (let level = 1; level < 30; level += 1) {
      const $ref = `#/$defs/d${level - 1}`;
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(fault({ $defs, $ref: '#/$defs/d29' })).toMatchObject([
      ['limit-exceeded', expect.stringMatching(/more than 1000 schemas/), expect.anything()],
    ]);
  });

  test('nesting is limited', () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100; level += 1) deep = { not: deep };
    expect(fault(deep)).toMatchObject([
      ['limit-exceeded', expect.stringMatching(/more than 64 levels/), expect.anything()],
    ]);
  });

  test('all policies together are limited', () => {
    const one = (index: number) => ({
      properties: Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`p${at}-${index}`, {}])),
    });
    const all = Array.from({ length: 10 }, (_, index) => policy(one(index)));
    const { diagnostics } = new PolicyJudge().judge(all, [], null);
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics[0]).toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringMatching(/more than 4000/),
    });
  });
});

describe('work', () => {
  test('a pattern that would take a backtracking engine forever is judged', () => {
    const text = `${'a'.repeat(60_000)}!`;
    expect(judged({ properties: { a: { pattern: '^(a+)+$' } } }, { a: text })).toHaveLength(1);
  });

  test('policies that cost too much are given up, at the policy that was judged', () => {
    const text = 'ab'.repeat(32_000);
    const heavy = policy({ properties: { a: { pattern: '[ab]*a[ab]{900}c' } } }, { name: 'heavy' });
    const { diagnostics } = new PolicyJudge().judge([heavy], [entry({ a: text })], null);
    expect(diagnostics).toMatchObject([
      { code: 'limit-exceeded', message: expect.stringMatching(/judged as far as `heavy`/) },
    ]);
  });

  test('many large entries and many keywords are too much', () => {
    const list = Array.from({ length: 40_000 }, (_, index) => index);
    const items = { items: { allOf: Array.from({ length: 400 }, () => ({ minimum: 0 })) } };
    const { diagnostics } = new PolicyJudge().judge(
      [policy({ properties: { a: items } })],
      [entry({ a: list })],
      null,
    );
    expect(diagnostics).toMatchObject([{ code: 'limit-exceeded' }]);
  });

  test('of very many entries, the first are told in full', () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => entry({}, `group/g${index}`));
    const { broken } = new PolicyJudge().judge([policy({ required: ['a'] })], entries, null);
    expect(broken).toHaveLength(1);
    expect(broken[0]?.addresses).toHaveLength(5_000);
    expect(broken[0]?.breaches).toHaveLength(policyLimits.told);
  });
});

test('of very many entries that many policies match, so many are told in all, and one of each policy', () => {
  const entries = Array.from({ length: 150 }, (_, index) => entry({}, `group/g${index}`));
  const policies = Array.from({ length: 12 }, (_, index) => policy({ required: [`a${index}`] }));
  const judge = new PolicyJudge();
  const told = () => judge.judge(policies, entries, null).broken.map(({ breaches }) => breaches.length);
  const most = policyLimits.allTold / policyLimits.told;
  const expected = policies.map((_, index) => (index < most ? policyLimits.told : 1));
  expect(told()).toEqual(expected);
  // The next environment is judged by the same judge.
  expect(told()).toEqual(expected);
});

test('a large project has more steps for its policies than a small one', () => {
  const items = { items: { allOf: Array.from({ length: 50 }, () => ({ minimum: 0 })) } };
  const one = entry({ a: Array.from({ length: 54 }, (_, index) => index) });
  const codes = (entries: readonly JudgedEntry[]) =>
    new PolicyJudge()
      .judge([policy({ properties: { a: items } })], entries, null)
      .diagnostics.map(({ code }) => code);
  const many = Array.from({ length: 1_000 }, () => one);
  expect(codes(many)).toEqual([]);
  // The same in one entry.
  const whole = entry({ a: many.flatMap(() => one.properties['a'] as readonly number[]) });
  expect(codes([whole])).toEqual(['limit-exceeded']);
});

describe('which entries a policy is about', () => {
  test.each([
    ['*', 'group/a', true],
    ['group/*', 'group/a', true],
    ['group/*', 'schedule/a', false],
    ['schedule/a', 'schedule/a', true],
    ['schedule/a', 'schedule/ab', false],
    ['*/prod-*', 'group/prod-a', true],
    ['schedule/*-eu-*-x', 'schedule/a-eu-b-x', true],
    ['schedule/*-eu-*-x', 'schedule/a-eu-x', false],
    ['schedule/a*a', 'schedule/a', false],
    ['schedule/a*a', 'schedule/aa', true],
  ])('%s and %s: %s', (pattern, address, expected) => {
    const only = policy({ required: ['a'] }, { match: [pattern] });
    const { broken } = new PolicyJudge().judge([only], [entry({}, address)], null);
    expect(broken.length === 1).toBe(expected);
  });

  test('an environment that is not selected has no policies of its own', () => {
    const only = policy({ required: ['a'] }, { environments: ['production'] });
    const broken = (environment: string | null) =>
      new PolicyJudge().judge([only], [entry({})], environment).broken.length;
    expect([broken('production'), broken('staging'), broken(null)]).toEqual([1, 0, 0]);
  });
});

describe('numbers are compared as decimals', () => {
  test.each([
    [19.99, { multipleOf: 0.01 }, true],
    [0.3, { multipleOf: 0.1 }, true],
    [1.1, { multipleOf: 0.1 }, true],
    [4.35, { multipleOf: 0.01 }, true],
    [1.15, { multipleOf: 0.05 }, true],
    [8.2, { multipleOf: 0.2 }, true],
    [-19.99, { multipleOf: 0.01 }, true],
    [0, { multipleOf: 0.01 }, true],
    [1e22, { multipleOf: 10 }, true],
    [1e22, { multipleOf: 7 }, false],
    [19.995, { multipleOf: 0.01 }, false],
    [0.35, { multipleOf: 0.1 }, false],
    [1e-7, { multipleOf: 1e-8 }, true],
    [1e-8, { multipleOf: 1e-7 }, false],
    [4503599627370495.5, { multipleOf: 1 }, false],
    [9007199254740991, { multipleOf: 2 }, false],
    [0.3, { minimum: 0.3 }, true],
    [0.1, { exclusiveMaximum: 0.1 }, false],
    [1, { const: 1.0 }, true],
    [100, { enum: [1e2] }, true],
    [3, { type: 'integer' }, true],
    [3.5, { type: 'integer' }, false],
  ])('%d by %j: %s', (a, schema, isAllowed) => {
    expect(judged({ properties: { a: schema } }, { a }).length === 0).toBe(isAllowed);
  });
});
