import { describe, expect, test } from 'vitest';
import type { Timing } from '../../../src/timing/runs.js';
import { busyMinutes, startsPerMinute, type TimedLoad } from '../../../src/timing/start-counts.js';

const long = '1970-01-01T00:00:00';
const cron = (expression: string, timeZone = 'UTC', starts = 1, startTime = long): TimedLoad => ({
  timing: { type: 'Cron', expression, startTime },
  timeZone,
  starts,
});
const load = (timing: Timing, starts = 1): TimedLoad => ({ timing, timeZone: 'UTC', starts });
const span = (from: string, until: string) => ({ from: new Date(from), until: new Date(until) });

/** `HH:MM` of UTC and how many start then, for the minutes in which any do. */
function starts(starters: readonly TimedLoad[], from: string, until: string): Record<string, number> {
  const { first, minutes } = startsPerMinute(starters, span(from, until));
  const time = (index: number) => new Date(first + index * 60_000).toISOString().slice(11, 16);
  return Object.fromEntries(
    [...minutes].flatMap((count, index) => (count > 0 ? [[time(index), count]] : [])),
  );
}

describe('starts in a minute', () => {
  test('are those of all schedules, and of every second that a cron names', () => {
    const all = [
      cron('0,20,40 0 6 * * *', 'UTC', 2),
      load({ type: 'Basic', value: 90, unit: 'Minutes', startTime: '2026-12-01T04:30:30' }, 5),
      load({ type: 'Once', startTime: '2026-12-01T06:00:59' }),
      load({ type: 'Basic', value: 1, unit: 'Weeks', startTime: '2026-11-24T07:00:00' }),
    ];
    expect(starts(all, '2026-12-01T05:00:00Z', '2026-12-01T07:31:00Z')).toEqual({
      '06:00': 2 * 3 + 5 + 1,
      '07:00': 1,
      '07:30': 5,
    });
  });

  test('add up where timings are equal, and only there', () => {
    const every = (startTime: string): TimedLoad =>
      load({ type: 'Basic', value: 1, unit: 'Days', startTime: `2026-11-24T${startTime}:00` }, 10);
    const all = [
      cron('0 0 6 * * *', 'UTC', 1),
      cron('0 0 6 * * *', 'UTC', 2),
      cron('0 0 6 * * *', 'Europe/Berlin', 4),
      cron('0 0 6 * * *', 'UTC', 100, '2026-12-01T06:01:00'),
      every('06:30'),
      every('06:30'),
      every('06:31'),
    ];
    expect(starts(all, '2026-12-01T05:00:00Z', '2026-12-01T07:00:00Z')).toEqual({
      '05:00': 4,
      '06:00': 1 + 2,
      '06:30': 20,
      '06:31': 10,
    });
  });

  test('are counted from the first instant of the span to the last, in mid-minute too', () => {
    const all = [cron('*/10 * * * * *')];
    const counted = startsPerMinute(all, span('2026-12-01T06:00:30.001Z', '2026-12-01T06:02:20Z'));
    expect([counted.first, [...counted.minutes]]).toEqual([Date.UTC(2026, 11, 1, 6), [2, 6, 2]]);
    expect(startsPerMinute(all, span('2026-12-01T06:00:00Z', '2026-12-01T06:00:00Z')).minutes).toHaveLength(
      0,
    );
  });

  test('are none before the start time', () => {
    const late = cron('*/30 * * * * *', 'Europe/Berlin', 1, '2026-12-01T07:01:15');
    expect(starts([late], '2026-12-01T06:00:00Z', '2026-12-01T06:03:00Z')).toEqual({
      '06:01': 1,
      '06:02': 2,
    });
  });

  test('are moved on when the clocks skip them, and are not doubled by those already there', () => {
    const [from, until] = ['2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z'] as const;
    expect(starts([cron('0 30 2 * * *', 'Europe/Berlin')], from, until)).toEqual({ '01:30': 1 });
    expect(starts([cron('0 30 2,3 * * *', 'Europe/Berlin')], from, until)).toEqual({ '01:30': 1 });
    // Counted from the middle of the hour that they moved into.
    expect(starts([cron('0 30 2 * * *', 'Europe/Berlin')], '2026-03-29T01:10:00Z', until)).toEqual({
      '01:30': 1,
    });
    const late = cron('*/30 30 2 * * *', 'Europe/Berlin', 1, '2026-03-29T03:30:10');
    expect(starts([late], from, until)).toEqual({ '01:30': 1 });
  });

  test('come once when the clocks repeat them, unless they are of every hour', () => {
    const [from, until] = ['2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'] as const;
    expect(starts([cron('0 30 2 * * *', 'Europe/Berlin')], from, until)).toEqual({ '00:30': 1 });
    expect(starts([cron('0 30 * * * *', 'Europe/Berlin')], from, until)).toEqual({ '00:30': 1, '01:30': 1 });
  });

  test('are right where offsets have seconds', () => {
    // Monrovia was 44 minutes and 30 seconds behind until 1972.
    const all = [cron('0 0 12 * * *', 'Africa/Monrovia')];
    expect(starts(all, '1971-06-01T00:00:00Z', '1971-06-02T00:00:00Z')).toEqual({ '12:44': 1 });
    expect(
      starts([cron('0,30 0 12 * * *', 'Africa/Monrovia')], '1971-06-01T00:00:00Z', '1971-06-02T00:00:00Z'),
    ).toEqual({ '12:44': 1, '12:45': 1 });
  });

  test('may be more than 32 bits hold', () => {
    const [only] = startsPerMinute(
      [cron('* * * * * *', 'UTC', 100_000_000)],
      span('2026-12-01T06:00:00Z', '2026-12-01T06:01:00Z'),
    ).minutes;
    expect(only).toBe(6_000_000_000);
  });

  test('of what the checks refuse are an error', () => {
    const refused = (each: TimedLoad) => () =>
      startsPerMinute([each], span('2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z'));
    expect(refused(cron('@daily'))).toThrow(RangeError);
    expect(refused(cron('0 0 0 * * *', 'PST'))).toThrow(RangeError);
    expect(refused(load({ type: 'Basic', value: 0, unit: 'Minutes', startTime: long }))).toThrow(RangeError);
    expect(() => startsPerMinute([], span('never', '2026-12-02T00:00:00Z'))).toThrow(RangeError);
  });
});

