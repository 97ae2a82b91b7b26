import type { CloseStarts, DstAnomaly, IntervalLimit, TimeSpan } from '../model/schedule.js';
import { type Cron, gaps, nextFireDay, readCron } from './cron.js';
import { type Interval, unitMilliseconds } from './interval.js';
import { oncePerText } from './once-per-text.js';
import {
  DAY_MILLISECONDS,
  firstInstant,
  instantsOf,
  LAST_INSTANT,
  type LocalTime,
  type OffsetPeriod,
  offsetAt,
  offsetPeriods,
  readWallClock,
  steadyOffset,
  toInstant,
  writeWallClock,
} from './zone.js';

/** When a schedule runs (interface §2, Schedule). `startTime` is local time in the schedule's zone. */
export type Timing =
  | ({ readonly type: 'Basic'; readonly startTime: string } & Interval)
  | { readonly type: 'Cron'; readonly expression: string; readonly startTime: string }
  | { readonly type: 'Once'; readonly startTime: string };

export interface ZonedTiming {
  readonly timing: Timing;
  readonly timeZone: string;
}

const minute = 60_000;
const hour = 60 * minute;

/**
 * The first `count` runs at or after `from`, never before `startTime`; fewer when there are no more. The interface does
 * not say what clock changes do, so this assumes the usual: intervals of minutes and hours count real time; days and
 * weeks keep the wall clock, as cron does; a skipped time moves forward as the clocks do; a repeated time runs the first
 * time, but a cron expression for every hour runs both times. Throws RangeError for a timing or zone that the checks in
 * this folder refuse.
 */
export function nextRuns(timing: Timing, timeZone: string, from: Date, count: number): Date[] {
  return runsBetween({ timing, timeZone }, { from, until: new Date(LAST_INSTANT) }, count);
}

/** The runs in a span, at most `limit` of them. Otherwise like `nextRuns`. */
export function runsBetween(
  { timing, timeZone }: ZonedTiming,
  { from, until }: TimeSpan,
  limit = Number.POSITIVE_INFINITY,
): Date[] {
  const found: Date[] = [];
  if (limit < 1) return found;
  for (const instant of eachRun(timing, timeZone, from)) {
    if (instant >= until.getTime()) break;
    found.push(new Date(instant));
    if (found.length >= limit) break;
  }
  return found;
}

/** True when the time of a `Once` schedule has passed: the service would never run it, or run it at once. */
export function isPast(startTime: string, timeZone: string, now: Date): boolean {
  return toInstant(startTime, timeZone).getTime() <= now.getTime();
}

/** Instants in milliseconds, each later than the one before. */
function* eachRun(timing: Timing, zone: string, from: Date): Generator<number> {
  if (Number.isNaN(from.getTime())) throw new RangeError('not an instant');
  const start = readWallClock(timing.startTime);
  const earliest = Math.max(from.getTime(), firstInstant(start, zone));
  let last = Number.NEGATIVE_INFINITY;
  for (const instant of candidates(timing, zone, start, earliest)) {
    if (instant > LAST_INSTANT) return;
    // When a zone skips a whole day (Pacific/Apia, 2011), that day's run falls on the next day's.
    if (instant < earliest || instant <= last) continue;
    last = instant;
    yield instant;
  }
}

function candidates(timing: Timing, zone: string, start: LocalTime, earliest: number): Iterable<number> {
  switch (timing.type) {
    case 'Once':
      return [firstInstant(start, zone)];
    case 'Cron':
      return cronRuns(readCron(timing.expression), zone, earliest);
    case 'Basic': {
      if (!Number.isSafeInteger(timing.value) || timing.value < 1) throw new RangeError('not an interval');
      const step = timing.value * unitMilliseconds[timing.unit];
      return keepsWallClock(timing)
        ? calendarRuns(start, step, zone, earliest)
        : elapsedRuns(firstInstant(start, zone), step, earliest);
    }
    default:
      return timing satisfies never;
  }
}

