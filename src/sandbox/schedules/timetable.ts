import { CronExpressionParser } from 'cron-parser';
import { DateTime, IANAZone } from 'luxon';
import type { IntervalUnit, ScheduleSettings } from '../world.js';

/**
 * When a schedule fires (interface.md §3, Schedule types). Minutes and hours are elapsed time; days and weeks keep the
 * wall-clock time.
 */

const STEP_MS = { Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000, Weeks: 604_800_000 } as const;

export type Timing = Pick<
  ScheduleSettings,
  'scheduleType' | 'intervalValue' | 'intervalUnit' | 'cronExpression' | 'startTime' | 'timeZoneId'
>;

/** The fire times after `after`, ascending: at most `count`, none after `until`. */
export function fireTimes(timing: Timing, after: Date, count: number, until?: Date): Date[] {
  const times: Date[] = [];
  for (const time of generate(timing, after.getTime())) {
    if (times.length >= count || (until && time > until.getTime())) break;
    times.push(new Date(time));
  }
  return times;
}

function generate(timing: Timing, after: number): Iterable<number> {
  const start = startOf(timing);
  if (timing.scheduleType === 'Once') return start.toMillis() > after ? [start.toMillis()] : [];
  if (timing.scheduleType === 'Cron') return cronTimes(timing, Math.max(after, start.toMillis() - 1));
  return intervalTimes(start, timing.intervalValue ?? 1, timing.intervalUnit ?? 'Days', after);
}

function startOf(timing: Timing): DateTime {
  return DateTime.fromISO(timing.startTime, { zone: timing.timeZoneId });
}

function* cronTimes(timing: Timing, after: number): Generator<number> {
  const cron = CronExpressionParser.parse(timing.cronExpression ?? '', {
    currentDate: new Date(after),
    tz: timing.timeZoneId,
  });
  while (true) {
    try {
      yield cron.next().getTime();
    } catch {
      return; // the parser throws for an expression that never matches again
    }
  }
}

function* intervalTimes(
  start: DateTime,
  every: number,
  unit: IntervalUnit,
  after: number,
): Generator<number> {
  // Not every day has 24 hours, so start one step early.
  const passed = Math.floor((after - start.toMillis()) / (STEP_MS[unit] * every)) - 1;
  for (let step = Math.max(0, passed); ; step += 1) {
    const time = advance(start, every * step, unit);
    if (Number.isNaN(time)) return; // later than a Date can be
    if (time > after) yield time;
  }
}

function advance(start: DateTime, amount: number, unit: IntervalUnit): number {
  if (unit === 'Days') return start.plus({ days: amount }).toMillis();
  if (unit === 'Weeks') return start.plus({ weeks: amount }).toMillis();
  return start.toMillis() + amount * STEP_MS[unit];
}

/** Why a cron expression is refused, or undefined. It has six fields, the first of them for seconds (§2). */
export function cronProblem(expression: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 6) return `has ${fields.length} fields instead of six, the first of them for seconds`;
  if (fields.some((field) => /(^|[,/-])H/i.test(field))) return "uses 'H', which is not supported";
  try {
    CronExpressionParser.parse(fields.join(' '), { tz: 'UTC' });
    return undefined;
  } catch (error) {
    return `cannot be parsed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function isZone(name: string): boolean {
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);
}

const WALL_CLOCK = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,7})?)?$/;

/** A wall-clock time with seconds, or undefined if it is not one or has an offset. */
export function wallClock(text: string): string | undefined {
  if (!WALL_CLOCK.test(text) || !DateTime.fromISO(text, { zone: 'UTC' }).isValid) return undefined;
  return text.length === 16 ? `${text}:00` : text.replace(/\.0+$/, '');
}

/** The readable summary of the timing (§2, `description`). */
export function describeTiming(timing: Timing): string {
  const start = `${timing.startTime.replace('T', ' ')} ${timing.timeZoneId}`;
  if (timing.scheduleType === 'Once') return `Once at ${start}`;
  if (timing.scheduleType === 'Cron') return `Cron ${timing.cronExpression ?? ''} from ${start}`;
  return `Every ${timing.intervalValue ?? 1} ${(timing.intervalUnit ?? 'Days').toLowerCase()} from ${start}`;
}
