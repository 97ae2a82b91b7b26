import type { CalendarDay } from '../model/calendar.js';
import type { BusyMinute, BusyMinutes, TimeSpan } from '../model/start-rate.js';
import { readCron } from './cron.js';
import type { Cron } from './cron-parse.js';
import { unitMilliseconds } from './interval.js';
import { dayLength, type OffsetPeriod, offsetPeriods, toInstant } from './offset-period.js';
import { countsRealTime, isForEveryHour, runsBetween, type Timing } from './runs.js';
import { type LocalTime, writeWallClock } from './wall-clock.js';

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
export function startsPerMinute(loads: readonly TimedLoad[], span: TimeSpan): StartCounts {
  const counter = new Counter(span);
  for (const load of joined(loads)) {
    if (load.from === undefined || load.from <= span.from) counter.add(load);
    else if (load.from < span.until) counter.addPart(load, { from: load.from, until: span.until });
  }
  return counter;
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
      const index = Math.floor((local % dayLength) / (60 * minute));
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
  if (mostInOneMinute(loads) <= limit) return { total: 0, busiest: [] };
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

/** If everything started together. In a small project that is within the limit, and nothing has to be counted. */
function mostInOneMinute(loads: readonly TimedLoad[]): number {
  return loads.reduce((sum, { timing, starts }) => {
    const runs = timing.type === 'Cron' ? readCron(timing.expression).seconds.length : 1;
    return sum + runs * starts;
  }, 0);
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

class Counter implements StartCounts {
  readonly first: number;
  readonly minutes: Float64Array;
  private readonly from: number;
  private readonly until: number;

  constructor(private readonly span: TimeSpan) {
    this.from = span.from.getTime();
    this.until = span.until.getTime();
    if (Number.isNaN(this.from) || Number.isNaN(this.until)) throw new RangeError('not a span of time');
    this.first = Math.floor(this.from / minute) * minute;
    this.minutes = new Float64Array(Math.max(0, Math.ceil((this.until - this.first) / minute)));
  }

  add(load: TimedLoad): void {
    const { timing } = load;
    if (timing.type === 'Cron') this.addCron(load, readCron(timing.expression));
    else if (timing.type === 'Basic' && countsRealTime(timing.unit))
      this.addSteps(load, (timing.value * unitMilliseconds[timing.unit]) / minute);
    else this.addListed(load, this.span);
  }

  addPart(load: TimedLoad, span: TimeSpan): void {
    const part = new Counter(span);
    part.add(load);
    const index = this.indexOf(part.first);
    part.minutes.forEach((starts, nth) => {
      if (starts > 0) this.count(index + nth, starts);
    });
  }

  /** One by one, for timings with few runs. */
  private addListed(load: TimedLoad, span: TimeSpan): void {
    for (const run of runsBetween(load, span)) this.count(this.indexOf(run.getTime()), load.starts);
  }

  /** Intervals of real time: so many minutes from one run to the next. */
  private addSteps(load: TimedLoad, step: number): void {
    const [run] = runsBetween(load, this.span, 1);
    if (run === undefined) return;
    const runs = Math.ceil((this.until - run.getTime()) / (step * minute));
    const index = this.indexOf(run.getTime());
    for (let nth = 0; nth < runs; nth += 1) this.count(index + nth * step, load.starts);
  }

  private addCron(load: TimedLoad, cron: Cron): void {
    const { timing, timeZone, starts } = load;
    const earliest = Math.max(this.from, toInstant(timing.startTime, timeZone).getTime());
    for (const period of offsetPeriods(timeZone, this.from, this.until)) {
      const part = { ...period, from: Math.max(period.from, earliest) };
      if (part.from >= part.until) continue;
      if (!isWhole(part)) this.addListed(load, { from: new Date(part.from), until: new Date(part.until) });
      else if (part.was === null) this.addSteady(cron, starts, part);
      else if (part.was < part.offset) this.addMoved(cron, starts, part, part.was);
      else if (isForEveryHour(cron)) this.addSteady(cron, starts, part);
    }
  }

  private addSteady(cron: Cron, starts: number, { from, until, offset }: OffsetPeriod): void {
    const [begin, end] = [from + offset, until + offset];
    for (let day = Math.floor(begin / dayLength) * dayLength; day < end; day += dayLength) {
      if (!cron.firesOn(new Date(day))) continue;
      if (begin <= day && day + dayLength <= end) this.addDay(cron, starts, day - offset);
      else this.addPartOfDay(cron, starts, day, { begin, end, offset });
    }
  }

  /** Counts most runs: minute by minute, and all seconds of a minute together. */
  private addDay(cron: Cron, starts: number, midnight: number): void {
    const inMinute = cron.seconds.length * starts;
    for (const hour of cron.hours) {
      const index = this.indexOf(midnight) + hour * 60;
      for (const each of cron.minutes) this.count(index + each, inMinute);
    }
  }

  private addPartOfDay(
    cron: Cron,
    starts: number,
    day: LocalTime,
    { begin, end, offset }: Readonly<Record<'begin' | 'end' | 'offset', number>>,
  ): void {
    for (const hour of cron.hours) {
      const hourStart = day + hour * 60 * minute;
      if (hourStart + 60 * minute <= begin || hourStart >= end) continue;
      for (const each of cron.minutes) {
        const local = hourStart + each * minute;
        const runs = runsWithin(cron, begin - local, end - local);
        if (runs > 0) this.count(this.indexOf(local - offset), runs * starts);
      }
    }
  }

  /** After skipped times: these and the times that the clocks show. A minute in both counts once. */
  private addMoved(cron: Cron, starts: number, { from, until, offset }: OffsetPeriod, was: number): void {
    for (let at = Math.floor(from / minute) * minute; at < until; at += minute) {
      if (!firesIn(cron, at + was) && !firesIn(cron, at + offset)) continue;
      this.count(this.indexOf(at), runsWithin(cron, from - at, until - at) * starts);
    }
  }

  private indexOf(instant: number): number {
    return Math.floor((instant - this.first) / minute);
  }

  private count(index: number, starts: number): void {
    this.minutes[index] = (this.minutes[index] ?? 0) + starts;
  }
}

/** With offsets that include seconds, as some zones had until 1972, a minute of the wall clock spans two of UTC. */
function isWhole({ offset, was }: OffsetPeriod): boolean {
  return offset % minute === 0 && (was ?? 0) % minute === 0;
}

/** Whether it fires in a minute of the wall clock. */
function firesIn(cron: Cron, local: LocalTime): boolean {
  const date = new Date(local);
  const inDay = cron.hours.includes(date.getUTCHours()) && cron.minutes.includes(date.getUTCMinutes());
  return inDay && cron.firesOn(date);
}

/** Runs of one minute between two times, in milliseconds from its beginning. */
function runsWithin({ seconds }: Cron, begin: number, end: number): number {
  if (begin <= 0 && end >= minute) return seconds.length;
  if (begin >= minute || end <= 0) return 0;
  return seconds.filter((second) => second * 1000 >= begin && second * 1000 < end).length;
}
