import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Expectation } from '../../../src/model/expectation.js';
import type { DeliveryFacts } from '../../../src/operate/expect/facts.js';
import { judge, verdictOf } from '../../../src/operate/expect/judge.js';

const hour = 3_600_000;
const names = ['sku', 'price', 'currency'];

/** A run that meets everything that is expected of it, close to what would be too little. */
interface Collection {
  readonly expectation: Expectation;
  readonly facts: DeliveryFacts;
}

const share = fc.integer({ min: 0, max: 1_000 }).map((tenths) => `${tenths / 10}%`);
const part = (text: string, of: number) =>
  Math.floor((Math.round(Number.parseFloat(text) * 10) * of) / 1_000);

const good: fc.Arbitrary<Collection> = fc
  .record({
    min: fc.integer({ min: 1, max: 2_000 }),
    above: fc.integer({ min: 0, max: 3 }),
    before: fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 3, maxLength: 9 }),
    hours: fc.integer({ min: 1, max: 48 }),
    early: fc.integer({ min: 0, max: 2 }),
    empty: share,
    rows: fc.oneof(share, fc.integer({ min: 0, max: 50 })),
    isOnly: fc.boolean(),
  })
  .map(({ min, above, before, hours, early, empty, rows, isOnly }) => {
    const records = min + above;
    const usual = medianOf(before.slice(0, 7));
    // The smallest drop in whole percent that allows as many records as came.
    const drop = Math.max(0, Math.ceil((1 - records / usual) * 100));
    const most = typeof rows === 'number' ? Math.min(rows, records) : part(rows, records);
    return {
      expectation: {
        records: { min, drop: `${drop}%` },
        finish: `${hours} hours`,
        columns: isOnly ? { only: names } : names.slice(0, 2),
        empty: { price: empty },
        rows: { 'price lte 0': rows },
      },
      facts: {
        ...{ noData: null, records, isRunning: false, took: hours * hour - early, before },
        data: {
          ...{ unreadable: null, columns: names, rowCount: records },
          matches: new Map([
            ['price isempty', part(empty, records)],
            ['price lte 0', most],
          ]),
        },
      },
    };
  });

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}

/** How a good collection becomes a bad one, by a single step over what is expected. */
const faults: Readonly<Record<string, (one: Collection) => Collection | null>> = {
  'records.min': ({ expectation, facts }) => ({
    expectation: { ...expectation, records: { min: (facts.records ?? 0) + 1 } },
    facts,
  }),
  'records.drop': ({ expectation, facts }) => ({
    expectation: { ...expectation, records: { drop: '40%' } },
    facts: { ...facts, before: new Array(3).fill((Math.floor((facts.records ?? 0) / 0.6) + 1) * 1.001) },
  }),
  finish: ({ expectation, facts }) => ({
    expectation,
    facts: { ...facts, took: Number.parseInt(String(expectation.finish), 10) * hour + 1 },
  }),
  columns: ({ facts }) => ({ expectation: { columns: ['sku', 'gone'] }, facts }),
  'empty.price': ({ expectation, facts }) => {
    const { data } = facts;
    const [limit, all] = [expectation.empty?.['price'] ?? '0%', facts.records ?? 0];
    const found = part(limit, all) + 1;
    if (data === undefined || found > all) return null;
    const matches = new Map([...data.matches, ['price isempty', found]] as [string, number][]);
    return { expectation, facts: { ...facts, data: { ...data, matches } } };
  },
  'rows.price lte 0': ({ expectation, facts }) => {
    const { data } = facts;
    const [limit, all] = [expectation.rows?.['price lte 0'] ?? 0, facts.records ?? 0];
    const found = (typeof limit === 'number' ? limit : part(limit, all)) + 1;
    if (data === undefined || found > all) return null;
    const matches = new Map([...data.matches, ['price lte 0', found]] as [string, number][]);
    return { expectation, facts: { ...facts, data: { ...data, matches } } };
  },
};

describe('judge', () => {
  test('finds nothing in 1,000 good collections around what is expected', () => {
    fc.assert(
      fc.property(good, ({ expectation, facts }) => {
        const judged = judge(expectation, facts);
        expect(judged.filter(({ verdict }) => verdict !== 'met')).toEqual([]);
        expect(judged).toHaveLength(6);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(Object.entries(faults))('names each bad collection by its property: %s', (property, spoil) => {
    let spoiled = 0;
    fc.assert(
      fc.property(good, (one) => {
        const bad = spoil(one);
        if (bad === null) return;
        spoiled += 1;
        const unmet = judge(bad.expectation, bad.facts).filter(({ verdict }) => verdict === 'unmet');
        expect(unmet.map((each) => each.property)).toEqual([property]);
      }),
      { numRuns: 300 },
    );
    expect(spoiled).toBeGreaterThan(100);
  });

  test('never calls met what is not known', () => {
    fc.assert(
      fc.property(
        good,
        fc.constantFrom('the run failed', 'the file has expired'),
        ({ expectation, facts }, why) => {
          const data = { unreadable: why, columns: [], rowCount: null, matches: new Map<string, number>() };
          const unread = judge(expectation, { ...facts, records: null, took: null, data });
          expect(unread.map(({ verdict }) => verdict)).toEqual(new Array(6).fill('unknown'));
          expect(verdictOf(unread)).toBe('unknown');
        },
      ),
    );
  });

  test.each([
    ['29%', 29, 'met'],
    ['29%', 30, 'unmet'],
    ['7%', 7, 'met'],
    ['0.1%', 0, 'met'],
    ['0.1%', 1, 'unmet'],
    ['100%', 100, 'met'],
  ])('compares shares without rounding: at most %s, %i of 100 are %s', (limit, found, verdict) => {
    const data = {
      unreadable: null,
      columns: ['a'],
      rowCount: 100,
      matches: new Map([['a isempty', found]]),
    };
    const facts = { noData: null, records: 100, isRunning: false, took: 0, before: [], data };
    expect(judge({ empty: { a: limit } }, facts)[0]?.verdict).toBe(verdict);
  });
});
