import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { minutesOfDay, recurrenceOf, runsBetween, type Timing } from '../../../src/timing/runs.js';

const startTime = '2026-01-05T06:30:00';
const cron = (expression: string): Timing => ({ type: 'Cron', expression, startTime });

describe('how often, and at what times', () => {
  it.each<[string, Timing, number, number | null, number]>([
    ['every day', cron('0 30 2 * * *'), 7, 86_400, 1],
    ['every leap year', cron('0 0 0 29 2 *'), 7 / 1461, null, 1],
    ['not in every four years', cron('0 0 0 ? 2 MON#5'), (15 * 7) / 146_097, null, 1],
    ['every ten minutes', cron('0 */10 * * * *'), 1008, 600, 144],
    ['every five seconds', cron('*/5 * * * * *'), 120_960, 5, 1440],
    ['Mondays', cron('0 0 6 * * MON'), 1, 604_800, 1],
    ['near to each other over midnight', cron('0 0,55 0,23 * * *'), 28, 300, 4],
    ['near to each other in hours side by side', cron('0 0,55 6,7 * * *'), 28, 300, 4],
    ['weekdays', cron('0 0 6 * * 1-5'), 5, 86_400, 1],
    ['once in four years', cron('0 0 0 29 2 *'), 7 / 1461, null, 1],
    ['six hours', { type: 'Basic', value: 6, unit: 'Hours', startTime }, 28, 21_600, 4],
    ['five hours, which wander', { type: 'Basic', value: 5, unit: 'Hours', startTime }, 33.6, 18_000, 24],
    ['two weeks', { type: 'Basic', value: 2, unit: 'Weeks', startTime }, 0.5, 1_209_600, 1],
    ['once', { type: 'Once', startTime }, 0, null, 1],
  ])('%s', (_, timing, runsPerWeek, shortestGapSeconds, times) => {
    expect(recurrenceOf(timing)).toEqual({
      runsPerWeek: expect.closeTo(runsPerWeek, 9),
      shortestGapSeconds,
    });
    expect(minutesOfDay(timing)).toHaveLength(times);
  });

  it('begins at the start time', () =>
    expect(minutesOfDay({ type: 'Basic', value: 12, unit: 'Hours', startTime })).toEqual([390, 1110]));
});

const list = (most: number) =>
  fc
    .uniqueArray(fc.nat(most), { minLength: 1, maxLength: 3 })
    .map((each) => each.sort((a, b) => a - b).join());

test('is what the list of runs says, in UTC', () => {
  fc.assert(
    fc.property(
      list(59),
      list(59),
      list(23),
      fc.constantFrom('*', '1,3', 'MON-FRI', '0'),
      (second, minute, hour, weekday) => {
        const timing = cron(`${second} ${minute} ${hour} * * ${weekday}`);
        const from = new Date('2026-02-02T00:00:00Z');
        const until = new Date('2026-02-16T00:00:00Z');
        const runs = runsBetween({ timing, timeZone: 'UTC' }, { from, until }).map((run) => run.getTime());
        const gaps = runs.slice(1).map((run, index) => (run - (runs[index] ?? 0)) / 1000);
        const { runsPerWeek, shortestGapSeconds } = recurrenceOf(timing);
        expect(runs).toHaveLength(runsPerWeek * 2);
        expect(Math.min(...gaps)).toBe(shortestGapSeconds);
        const seen = new Set(runs.map((run) => Math.floor((run % 86_400_000) / 60_000)));
        expect([...seen].sort((a, b) => a - b)).toEqual(minutesOfDay(timing));
      },
    ),
    { numRuns: 100 },
  );
});
