import { fireDaysInCycle, readCron } from './cron.js';
import type { Cron } from './cron-parse.js';
import { unitMilliseconds } from './interval.js';
import type { Timing } from './runs.js';
import { readWallClock } from './wall-clock.js';

/** How often and at what times of day a timing runs, as if it had begun long ago and clocks never changed. */
export interface Recurrence {
  /** In an average week; 0 for what runs once. */
  readonly runsPerWeek: number;
  /** Between the two runs closest to each other; null for what runs once. */
  readonly shortestGapSeconds: number | null;
  /** Minutes of the local day in which it may run, in order. */
  readonly minutesOfDay: readonly number[];
}

const dayMinutes = 1440;

/** Throws RangeError for a timing that the checks in this folder refuse. */
export function recurrenceOf(timing: Timing): Recurrence {
  switch (timing.type) {
    case 'Once':
      return { runsPerWeek: 0, shortestGapSeconds: null, minutesOfDay: [minuteOf(timing.startTime)] };
    case 'Basic': {
      const step = (timing.value * unitMilliseconds[timing.unit]) / 60_000;
      const first = minuteOf(timing.startTime);
      return {
        runsPerWeek: (7 * dayMinutes) / step,
        shortestGapSeconds: step * 60,
        // There may be many, and few callers need them.
        get minutesOfDay() {
          return minutesReached(first, step);
        },
      };
    }
    case 'Cron':
      return cronRecurrence(readCron(timing.expression));
    default:
      return timing satisfies never;
  }
}

function minuteOf(startTime: string): number {
  const minutes = Math.floor(readWallClock(startTime) / 60_000);
  return ((minutes % dayMinutes) + dayMinutes) % dayMinutes;
}

/** The minutes of the day that repeated steps reach sooner or later. */
function minutesReached(start: number, step: number): number[] {
  const found = new Set<number>();
  for (let minute = start; !found.has(minute); minute = (minute + step) % dayMinutes) found.add(minute);
  return [...found].sort((a, b) => a - b);
}

/** readCron returns the same object for the same expression, so thousands of schedules cost little. */
const known = new WeakMap<Cron, Recurrence>();

function cronRecurrence(cron: Cron): Recurrence {
  const before = known.get(cron);
  if (before !== undefined) return before;
  const { hours, minutes, seconds } = cron;
  const minutesOfDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const fire = fireDays(cron);
  const recurrence = {
    runsPerWeek: minutesOfDay.length * seconds.length * fire.perWeek,
    shortestGapSeconds: shortestGap(minutesOfDay, seconds, fire.shortestGap),
    minutesOfDay,
  };
  known.set(cron, recurrence);
  return recurrence;
}

/** 400 years, after which the calendar repeats: for what does not fire in the four years. */
const CYCLE_DAYS = 146_097;
/** Four years: one leap day, and every weekday in every month. */
const OBSERVED_DAYS = 1461;
const firstDay = Date.UTC(2024, 0, 1);
let days: readonly Date[] = [];

interface FireDays {
  readonly perWeek: number;
  /** Between the closest two; Infinity where there is only one. */
  readonly shortestGap: number;
}

/** Expressions that differ only in the time of day share their days. */
const knownDays = new WeakMap<Cron['firesOn'], FireDays>();

function fireDays(cron: Cron): FireDays {
  const before = knownDays.get(cron.firesOn);
  if (before !== undefined) return before;
  const found = observedDays(cron);
  knownDays.set(cron.firesOn, found);
  return found;
}

function observedDays(cron: Cron): FireDays {
  if (days.length === 0)
    days = Array.from({ length: OBSERVED_DAYS }, (_, day) => new Date(firstDay + day * 86_400_000));
  const found: number[] = [];
  days.forEach((day, index) => {
    if (cron.firesOn(day)) found.push(index);
  });
  const rate = found.length === 0 ? (fireDaysInCycle(cron) * 7) / CYCLE_DAYS : perWeek(found);
  return { perWeek: rate, shortestGap: Math.min(...gaps(found)) };
}

/** Exact for the same days of every week. For others the average of four years is close enough. */
function perWeek(found: readonly number[]): number {
  const weekdays = new Set(found.map((day) => day % 7));
  const whole = days.filter((_, index) => weekdays.has(index % 7)).length;
  return found.length === whole ? weekdays.size : (found.length * 7) / OBSERVED_DAYS;
}

function shortestGap(minutes: readonly number[], seconds: readonly number[], days: number): number | null {
  // From the last second of one minute to the first of the next.
  const back = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  const overnight = days * dayMinutes - (minutes.at(-1) ?? 0) + (minutes[0] ?? 0);
  const least = Math.min(...gaps(seconds), Math.min(...gaps(minutes), overnight) * 60 - back);
  return Number.isFinite(least) ? least : null;
}

function gaps(sorted: readonly number[]): number[] {
  return sorted.slice(1).map((each, index) => each - (sorted[index] ?? 0));
}
