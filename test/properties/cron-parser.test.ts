import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalCron } from '../../src/timing/cron.js';
import { runsBetween, type Timing } from '../../src/timing/runs.js';
import { runs } from '../support/size.js';
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

/** Runs compared for one expression: cron-parser finds a few thousand a second. */
const mostRuns = 8;

interface Window {
  readonly zone: string;
  readonly from: number;
  readonly until: number;
}

/** Most windows start between a second and a few hours before a clock change; the others start anywhere. */
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
 * cron-parser 5.10 steps from day to day and from hour to hour on the wall clock, so some windows cannot be compared:
 * - changes by other than an hour: after Lord Howe Island's half hour it fails with "loop limit exceeded", and it finds
 *   no run on the day that Samoa skipped
 * - changes inside an hour of the clock (St. John's at 00:01, the Chatham Islands at 02:45): it loses the skipped or
 *   repeated part of the hour
 * - a gap from 23:00 to 00:00 (Nuuk): it loses the skipped runs
 * - clocks that go back to 00:00 (Havana, the Azores): it takes the second pass of the repeated hour
 * - windows that start inside a repeated hour: it cannot know what has already run
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
    // This error means that there are no more runs. Any other error is a failure.
    if (!String(error).includes('Out of the time span range')) throw error;
  }
  return found;
}

test('a random cron expression runs when the cron-parser package says it does, through clock changes', () => {
  fc.assert(
    fc.property(fc.oneof(expressions, dailyExpressions), windows, (expression, window) => {
      fc.pre(isComparable(window));
      const timing: Timing = { type: 'Cron', expression, startTime: '1970-01-01T00:00:00' };
      const { zone, from, until } = window;
      const span = { from: new Date(from), until: new Date(until) };
      const found = runsBetween({ timing, timeZone: zone }, span, mostRuns);
      expect(found).toEqual(runsOfCronParser(expression, window));
    }),
    { numRuns: runs(60, 10_000) },
  );
});

test('most random windows can be compared with cron-parser, and most of those contain a clock change', () => {
  const sample = fc.sample(windows, { numRuns: 1000, seed: 1 });
  const compared = sample.filter(isComparable);
  const changing = compared.filter(({ zone, from, until }) =>
    changes.get(zone)?.some((change) => change > from && change < until),
  );
  expect(compared.length).toBeGreaterThan(500);
  expect(changing.length).toBeGreaterThan(compared.length / 2);
});
