import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type PoliciesRead, readPolicies } from '../../src/manifest/policy-files.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import { type JudgedEntry, type Judgement, PolicyJudge } from '../../src/policy/judge.js';
import { Source } from '../../src/yaml/source.js';
import { stepsOf } from '../support/cost.js';
import { isLong, runs } from '../support/size.js';
import { inFolder } from '../unit/manifest/project.js';

const place = { file: 'roster.yaml', line: 1, column: 1, length: 1, lineText: '' };
const entry = (properties: JsonObject, at = 0): JudgedEntry => ({
  ...{ address: `schedule/s${at}`, properties },
  placeOf: () => place,
});

/** Reads a policy file as a pull request would contain it, and judges entries by it. */
function judged(text: string, entries: readonly JudgedEntry[]): PoliciesRead & { judgement: Judgement } {
  return inFolder({ 'policies.yaml': text }, (root) => {
    const span = { source: new Source('roster.yaml', 'policies.yaml', 0), start: 0, end: 1 };
    const items = [{ pattern: 'policies.yaml', span }];
    const read = readPolicies({
      items,
      root,
      cwd: root,
      environments: new Set(),
      outside: [],
      addresses: null,
    });
    return { ...read, judgement: new PolicyJudge().judge(read.policies, entries, null) };
  });
}

/** An object with this property would be taken for a promise. */
const THEN = 'then';
const names = ['every', 'cron', 'inputs', 'members', 'description', 'constructor', '__proto__', 'a'];
const texts = ['30 minutes', '', 'aaaa', 'ä𝒳', '0 30 2 * * *'];
const patterns = ['minutes?$', '^a+$', '(a+)+$', '\\d', '^.{2,5}$', '[^a-z]', '^$'];

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>(...texts, 0, 1, 5, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }) as fc.Arbitrary<JsonObject>;

const schema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const map = (keys: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...keys), tie('schema'), { maxKeys: 3 });
  const count = fc.nat({ max: 4 });
  const some = fc.array(fc.constantFrom(...names), { maxLength: 3 });
  const keywords = {
    ...{ allOf: list, anyOf: list, oneOf: list, prefixItems: list },
    ...{
      not: tie('schema'),
      if: tie('schema'),
      else: tie('schema'),
      [THEN]: tie('schema'),
      items: tie('schema'),
      contains: tie('schema'),
    },
    ...{ additionalProperties: tie('schema'), propertyNames: tie('schema') },
    ...{ unevaluatedProperties: tie('schema'), unevaluatedItems: tie('schema') },
    ...{ properties: map(names), dependentSchemas: map(names), patternProperties: map(patterns) },
    ...{ required: fc.uniqueArray(fc.constantFrom(...names)), minProperties: count, maxProperties: count },
    dependentRequired: fc.dictionary(fc.constantFrom(...names), some),
    ...{
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minContains: count,
      maxContains: count,
    },
    ...{ minLength: count, maxLength: count, pattern: fc.constantFrom(...patterns) },
    ...{ minimum: count, maximum: count, exclusiveMinimum: count, exclusiveMaximum: count },
    multipleOf: fc.integer({ min: 1, max: 3 }),
    type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object'),
    ...{ enum: fc.array(value, { minLength: 1, maxLength: 3 }), const: value },
  };
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.record(keywords, { requiredKeys: [] }).map((all) => {
        // A few keywords: with all of them, nothing would fit.
        const chosen = Object.entries(all).filter((_, index) => index % 7 === Object.keys(all).length % 7);
        return Object.fromEntries(chosen) as Json;
      }),
    ),
  };
}).schema;

const policyText = (require: Json) =>
  JSON.stringify({ policies: { p: { match: ['*'], require, message: 'No.' } } });

/** Null where the code that ajv writes for a schema breaks down. */
function verdictOf(validate: () => unknown): boolean | null {
  try {
    return validate() === true;
  } catch (failure) {
    if (!(failure instanceof TypeError)) throw failure;
    return null;
  }
}

