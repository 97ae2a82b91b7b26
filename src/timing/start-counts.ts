import type { BusyMinute, BusyMinutes, CalendarDay, TimeSpan } from '../model/schedule.js';
import { type Cron, readCron } from './cron.js';
import { type Interval, unitMilliseconds } from './interval.js';
import { isForEveryHour, keepsWallClock, runsBetween, type Timing } from './runs.js';
import { DAY_MILLISECONDS, type OffsetPeriod, offsetPeriods, toInstant, writeWallClock } from './zone.js';

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
  const counts = noStarts(from.getTime(), until.getTime());
  for (const load of loads) {
    if (load.starts <= 0) continue;
    const begin = load.from !== undefined && load.from > from ? load.from : from;
    addStarts(counts, load, { from: begin, until });
  }
  return counts;
}

function noStarts(from: number, until: number): StartCounts {
  const first = Math.floor(from / minute) * minute;
  return { first, minutes: new Float64Array(Math.max(0, Math.ceil((until - first) / minute))) };
}

/** The starts in each hour of a zone's clocks, including days without any. */
export function startsPerHour({ first, minutes }: StartCounts, zone: string): CalendarDay[] {
  const days = new Map<number, { readonly hours: number[]; readonly peaks: number[] }>();
  for (const { from, until, offset } of offsetPeriods(zone, first, first + minutes.length * minute)) {
    for (let at = from; at < until; at += minute) {
      const local = at + offset;
      const day = Math.floor(local / DAY_MILLISECONDS) * DAY_MILLISECONDS;
      const { hours, peaks } = days.get(day) ?? { hours: zeros(), peaks: zeros() };
      days.set(day, { hours, peaks });
      const index = Math.floor((local % DAY_MILLISECONDS) / (60 * minute));
      const starts = minutes[Math.floor((at - first) / minute)] ?? 0;
      hours[index] = (hours[index] ?? 0) + starts;
      peaks[index] = Math.max(peaks[index] ?? 0, starts);
    }
  }
  return [...days].map(([day, counts]) => ({ date: writeWallClock(day).slice(0, 10), ...counts }));
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
  // Every plan looks at 60,000 minutes: no call for each.
  for (let index = 0; index < minutes.length; index += 1) {
    const starts = minutes[index] ?? 0;
    if (starts > limit) over.push({ minute: new Date(first + index * minute), starts });
  }
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

function addStarts(counts: StartCounts, load: TimedLoad, span: TimeSpan): void {
  const { timing } = load;
  if (timing.type === 'Cron') addCron(counts, load, readCron(timing.expression), span);
  else if (timing.type === 'Basic' && !keepsWallClock(timing)) addSteps(counts, load, timing, span);
  else addListed(counts, load, span);
}

/** One by one, for timings with few runs. */
function addListed(counts: StartCounts, load: TimedLoad, span: TimeSpan): void {
  for (const run of runsBetween(load, span)) add(counts.minutes, indexOf(counts, run.getTime()), load.starts);
}

/** Intervals of real time: so many minutes from one run to the next. */
function addSteps(counts: StartCounts, load: TimedLoad, { value, unit }: Interval, span: TimeSpan): void {
  const [first] = runsBetween(load, span, 1);
  if (first === undefined) return;
  const step = value * unitMilliseconds[unit];
  const runs = Math.ceil((span.until.getTime() - first.getTime()) / step);
  const index = indexOf(counts, first.getTime());
  for (let run = 0; run < runs; run += 1) add(counts.minutes, index + (run * step) / minute, load.starts);
}

function addCron(counts: StartCounts, load: TimedLoad, cron: Cron, span: TimeSpan): void {
  const { timing, timeZone, starts } = load;
  const earliest = Math.max(span.from.getTime(), toInstant(timing.startTime, timeZone).getTime());
  for (const period of offsetPeriods(timeZone, earliest, span.until.getTime())) {
    const { from, until, offset, was } = period;
    if (!isWhole(period)) addListed(counts, load, { from: new Date(from), until: new Date(until) });
    else if (was === null || (was > offset && isForEveryHour(cron)))
      addMinutes(counts, cron, period, offset, starts);
    else if (was < offset) addMoved(counts, cron, period, was, starts);
  }
}

/** Skipped times run at what the clocks before the change would show. A minute that has both counts once. */
function addMoved(counts: StartCounts, cron: Cron, period: OffsetPeriod, was: number, starts: number): void {
  const [own, moved] = [period.offset, was].map((offset) => {
    const found = noStarts(period.from, period.until);
    addMinutes(found, cron, period, offset, starts);
    return found;
  });
  const index = indexOf(counts, period.from);
  own?.minutes.forEach((each, nth) => {
    add(counts.minutes, index + nth, Math.max(each, moved?.minutes[nth] ?? 0));
  });
}

/** Counts most runs: minute by minute, and all seconds of a minute together. */
function addMinutes(
  counts: StartCounts,
  cron: Cron,
  { from, until }: OffsetPeriod,
  offset: number,
  starts: number,
): void {
  const inMinute = cron.seconds.length * starts;
  const firstDay = Math.floor((from + offset) / DAY_MILLISECONDS) * DAY_MILLISECONDS;
  for (let day = firstDay; day < until + offset; day += DAY_MILLISECONDS) {
    if (!cron.days.includes(new Date(day))) continue;
    const midnight = day - offset;
    const index = indexOf(counts, midnight);
    const isInside = midnight >= from && midnight + DAY_MILLISECONDS <= until;
    for (const hour of cron.hours) {
      for (const inHour of cron.minutes) {
        const nth = hour * 60 + inHour;
        const runs = isInside ? inMinute : starts * runsWithin(cron, midnight + nth * minute, from, until);
        if (runs > 0) add(counts.minutes, index + nth, runs);
      }
    }
  }
}

function indexOf({ first }: StartCounts, instant: number): number {
  return Math.floor((instant - first) / minute);
}

function add(minutes: Float64Array, index: number, starts: number): void {
  minutes[index] = (minutes[index] ?? 0) + starts;
}

/** With offsets that include seconds, as some zones had until 1972, a minute of the wall clock spans two of UTC. */
function isWhole({ offset, was }: OffsetPeriod): boolean {
  return offset % minute === 0 && (was ?? 0) % minute === 0;
}

/** Runs in the minute from `at` that are not before `from` and before `until`. */
function runsWithin({ seconds }: Cron, at: number, from: number, until: number): number {
  if (at >= from && at + minute <= until) return seconds.length;
  return seconds.filter((second) => at + second * 1000 >= from && at + second * 1000 < until).length;
}
