import type { ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { pieces } from '../../../src/manifest/template.js';
import { findApiKeys } from '../../../src/redact/redactor.js';
import { cronProblem } from '../../../src/timing/cron-check.js';
import { ageRange, everyRange, parseInterval } from '../../../src/timing/interval.js';
import { wallClockProblem, zoneProblem } from '../../../src/timing/zone.js';
import { unsafe } from '../../../src/yaml/text.js';
import { nearMatches } from '../../support/hostile/near-matches.js';
import { runs } from '../../support/size.js';
import { base, read, regexesOf, schemaNames, validator } from './schemas.js';

const definition = (name: string) => validator(`project.schema.json#/definitions/${name}`);
const ofSchedule = (name: string) => definition(`schedule/properties/${name}`);

/** What an editor knows as a pattern, the loader knows as code. */
describe('a local time', () => {
  const once = ofSchedule('once');
  const number = (most: number, length = 2) =>
    fc.integer({ min: 0, max: most }).map((value) => `${value}`.padStart(length, '0'));
  const year = fc.oneof(fc.constantFrom('1969', '1970', '2000', '2096', '2100', '9999'), number(9999, 4));
  const seconds = fc.oneof(
    fc.constant(''),
    number(61).map((value) => `:${value}`),
    fc.tuple(number(61), number(9999, 1)).map(([whole, part]) => `:${whole}.${part}`),
  );
  const text = fc
    .tuple(
      year,
      number(13),
      number(32),
      fc.constantFrom('T', 'T', 'T', ' ', 't'),
      number(25),
      number(61),
      seconds,
      fc.constantFrom('', '', '', 'Z', '+01:00', '\n'),
    )
    .map(
      ([y, month, day, t, hour, minute, rest, end]) =>
        `${y}-${month}-${day}${t}${hour}:${minute}${rest}${end}`,
    );

  it('is valid in the schema if and only if the loader accepts it', () =>
    agree(text, once, (value) => wallClockProblem(value) === null));

  it('allows 29 February in the same years', () => {
    const days = Array.from({ length: 10_000 }, (_, year) => `${`${year}`.padStart(4, '0')}-02-29T00:00`);
    expect(days.filter((day) => accepts(once, day) !== (wallClockProblem(day) === null))).toEqual([]);
  });
});

describe('a cron expression', () => {
  const cron = ofSchedule('cron');
  const value = fc.oneof(
    fc.integer({ min: 0, max: 61 }).map(String),
    fc.constantFrom(
      ...['*', '?', '00', 'MON', 'fri', 'JAN', 'dec', 'L', '5l', 'H', 'x', ''],
      ...['LW', '15w', 'W', '5C', 'sunday', 'JANUARY', 'mondayL', 'tue#2'],
    ),
  );
  const range = fc.tuple(value, value).map(([from, to]) => `${from}-${to}`);
  const item = fc.oneof(
    { arbitrary: value, weight: 4 },
    range,
    fc.tuple(fc.oneof(value, range), fc.integer({ min: 0, max: 70 })).map(([of, step]) => `${of}/${step}`),
    fc.tuple(value, value).map(([day, nth]) => `${day}#${nth}`),
  );
  const field = fc.oneof(
    { arbitrary: fc.constant('*'), weight: 3 },
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
  );
  const text = fc
    .tuple(
      fc.constantFrom('', ' '),
      fc.array(field, { minLength: 5, maxLength: 7 }),
      fc.constantFrom(' ', '  '),
    )
    .map(([before, fields, between]) => before + fields.join(between));

  it('that the loader accepts is accepted by the schema', () =>
    agree(
      text.filter((each) => cronProblem(each) === null),
      cron,
      () => true,
    ));

  it('with a long list of zeros is read once', () => {
    expect(accepts(cron, `${'00,'.repeat(150)}x * * * * *`)).toBe(false);
  });

  it.each([
    ['30 2 * * *', '0 30 2 * * * 2027', '@daily', '', '0 0 0 * *\t*', '0 0 0 * * *\n', '0 ０ 0 * * *'],
    [
      '60 * * * * *',
      '* 60 * * * *',
      '* * 24 * * *',
      '* * * 0 * *',
      '* * * 32 * *',
      '* * * * 13 *',
      '* * * * * 8',
    ],
    [
      'H * * * * *',
      '0 H/5 * * * *',
      'MON * * * * *',
      'L * * * * *',
      '* * * 5L * *',
      '* * * * * M',
      '* * * * * 1#6',
    ],
    [
      '1, * * * * *',
      ',1 * * * * *',
      '1- * * * * *',
      '-1 * * * * *',
      '*/0 * * * * *',
      '*/ * * * * *',
      '/5 * * * * *',
      '1-2-3 * * * * *',
      '** * * * * *',
    ],
    ['* * * * 1JAN *', '* * * * JANFEB *', '* * * * * 0MON', '* * * * * 5#1E0', '* * * * * 5#0X1'],
  ])('is refused by both: %j…', (...texts) => {
    expect(texts.filter((each) => accepts(cron, each) || cronProblem(each) === null)).toEqual([]);
  });

  it('may be valid only in the schema where fields depend on one another', () => {
    const texts = ['0 0 0 30 2 *', '* * * * XYZ *'];
    expect(texts.filter((each) => !accepts(cron, each) || cronProblem(each) === null)).toEqual([]);
  });
});

describe('a time zone', () => {
  const timeZone = ofSchedule('timeZone');
  const names = [
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'GMT',
    'Etc/GMT+1',
    'Asia/Calcutta',
    'GB-Eire',
    'NZ',
    'W-SU',
    'PRC',
    ...['EST', 'MST', 'HST', 'CET', 'MET', 'EET', 'WET', 'EST5EDT', 'PST8PDT'],
  ];

  it('that the loader accepts is accepted by the schema', () => {
    const spellings = names.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
    expect(spellings.filter((name) => zoneProblem(name) === null && !accepts(timeZone, name))).toEqual([]);
  });

  it('is refused by both', () => {
    const texts = [
      '',
      '+02:00',
      'UTC+2',
      'PST',
      'IST',
      'Europe/',
      '/Berlin',
      'Europe/Ber lin',
      'Europe\\Berlin',
      'Европа/Берлин',
    ];
    expect(texts.filter((each) => accepts(timeZone, each) || zoneProblem(each) === null)).toEqual([]);
  });
});

describe('an interval', () => {
  const number = fc.oneof(
    fc.integer({ min: 0, max: 2_000_000 }).map(String),
    fc.constantFrom('1', '01', '99999', '100000', '1000000', '1000001', '-1', '1.5'),
  );
  const space = fc.constantFrom(' ', ' ', ' ', '  ', '', '\t');
  const unit = fc.constantFrom(
    'minute',
    'hour',
    'hours',
    'days',
    'week',
    'weeks',
    'hourss',
    'months',
    'Hour',
  );
  const text = fc
    .tuple(number, space, unit, fc.constantFrom('', '', '', ' ', '\n'))
    .map((parts) => parts.join(''));

  it.each([
    ['every', ofSchedule('every'), (text: string) => parseInterval(text, everyRange)],
    [
      'rotateAfter',
      definition('key/properties/rotateAfter'),
      (text: string) => parseInterval(text, ageRange),
    ],
  ] as const)('of %s is one to the schema if and only if it is one to the loader', (_, schema, parse) =>
    agree(text, schema, (value) => parse(value) !== null),
  );
});

describe('a text', () => {
  const unit = fc.constantFrom(
    '$',
    '{',
    '}',
    '${',
    '${var.a-1}',
    '${env.B_2}',
    '${env.a-b}',
    '${env.ROSTER_API_KEY}',
    '${var.}',
    'a',
    ' ',
    '\n',
    '\t',
    '\r',
    '\u0085',
    '\u200b',
    '\u202e',
    '\u2028',
    'svc_live_0123456789abcde',
    'SVC_live_0123456789abcdef',
    '👨',
    'é',
  );
  const text = fc.string({ unit, maxLength: 8 });
  const known = (value: string) =>
    pieces(value).every(
      (each) => each.type !== 'unknown' && !('name' in each && each.name === 'ROSTER_API_KEY'),
    );
  const types = (value: string) => pieces(value).map((each) => each.type);

  it.each(['line', 'prose'] as const)(
    'of the rule %s is valid if and only if the loader accepts it',
    (rule) =>
      agree(
        text,
        definition(rule),
        (value) => known(value) && unsafe(value, rule) === null && findApiKeys(value).length === 0,
      ),
  );

  it('that portable patterns cannot judge is accepted by the schema, and refused by the loader', () => {
    const texts = ['a\u200db', 'a\ud800b', 'a\u{e0041}b'];
    expect(
      texts.filter((each) => !accepts(definition('line'), each) || unsafe(each, 'line') === null),
    ).toEqual([]);
  });

  it('with variables is recognized by them', () => {
    agree(text.filter(known), definition('template'), (value) =>
      types(value).some((type) => type !== 'text'),
    );
    agree(text.filter(known), definition('noSecret'), (value) => !types(value).includes('env'));
    agree(text.filter(known), definition('variable'), (value) => types(value).join() === 'var');
  });
});

function agree(text: fc.Arbitrary<string>, schema: ValidateFunction, rule: (value: string) => boolean): void {
  fc.assert(
    fc.property(text, (value) => accepts(schema, value) === rule(value)),
    { numRuns: runs(500, 3_000) },
  );
}

function accepts(schema: ValidateFunction, value: string): boolean {
  return schema(value) as boolean;
}

/**
 * What ECMAScript (with and without the flag `u`), RE2 and Python read alike: no look-around, `\\p`, `\\u` or `\\d`, no
 * characters outside the first plane in classes, and no repetition over 1,000.
 */
const portable = (() => {
  const escaped = String.raw`\\(?:[\\^$.*+?()[\]{}|/]|x[0-7][0-9a-f]|x[89][0-9a-f]|[sS])`;
  const classItem = String.raw`(?:${escaped}|[^\\[\]\u{10000}-\u{10ffff}])`;
  const count = String.raw`\{(?:1000|\d{1,3})(?:,(?:1000|\d{1,3})?)?\}`;
  return new RegExp(
    String.raw`^(?:${escaped}|\[\^?${classItem}+\]|\(\?:|\((?!\?)|[)|^$.*+?]|${count}|[^\\()[\]{}|^$.*+?])*$`,
    'u',
  );
})();

describe('every pattern is portable', () => {
  it.each(schemaNames)('of %s.schema.json', (name) => {
    expect(regexesOf(name).filter((pattern) => !portable.test(pattern))).toEqual([]);
  });

  it.each(['(?!a)', '(?<=a)b', '\\p{L}', '\\u0041', '[\\d]', 'a{1001}', '[\u{1f468}]', '(?<n>a)', 'a{,2}'])(
    'and %s is not',
    (pattern) => expect(portable.test(pattern)).toBe(false),
  );
});

it('every schema has an absolute id, under the name of the package', () => {
  expect(base).toContain(`/${manifest.name}/`);
  const all = [...schemaNames, 'seed'];
  expect(all.map((name) => read(name)['$id'])).toEqual(all.map((name) => `${base}${name}.schema.json`));
});

/** npm run bench -- hostile compares the times. */
describe('every pattern ends on texts that nearly match', () => {
  const all = [...new Set(schemaNames.flatMap(regexesOf))];

  it.each(all)('%s', (pattern) => {
    const regex = new RegExp(pattern, 'u');
    for (const text of nearMatches(4_000)) regex.test(text);
  });
});
