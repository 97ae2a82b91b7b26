import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { canonicalCron } from '../../src/timing/cron.js';
import { cronProblem } from '../../src/timing/cron-check.js';
import { everyRange, intervalProblem, parseInterval, showEvery } from '../../src/timing/interval.js';
import { nextRuns, type Timing } from '../../src/timing/runs.js';
import {
  canonicalWallClock,
  canonicalZone,
  localKind,
  toInstant,
  wallClockProblem,
  writeWallClock,
  zoneProblem,
} from '../../src/timing/zone.js';
import { show } from '../support/local-time.js';
import { runs } from '../support/size.js';

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

describe('wall-clock time', () => {
  test('a wall-clock time is normal, skipped or repeated as trying every offset says', () => {
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
      { numRuns: runs(30, 400) },
    );
  });

  test('the wall-clock time of an instant is the one that Intl shows, and converts back to the instant', () => {
    fc.assert(
      fc.property(zonedInstants, ({ zone, instant }) => {
        const local = instant + intlOffset(zone, instant);
        const text = writeWallClock(local);
        expect(show(new Date(instant), zone).slice(0, 16)).toBe(text.slice(0, 16).replace('T', ' '));
        const back = toInstant(text, zone).getTime();
        if (localKind(text, zone) === 'normal') expect(back).toBe(instant);
        else expect(back).toBeLessThanOrEqual(instant);
      }),
      { numRuns: runs(120, 2000) },
    );
  });

  test('a skipped wall-clock time moves forward by the length of the gap', () => {
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

  test('a wall-clock time has one canonical form, however many zeros its fraction ends with', () => {
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

describe('text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[0-9T:.Z+ @*/?,LHW#A-Za-z-]{0,40}$/),
  );

  test('any text is valid or reported with a message and help, and its canonical form is stable', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const problem of [
          intervalProblem(text, everyRange),
          cronProblem(text),
          wallClockProblem(text),
          zoneProblem(text),
        ]) {
          if (problem !== null) expect(problem.message.length * problem.help.length).toBeGreaterThan(0);
        }
        for (const canonical of [canonicalCron, canonicalWallClock, canonicalZone]) {
          expect(canonical(canonical(text))).toBe(canonical(text));
        }
        expect(parseInterval(text, everyRange) === null).toBe(intervalProblem(text, everyRange) !== null);
      }),
      { numRuns: runs(120, 2000) },
    );
  });

  test('an interval that is shown is parsed back to the same interval', () => {
    const unit = fc.constantFrom('Minutes', 'Hours', 'Days', 'Weeks');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), unit, (value, unit) => {
        expect(parseInterval(showEvery(value, unit), everyRange)).toEqual({ value, unit });
      }),
    );
  });

  test('a time zone may be written in any case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.infiniteStream(fc.boolean()), (zone, upper) => {
        const mixed = [...zone].map((each) => (upper.next().value ? each.toUpperCase() : each.toLowerCase()));
        expect(canonicalZone(mixed.join(''))).toBe(canonicalZone(zone));
      }),
    );
  });
});

describe('runs', () => {
  test('the runs of a cron expression in UTC are those of the cron-parser package', () => {
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
      { numRuns: runs(50, 500) },
    );
  });

  test('runs are in order, never too early, and the same from any starting point', () => {
    fc.assert(
      fc.property(timings, zonedInstants, (timing, { zone, instant }) => {
        const from = new Date(instant);
        const found = nextRuns(timing, zone, from, 6);
        const start = toInstant(timing.startTime, zone);
        found.forEach((run, index) => {
          expect(run >= from && run >= start).toBe(true);
          expect(index === 0 || run > (found[index - 1] ?? run)).toBe(true);
          const later = nextRuns(timing, zone, run, 6 - index);
          expect(later).toEqual(found.slice(index));
        });
        if (timing.type !== 'Once') expect(found).toHaveLength(6);
      }),
      { numRuns: runs(50, 500) },
    );
  });

  test('each run of a cron expression is at its wall-clock time, or moved forward from a skipped one', () => {
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
      { numRuns: runs(50, 500) },
    );
  });

  test('the runs of an interval are found by stepping from its start', () => {
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

describe('TZ', () => {
  const original = process.env['TZ'];
  afterEach(() => {
    if (original === undefined) delete process.env['TZ'];
    else process.env['TZ'] = original;
  });

  test('the time zone of the machine changes no run', () => {
    const results = ['UTC', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'].map((machine) => {
      process.env['TZ'] = machine;
      const shown: string[] = [new Date(Date.UTC(2026, 0, 1)).toString()];
      fc.assert(
        fc.property(timings, zonedInstants, (timing, { zone, instant }) => {
          for (const run of nextRuns(timing, zone, new Date(instant), 3)) shown.push(show(run, zone));
          shown.push(localKind(timing.startTime, zone), canonicalWallClock(timing.startTime));
        }),
        { numRuns: runs(20, 200), seed: 20260329 },
      );
      return shown;
    });
    expect(new Set(results.map(([here]) => here)).size).toBe(4);
    for (const [, ...shown] of results) expect(shown).toEqual(results[0]?.slice(1));
  });
});
