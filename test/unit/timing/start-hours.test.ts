import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startsPerHour, startsPerMinute } from '../../../src/timing/start-counts.js';
import { runs } from '../../support/size.js';

const hourly = {
  timing: { type: 'Cron', expression: '0 30 * * * *', startTime: '1970-01-01T00:00:00' },
  timeZone: 'UTC',
  starts: 2,
} as const;
const counts = (from: string, until: string) =>
  startsPerMinute([hourly], { from: new Date(from), until: new Date(until) });

describe('starts by the hour', () => {
  test('a day of 23 hours has an hour without any, a day of 25 one with twice as many', () => {
    const [spring] = startsPerHour(counts('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'), 'Europe/Berlin');
    expect([spring?.date, spring?.hours.slice(0, 4)]).toEqual(['2026-03-29', [2, 2, 0, 2]]);
    const [autumn] = startsPerHour(counts('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'), 'Europe/Berlin');
    expect([autumn?.date, autumn?.hours.slice(0, 4)]).toEqual(['2026-10-25', [2, 2, 4, 2]]);
  });

  test('a zone half an hour off has its own hours', () => {
    const days = startsPerHour(counts('2026-12-01T00:00:00Z', '2026-12-01T01:00:00Z'), 'Asia/Kolkata');
    expect(days.map(({ date, hours }) => [date, hours.indexOf(2)])).toEqual([['2026-12-01', 6]]);
  });

  test('the busiest minute of an hour is the one in which most start together', () => {
    const span = { from: new Date('2026-12-01T00:00:00Z'), until: new Date('2026-12-01T03:00:00Z') };
    const timing = { ...hourly.timing, expression: '0 */30 1 * * *' };
    const [only] = startsPerHour(startsPerMinute([hourly, { ...hourly, timing, starts: 3 }], span), 'UTC');
    expect(only?.hours.slice(0, 4)).toEqual([2, 8, 2, 0]);
    expect(only?.peaks.slice(0, 4)).toEqual([2, 5, 2, 0]);
  });

  test('none is lost, none counted twice', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    const day = fc.integer({ min: 0, max: 700 });
    fc.assert(
      fc.property(zones, day, fc.integer({ min: 1, max: 20 }), (zone, first, length) => {
        const from = Date.UTC(2026, 0, 1 + first, 7, 13);
        const found = counts(
          new Date(from).toISOString(),
          new Date(from + length * 86_400_000).toISOString(),
        );
        const sum = startsPerHour(found, zone)
          .flatMap((each) => each.hours)
          .reduce((all, each) => all + each, 0);
        expect(sum).toBe(found.minutes.reduce((all, each) => all + each, 0));
      }),
      { numRuns: runs(15, 60) },
    );
  });
});
