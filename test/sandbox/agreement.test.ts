import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cronProblem, fireTimes, isZone, type Timing } from '../../src/sandbox/schedules/timetable.js';
import { cronProblem as clientProblem } from '../../src/timing/cron-check.js';
import { type Timing as ClientTiming, nextRuns } from '../../src/timing/runs.js';
import { zoneProblem } from '../../src/timing/zone.js';
import { runs } from '../support/size.js';

/** The sandbox and the client compute start times with code of their own, under the same reading of clock changes. */

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Nuuk',
  'Africa/Casablanca',
  'Asia/Gaza',
  'America/Santiago',
  'Africa/Cairo',
  'Pacific/Apia',
  'America/St_Johns',
];
const two = (value: number) => String(value).padStart(2, '0');
const startTime = fc
  .record({
    year: fc.integer({ min: 2009, max: 2027 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.constantFrom(0, 15, 30, 59),
    fraction: fc.constantFrom('', '.5'),
  })
  .map(
    ({ year, month, day, hour, minute, fraction }) =>
      `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:00${fraction}`,
  );
const DAYS = ['?', 'L', '1,L', '31', 'LW', 'L-3', 'L-30', 'L-2W', '15W', '1W', '31W', '15W,1', '28-2'];
const number = (low: number, high: number) => fc.integer({ min: low, max: high }).map(String);
const field = (low: number, high: number) =>
  fc.oneof(
    fc.constant('*'),
    number(low, high),
    // cron-parser refuses a value that a list has twice.
    fc.uniqueArray(number(low, high), { minLength: 2, maxLength: 3 }).map((values) => values.join(',')),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map(([a, b]) => `${a}-${b}`),
    fc.tuple(number(low, high), number(2, 9)).map((pair) => pair.join('/')),
  );
const cron = fc
  .tuple(
    number(0, 59),
    field(0, 59),
    fc.oneof(field(0, 23), fc.constantFrom('0', '1', '2', '3', '22', '23')),
    fc.oneof(fc.constant('*'), fc.constantFrom(...DAYS), field(1, 31)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, field(1, 12), fc.constantFrom('mar', 'OCT,nov')),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('*', '?') },
      field(0, 6),
      fc.constantFrom('MON', 'fri', '5L', '0L', '7', 'SUN#2', '1#5', '1-5'),
    ),
  )
  .map((fields) => fields.join(' '));
const timing = fc.oneof(
  cron.map((cronExpression) => ({ scheduleType: 'Cron' as const, cronExpression })),
  fc.record({
    scheduleType: fc.constant('Basic' as const),
    intervalValue: fc.integer({ min: 1, max: 400 }),
    intervalUnit: fc.constantFrom('Minutes', 'Hours', 'Days', 'Weeks'),
  }),
  fc.constant({ scheduleType: 'Once' as const }),
);
const none = { intervalValue: null, intervalUnit: null, cronExpression: null };
const instant = fc.date({
  min: new Date('2009-06-01T00:00:00Z'),
  max: new Date('2027-12-31T00:00:00Z'),
  noInvalidDate: true,
});

function ofClient({
  scheduleType,
  intervalValue,
  intervalUnit,
  cronExpression,
  startTime: start,
}: Timing): ClientTiming {
  if (scheduleType === 'Cron') return { type: 'Cron', expression: cronExpression ?? '', startTime: start };
  if (scheduleType === 'Once') return { type: 'Once', startTime: start };
  return { type: 'Basic', value: intervalValue ?? 1, unit: intervalUnit ?? 'Days', startTime: start };
}

test('agreement: the sandbox and the client fire random schedules at the same times, in zones with unusual clocks', () => {
  const schedule = fc.record({ timing, startTime, timeZoneId: fc.constantFrom(...ZONES), after: instant });
  fc.assert(
    fc.property(schedule, ({ timing: own, startTime: start, timeZoneId, after }) => {
      const sent = { ...none, ...own, startTime: start, timeZoneId } as Timing;
      fc.pre(sent.cronExpression === null || cronProblem(sent.cronExpression) === undefined);
      const expected = nextRuns(ofClient(sent), timeZoneId, new Date(after.getTime() + 1), 12);
      expect(fireTimes(sent, after, 12).map((time) => time.toISOString())).toEqual(
        expected.map((time) => time.toISOString()),
      );
    }),
    { numRuns: runs(150, 10_000) },
  );
});

test('agreement: around every clock change of two years, both fire at the same times', () => {
  const expressions = ['0 30 * * * *', '0 */20 1-3 * * *', '0 30 2 * * *', '0 45 23 * * *', '0 15 0 * * *'];
  for (const timeZoneId of ZONES) {
    for (const cronExpression of expressions) {
      const sent: Timing = {
        ...none,
        scheduleType: 'Cron',
        cronExpression,
        startTime: '2010-01-01T00:00:00',
        timeZoneId,
      };
      for (let after = Date.UTC(2026, 0, 1); after < Date.UTC(2027, 0, 1); after += 17 * 86_400_000) {
        const times = fireTimes(sent, new Date(after), 60);
        expect(times).toEqual(nextRuns(ofClient(sent), timeZoneId, new Date(after + 1), 60));
        expect(times).toHaveLength(60);
      }
    }
  }
});

test('agreement: a cron expression that one refuses, the other refuses', () => {
  fc.assert(
    fc.property(cron, (expression) => {
      expect(cronProblem(expression) === undefined).toBe(clientProblem(expression) === null);
    }),
    { numRuns: runs(150, 10_000) },
  );
});

test('timetable: a value that a list has twice counts once', () => {
  const sent = (cronExpression: string): Timing => ({
    ...none,
    scheduleType: 'Cron',
    cronExpression,
    startTime: '2026-01-01T00:00:00',
    timeZoneId: 'UTC',
  });
  const times = (cronExpression: string) =>
    fireTimes(sent(cronExpression), new Date('2026-01-01T00:00:00Z'), 9);
  expect(times('0 15,15,10-20/5 4,4 * * MON,1')).toEqual(times('0 10,15,20 4 * * 1'));
});

test.each(['PST', 'EDT', 'IST', 'SystemV/PST8', 'Europe/Nowhere', '+02:00', 'UTC+2', ''])(
  'zones: %j is not an IANA zone for either',
  (name) => {
    expect(isZone(name)).toBe(false);
    expect(zoneProblem(name)).not.toBeNull();
  },
);

test('zones: both know every zone of the system', () => {
  const names = [
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'Asia/Calcutta',
    'europe/berlin',
    'US/Eastern',
  ];
  expect(names.filter((name) => !isZone(name))).toEqual([]);
  expect(names.filter((name) => zoneProblem(name) !== null)).toEqual([]);
});
