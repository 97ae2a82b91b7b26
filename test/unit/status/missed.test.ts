import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectedStarts, missedStarts, TOLERANCE } from '../../../src/operate/status/missed.js';
import { nextRuns } from '../../../src/timing/runs.js';
import { runs } from '../../support/size.js';

const minute = 60_000;
const hour = 60 * minute;
const from = Date.parse('2026-12-01T00:00:00Z');

test.each<[string, readonly number[], readonly number[], number, number | null]>([
  ['every start has its run', [0, 60, 120], [0, 61, 134], 0, 0],
  ['a run is 15 minutes late', [0, 60], [15, 60], 0, 0],
  ['a run that is later than that makes its start up', [0, 60], [16, 60], 0, 0],
  ['a run between two starts makes up all before it', [0, 60, 120, 180], [150], 0, 1],
  ['the next start does not make up the ones before it', [0, 60, 120], [120], 0, 2],
  ['a run by hand in the minute after a start passes for its own', [0, 60, 120], [120.5], 0, 2],
  ['a run by hand shortly after the last of them', [0, 60, 120], [128], 0, 0],
  ['the same, after starts that have been made on time', [0, 60, 120, 180], [0, 128, 180], 0, 0],
  ['a run by hand beside that of a start', [0, 60, 120], [120, 128], 0, 0],
  ['runs that are always late', [0, 60, 120, 180], [4, 124, 184], 0, 1],
  ['a run is a little early, by the clock of the service', [0, 60], [0, 59], 0, 0],
  ['a run is two minutes early', [0, 60], [0, 58], 0, 1],
  ['nothing ran', [0, 60, 120], [], 0, 3],
  ['nothing was due', [], [5, 70], 0, 0],
  ['one run is not that of two starts', [0, 5], [1], 0, 1],
  ['late runs of frequent starts', [0, 5, 10], [9, 10, 14], 0, 0],
  ['a run at an unknown time may be that of the only start', [0], [], 1, null],
  ['a run at an unknown time leaves another start missed', [0, 60], [], 1, 1],
  ['a run at an unknown time next to all others', [0, 60], [0, 60], 1, 0],
])('missed starts: %s', (_, expected, found, untimed, missed) => {
  const times = found.map((each) => each * minute);
  expect(
    missedStarts(
      expected.map((each) => each * minute),
      { times, untimed },
    )?.count ?? null,
  ).toBe(missed);
});

const anInterval = fc.oneof(
  fc.record({ value: fc.integer({ min: 20, max: 90 }), unit: fc.constant('Minutes' as const) }),
  fc.record({ value: fc.integer({ min: 1, max: 36 }), unit: fc.constant('Hours' as const) }),
);

test('of any schedule, exactly the starts without a run are missed, however late its runs usually are', () => {
  const aSchedule = fc.record({
    interval: anInterval,
    days: fc.integer({ min: 1, max: 10 }),
    lost: fc.infiniteStream(fc.boolean()),
    delay: fc.integer({ min: 0, max: TOLERANCE - minute }),
    jitter: fc.infiniteStream(fc.integer({ min: 0, max: minute })),
  });
  fc.assert(
    fc.property(aSchedule, ({ interval, days, lost, delay, jitter }) => {
      const timing = { type: 'Basic', ...interval, startTime: '2026-11-30T23:50:00' } as const;
      const next = (at: Date, count: number) =>
        nextRuns(timing, 'Europe/Berlin', at, count).map((each) => each.toISOString());
      const now = from + days * 24 * hour;
      const expected = expectedStarts(next, from, now) ?? [];
      const isLost = expected.map(() => lost.next().value === true);
      const times = expected.flatMap((each, index) =>
        isLost[index] === true ? [] : [each + delay + Number(jitter.next().value)],
      );
      // Of a single late run, nobody knows whether it was started by hand.
      fc.pre(times.length !== 1 || delay === 0);
      const count = isLost.filter(Boolean).length;
      expect(missedStarts(expected, { times, untimed: 0 })?.count).toBe(count);
    }),
    { numRuns: runs(100, 20_000) },
  );
});

test('starts are expected from the given time on, until 15 minutes ago', () => {
  const daily = (at: Date, count: number) =>
    nextRuns(
      { type: 'Cron', expression: '0 0 6 * * *', startTime: '2026-01-01T00:00:00' },
      'UTC',
      at,
      count,
    ).map((each) => each.toISOString());
  const expectedAt = (until: string) => expectedStarts(daily, from, Date.parse(until))?.length;
  expect(expectedAt('2026-12-03T06:14:59Z')).toBe(2);
  expect(expectedAt('2026-12-03T06:15:00Z')).toBe(3);
  expect(expectedAt('2026-12-01T00:00:00Z')).toBe(0);
});

test('the starts of a timing that cannot be computed, or of too many to compare, are not known', () => {
  expect(expectedStarts(() => null, from, from + hour)).toBeNull();
  const everySecond = (at: Date, count: number) =>
    Array.from({ length: count }, (_, index) => new Date(at.getTime() + index * 1000).toISOString());
  expect(expectedStarts(everySecond, from, from + 24 * hour)).toBeNull();
});
