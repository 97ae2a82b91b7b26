import type { TimeSpan } from '../model/start-rate.js';
import { nextFireDay, readCron } from './cron.js';
import type { Cron } from './cron-parse.js';
import { type Interval, type TimingUnit, unitMilliseconds } from './interval.js';
import { dayLength, firstInstant, instantsOf, steadyOffset, toInstant } from './offset-period.js';
import { type LocalTime, readWallClock } from './wall-clock.js';
import { offsetAt } from './zone.js';

/** When a schedule runs (interface §2, Schedule). `startTime` is local time in the schedule's zone. */
export type Timing =
  | ({ readonly type: 'Basic'; readonly startTime: string } & Interval)
  | { readonly type: 'Cron'; readonly expression: string; readonly startTime: string }
  | { readonly type: 'Once'; readonly startTime: string };

const minute = 60_000;
const hour = 60 * minute;
/** The last instant that a Date can hold. */
const lastInstant = 8.64e15;

/** A timing in its time zone. */
export interface ZonedTiming {
  readonly timing: Timing;
  readonly timeZone: string;
}

/**
 * The first `count` runs at or after `from`, never before `startTime`; fewer when there are no more. The interface does
 * not say what clock changes do, so this assumes the usual: intervals of minutes and hours count real time; days and
 * weeks keep the wall clock, as cron does; a skipped time moves forward as the clocks do; a repeated time runs the first
 * time, but a cron expression for every hour runs both times. Throws RangeError for a timing or zone that the checks in
 * this folder refuse.
 */
export function nextRuns(timing: Timing, timeZone: string, from: Date, count: number): Date[] {
  return runsBetween({ timing, timeZone }, { from, until: new Date(lastInstant) }, count);
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
export function* eachRun(timing: Timing, zone: string, from: Date): Generator<number> {
  if (Number.isNaN(from.getTime())) throw new RangeError('not an instant');
  const start = readWallClock(timing.startTime);
  const earliest = Math.max(from.getTime(), firstInstant(start, zone));
  let last = Number.NEGATIVE_INFINITY;
  for (const instant of candidates(timing, zone, start, earliest)) {
    if (instant > lastInstant) return;
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
      return basicRuns(timing, zone, start, earliest);
    }
    default:
      return timing satisfies never;
  }
}

/** Intervals of minutes and hours count real time; the others keep the wall clock. */
export function countsRealTime(unit: TimingUnit): boolean {
  return unit === 'Minutes' || unit === 'Hours';
}

function basicRuns(
  { value, unit }: Interval,
  zone: string,
  start: LocalTime,
  earliest: number,
): Iterable<number> {
  const step = value * unitMilliseconds[unit];
  if (countsRealTime(unit)) return elapsedRuns(firstInstant(start, zone), step, earliest);
  return calendarRuns(start, step, zone, earliest);
}

function* elapsedRuns(start: number, step: number, earliest: number): Generator<number> {
  const skipped = Math.max(0, Math.ceil((earliest - start) / step));
  for (let instant = start + skipped * step; instant <= lastInstant; instant += step) yield instant;
}

function* calendarRuns(start: LocalTime, step: number, zone: string, earliest: number): Generator<number> {
  // Rounded down, because a skipped time may move past `earliest`. eachRun drops what is too early.
  const skipped = Math.max(0, Math.floor((earliest + offsetAt(zone, earliest) - start) / step));
  for (let local = start + skipped * step; local <= lastInstant - dayLength; local += step) {
    yield firstInstant(local, zone);
  }
}

function* cronRuns(cron: Cron, zone: string, earliest: number): Generator<number> {
  const earliestLocal = earliest + offsetAt(zone, earliest);
  const today = Math.floor(earliestLocal / dayLength) * dayLength;
  // Days around a clock change are sorted together: a skipped time may move into the next day.
  let near: number[] = [];
  let yesterday = today;
  // Starts yesterday for the same reason.
  for (const day of fireDays(cron, today - dayLength)) {
    const offset = steadyOffset(day, zone);
    if (offset !== null || day - yesterday > dayLength) {
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
    day = nextFireDay(cron, new Date(day.getTime() + dayLength));
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
