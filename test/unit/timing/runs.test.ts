import { describe, expect, test } from 'vitest';
import { isPast, nextRuns, runsBetween, type Timing } from '../../../src/timing/runs.js';
import { stepsOf } from '../../support/cost.js';
import { isLong } from '../../support/size.js';

const every = (value: number, unit: 'Minutes' | 'Hours' | 'Days' | 'Weeks', startTime: string): Timing => ({
  type: 'Basic',
  value,
  unit,
  startTime,
});
const cron = (expression: string, startTime = '2000-01-01T00:00:00'): Timing => ({
  type: 'Cron',
  expression,
  startTime,
});

function runs(timing: Timing, zone: string, from: string, count: number): string[] {
  return nextRuns(timing, zone, new Date(from), count).map((run) =>
    run.toISOString().replace(/:00\.000Z$/, 'Z'),
  );
}

describe('intervals', () => {
  test('begin with the start time', () => {
    const timing = every(6, 'Hours', '2026-12-01T06:00:00');
    expect(runs(timing, 'Europe/Berlin', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-12-01T05:00Z',
      '2026-12-01T11:00Z',
    ]);
  });

  test('include a run at the very moment asked from', () => {
    const timing = every(6, 'Hours', '2026-12-01T06:00:00');
    expect(runs(timing, 'UTC', '2026-12-01T12:00:00Z', 1)).toEqual(['2026-12-01T12:00Z']);
    expect(runs(timing, 'UTC', '2026-12-01T12:00:00.001Z', 1)).toEqual(['2026-12-01T18:00Z']);
  });

  test('of hours count real time over a clock change', () => {
    const timing = every(6, 'Hours', '2026-03-28T18:00:00');
    expect(runs(timing, 'Europe/Berlin', '2026-03-28T17:00:00Z', 4)).toEqual([
      '2026-03-28T17:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T05:00Z',
      '2026-03-29T11:00Z',
    ]);
  });

  test('of days keep the wall clock over a clock change', () => {
    const timing = every(1, 'Days', '2026-03-27T02:30:00');
    expect(runs(timing, 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
  });

  test('of days do not lose a skipped time that moves past the moment asked from', () => {
    const timing = every(1, 'Days', '2026-03-01T02:30:00');
    expect(runs(timing, 'Europe/Berlin', '2026-03-29T01:10:00Z', 1)).toEqual(['2026-03-29T01:30Z']);
  });

  test('of weeks keep the wall clock from a start long ago', () => {
    const timing = every(2, 'Weeks', '1970-01-05T09:00:00');
    expect(runs(timing, 'America/New_York', '2026-10-25T00:00:00Z', 2)).toEqual([
      '2026-10-26T13:00Z',
      '2026-11-09T14:00Z',
    ]);
  });

  test('are computed, not counted up to', () => {
    const timing = every(1, 'Minutes', '1970-01-01T00:00:00');
    const late = new Date('9999-01-01T00:00:00Z');
    expect(nextRuns(timing, 'UTC', late, 1)).toEqual([late]);
    if (isLong) expect(stepsOf(() => nextRuns(timing, 'UTC', late, 1))).toBeLessThan(10_000);
  });

  test('do not run twice when a zone leaves out a day', () => {
    const timing = every(1, 'Days', '2011-12-29T09:00:00');
    expect(runs(timing, 'Pacific/Apia', '2011-12-29T00:00:00Z', 3)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T19:00Z',
      '2011-12-31T19:00Z',
    ]);
  });

  test('end where dates end', () => {
    const timing = every(1_000_000, 'Weeks', '9999-12-31T00:00:00');
    expect(nextRuns(timing, 'UTC', new Date(0), 100)).toHaveLength(14);
  });
});

describe('once', () => {
  const timing: Timing = { type: 'Once', startTime: '2026-12-24T08:00:00' };

  test('runs once, and never after its time', () => {
    expect(runs(timing, 'Europe/Berlin', '2026-12-24T07:00:00Z', 5)).toEqual(['2026-12-24T07:00Z']);
    expect(runs(timing, 'Europe/Berlin', '2026-12-24T07:00:00.001Z', 5)).toEqual([]);
  });

  test('is past from its time on', () => {
    const past = (now: string) => isPast('2026-12-24T08:00:00', 'Europe/Berlin', new Date(now));
    expect(past('2026-12-24T06:59:59.999Z')).toBe(false);
    expect(past('2026-12-24T07:00:00Z')).toBe(true);
    expect(past('2026-12-24T08:00:00Z')).toBe(true);
  });
});

describe('cron', () => {
  test('does not begin before the start time', () => {
    expect(
      runs(cron('0 30 2 * * *', '2026-12-01T02:30:00'), 'Europe/Berlin', '2026-01-01T00:00:00Z', 1),
    ).toEqual(['2026-12-01T01:30Z']);
    expect(
      runs(cron('0 30 2 * * *', '2026-12-01T02:30:01'), 'Europe/Berlin', '2026-01-01T00:00:00Z', 1),
    ).toEqual(['2026-12-02T01:30Z']);
  });

  test('finds 29 February, and the next one over a year 2100 without it', () => {
    expect(runs(cron('0 0 0 29 2 *'), 'UTC', '2095-01-01T00:00:00Z', 2)).toEqual([
      '2096-02-29T00:00Z',
      '2104-02-29T00:00Z',
    ]);
  });

  test('moves skipped times on, and runs at one moment once', () => {
    const from = '2026-03-29T00:30:00Z';
    expect(runs(cron('0 30 2 * * *'), 'Europe/Berlin', from, 2)).toEqual([
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    expect(runs(cron('0 30 2,3 * * *'), 'Europe/Berlin', from, 2)).toEqual([
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    expect(runs(cron('0 */30 * * * *'), 'Europe/Berlin', from, 3)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
  });

  test('runs a repeated time once, unless it is for every hour', () => {
    const from = '2026-10-25T00:15:00Z';
    expect(runs(cron('0 30 2 * * *'), 'Europe/Berlin', from, 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    expect(runs(cron('0 30 * * * *'), 'Europe/Berlin', from, 3)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:30Z',
    ]);
  });

  test('runs in order through a repeated hour', () => {
    expect(runs(cron('0 */30 * * * *'), 'Europe/Berlin', '2026-10-25T00:00:00Z', 5)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:00Z',
    ]);
  });

  test('knows Sunday by both its numbers', () => {
    for (const expression of ['0 0 0 * * 0L', '0 0 0 * * 7L']) {
      expect(runs(cron(expression), 'UTC', '2026-05-01T00:00:00Z', 2)).toEqual([
        '2026-05-31T00:00Z',
        '2026-06-28T00:00Z',
      ]);
    }
  });

  test('is not caught by half an hour of daylight saving on Lord Howe Island', () => {
    expect(runs(cron('0 15 2 * * *'), 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', 2)).toEqual([
      '2026-04-04T15:45Z',
      '2026-04-05T15:45Z',
    ]);
    expect(runs(cron('0 */20 * * * *'), 'Australia/Lord_Howe', '2026-04-04T14:20:00Z', 6)).toEqual([
      '2026-04-04T14:20Z',
      '2026-04-04T14:40Z',
      '2026-04-04T15:10Z',
      '2026-04-04T15:30Z',
      '2026-04-04T15:50Z',
      '2026-04-04T16:10Z',
    ]);
  });

  test('stays in order when a skipped time moves past midnight', () => {
    expect(runs(cron('0 15,45 0,23 * * *'), 'America/Nuuk', '2025-03-30T00:30:00Z', 4)).toEqual([
      '2025-03-30T01:15Z',
      '2025-03-30T01:45Z',
      '2025-03-31T00:15Z',
      '2025-03-31T00:45Z',
    ]);
  });

  test('does not lose a skipped time that moves past midnight', () => {
    expect(runs(cron('0 30 23 * * *'), 'America/Nuuk', '2025-03-30T01:10:00Z', 2)).toEqual([
      '2025-03-30T01:30Z',
      '2025-03-31T00:30Z',
    ]);
  });

  test('ends a search on days that are all next to a clock change', () => {
    expect(runs(cron('0 30 2 * 3,10 0L'), 'Europe/Berlin', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-03-29T01:30Z',
      '2026-10-25T00:30Z',
      '2027-03-28T01:30Z',
    ]);
  });
});

describe('a span of time', () => {
  test('ends before its end', () => {
    const timing = every(1, 'Days', '2026-12-01T00:00:00');
    const between = (until: string, limit: number) =>
      runsBetween(
        { timing, timeZone: 'UTC' },
        { from: new Date('2026-12-01T00:00:00Z'), until: new Date(until) },
        limit,
      ).length;
    expect(between('2026-12-03T00:00:00Z', 100)).toBe(2);
    expect(between('2026-12-03T00:00:00.001Z', 100)).toBe(3);
    expect(between('2027-12-03T00:00:00.001Z', 100)).toBe(100);
    expect(between('2026-12-03T00:00:00Z', 0)).toBe(0);
  });

  test.runIf(isLong)('of days is enumerated in a few steps for each run', () => {
    const from = new Date('2026-03-01T00:00:00Z');
    const days = 42;
    const until = new Date(from.getTime() + days * 86_400_000);
    const berlin = { timing: cron('0 * * * * *'), timeZone: 'Europe/Berlin' };
    const minutes = days * 24 * 60;
    expect(runsBetween(berlin, { from, until })).toHaveLength(minutes);
    expect(stepsOf(() => runsBetween(berlin, { from, until }))).toBeLessThan(50 * minutes);
  });
});

test('what the checks refuse is an error here', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  expect(() => nextRuns(cron('@daily'), 'UTC', now, 5)).toThrow(RangeError);
  expect(() => nextRuns(cron('0 0 0 * * *'), 'PST', now, 5)).toThrow(RangeError);
  expect(() => nextRuns(every(0, 'Days', '2026-01-01T00:00:00'), 'UTC', now, 5)).toThrow(RangeError);
  expect(() => nextRuns(every(1, 'Days', '2026-01-01'), 'UTC', now, 5)).toThrow(RangeError);
  expect(() => nextRuns(cron('0 0 0 * * *'), 'UTC', new Date(Number.NaN), 5)).toThrow(RangeError);
});