/** Intervals of minutes and hours count real time; everything else keeps the wall clock. */
export function keepsWallClock(timing: Timing): boolean {
  return timing.type !== 'Basic' || timing.unit === 'Days' || timing.unit === 'Weeks';
}

function* elapsedRuns(start: number, step: number, earliest: number): Generator<number> {
  const skipped = Math.max(0, Math.ceil((earliest - start) / step));
  for (let instant = start + skipped * step; instant <= LAST_INSTANT; instant += step) yield instant;
}

function* calendarRuns(start: LocalTime, step: number, zone: string, earliest: number): Generator<number> {
  // Rounded down, because a skipped time may move past `earliest`. eachRun drops what is too early.
  const skipped = Math.max(0, Math.floor((earliest + offsetAt(zone, earliest) - start) / step));
  for (let local = start + skipped * step; local <= LAST_INSTANT - DAY_MILLISECONDS; local += step) {
    yield firstInstant(local, zone);
  }
}

function* cronRuns(cron: Cron, zone: string, earliest: number): Generator<number> {
  const earliestLocal = earliest + offsetAt(zone, earliest);
  const today = Math.floor(earliestLocal / DAY_MILLISECONDS) * DAY_MILLISECONDS;
  // Days around a clock change are sorted together: a skipped time may move into the next day.
  let near: number[] = [];
  let yesterday = today;
  // Starts yesterday for the same reason.
  for (const day of fireDays(cron, today - DAY_MILLISECONDS)) {
    const offset = steadyOffset(day, zone);
    if (offset !== null || day - yesterday > DAY_MILLISECONDS) {
      yield* near.sort((a, b) => a - b);
      near = [];
    }
    if (offset === null) for (const instant of runsOfChangeDay(cron, day, zone)) near.push(instant);
    else for (const local of timesOf(cron, day, earliest + offset)) yield local - offset;
    yesterday = day;
  }
  yield* near.sort((a, b) => a - b);
}

/** Days of the wall clock, as their midnight in local time. */
function* fireDays(cron: Cron, from: LocalTime): Generator<LocalTime> {
  let day = nextFireDay(cron, new Date(from));
  while (day !== null) {
    yield day.getTime();
    day = nextFireDay(cron, new Date(day.getTime() + DAY_MILLISECONDS));
  }
}

/** Whether it runs in both passes of a repeated hour. */
export function isForEveryHour(cron: Cron): boolean {
  return cron.hours.length === 24;
}

function* runsOfChangeDay(cron: Cron, day: LocalTime, zone: string): Generator<number> {
  const everyHour = isForEveryHour(cron);
  for (const local of timesOf(cron, day, day)) {
    const first = firstInstant(local, zone);
    yield first;
    const second = everyHour ? instantsOf(local, zone)[1] : undefined;
    if (second !== undefined) yield second;
  }
}

/** Local times of one day from `earliest` on. Hours and minutes before it are skipped as a whole. */
function* timesOf(cron: Cron, day: LocalTime, earliest: LocalTime): Generator<LocalTime> {
  for (const each of cron.hours) {
    const hourStart = day + each * hour;
    if (hourStart + hour <= earliest) continue;
    for (const inHour of cron.minutes) {
      const minuteStart = hourStart + inHour * minute;
      if (minuteStart + minute <= earliest) continue;
      for (const second of cron.seconds) yield minuteStart + second * 1000;
    }
  }
}

/** How often and at what times of day a timing runs, as if it had begun long ago and clocks never changed. */
export interface Recurrence {
  /** In an average week; 0 for what runs once. */
  readonly runsPerWeek: number;
  /** Between the two runs closest to each other; null for what runs once. */
  readonly shortestGapSeconds: number | null;
}