describe('a policy', () => {
  test('accepts what ajv accepts, with patterns that both engines know', () => {
    const plain = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true, logger: false });
    const verdicts = { accepted: 0, broken: 0, refused: 0 };
    // Both judge plain JSON: for ajv, an object without a prototype is not equal to `{}`.
    const plainJson = <T extends Json>(arbitrary: fc.Arbitrary<T>) =>
      arbitrary.map((each) => JSON.parse(JSON.stringify(each)) as T);
    fc.assert(
      fc.property(plainJson(schema), plainJson(object), (require, properties) => {
        const { diagnostics, judgement } = judged(policyText(require), [entry(properties)]);
        const isTooMuch = judgement.diagnostics.some(({ code }) => code === 'limit-exceeded');
        // Nothing that is null can be in a policy, and neither can some keywords.
        if (isTooMuch || diagnostics.some(({ severity }) => severity === 'error')) {
          verdicts.refused += 1;
          return;
        }
        plain.opts.unevaluated = JSON.stringify(require).includes('"unevaluated');
        const isValid = verdictOf(() => plain.compile(require as AnySchema)(properties));
        if (isValid === null) {
          expect(judgement.diagnostics).toMatchObject([{ code: 'schema' }]);
          return;
        }
        expect(judgement.diagnostics).toEqual([]);
        verdicts[isValid ? 'accepted' : 'broken'] += 1;
        expect(judgement.broken.length === 0).toBe(isValid);
        if (!isValid) expect(judgement.broken[0]?.breaches.every(({ what }) => what !== '')).toBe(true);
      }),
      { numRuns: runs(40, 2_000) },
    );
    // Neither side is rare, or the comparison would say little.
    expect(verdicts.accepted).toBeGreaterThan(runs(40, 2_000) / 20);
    expect(verdicts.broken).toBeGreaterThan(runs(40, 2_000) / 20);
  });

  test('in any file, of any text, is read and judged without a crash', () => {
    const junk = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.json({ maxDepth: 6 }),
      fc.json({ maxDepth: 4 }).map((text) => `{"policies": ${text}}`),
      fc.json({ maxDepth: 5 }).map((text) => `{"policies": {"p": {"message": "No.", "require": ${text}}}}`),
      schema.map((each) => policyText(each).replace(/minutes\?\$|\\\\d/g, '(?=')),
      fc.tuple(schema, fc.nat(), fc.string({ maxLength: 3 })).map(([each, at, more]) => {
        const text = policyText(each);
        const cut = at % text.length;
        return text.slice(0, cut) + more + text.slice(cut + 1);
      }),
      fc.string({ maxLength: 60 }).map((pattern) => policyText({ properties: { every: { pattern } } })),
      fc.array(schema, { maxLength: 4 }).map((all) => {
        const $defs = Object.fromEntries(
          all.map((each, at) => [`d${at}`, { allOf: [each, { $ref: `#/$defs/d${(at + 1) % 5}` }] }]),
        );
        return policyText({ $defs, $ref: '#/$defs/d0' });
      }),
    );
    fc.assert(
      fc.property(junk, object, (text, properties) => {
        const { diagnostics, judgement } = judged(text, [entry(properties)]);
        for (const { message, place } of [...diagnostics, ...judgement.diagnostics]) {
          expect(message).not.toBe('');
          expect([undefined, 'policies.yaml']).toContain(place?.file);
        }
      }),
      { numRuns: runs(20, 3_000) },
    );
  });
});

/**
 * What reading a manifest of 1 MB takes. Not measured here: of code that ran before, V8 counts less, and the two are not the
 * same code.
 */
const STEPS_OF_A_MANIFEST = 26_000_000;

describe('a file of 1 MB', () => {
  const repeated = (make: (index: number) => string, length: number) => {
    const unit = make(0).length;
    return Array.from({ length: Math.floor(length / unit) }, (_, index) => make(index)).join('');
  };
  const MB = 1_000_000;
  const one = (require: string) => `policies:\n  p:\n    message: No.\n    require: ${require}\n`;
  const hostile: Readonly<Record<string, string>> = {
    'many policies': `policies:\n${repeated((at) => `  p${at}: { message: No., require: { required: [a] } }\n`, MB)}`,
    'many different policies': `policies:\n${repeated((at) => `  p${at}: { message: No., require: { properties: { a: { minLength: ${at} } } } }\n`, MB)}`,
    'many patterns': one(`{ anyOf: [${repeated((at) => `{ pattern: "a{${at % 900}}" },`, MB)}] }`),
    'one long pattern': one(`{ pattern: "${'(a|b)*'.repeat(MB / 6)}" }`),
    'many texts': one(`{ enum: [${repeated((at) => `text-${at},`, MB)}] }`),
    'many required names': one(`{ required: [${repeated((at) => `n${at},`, MB)}] }`),
    'many addresses': `policies:\n  p:\n    message: No.\n    require: true\n    match: [${repeated((at) => `"schedule/*${at}*",`, MB)}]\n`,
    'many exceptions': `policies:\n  p:\n    message: No.\n    require: false\nexceptions:\n${repeated((at) => `- { policy: p, reason: r, until: 2099-01-01, match: ["*/*${at}*"] }\n`, MB)}`,
    'one large map': one(`{ properties: {${repeated((at) => ` n${at}: true,`, MB)}} }`),
    'references that multiply': one(
      `{ $ref: "#/$defs/d30", $defs: { d0: true, ${Array.from({ length: 31 }, (_, at) => `d${at + 1}: { allOf: [{ $ref: "#/$defs/d${at}" }, { $ref: "#/$defs/d${at}" }] }`).join(', ')} } }`,
    ),
    'a chain of references': one(
      `{ $ref: "#/$defs/d5000", $defs: { d0: true, ${Array.from({ length: 5_000 }, (_, at) => `d${at + 1}: { $ref: "#/$defs/d${at}" }`).join(', ')} } }`,
    ),
    'unevaluated properties': one(
      `{ unevaluatedProperties: false, allOf: [${Array.from({ length: 320 }, (_, at) => `{ properties: { n${at}: true } }`).join(', ')}] }`,
    ),
    nesting: one(`${'{ not: '.repeat(60)}true${' }'.repeat(60)}`),
    mistakes: `policies:\n${repeated((at) => `  p${at}: { messge: No., requre: {} }\n`, MB)}`,
  };
  const entries = Array.from({ length: 5_000 }, (_, at) =>
    entry({ target: 'agent/a', every: `${'ab'.repeat(20)}${at}`, inputs: { a: 'x', b: 'y' } }, at),
  );
  it.runIf(isLong).each(Object.entries(hostile))('costs no more than a manifest of 1 MB: %s', (_, text) => {
    let read: ReturnType<typeof judged> | null = null;
    const steps = stepsOf(() => {
      read = judged(text, entries);
    });
    expect(read).not.toBeNull();
    expect(steps).toBeLessThan(STEPS_OF_A_MANIFEST);
  });
});
