import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { canonicalCron, cronProblem } from '../../src/timing/cron.js';
import { everyProblem, parseEvery, showEvery } from '../../src/timing/interval.js';
import { localKind, toInstant } from '../../src/timing/offset-period.js';
import { nextRuns, type Timing } from '../../src/timing/runs.js';
import { canonicalWallClock, wallClockProblem, writeWallClock } from '../../src/timing/wall-clock.js';
import { canonicalZone, zoneProblem } from '../../src/timing/zone.js';
import { show } from '../support/local-time.js';
import {
  changes,
  day,
  expressions,
  from2005,
  intlOffset,
  minute,
  timings,
  to2037,
  zonedInstants,
  zones,
} from './timings.js';

describe('a wall-clock time', () => {
  test('is normal, skipped or repeated as trying every offset says', () => {
    const offsets = Array.from({ length: 27 * 4 + 1 }, (_, index) => (index - 12 * 4) * 15 * minute);
    fc.assert(
      fc.property(zonedInstants, ({ zone, instant }) => {
        const local = instant + intlOffset('Europe/Berlin', instant);
        const possible = offsets
          .map((offset) => local - offset)
          .filter((each) => intlOffset(zone, each) === local - each)
          .sort((a, b) => a - b);
        const text = writeWallClock(local);
        expect(localKind(text, zone)).toBe(['skipped', 'normal', 'repeated'][possible.length]);
        if (possible[0] !== undefined) expect(toInstant(text, zone).getTime()).toBe(possible[0]);
      }),
      { numRuns: 400 },
    );
  });

  test('of an instant is shown as Intl shows it, and leads back to it', () => {
    fc.assert(
      fc.property(zonedInstants, ({ zone, instant }) => {
        const local = instant + intlOffset(zone, instant);
        const text = writeWallClock(local);
        expect(show(new Date(instant), zone).slice(0, 16)).toBe(text.slice(0, 16).replace('T', ' '));
        const back = toInstant(text, zone).getTime();
        if (localKind(text, zone) === 'normal') expect(back).toBe(instant);
        else expect(back).toBeLessThanOrEqual(instant);
      }),
      { numRuns: 2000 },
    );
  });

  test('that is skipped moves on to one that is not, by less than a day and a bit', () => {
    for (const zone of zones) {
      for (const change of changes.get(zone) ?? []) {
        const gap = intlOffset(zone, change) - intlOffset(zone, change - 1000);
        if (gap <= 0) continue;
        const local = change + intlOffset(zone, change) - gap / 2;
        const text = writeWallClock(local);
        expect(localKind(text, zone)).toBe('skipped');
        const moved = toInstant(text, zone).getTime();
        expect(moved + intlOffset(zone, moved)).toBe(local + gap);
      }
    }
  });

  test('has one canonical form, whatever zeros follow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 253402300799 }),
        fc.stringMatching(/^[0-9]{0,5}$/),
        fc.integer({ min: 0, max: 4 }),
        (second, digits, zeros) => {
          const bare = writeWallClock(second * 1000);
          const fraction = `${digits}${'0'.repeat(zeros)}`;
          const text = fraction === '' ? bare : `${bare}.${fraction}`;
          expect(wallClockProblem(text)).toBeNull();
          const canonical = canonicalWallClock(text);
          expect(canonical).toBe(canonicalWallClock(digits === '' ? bare : `${bare}.${digits}`));
          expect(canonicalWallClock(canonical)).toBe(canonical);
          expect(canonical.startsWith(bare)).toBe(true);
        },
      ),
    );
  });
});

describe('any text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[0-9T:.Z+ @*/?,LHW#A-Za-z-]{0,40}$/),
  );

  test('is either fine or told to be wrong, and canonical forms are stable', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const problem of [
          everyProblem(text),
          cronProblem(text),
          wallClockProblem(text),
          zoneProblem(text),
        ]) {
          if (problem !== null) expect(problem.message.length * problem.help.length).toBeGreaterThan(0);
        }
        for (const canonical of [canonicalCron, canonicalWallClock, canonicalZone]) {
          expect(canonical(canonical(text))).toBe(canonical(text));
        }
        expect(parseEvery(text) === null).toBe(everyProblem(text) !== null);
      }),
      { numRuns: 2000 },
    );
  });

  test('of an interval is read back as it was shown', () => {
    const unit = fc.constantFrom('Minutes', 'Hours', 'Days', 'Weeks');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), unit, (value, unit) => {
        expect(parseEvery(showEvery(value, unit))).toEqual({ value, unit });
      }),
    );
  });

  test('of a zone may be in any case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.infiniteStream(fc.boolean()), (zone, upper) => {
        const mixed = [...zone].map((each) => (upper.next().value ? each.toUpperCase() : each.toLowerCase()));
        expect(canonicalZone(mixed.join(''))).toBe(canonicalZone(zone));
      }),
    );
  });
});

