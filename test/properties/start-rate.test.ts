import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsBetween, type Timing } from '../../src/timing/runs.js';
import { busyMinutes, startsPerMinute, type TimedLoad } from '../../src/timing/start-counts.js';
import { writeWallClock } from '../../src/timing/zone.js';
import { runs } from '../support/size.js';
import { dailyExpressions, day, hour, intlOffset, minute, timings, zonedInstants } from './timings.js';

interface Counted {
  readonly starters: readonly TimedLoad[];
  readonly from: number;
  readonly until: number;
}

/** A few schedules, one of them in a zone whose clocks are about to change, and a span that starts and ends in mid-minute. */
const counted: fc.Arbitrary<Counted> = fc
  .tuple(zonedInstants, fc.constantFrom(minute, hour, 6 * hour, 3 * day), fc.integer({ min: 0, max: 59_999 }))
  .chain(([{ zone, instant }, length, cut]) => {
    const load = (timeZone: fc.Arbitrary<string>) =>
      fc.record({ timing: startingAround(zone, instant), timeZone, starts: fc.integer({ min: 0, max: 7 }) });
    return fc.record({
      starters: fc
        .tuple(
          load(fc.constant(zone)),
          fc.array(load(zonedInstants.map((each) => each.zone)), { maxLength: 3 }),
        )
        .map(([first, rest]) => [first, ...rest]),
      from: fc.constant(instant - cut),
      until: fc.constant(instant - cut + length),
    });
  });

/** Many of them start inside the counted span, in mid-minute. */
function startingAround(zone: string, instant: number): fc.Arbitrary<Timing> {
  const host = fc
    .integer({ min: -90, max: 90 })
    .map((minutes) => writeWallClock(instant + intlOffset(zone, instant) + minutes * minute + 17_250));
  const daily = dailyExpressions.map(
    (expression): Timing => ({ type: 'Cron', expression, startTime: '1970-01-01T00:00:00' }),
  );
  return fc
    .tuple(fc.oneof(timings, daily), fc.option(host))
    .map(([timing, startTime]) => (startTime === null ? timing : { ...timing, startTime }));
}

function listed({ starters, from, until }: Counted): number[] {
  const first = Math.floor(from / minute);
  const counts = new Array<number>(Math.ceil(until / minute) - first).fill(0);
  for (const { timing, timeZone, starts } of starters) {
    const span = { from: new Date(from), until: new Date(until) };
    for (const run of runsBetween({ timing, timeZone }, span)) {
      const index = Math.floor(run.getTime() / minute) - first;
      counts[index] = (counts[index] ?? 0) + starts;
    }
  }
  return counts;
}

test('the starts counted for each minute equal the listed runs', () => {
  fc.assert(
    fc.property(counted, (each) => {
      const span = { from: new Date(each.from), until: new Date(each.until) };
      const { first, minutes } = startsPerMinute(each.starters, span);
      expect(first).toBe(Math.floor(each.from / minute) * minute);
      expect([...minutes]).toEqual(listed(each));
    }),
    { numRuns: runs(25, 1000) },
  );
});

test('the busiest minutes and their schedules equal those of the listed runs', () => {
  fc.assert(
    fc.property(counted, fc.integer({ min: 0, max: 20 }), (each, limit) => {
      const span = { from: new Date(each.from), until: new Date(each.until) };
      const { total, busiest } = busyMinutes(each.starters, span, limit, 3);
      const counts = listed(each);
      const over = counts.filter((starts) => starts > limit).sort((a, b) => b - a);
      expect(total).toBe(over.length);
      expect(busiest.map(({ starts }) => starts).sort((a, b) => b - a)).toEqual(over.slice(0, 3));
      for (const { minute: at, starts, by } of busiest) {
        const index = at.getTime() / minute - Math.floor(each.from / minute);
        expect(counts[index]).toBe(starts);
        const alone = by.map(({ load }) => listed({ ...each, starters: [load] })[index]);
        expect(by.map((part) => part.starts)).toEqual(alone);
        expect(alone.reduce((sum, part) => (sum ?? 0) + (part ?? 0), 0)).toBe(starts);
      }
    }),
    { numRuns: runs(15, 300) },
  );
});
