import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalCron } from '../../src/timing/cron.js';
import { runsBetween, type Timing } from '../../src/timing/runs.js';
import {
  changes,
  dailyExpressions,
  day,
  expressions,
  from2005,
  hour,
  intlOffset,
  to2037,
  zones,
} from './timings.js';

const comparisons = 10_000;
/** Of one expression: cron-parser finds some thousands a second. */
const mostRuns = 8;

interface Window {
  readonly zone: string;
  readonly from: number;
  readonly until: number;
}

/** Most begin between a second and a few hours before a clock change; the others anywhere, and may hold one or none. */
const windows: fc.Arbitrary<Window> = fc
  .tuple(fc.constantFrom(...zones), fc.constantFrom(hour, 3 * day, 60 * day))
  .chain(([zone, length]) => {
    const anywhere = fc.integer({ min: from2005 / 1000, max: to2037 / 1000 }).map((each) => each * 1000);
    const begin = fc.oneof(
      { arbitrary: anywhere, weight: 1 },
      { arbitrary: beforeChange(zone) ?? anywhere, weight: 4 },
    );
    return begin.map((from) => ({ zone, from, until: from + length }));
  });

function beforeChange(zone: string): fc.Arbitrary<number> | null {
  const known = changes.get(zone) ?? [];
  if (known.length === 0) return null;
  return fc
    .tuple(fc.constantFrom(...known), fc.constantFrom(1, 10, 60, 600), fc.integer({ min: 1, max: 30 }))
    .map(([change, step, times]) => change - step * times * 1000);
}

/**
 * Where cron-parser 5.10 is no measure, because it moves from day to day and from hour to hour on the wall clock:
 * changes of other than an hour (after the half hour of Lord Howe Island it ends with "loop limit exceeded", and of
 * the day that Samoa left out it runs nothing), changes within an hour of the clock (St. John's at 00:01, the Chatham
 * Islands at 02:45: a skipped or a repeated part of an hour is lost), a gap from 23:00 to 00:00 (Nuuk: what it skips
 * is lost), and clocks that go back to 00:00 (Havana, the Azores: of the repeated hour it takes the second pass). A
 * window must not begin while a change is felt either: cron-parser cannot know then what has run before.
 */
function isComparable({ zone, from, until }: Window): boolean {
  return (changes.get(zone) ?? []).every((change) => {
    if (change < from - 2 * day || change > until + 2 * day) return true;
    const [before, after] = [intlOffset(zone, change - 1000), intlOffset(zone, change)];
    const clock = (((change + before) % day) + day) % day;
    const felt = from >= change && from < change + Math.abs(after - before);
    const losesHour = after > before ? clock === 23 * hour : clock === hour;
    return !felt && !losesHour && clock % hour === 0 && Math.abs(after - before) === hour;
  });
}

function runsOfCronParser(expression: string, { zone, from, until }: Window): Date[] {
  const span = { currentDate: new Date(from - 1), endDate: new Date(until - 1) };
  const cron = CronExpressionParser.parse(canonicalCron(expression), { tz: zone, ...span });
  const found: Date[] = [];
  try {
    while (found.length < mostRuns) found.push(cron.next().toDate());
  } catch (error) {
    // Its way to say that there are no more. Any other error is one.
    if (!String(error).includes('Out of the time span range')) throw error;
  }
  return found;
}

test(`${comparisons} random expressions run when cron-parser says, clock changes included`, () => {
  fc.assert(
    fc.property(fc.oneof(expressions, dailyExpressions), windows, (expression, window) => {
      fc.pre(isComparable(window));
      const timing: Timing = { type: 'Cron', expression, startTime: '1970-01-01T00:00:00' };
      const { zone, from, until } = window;
      const span = { from: new Date(from), until: new Date(until) };
      const runs = runsBetween({ timing, timeZone: zone }, span, mostRuns);
      expect(runs).toEqual(runsOfCronParser(expression, window));
    }),
    { numRuns: comparisons },
  );
}, 120_000);

test('most windows are compared, and most of those hold a clock change', () => {
  const sample = fc.sample(windows, { numRuns: 1000, seed: 1 });
  const compared = sample.filter(isComparable);
  const changing = compared.filter(({ zone, from, until }) =>
    changes.get(zone)?.some((change) => change > from && change < until),
  );
  expect(compared.length).toBeGreaterThan(500);
  expect(changing.length).toBeGreaterThan(compared.length / 2);
});
