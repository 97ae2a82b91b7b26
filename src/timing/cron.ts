import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { type CronField, DAY_OF_MONTH, fieldsOf, type MonthDay, rewriteField } from './cron-fields.js';
import { oncePerText } from './once-per-text.js';
import { quoted, type TimingProblem } from './problem.js';
import { DAY_MILLISECONDS } from './zone.js';

/**
 * When a cron expression fires, field by field. The service does not state its dialect (interface §2: six fields, the
 * first being seconds), so this serves to refuse nonsense and for labelled previews.
 */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: CronDays;
}

/** The days on which an expression fires. A date in UTC stands for a day of the wall clock. */
interface CronDays {
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  includes(date: Date): boolean;
  /** How often there is one. */
  rate(): DayRate;
}

interface DayRate {
  /** In an average week. */
  readonly perWeek: number;
  /** Days between the closest two; Infinity where there is only one. */
  readonly shortestGap: number;
  /** Days between two that follow each other, at most; Infinity where none are in four years. */
  readonly longestGap: number;
}

/** The one spelling of an expression: upper case, single spaces. Never fails; equal texts fire alike. */
export function canonicalCron(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** Null for an expression that is wrong, or that only the service can read. */
const readableCron = oncePerText((text) =>
  formProblem(text) === null ? parseCron(canonicalCron(text)) : null,
);

/** Throws RangeError for an expression that `cronProblem` refuses because of its form. */
export function readCron(text: string): Cron {
  const cron = readableCron(text);
  if (cron === null) throw new RangeError(`not a cron expression: ${quoted(text)}`);
  return cron;
}

const example = 'Write six fields, seconds first, such as "0 30 2 * * *" for 02:30 every day.';

/** The limit of cron-parser. */
const LONGEST_CHARACTERS = 1024;

/** The macros of other cron dialects, as six fields. */
const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@daily', '0 0 0 * * *'],
  ['@midnight', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
  ['@minutely', '0 * * * * *'],
]);

/** What cron-parser accepts and roster does not: missing fields, macros, `H` (random), line breaks. */
export function formProblem(text: string): TimingProblem | null {
  const message = `${quoted(text)} is not a cron expression with six fields`;
  if (text.length > LONGEST_CHARACTERS) return { message, help: example };
  if (/[^\x20-\x7e]/.test(text))
    return { message, help: 'Write it on one line, in ASCII, with spaces between the fields.' };
  const fields = fieldsOf(text);
  const macro = macros.get(text.trim().toLowerCase());
  if (macro !== undefined) return { message, help: `Write "${macro}".` };
  if (fields.length === 5) return { message, help: `Put the seconds first: "0 ${fields.join(' ')}".` };
  if (fields.length === 7) return { message, help: `Omit the year. ${example}` };
  if (fields.length !== 6) return { message, help: example };
  if (fields.some((field) => /(^|[,/-])H/i.test(field))) {
    return { message: `${quoted(text)} fires at random times`, help: 'Replace `H` with a number.' };
  }
  return null;
}

/** Null for an expression that cannot be read. In upper case, with single spaces. */
export function parseCron(expression: string): Cron | null {
  const [second = '', minute = '', hour = '', ...dayFields] = fieldsOf(expression);
  const seconds = parsePart(`${second} 0 0 * * *`)?.seconds;
  const minutes = parsePart(`0 ${minute} 0 * * *`)?.minutes;
  const hours = parsePart(`0 0 ${hour} * * *`)?.hours;
  const days = parsePart(`0 0 0 ${dayFields.join(' ')}`)?.days;
  return seconds && minutes && hours && days ? { seconds, minutes, hours, days } : null;
}

/** Expressions consist of few different parts. */
const parsePart = oncePerText(parseAnew);

function parseAnew(expression: string): Cron | null {
  const parts = fieldsOf(expression);
  const rewritten = parts.flatMap((part, index) => rewriteField(part, index) ?? []);
  if (rewritten.length < parts.length) return null;
  const fields = parseFields(rewritten.map((field) => field.plain ?? '*').join(' '));
  if (fields === null) return null;
  const { second, minute, hour } = fields;
  const days = daysOf(fields, rewritten[DAY_OF_MONTH]);
  return { seconds: second.values, minutes: minute.values, hours: hour.values, days };
}

