import { CronExpressionParser } from 'cron-parser';
import { DAY_OF_MONTH, type MonthDay, rewriteField } from './cron-syntax.js';
import { type Fields, plainFields } from './plain-cron.js';

/**
 * When a cron expression fires, field by field. The service does not state its dialect (interface §2: six fields, the
 * first being seconds), so this serves to refuse nonsense and for labelled previews.
 */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** `date` in UTC stands for a day of the wall clock. */
  firesOn(date: Date): boolean;
}

export function fieldsOf(text: string): string[] {
  return text.split(' ').filter((field) => field !== '');
}

/** Caches expressions and their parts: parsing is slow, and projects repeat them many times. */
const known = { expressions: new Map<string, Cron | null>(), parts: new Map<string, Cron | null>() };
const MOST_KNOWN = 1000;

function remembered(
  list: Map<string, Cron | null>,
  expression: string,
  read: (expression: string) => Cron | null,
): Cron | null {
  const before = list.get(expression);
  if (before !== undefined) return before;
  const cron = read(expression);
  if (list.size >= MOST_KNOWN) list.clear();
  list.set(expression, cron);
  return cron;
}

/** Null for an expression that cannot be read. In upper case, with single spaces. */
export function parse(expression: string): Cron | null {
  return remembered(known.expressions, expression, parseAnew);
}

/** Each time field by itself, and the days together: thousands of different expressions consist of few different parts. */
function parseAnew(expression: string): Cron | null {
  const [second = '', minute = '', hour = '', ...days] = fieldsOf(expression);
  const [seconds, minutes, hours, fires] = [
    `${second} 0 0 * * *`,
    `0 ${minute} 0 * * *`,
    `0 0 ${hour} * * *`,
    `0 0 0 ${days.join(' ')}`,
  ].map((part) => remembered(known.parts, part, parsePart));
  if (!seconds || !minutes || !hours || !fires) return null;
  const { months, firesOn } = fires;
  return { seconds: seconds.seconds, minutes: minutes.minutes, hours: hours.hours, months, firesOn };
}

function parsePart(expression: string): Cron | null {
  const parts = fieldsOf(expression);
  const rewritten = parts.flatMap((part, index) => rewriteField(part, index) ?? []);
  if (rewritten.length < parts.length) return null;
  const plain = rewritten.map((field) => field.plain ?? '*');
  const fields = plainFields(plain) ?? parseFields(plain.join(' '));
  if (fields === null) return null;
  const { second, minute, hour, month, dayOfWeek } = fields;
  const months = new Set<number>(month.values);
  const monthDays = rewritten[DAY_OF_MONTH]?.monthDays ?? [];
  const isAnyDay = monthDays.length === 0 && fields.dayOfMonth.isWildcard;
  const matchesDay = matchesDayOfMonth(
    rewritten[DAY_OF_MONTH]?.plain == null ? null : fields.dayOfMonth,
    monthDays,
  );
  const matchesWeekday = matchesDayOfWeek(dayOfWeek);
  return {
    seconds: second.values,
    minutes: minute.values,
    hours: hour.values,
    months,
    firesOn: (date) => {
      if (!months.has(date.getUTCMonth() + 1)) return false;
      if (isAnyDay) return dayOfWeek.isWildcard || matchesWeekday(date);
      return matchesDay(date) || (!dayOfWeek.isWildcard && matchesWeekday(date));
    },
  };
}

type OnDate = (date: Date) => boolean;

function matchesDayOfMonth(field: Fields['dayOfMonth'] | null, monthDays: readonly MonthDay[]): OnDate {
  const days = new Set<number | string>(field?.values ?? []);
  return (date) =>
    days.has(date.getUTCDate()) ||
    (field?.hasLastChar === true && monthOf(date, 1) !== date.getUTCMonth()) ||
    monthDays.some((each) => dayIn(date, each) === date.getUTCDate());
}

/** The day of the date's month that is meant; null when that month has none. */
function dayIn(date: Date, monthDay: MonthDay): number | null {
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const day = monthDay.type === 'beforeLast' ? last - monthDay.before : monthDay.day;
  if (day < 1 || day > last) return null;
  const nearest = monthDay.type === 'nearestWeekday' || monthDay.weekday;
  return nearest ? day + toWeekday(new Date(date).setUTCDate(day), day, last) : day;
}

/** How many days to the nearest weekday of the same month. */
function toWeekday(instant: number, day: number, last: number): number {
  const weekday = new Date(instant).getUTCDay();
  if (weekday === 6) return day === 1 ? 2 : -1;
  if (weekday === 0) return day === last ? -2 : 1;
  return 0;
}

function matchesDayOfWeek(field: Fields['dayOfWeek']): OnDate {
  const weekdays = new Set<number | string>(field.values);
  return (date) => {
    const weekday = date.getUTCDay();
    const nth = field.nthDay <= 0 || Math.ceil(date.getUTCDate() / 7) === field.nthDay;
    if (weekdays.has(weekday) && nth) return true;
    const isNamedLast = weekdays.has(`${weekday}L`) || (weekday === 0 && weekdays.has('7L'));
    return isNamedLast && monthOf(date, 7) !== date.getUTCMonth();
  };
}

/** The month, 0 to 11, that many days later. */
function monthOf(date: Date, later: number): number {
  return new Date(date.getTime() + later * 86_400_000).getUTCMonth();
}

function parseFields(expression: string): Fields | null {
  try {
    // The date keeps cron-parser from asking the clock.
    return CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: new Date(0) }).fields;
  } catch (error) {
    // cron-parser throws plain errors for expressions that it cannot read, and for nothing else.
    if (error instanceof Error) return null;
    throw error;
  }
}
