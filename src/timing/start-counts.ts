import type { TimeSpan } from '../model/start-rate.js';
import { type Cron, readCron } from './cron.js';
import { dayLength, type OffsetPeriod, offsetPeriods, toInstant } from './offset-period.js';
import { isForEveryHour, runsBetween, type Timing } from './runs.js';
import type { LocalTime } from './wall-clock.js';

/** What starts agents, and when. */
export interface TimedLoad {
  readonly timing: Timing;
  readonly timeZone: string;
  /** How many agents each run starts at once. */
  readonly starts: number;
}

/** How many agents start in each minute of UTC, from the minute on that begins at `first`, in milliseconds. */
export interface StartCounts {
  readonly first: number;
  /** Not integers of 32 bits: a few schedules that fire every second for large groups go beyond those. */
  readonly minutes: Float64Array;
}

const minute = 60_000;

/**
 * Counts starts by the runs that `runsBetween` lists, without listing them: thousands of schedules over weeks have
 * millions of runs. 8 bytes for each minute of the span. Throws RangeError as `nextRuns` does.
 */
export function startsPerMinute(starters: readonly TimedLoad[], span: TimeSpan): StartCounts {
  const counter = new Counter(span);
  for (const starter of starters) if (starter.starts > 0) counter.add(starter);
  return counter;
}

/** Between two times of the wall clock. */
interface Part {
  readonly begin: LocalTime;
  readonly end: LocalTime;
  readonly offset: number;
}

class Counter implements StartCounts {
  readonly first: number;
  readonly minutes: Float64Array;
  private readonly from: number;
  private readonly until: number;
  private readonly periods = new Map<string, readonly OffsetPeriod[]>();

  constructor(private readonly span: TimeSpan) {
    this.from = span.from.getTime();
    this.until = span.until.getTime();
    if (Number.isNaN(this.from) || Number.isNaN(this.until)) throw new RangeError('not a span of time');
    this.first = Math.floor(this.from / minute) * minute;
    this.minutes = new Float64Array(Math.max(0, Math.ceil((this.until - this.first) / minute)));
  }

  add(starter: TimedLoad): void {
    const { timing } = starter;
    if (timing.type === 'Cron') this.addCron(starter, readCron(timing.expression));
    else if (timing.type === 'Basic' && timing.unit === 'Minutes') this.addSteps(starter, timing.value);
    else if (timing.type === 'Basic' && timing.unit === 'Hours') this.addSteps(starter, timing.value * 60);
    else this.addListed(starter, this.span);
  }

  /** One by one: for what has few runs. */
  private addListed({ timing, timeZone, starts }: TimedLoad, { from, until }: TimeSpan): void {
    for (const run of runsBetween(timing, timeZone, from, until, Number.POSITIVE_INFINITY)) {
      this.count(this.indexOf(run.getTime()), starts);
    }
  }

  /** Intervals of real time: so many minutes from one run to the next. */
  private addSteps({ timing, timeZone, starts }: TimedLoad, step: number): void {
    const [run] = runsBetween(timing, timeZone, this.span.from, this.span.until, 1);
    if (run === undefined) return;
    const runs = Math.ceil((this.until - run.getTime()) / (step * minute));
    const index = this.indexOf(run.getTime());
    for (let nth = 0; nth < runs; nth += 1) this.count(index + nth * step, starts);
  }

  private addCron(starter: TimedLoad, cron: Cron): void {
    const { timing, timeZone, starts } = starter;
    const earliest = Math.max(this.from, toInstant(timing.startTime, timeZone).getTime());
    for (const period of this.offsetPeriods(timeZone)) {
      const cut = { ...period, from: Math.max(period.from, earliest) };
      if (cut.from >= cut.until) continue;
      if (!isWhole(cut)) this.addListed(starter, { from: new Date(cut.from), until: new Date(cut.until) });
      else if (cut.was === null) this.addSteady(cron, starts, cut);
      else if (cut.was < cut.offset) this.addMoved(cron, starts, cut, cut.was);
      else if (isForEveryHour(cron)) this.addSteady(cron, starts, cut);
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

  /** Nearly all that is counted is counted here: minute by minute, the seconds of one count together. */
  private addDay(cron: Cron, starts: number, midnight: number): void {
    const inMinute = cron.seconds.length * starts;
    for (const hour of cron.hours) {
      const index = this.indexOf(midnight) + hour * 60;
      for (const each of cron.minutes) this.count(index + each, inMinute);
    }
  }

  private addPartOfDay(cron: Cron, starts: number, day: LocalTime, { begin, end, offset }: Part): void {
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

  /** After a gap: the skipped times, and those that the clocks show. What runs for either reason runs once. */
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

  /** Schedules share few zones. */
  private offsetPeriods(zone: string): readonly OffsetPeriod[] {
    const known = this.periods.get(zone) ?? offsetPeriods(zone, this.from, this.until);
    this.periods.set(zone, known);
    return known;
  }
}

/** Offsets with seconds, which some zones had until 1972, put one minute of the wall clock into two of UTC. */
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
