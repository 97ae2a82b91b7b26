import type { IntervalUnit, ScheduleSettings } from '../world.js';
import { type Cron, parseCron } from './cron.js';
import { firstInstant, instantsOf, localTime, offsetAt, steadyOffset } from './zone.js';

/**
 * When a schedule fires (interface.md §2, Schedule). What clock changes do is not stated. Here minutes and hours are elapsed
 * time; days, weeks and cron keep the wall-clock time; a skipped time moves forward as the clocks do; a repeated time
 * counts once, except for a cron expression for every hour.
 */

const STEP_MS = { Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000, Weeks: 604_800_000 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The last local time that is a date in every zone. */
const LAST = 8.64e15 - 2 * DAY_MS;
/** The calendar repeats: an expression that has not fired by then never will. */
const CYCLE_DAYS = 146_097;

export type Timing = Pick<
  ScheduleSettings,
  'scheduleType' | 'intervalValue' | 'intervalUnit' | 'cronExpression' | 'startTime' | 'timeZoneId'
>;

/** The fire times after `after`, ascending: at most `count`, none after `until`. */
export function fireTimes(timing: Timing, after: Date, count: number, until?: Date): Date[] {
  const times: Date[] = [];
  let last = after.getTime();
  for (const time of candidates(timing, after.getTime())) {
    if (times.length >= count || time > (until?.getTime() ?? LAST)) break;
    // Two local times can be one instant when clocks are set forward.
    if (time <= last) continue;
    last = time;
    times.push(new Date(time));
  }
  return times;
}

/** Ascending; may begin with times that are not after `after`. */
function candidates(timing: Timing, after: number): Iterable<number> {
  const { scheduleType, timeZoneId: zone } = timing;
  const start = localTime(timing.startTime);
  if (scheduleType === 'Once') return [firstInstant(zone, start)];
  if (scheduleType === 'Basic') {
    const unit = timing.intervalUnit ?? 'Days';
    return intervalTimes(zone, start, { unit, step: STEP_MS[unit] * (timing.intervalValue ?? 1) }, after);
  }
  const first = firstInstant(zone, start);
  return cronTimes(zone, known(timing.cronExpression ?? ''), Math.max(after + 1, first));
}

interface Interval {
  readonly unit: IntervalUnit;
  readonly step: number;
}

function* intervalTimes(
  zone: string,
  start: number,
  { unit, step }: Interval,
  after: number,
): Generator<number> {
  const isElapsed = unit === 'Minutes' || unit === 'Hours';
  const first = isElapsed ? firstInstant(zone, start) : start;
  const from = isElapsed ? after : after + offsetAt(zone, after) - DAY_MS;
  const skipped = Math.max(0, Math.floor((from - first) / step));
  for (let time = first + skipped * step; time <= LAST; time += step) {
    yield isElapsed ? time : firstInstant(zone, time);
  }
}

function* cronTimes(zone: string, cron: Cron, from: number): Generator<number> {
  const today = Math.floor((from + offsetAt(zone, from)) / DAY_MS) * DAY_MS;
  // From two days before: a time that is skipped may move into the next day.
  for (const { day, steady } of cronDays(zone, cron, today - 2 * DAY_MS)) {
    const times =
      steady === undefined ? changeDayTimes(zone, cron, day) : steadyTimes(cron, day, steady, from);
    for (const time of times) if (time >= from) yield time;
  }
}

/** The days that an expression fires on. */
function* cronDays(
  zone: string,
  cron: Cron,
  from: number,
): Generator<{ day: number; steady: number | undefined }> {
  let idle = 0;
  for (let day = from; day <= LAST && idle <= CYCLE_DAYS; day += DAY_MS) {
    idle += 1;
    if (!cron.matchesDay(new Date(day))) continue;
    idle = 0;
    yield { day, steady: steadyOffset(zone, day) };
  }
}

function* steadyTimes(cron: Cron, day: number, offset: number, from: number): Generator<number> {
  for (const hour of cron.hours) {
    const start = day + hour * HOUR_MS - offset;
    if (start + HOUR_MS <= from) continue;
    for (const minute of cron.minutes) {
      for (const second of cron.seconds) yield start + minute * 60_000 + second * 1_000;
    }
  }
}

/** Near a clock change, the order of local times is not the order of instants. */
function changeDayTimes(zone: string, cron: Cron, day: number): number[] {
  const isForEveryHour = cron.hours.length === 24;
  const times: number[] = [];
  for (const local of steadyTimes(cron, day, 0, Number.NEGATIVE_INFINITY)) {
    const [first, second] = instantsOf(zone, local);
    times.push(first ?? firstInstant(zone, local));
    if (isForEveryHour && second !== undefined) times.push(second);
  }
  return times.sort((a, b) => a - b);
}

const parsed = new Map<string, Cron>();
const MOST_PARSED = 1_000;

function known(expression: string): Cron {
  const before = parsed.get(expression);
  if (before !== undefined) return before;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  const cron = parseCron(expression);
  parsed.set(expression, cron);
  return cron;
}

/** Why a cron expression is refused, or undefined. */
export function cronProblem(expression: string): string | undefined {
  try {
    known(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The readable summary of the timing (§2, `description`). */
export function describeTiming(timing: Timing): string {
  const start = `${timing.startTime.replace('T', ' ')} ${timing.timeZoneId}`;
  if (timing.scheduleType === 'Once') return `Once at ${start}`;
  if (timing.scheduleType === 'Cron') return `Cron ${timing.cronExpression ?? ''} from ${start}`;
  return `Every ${timing.intervalValue ?? 1} ${(timing.intervalUnit ?? 'Days').toLowerCase()} from ${start}`;
}