describe('runs', () => {
  test('of cron are those of cron-parser where no clocks change', () => {
    fc.assert(
      fc.property(
        expressions,
        fc.integer({ min: from2005 / 1000, max: to2037 / 1000 }),
        (expression, second) => {
          const from = new Date(second * 1000);
          const oracle = CronExpressionParser.parse(canonicalCron(expression), {
            tz: 'UTC',
            currentDate: new Date(from.getTime() - 1),
          });
          const timing: Timing = { type: 'Cron', expression, startTime: '1970-01-01T00:00:00' };
          const expected = oracle.take(5).map((each) => each.toDate());
          expect(nextRuns(timing, 'UTC', from, expected.length)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('come in order, not too early, and the same from wherever one begins to look', () => {
    fc.assert(
      fc.property(timings, zonedInstants, (timing, { zone, instant }) => {
        const from = new Date(instant);
        const runs = nextRuns(timing, zone, from, 6);
        const start = toInstant(timing.startTime, zone);
        runs.forEach((run, index) => {
          expect(run >= from && run >= start).toBe(true);
          expect(index === 0 || run > (runs[index - 1] ?? run)).toBe(true);
          const later = nextRuns(timing, zone, run, 6 - index);
          expect(later).toEqual(runs.slice(index));
        });
        if (timing.type !== 'Once') expect(runs).toHaveLength(6);
      }),
      { numRuns: 500 },
    );
  });

  test('of cron show a time of the expression on the wall clock, or moved on from a skipped one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        zonedInstants,
        (hour, minuteOfHour, { zone, instant }) => {
          const expression = `0 ${minuteOfHour} ${hour} * * *`;
          const timing: Timing = { type: 'Cron', expression, startTime: '1970-01-01T00:00:00' };
          for (const run of nextRuns(timing, zone, new Date(instant), 4)) {
            const local = run.getTime() + intlOffset(zone, run.getTime());
            const wanted = (hour * 60 + minuteOfHour) * minute;
            const before = intlOffset(zone, run.getTime() - 26 * 3_600_000);
            const moved = run.getTime() + before;
            expect([((local % day) + day) % day, ((moved % day) + day) % day]).toContain(wanted);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('of an interval are what stepping from the start gives', () => {
    const units = { Minutes: 1, Hours: 60 } as const;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.constantFrom('Minutes', 'Hours'),
        zonedInstants,
        fc.integer({ min: -1000, max: 5000 }),
        (value, unit, { zone, instant }, laterMinutes) => {
          const start = toInstant(writeWallClock(instant + intlOffset(zone, instant)), zone).getTime();
          const timing: Timing = {
            type: 'Basic',
            value,
            unit,
            startTime: writeWallClock(start + intlOffset(zone, start)),
          };
          const from = start + laterMinutes * minute;
          let expected = start;
          while (expected < from) expected += value * units[unit] * minute;
          expect(nextRuns(timing, zone, new Date(from), 1)).toEqual([new Date(expected)]);
        },
      ),
    );
  });
});

describe('the zone of this machine', () => {
  const original = process.env['TZ'];
  afterEach(() => {
    if (original === undefined) delete process.env['TZ'];
    else process.env['TZ'] = original;
  });

  test('changes nothing', () => {
    const results = ['UTC', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'].map((machine) => {
      process.env['TZ'] = machine;
      const shown: string[] = [new Date(Date.UTC(2026, 0, 1)).toString()];
      fc.assert(
        fc.property(timings, zonedInstants, (timing, { zone, instant }) => {
          for (const run of nextRuns(timing, zone, new Date(instant), 3)) shown.push(show(run, zone));
          shown.push(localKind(timing.startTime, zone), canonicalWallClock(timing.startTime));
        }),
        { numRuns: 200, seed: 20260329 },
      );
      return shown;
    });
    expect(new Set(results.map(([here]) => here)).size).toBe(4);
    for (const [, ...shown] of results) expect(shown).toEqual(results[0]?.slice(1));
  });
});