/** Throws RangeError for a timing that the checks in this folder refuse. */
export function recurrenceOf(timing: Timing): Recurrence {
  switch (timing.type) {
    case 'Once':
      return { runsPerWeek: 0, shortestGapSeconds: null };
    case 'Basic': {
      const step = timing.value * unitMilliseconds[timing.unit];
      return { runsPerWeek: unitMilliseconds.Weeks / step, shortestGapSeconds: step / 1000 };
    }
    case 'Cron':
      return cronRecurrence(timing.expression);
    default:
      return timing satisfies never;
  }
}

const cronRecurrence = oncePerText((expression): Recurrence => {
  const cron = readCron(expression);
  const perDay = cron.hours.length * cron.minutes.length * cron.seconds.length;
  return { runsPerWeek: perDay * cron.days.rate().perWeek, shortestGapSeconds: shortestGap(cron) };
});

/** From the last time within a minute, hour or day to the first within the next. */
function shortestGap({ seconds, minutes, hours, days }: Cron): number | null {
  let least = Number.POSITIVE_INFINITY;
  let spread = 0;
  for (const [values, unit] of [[seconds, 1] as const, [minutes, 60] as const, [hours, 3600] as const]) {
    least = Math.min(least, Math.min(...gaps(values)) * unit - spread);
    spread += ((values.at(-1) ?? 0) - (values[0] ?? 0)) * unit;
  }
  least = Math.min(least, (days.rate().shortestGap * DAY_MILLISECONDS) / 1000 - spread);
  return Number.isFinite(least) ? least : null;
}

/**
 * The most seconds between two runs that follow each other, as if clocks never changed; null for what runs once. Throws
 * RangeError like `recurrenceOf`.
 */
export function longestGapSeconds(timing: Timing): number | null {
  switch (timing.type) {
    case 'Once':
      return null;
    case 'Basic':
      return (timing.value * unitMilliseconds[timing.unit]) / 1000;
    case 'Cron':
      return longestGap(readCron(timing.expression));
    default:
      return timing satisfies never;
  }
}

/** Within a minute, hour or day, or from the last time in one to the first in the next. */
function longestGap({ seconds, minutes, hours, days }: Cron): number {
  let most = 0;
  let spread = 0;
  for (const [values, unit] of [[seconds, 1] as const, [minutes, 60] as const, [hours, 3600] as const]) {
    const widest = gaps(values).reduce((wider, each) => Math.max(wider, each), 0);
    if (widest > 0) most = Math.max(most, widest * unit - spread);
    spread += ((values.at(-1) ?? 0) - (values[0] ?? 0)) * unit;
  }
  return Math.max(most, (days.rate().longestGap * DAY_MILLISECONDS) / 1000 - spread);
}

const DAY_MINUTES = 1440;

/** The minutes of the local day in which a timing may run, in order. Throws RangeError like `recurrenceOf`. */
export function minutesOfDay(timing: Timing): number[] {
  if (timing.type === 'Cron') {
    const { hours, minutes } = readCron(timing.expression);
    return hours.flatMap((each) => minutes.map((inHour) => each * 60 + inHour));
  }
  const first = Math.floor(readWallClock(timing.startTime) / minute) % DAY_MINUTES;
  if (timing.type === 'Once') return [first];
  const step = (timing.value * unitMilliseconds[timing.unit]) / minute;
  const found = new Set<number>();
  for (let each = first; !found.has(each); each = (each + step) % DAY_MINUTES) found.add(each);
  return [...found].sort((a, b) => a - b);
}

/**
 * Scheduled times that clock changes skip or repeat, change by change. Intervals of minutes and hours have none, because
 * they count real time. A cron expression for every hour has none either. Throws RangeError like `nextRuns`.
 */
export function dstAnomalies(timing: Timing, zone: string, { from, until }: TimeSpan): DstAnomaly[] {
  if (!keepsWallClock(timing)) return [];
  if (timing.type === 'Cron' && isForEveryHour(readCron(timing.expression))) return [];
  return offsetPeriods(zone, from.getTime(), until.getTime())
    .filter((period) => period.from > from.getTime())
    .flatMap((period) => anomalyIn(period, timing));
}