describe('busy minutes', () => {
  const night = [
    cron('0 0 2 * * *', 'UTC', 40),
    cron('0 0 2 * * 1', 'UTC', 30),
    cron('30 0 2 1 * *', 'UTC', 20),
    cron('0 5 2 * * *', 'UTC', 61),
    cron('0 0 2 * * *', 'UTC', 0),
  ];
  const december = span('2026-12-01T00:00:00Z', '2026-12-15T00:00:00Z');

  test('are those in which more start than the limit, not as many', () => {
    expect(busyMinutes(night, december, 61, 0).total).toBe(2);
    expect(busyMinutes(night, december, 60, 0).total).toBe(14 + 2);
    expect(busyMinutes(night, december, 70, 5)).toEqual({ total: 0, busiest: [] });
  });

  test('are shown from the busiest on, the earlier of equals, in the order of time, with their starters', () => {
    const atTwo = night.filter((each) => each.starts !== 61);
    const { busiest } = busyMinutes(atTwo, december, 59, 3);
    expect(busiest).toEqual([
      {
        minute: new Date('2026-12-01T02:00:00Z'),
        starts: 60,
        by: [
          { load: night[0], starts: 40 },
          { load: night[2], starts: 20 },
        ],
      },
      expect.objectContaining({ minute: new Date('2026-12-07T02:00:00Z'), starts: 70 }),
      expect.objectContaining({ minute: new Date('2026-12-14T02:00:00Z'), starts: 70 }),
    ]);
  });

  test('of which a part is before the span count what starts in the span, with their starters', () => {
    const load = cron('0,45 0 2 * * *', 'UTC', 50);
    const half = span('2026-12-01T02:00:30Z', '2026-12-01T03:00:00Z');
    expect(busyMinutes([load], half, 40, 3).busiest).toEqual([
      { minute: new Date('2026-12-01T02:00:00Z'), starts: 50, by: [{ load, starts: 50 }] },
    ]);
  });
});
