import type { CalendarDay } from '../model/calendar.js';
import type { BusyMinute, BusyMinutes, TimeSpan } from '../model/start-rate.js';
import { type Cron, readCron } from './cron.js';
import { type Interval, unitMilliseconds } from './interval.js';
import { toInstant, writeWallClock } from './local-time.js';
import { isForEveryHour, keepsWallClock, runsBetween, type Timing } from './runs.js';
import { DAY_MILLISECONDS, type OffsetPeriod, offsetPeriods } from './zone.js';

/** What starts agents, and when. */
export interface TimedLoad {
  readonly timing: Timing;
  readonly timeZone: string;
  /** How many agents each run starts at once. */
  readonly starts: number;
  /** Nothing starts before. Default: since ever. */
  readonly from?: Date | undefined;
}

/** How many agents start in each minute of UTC. The first minute begins at `first`, in milliseconds. */
export interface StartCounts {
  readonly first: number;
  /** More than 32 bits: a few schedules that run every second for large groups exceed them. */
  readonly minutes: Float64Array;
}

const minute = 60_000;

/**
 * Counts the runs that `runsBetween` would list without listing them, because thousands of schedules have millions of
 * runs in a few weeks. Needs 8 bytes for each minute of the span. Throws RangeError like `nextRuns`.
 */
export function startsPerMinute(loads: readonly TimedLoad[], { from, until }: TimeSpan): StartCounts {
  if (Number.isNaN(from.getTime()) || Number.isNaN(until.getTime()))
    throw new RangeError('not a span of time');
  const first = Math.floor(from.getTime() / minute) * minute;
  const minutes = new Float64Array(Math.max(0, Math.ceil((until.getTime() - first) / minute)));
  for (const load of joined(loads)) {
    const begin = load.from !== undefined && load.from > from ? load.from : from;
    eachStart(load, { from: begin, until }, (instant, runs) => {
      const index = Math.floor((instant - first) / minute);
      minutes[index] = (minutes[index] ?? 0) + runs * load.starts;
    });
  }
  return { first, minutes };
}

/** Projects repeat their timings: all that start at the same times are counted together. */
function joined(loads: readonly TimedLoad[]): Iterable<TimedLoad> {
  const byTimes = new Map<string, TimedLoad & { starts: number }>();
  for (const { timing, timeZone, starts, from } of loads) {
    if (!(starts > 0)) continue;
    const key = `${timeZone} ${timing.type} ${timing.startTime} ${rhythmOf(timing)} ${from?.getTime()}`;
    const same = byTimes.get(key);
    if (same === undefined) byTimes.set(key, { timing, timeZone, starts, from });
    else same.starts += starts;
  }
  return byTimes.values();
}

function rhythmOf(timing: Timing): string {
  if (timing.type === 'Cron') return timing.expression;
  return timing.type === 'Basic' ? `${timing.value} ${timing.unit}` : '';
}

/** The starts in each hour of a zone's clocks, including days without any. */
export function startsPerHour({ first, minutes }: StartCounts, zone: string): CalendarDay[] {
  const days = new Map<string, { readonly hours: number[]; readonly peaks: number[] }>();
  for (const { from, until, offset } of offsetPeriods(zone, first, first + minutes.length * minute)) {
    for (let at = from; at < until; at += minute) {
      const local = at + offset;
      const date = writeWallClock(local).slice(0, 10);
      const { hours, peaks } = days.get(date) ?? { hours: zeros(), peaks: zeros() };
      days.set(date, { hours, peaks });
      const index = Math.floor((local % DAY_MILLISECONDS) / (60 * minute));
      const starts = minutes[Math.floor((at - first) / minute)] ?? 0;
      hours[index] = (hours[index] ?? 0) + starts;
      peaks[index] = Math.max(peaks[index] ?? 0, starts);
    }
  }
  return [...days].map(([date, counts]) => ({ date, ...counts }));
}

function zeros(): number[] {
  return new Array<number>(24).fill(0);
}

