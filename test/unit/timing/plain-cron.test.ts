import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fields, plainFields } from '../../../src/timing/plain-cron.js';
import { runs } from '../../support/size.js';

const list = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 8 }).map((values) => values.join(','));
const step = fc.integer({ min: 1, max: 70 }).map((size) => `*/${size}`);
const any = fc.constantFrom('*', '?');
const days = fc.oneof(any, any, list(1, 31), fc.constantFrom('L', '*/2', '31'));
const weekdays = fc.oneof(any, list(0, 6), fc.constantFrom('5L', 'MON#2', '*/2', '3,FRI#1'));
const fields = fc.tuple(
  fc.oneof(fc.constant('*'), list(0, 59), step),
  fc.oneof(fc.constant('*'), list(0, 59), step),
  fc.oneof(fc.constant('*'), list(0, 23), step),
  days,
  fc.oneof(fc.constant('*'), list(1, 12), step),
  weekdays,
);

const sunday = (value: number | string) => (value === 7 ? 0 : value);

function seen({ second, minute, hour, month, dayOfMonth, dayOfWeek }: Fields) {
  return {
    times: [second, minute, hour, month].map(({ values }) => [...values]),
    // Its values are not looked at: cron-parser leaves out the 31st where the months given have none.
    dayOfMonth: [dayOfMonth.isWildcard, dayOfMonth.hasLastChar],
    dayOfWeek: [new Set(dayOfWeek.values.map(sunday)), dayOfWeek.isWildcard, Math.max(0, dayOfWeek.nthDay)],
  };
}

test('plain expressions have the fields that cron-parser reads', () => {
  let compared = 0;
  fc.assert(
    fc.property(fields, (expression) => {
      const plain = plainFields(expression);
      if (plain === null) return;
      compared += 1;
      const library = CronExpressionParser.parse(expression.join(' '), { tz: 'UTC' }).fields;
      expect(seen(plain)).toEqual(seen(library));
    }),
    { numRuns: runs(500, 20_000) },
  );
  expect(compared).toBeGreaterThan(0);
});

test.each([
  '0 0 0 31 2 *',
  '0 0 0 L * *',
  '0 0 0 * * 5L',
  '0 0 0 * * MON#2',
  '0 0 0 * * */2',
  '60 0 0 * * *',
  '0 0 0 1 * *',
])('cron-parser judges %s', (expression) => {
  expect(plainFields(expression.split(' '))).toBeNull();
});
