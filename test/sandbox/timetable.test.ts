import { expect, test } from 'vitest';
import { fireTimes, type Timing } from '../../src/sandbox/schedules/timetable.js';

const ZONE = { timeZoneId: 'Europe/Berlin', cronExpression: null, intervalValue: null, intervalUnit: null };
const every = (
  intervalValue: number,
  intervalUnit: 'Minutes' | 'Hours' | 'Days' | 'Weeks',
  startTime: string,
): Timing => ({ ...ZONE, scheduleType: 'Basic', intervalValue, intervalUnit, startTime });
const cron = (cronExpression: string, startTime = '2026-01-01T00:00:00'): Timing => ({
  ...ZONE,
  scheduleType: 'Cron',
  cronExpression,
  startTime,
});

// In Berlin, 02:00-03:00 is skipped on 2026-03-29 and 02:00-03:00 is repeated on 2026-10-25.
test.each<[string, Timing, string, string[]]>([
  [
    'days keep the wall-clock time',
    every(1, 'Days', '2026-03-01T06:00:00'),
    '2026-03-28T00:00:00Z',
    ['2026-03-28T05:00:00.000Z', '2026-03-29T04:00:00.000Z'],
  ],
  [
    'weeks keep the wall-clock time',
    every(2, 'Weeks', '2026-01-01T06:00:00'),
    '2026-03-20T00:00:00Z',
    ['2026-03-26T05:00:00.000Z', '2026-04-09T04:00:00.000Z'],
  ],
  [
    'hours are elapsed time',
    every(12, 'Hours', '2026-03-28T06:00:00'),
    '2026-03-28T10:00:00Z',
    ['2026-03-28T17:00:00.000Z', '2026-03-29T05:00:00.000Z'],
  ],
  [
    'intervals count from a start long ago',
    every(7, 'Minutes', '2000-01-01T00:00:00'),
    '2026-01-01T00:00:00Z',
    ['2026-01-01T00:06:00.000Z', '2026-01-01T00:13:00.000Z'],
  ],
  [
    'the current time is not after now',
    every(1, 'Hours', '2026-01-01T00:00:00'),
    '2026-01-01T00:00:00Z',
    ['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z'],
  ],
  [
    'cron keeps the wall-clock time across a clock change',
    cron('0 0 6 * * *'),
    '2026-10-24T00:00:00Z',
    ['2026-10-24T04:00:00.000Z', '2026-10-25T05:00:00.000Z'],
  ],
  [
    'cron does not fire before its startTime',
    cron('0 0 6 * june-july Monday', '2026-06-03T00:00:00'),
    '2026-01-01T00:00:00Z',
    ['2026-06-08T04:00:00.000Z', '2026-06-15T04:00:00.000Z'],
  ],
])('timetable: %s', (_name, timing, after, expected) => {
  expect(fireTimes(timing, new Date(after), 2).map((time) => time.toISOString())).toEqual(expected);
});

test('timetable: no time is after the end of the range', () => {
  const until = new Date('2026-01-01T02:30:00Z');
  expect(
    fireTimes(every(1, 'Hours', '2026-01-01T00:00:00'), new Date('2026-01-01T00:00:00Z'), 99, until),
  ).toHaveLength(2);
});