/** The minutes in which more than `limit` agents start. What starts them is only determined for the `shown` busiest. */
export function busyMinutes<T extends TimedLoad>(
  loads: readonly T[],
  span: TimeSpan,
  limit: number,
  shown: number,
): BusyMinutes<T> {
  const { first, minutes } = startsPerMinute(loads, span);
  const over: { minute: Date; starts: number }[] = [];
  minutes.forEach((starts, index) => {
    if (starts > limit) over.push({ minute: new Date(first + index * minute), starts });
  });
  // Sorting is stable: equal minutes stay in order of time.
  const busiest = over.toSorted((a, b) => b.starts - a.starts).slice(0, shown);
  const inOrder = busiest.sort((a, b) => a.minute.getTime() - b.minute.getTime());
  return { total: over.length, busiest: inOrder.map((each) => withLoads(each, loads, span)) };
}

function withLoads<T extends TimedLoad>(
  busy: Omit<BusyMinute<T>, 'by'>,
  loads: readonly T[],
  { from, until }: TimeSpan,
): BusyMinute<T> {
  const begin = busy.minute.getTime();
  const within = {
    from: new Date(Math.max(begin, from.getTime())),
    until: new Date(Math.min(begin + minute, until.getTime())),
  };
  const by = loads.flatMap((load) => {
    const starts = startsPerMinute([load], within).minutes[0] ?? 0;
    return starts > 0 ? [{ load, starts }] : [];
  });
  return { ...busy, by };
}

/** Takes runs of one minute, and an instant in that minute. */
type Count = (instant: number, runs: number) => void;

function eachStart(load: TimedLoad, span: TimeSpan, count: Count): void {
  const { timing } = load;
  if (timing.type === 'Cron') countCron(load, readCron(timing.expression), span, count);
  else if (timing.type === 'Basic' && !keepsWallClock(timing)) countSteps(load, timing, span, count);
  else countListed(load, span, count);
}

/** One by one, for timings with few runs. */
function countListed(load: TimedLoad, span: TimeSpan, count: Count): void {
  for (const run of runsBetween(load, span)) count(run.getTime(), 1);
}

/** Intervals of real time: the same step from each run to the next. */
function countSteps(load: TimedLoad, { value, unit }: Interval, span: TimeSpan, count: Count): void {
  const step = value * unitMilliseconds[unit];
  const [first] = runsBetween(load, span, 1);
  if (first === undefined) return;
  for (let run = first.getTime(); run < span.until.getTime(); run += step) count(run, 1);
}

function countCron(load: TimedLoad, cron: Cron, span: TimeSpan, count: Count): void {
  const { timing, timeZone } = load;
  const earliest = Math.max(span.from.getTime(), toInstant(timing.startTime, timeZone).getTime());
  for (const period of offsetPeriods(timeZone, earliest, span.until.getTime())) {
    const { from, until, offset, was } = period;
    if (!isWhole(period)) countListed(load, { from: new Date(from), until: new Date(until) }, count);
    else if (was === null || (was > offset && isForEveryHour(cron))) eachMinute(cron, period, offset, count);
    else if (was < offset) countMoved(cron, period, was, count);
  }
}

/** Skipped times run as the clocks before the change show. A minute in both counts once. */
function countMoved(cron: Cron, period: OffsetPeriod, was: number, count: Count): void {
  const found = new Map<number, number>();
  for (const offset of [was, period.offset])
    eachMinute(cron, period, offset, (instant, runs) => found.set(instant, runs));
  for (const [instant, runs] of found) count(instant, runs);
}

/** Counts most runs: minute by minute, and all seconds of a minute together. */
function eachMinute(cron: Cron, period: OffsetPeriod, offset: number, count: Count): void {
  const [begin, end] = [period.from + offset, period.until + offset];
  const first = Math.floor(begin / DAY_MILLISECONDS) * DAY_MILLISECONDS;
  for (let day = first; day < end; day += DAY_MILLISECONDS) {
    if (!cron.firesOn(new Date(day))) continue;
    for (const hour of cron.hours) {
      for (const inHour of cron.minutes) {
        const local = day + (hour * 60 + inHour) * minute;
        const runs = runsWithin(cron, begin - local, end - local);
        if (runs > 0) count(local - offset, runs);
      }
    }
  }
}

/** With offsets that include seconds, as some zones had until 1972, a minute of the wall clock spans two of UTC. */
function isWhole({ offset, was }: OffsetPeriod): boolean {
  return offset % minute === 0 && (was ?? 0) % minute === 0;
}

/** Runs of one minute between two times, in milliseconds from its beginning. */
function runsWithin({ seconds }: Cron, begin: number, end: number): number {
  if (begin <= 0 && end >= minute) return seconds.length;
  return seconds.filter((second) => second * 1000 >= begin && second * 1000 < end).length;
}
