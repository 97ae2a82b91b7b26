import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dstAnomalies, runsBetween, type Timing } from '../../../src/timing/runs.js';
import { localKind, writeWallClock } from '../../../src/timing/zone.js';
import { changes, dailyExpressions, day, zones } from '../../properties/timings.js';

const long = '1970-01-01T00:00:00';
const cron = (expression: string): Timing => ({ type: 'Cron', expression, startTime: long });
const year = { from: new Date('2026-11-21T00:00:00Z'), until: new Date('2027-11-22T00:00:00Z') };

test.each<[string, Timing, string, object[]]>([
  [
    'a time in the night in Berlin',
    cron('0 30 2 * * *'),
    'Europe/Berlin',
    [
      { effect: 'skipped', local: '2027-03-28T02:30:00', times: 1, utc: '2027-03-28T01:00:00Z' },
      { effect: 'repeated', local: '2027-10-31T02:30:00', times: 1, utc: '2027-10-31T01:00:00Z' },
    ],
  ],
  ['a time by day', cron('0 30 12 * * *'), 'Europe/Berlin', []],
  ['working days, when no clock changes', cron('0 30 2 * * MON-FRI'), 'Europe/Berlin', []],
  ['every hour, which goes on', cron('0 0 * * * *'), 'Europe/Berlin', []],
  ['a zone that keeps its clocks', cron('0 30 2 * * *'), 'Asia/Tokyo', []],
  [
    'several times in the hour',
    cron('0 */20 2 * * *'),
    'America/New_York',
    [{ effect: 'skipped', local: '2027-03-14T02:00:00', times: 3, utc: '2027-03-14T07:00:00Z' }],
  ],
  [
    'an interval of days',
    { type: 'Basic', value: 1, unit: 'Days', startTime: '2026-01-01T01:30:00' },
    'America/New_York',
    [{ effect: 'repeated', local: '2027-11-07T01:30:00', times: 1, utc: '2027-11-07T06:00:00Z' }],
  ],
  [
    'an interval of hours, which is real time',
    { type: 'Basic', value: 1, unit: 'Hours', startTime: '2026-01-01T01:30:00' },
    'America/New_York',
    [],
  ],
  [
    'one run alone',
    { type: 'Once', startTime: '2027-03-28T02:30:00' },
    'Europe/Berlin',
    [{ effect: 'skipped', local: '2027-03-28T02:30:00', times: 1, utc: '2027-03-28T01:00:00Z' }],
  ],
  ['what begins later', { type: 'Once', startTime: '2028-03-26T02:30:00' }, 'Europe/Berlin', []],
])('%s', (_, timing, zone, expected) => {
  expect(dstAnomalies(timing, zone, year)).toEqual(expected);
});

test('they are the times that the clocks of the zone do not show, or show twice', () => {
  const near = fc
    .constantFrom(...zones.filter((zone) => (changes.get(zone) ?? []).length > 0))
    .chain((zone) =>
      fc.record({ zone: fc.constant(zone), change: fc.constantFrom(...(changes.get(zone) ?? [])) }),
    );
  fc.assert(
    fc.property(dailyExpressions, near, (daily, { zone, change }) => {
      // Of a run in every second there would be too many to list.
      const expression = daily.replace(/^\S+/, '0');
      const timing = cron(expression);
      const span = { from: new Date(change - day), until: new Date(change + day) };
      const found = dstAnomalies(timing, zone, span);
      // A day more on both sides, for the clocks may be as far from UTC.
      const local = runsBetween(
        { timing, timeZone: 'UTC' },
        { from: new Date(change - 2 * day), until: new Date(change + 2 * day) },
      ).map((time) => writeWallClock(time.getTime()));
      for (const effect of ['skipped', 'repeated'] as const) {
        const times = local.filter((each) => localKind(each, zone) === effect);
        const reported = found.filter((each) => each.effect === effect);
        const everyHour = expression.split(' ')[2]?.split(',').length === 24;
        expect(reported.map((each) => [each.local, each.times])).toEqual(
          times.length === 0 || everyHour ? [] : [[times[0], times.length]],
        );
      }
    }),
    { numRuns: 300 },
  );
});
