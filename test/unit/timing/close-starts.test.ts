import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type IntervalLimit, readIntervalLimit } from '../../../src/model/schedule.js';
import { closeStarts, runsBetween, type Timing } from '../../../src/timing/runs.js';
import { runs as numRuns } from '../../support/size.js';

const startTime = '2026-01-01T00:00:00';
const now = new Date('2026-11-01T00:00:00Z');
const cron = (expression: string): Timing => ({ type: 'Cron', expression, startTime });
const every = (value: number, unit: 'Minutes' | 'Hours' | 'Days' | 'Weeks'): Timing => ({
  type: 'Basic',
  value,
  unit,
  startTime: '2026-01-01T02:30:00',
});

function limitOf(text: string): IntervalLimit {
  const limit = readIntervalLimit(text);
  if (limit === null) throw new Error(`not a limit: ${text}`);
  return limit;
}

const closeIn = (timing: Timing, limit: string, timeZone = 'UTC') =>
  closeStarts({ timing, timeZone }, limitOf(limit), now);
const closest = (...given: Parameters<typeof closeIn>) => closeIn(...given)?.seconds ?? null;

test.each([
  ['60 minutes', '1 hour'],
  ['1001 minutes', '1001 minutes'],
  ['7000 days', '1000 weeks'],
])('the limit %s is recorded as %s, which is read again', (written, text) => {
  expect(limitOf(written).text).toBe(text);
  expect(limitOf(text).text).toBe(text);
});

describe('starts that are closer together than a limit', () => {
  it.each<[string, Timing, string, number | null]>([
    ['every five seconds', cron('*/5 * * * * *'), '5 minutes', 5],
    ['two minutes of each hour side by side', cron('0 0,1 * * * *'), '5 minutes', 60],
    ['the end of one hour and the beginning of the next', cron('0 0,59 * * * *'), '5 minutes', 60],
    ['the end of a day and the beginning of the next', cron('0 0,59 0,23 * * *'), '5 minutes', 60],
    ['a step that does not divide the hour', cron('0 */7 * * * *'), '5 minutes', 240],
    ['exactly the limit', cron('0 */5 * * * *'), '5 minutes', null],
    ['an interval below the limit', every(4, 'Minutes'), '5 minutes', 240],
    ['an interval of the limit', every(5, 'Minutes'), '5 minutes', null],
    ['once', { type: 'Once', startTime: '2027-01-01T00:00:00' }, '5 minutes', null],
    ['once in four years', cron('0 0 0 29 2 *'), '5 minutes', null],
  ])('are found: %s', (_, timing, limit, seconds) => {
    expect(closest(timing, limit)).toBe(seconds);
  });

  test('come with two of the next such starts', () => {
    expect(closeIn(cron('0 0,50 * * * *'), '30 minutes')).toEqual({
      seconds: 600,
      example: [new Date('2026-11-01T00:50:00Z'), new Date('2026-11-01T01:00:00Z')],
      clockChange: false,
    });
  });

  test('have no example when hundreds of starts come before them', () => {
    const monthEnd = cron('0 0,20,40,59 0,2,4,6,8,10,12,14,16,18,20,23 1,5-25/2,31 * *');
    expect(closeIn(monthEnd, '5 minutes')).toEqual({ seconds: 60, example: null, clockChange: false });
  });
});

describe('clock changes', () => {
  test('bring starts closer together by skipping the first of them', () => {
    // 02:30 does not exist on this day, and moves to 03:30.
    expect(closeIn(cron('0 30 2,4 * * *'), '2 hours', 'Europe/Berlin')).toEqual({
      seconds: 3600,
      example: [new Date('2027-03-28T01:30:00Z'), new Date('2027-03-28T02:30:00Z')],
      clockChange: true,
    });
    expect(closest(cron('0 30 2,4 * * *'), '2 hours', 'UTC')).toBeNull();
    expect(closest(cron('0 30 5,7 * * *'), '2 hours', 'Europe/Berlin')).toBeNull();
  });

  test('shorten a day for a limit of hours, and not for a limit of days', () => {
    expect(closest(every(1, 'Days'), '24 hours', 'Europe/Berlin')).toBe(23 * 3600);
    expect(closest(every(1, 'Days'), '1 day', 'Europe/Berlin')).toBeNull();
    expect(closest(every(24, 'Hours'), '24 hours', 'Europe/Berlin')).toBeNull();
  });

  test('of half an hour repeat the quarters of every hour', () => {
    expect(closest(cron('0 45 * * * *'), '1 hour', 'Australia/Lord_Howe')).toBe(1800);
  });
});

test('the closest starts are those of a list of the runs of more than a year', () => {
  const minutes = fc.uniqueArray(fc.nat(59), { minLength: 1, maxLength: 3 });
  const hours = fc.uniqueArray(fc.nat(23), { minLength: 1, maxLength: 3 });
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
  const limit = fc.constantFrom('5 minutes', '30 minutes', '1 hour', '2 hours', '12 hours');
  fc.assert(
    fc.property(minutes, hours, zone, limit, (minute, hour, timeZone, text) => {
      const timing = cron(`0 ${minute.join()} ${hour.join()} * * *`);
      const until = new Date(now.getTime() + 367 * 86_400_000);
      const times = runsBetween({ timing, timeZone }, { from: now, until }).map((run) => run.getTime());
      const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1000);
      const least = Math.min(...gaps);
      const { seconds } = limitOf(text);
      const found = closest(timing, text, timeZone);
      expect(found === null).toBe(least >= seconds);
      // In other weeks they may be less close: then that is what is found.
      if (found !== null) expect(gaps).toContain(found);
    }),
    { numRuns: numRuns(60, 2000) },
  );
});
