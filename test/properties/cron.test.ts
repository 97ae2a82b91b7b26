import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextFireDay, readCron } from '../../src/timing/cron.js';
import { cronProblem } from '../../src/timing/cron-check.js';
import { runs } from '../support/size.js';

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const list = (item: fc.Arbitrary<string>) =>
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
const day = fc.oneof(list(number(28, 31)), fc.constantFrom('*', '?', 'L', '1', '31,L'));
const month = fc.oneof(list(number(1, 12)), fc.constantFrom('*', '2', '02', 'FEB', '4,6,9,11'));
const weekday = fc.oneof(
  fc.tuple(number(0, 7), number(1, 5)).map((parts) => parts.join('#')),
  number(0, 7).map((each) => `${each}L`),
  fc.constantFrom('*', '?', 'MON', '1-5'),
);

test('every cron expression that is accepted fires within 40 years', () => {
  const latest = Date.UTC(2080, 0, 1);
  fc.assert(
    fc.property(day, month, weekday, (...fields) => {
      const text = `0 0 0 ${fields.join(' ')}`;
      if (cronProblem(text) !== null) return;
      // The longest time without 29 February on a given day of the week is around the year 2100.
      for (const year of [1970, 2024, 2073, 2096]) {
        const from = new Date(Date.UTC(year, 2, 1));
        const found = nextFireDay(readCron(text), from);
        expect(found?.getTime()).toBeLessThan(from.getTime() + 40.1 * 365.25 * 86_400_000);
      }
      expect(nextFireDay(readCron(text), new Date(0))?.getTime()).toBeLessThan(latest);
    }),
    { numRuns: runs(30, 500) },
  );
});

test('the next day of a cron expression is the one that a search day by day finds', () => {
  fc.assert(
    fc.property(day, month, weekday, fc.integer({ min: 0, max: 40_000 }), (a, b, c, start) => {
      const text = `0 0 0 ${a} ${b} ${c}`;
      if (cronProblem(text) !== null) return;
      const cron = readCron(text);
      const found = nextFireDay(cron, new Date(start * 86_400_000));
      let each = start;
      while (each < start + 3_000 && !cron.days.includes(new Date(each * 86_400_000))) each += 1;
      if (each < start + 3_000) expect(found).toEqual(new Date(each * 86_400_000));
    }),
    { numRuns: runs(30, 200) },
  );
});