/** In UTC, which has no clock changes, the timing has all of its times. */
function anomalyIn({ from: at, offset, was }: OffsetPeriod, timing: Timing): DstAnomaly[] {
  if (was === null) return [];
  const [first, last] = [at + Math.min(was, offset), at + Math.max(was, offset)];
  const times = runsBetween({ timing, timeZone: 'UTC' }, { from: new Date(first), until: new Date(last) });
  const [earliest] = times;
  if (earliest === undefined) return [];
  return [
    {
      effect: offset > was ? 'skipped' : 'repeated',
      local: writeWallClock(earliest.getTime()),
      times: times.length,
      utc: new Date(at).toISOString().replace('.000Z', 'Z'),
    },
  ];
}

/** Runs that are searched for an example. The closest two may be at the end of a month or year. */
const MOST_SEARCHED = 300;
/** How far ahead clock changes are considered. */
const YEAR_MILLISECONDS = 366 * DAY_MILLISECONDS;

/**
 * The starts closest together, if they are closer than the limit; null if none are. Costs the same however often a timing
 * runs. Throws RangeError like `nextRuns`.
 */
export function closeStarts(zoned: ZonedTiming, limit: IntervalLimit, now: Date): CloseStarts | null {
  const seconds = recurrenceOf(zoned.timing).shortestGapSeconds;
  if (seconds === null) return null;
  if (seconds < limit.seconds)
    return { seconds, example: exampleOf(zoned, seconds, now), clockChange: false };
  if (!limit.countsRealTime || !keepsWallClock(zoned.timing)) return null;
  return closeAtClockChange(zoned, { limit, usual: seconds }, now);
}

function exampleOf({ timing, timeZone }: ZonedTiming, seconds: number, now: Date): CloseStarts['example'] {
  let searched = 0;
  let before: number | null = null;
  for (const run of eachRun(timing, timeZone, now)) {
    if (before !== null && run - before <= seconds * 1000) return [new Date(before), new Date(run)];
    searched += 1;
    if (searched >= MOST_SEARCHED) return null;
    before = run;
  }
  return null;
}

/** A clock change that skips or repeats times may bring two starts closer together than they are in all other weeks. */
function closeAtClockChange(
  zoned: ZonedTiming,
  { limit, usual }: { readonly limit: IntervalLimit; readonly usual: number },
  now: Date,
): CloseStarts | null {
  const [first] = eachRun(zoned.timing, zoned.timeZone, now);
  if (first === undefined) return null;
  const found = changesAfter(zoned.timeZone, first).flatMap((period) => {
    if (period.was === null) return [];
    const reach = limit.seconds * 1000;
    const shift = Math.abs(period.offset - period.was);
    // Two starts come closer by the shift at most, and a repeated one follows after the shift. This rules out nearly all.
    if (Math.min(usual * 1000 - shift, shift) >= reach) return [];
    const from = new Date(Math.max(first, period.from - reach));
    return closest(zoned, { from, until: new Date(period.from + shift + reach) });
  });
  const [nearest] = found.toSorted((a, b) => a.seconds - b.seconds);
  return nearest !== undefined && nearest.seconds < limit.seconds ? nearest : null;
}

function changesAfter(zone: string, instant: number): OffsetPeriod[] {
  const day = Math.floor(instant / DAY_MILLISECONDS) * DAY_MILLISECONDS;
  return offsetPeriods(zone, day, day + YEAR_MILLISECONDS).filter(({ was }) => was !== null);
}

function closest(zoned: ZonedTiming, span: TimeSpan): CloseStarts[] {
  const runs = runsBetween(zoned, span);
  const pairs = runs.slice(1).map((run, index) => {
    const before = runs[index] ?? run;
    const seconds = (run.getTime() - before.getTime()) / 1000;
    return { seconds, example: [before, run], clockChange: true } as const;
  });
  return pairs.toSorted((a, b) => a.seconds - b.seconds).slice(0, 1);
}