function parseFields(expression: string): CronFieldCollection | null {
  try {
    // The date keeps cron-parser from asking the clock.
    return CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: 0 }).fields;
  } catch (error) {
    // cron-parser throws plain errors for expressions that it cannot read, and for nothing else.
    if (error instanceof Error) return null;
    throw error;
  }
}

function daysOf(fields: CronFieldCollection, field: CronField | undefined): CronDays {
  const months = new Set<number>(fields.month.values);
  const isOneOfDays = daysOfMonth(fields, field);
  let rate: DayRate | null = null;
  const days: CronDays = {
    months,
    includes: (date) => months.has(date.getUTCMonth() + 1) && isOneOfDays(date),
    rate: () => {
      rate ??= observedRate(days);
      return rate;
    },
  };
  return days;
}

function daysOfMonth({ dayOfMonth, dayOfWeek }: CronFieldCollection, field: CronField | undefined): OnDate {
  const monthDays = field?.monthDays ?? [];
  const isAnyDay = monthDays.length === 0 && dayOfMonth.isWildcard;
  const matchesDay = matchesDayOfMonth(field?.plain == null ? null : dayOfMonth, monthDays);
  const matchesWeekday = matchesDayOfWeek(dayOfWeek);
  if (!isAnyDay) return (date) => matchesDay(date) || (!dayOfWeek.isWildcard && matchesWeekday(date));
  return dayOfWeek.isWildcard ? () => true : matchesWeekday;
}

type OnDate = (date: Date) => boolean;

function matchesDayOfMonth(
  field: CronFieldCollection['dayOfMonth'] | null,
  monthDays: readonly MonthDay[],
): OnDate {
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

function matchesDayOfWeek(field: CronFieldCollection['dayOfWeek']): OnDate {
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
  return new Date(date.getTime() + later * DAY_MILLISECONDS).getUTCMonth();
}

/** 400 years, after which the calendar repeats: an expression that has not fired by then never will. */
const CYCLE_DAYS = 146_097;

/** The first day on or after `from` (midnight in UTC, for a day of the wall clock) that the expression fires on. */
export function nextFireDay({ days }: Cron, from: Date): Date | null {
  return nextDay(days, from);
}

function nextDay(days: CronDays, from: Date): Date | null {
  const day = new Date(from);
  while (day.getTime() - from.getTime() <= CYCLE_DAYS * DAY_MILLISECONDS) {
    if (days.includes(day)) return day;
    if (days.months.has(day.getUTCMonth() + 1)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return null;
}

/** Four years: one leap day, and every weekday in every month. */
const OBSERVED_DAYS = 1461;
const FIRST_OBSERVED = Date.UTC(2024, 0, 1);

/** Of four years, or of the whole calendar for what does not fire in them. */
function observedRate(days: CronDays): DayRate {
  const found = daysAmong(days, OBSERVED_DAYS);
  if (found.length > 0) {
    const between = gaps(found);
    // The one leap day of these years.
    const longestGap = found.length === 1 ? OBSERVED_DAYS : Math.max(...between);
    return { perWeek: averagePerWeek(found), shortestGap: Math.min(...between), longestGap };
  }
  const rare = daysAmong(days, CYCLE_DAYS);
  const [shortestGap, longestGap] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { perWeek: (rare.length * 7) / CYCLE_DAYS, shortestGap, longestGap };
}

function daysAmong(days: CronDays, count: number): number[] {
  const found: number[] = [];
  for (let day = 0; day < count; day += 1)
    if (days.includes(new Date(FIRST_OBSERVED + day * DAY_MILLISECONDS))) found.push(day);
  return found;
}

/** Exact for the same days of every week. For others the average of four years is close enough. */
function averagePerWeek(found: readonly number[]): number {
  const weekdays = new Set(found.map((day) => day % 7));
  const whole = [...weekdays].reduce((sum, day) => sum + Math.ceil((OBSERVED_DAYS - day) / 7), 0);
  return found.length === whole ? weekdays.size : (found.length * 7) / OBSERVED_DAYS;
}

/** Between neighbors of a list in ascending order. */
export function gaps(sorted: readonly number[]): number[] {
  return sorted.slice(1).map((each, index) => each - (sorted[index] ?? 0));
}
