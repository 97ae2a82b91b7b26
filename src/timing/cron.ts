import { CronExpressionParser } from 'cron-parser';
import { quoted, type TimingProblem } from './problem.js';

/**
 * When a cron expression fires, field by field, as cron-parser reads it. The service does not state its dialect
 * (interface §2: six fields, the first being seconds), so this serves to refuse nonsense and for labelled previews.
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

const fieldNames = ['second', 'minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const;
const ranges = ['0-59', '0-59', '0-23', '1-31', '1-12 or JAN-DEC', '0-7 or SUN-SAT'] as const;
const example = 'Write six fields, seconds first, such as "0 30 2 * * *" for 02:30 every day.';

const number = String.raw`\d+`;
const months = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const weekdays = 'SUN|MON|TUE|WED|THU|FRI|SAT';
/** What each field may contain between its signs. cron-parser replaces names anywhere, even in 0MON. */
const words = [
  number,
  number,
  number,
  `${number}|L`,
  `${number}|${months}`,
  `(?:${number}|${weekdays})L?`,
].map((word) => new RegExp(`^(?:[*?]|${word})$`));

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

/**
 * Why an expression is not valid in a manifest; null when it is. A valid one always fires: cron-parser refuses days that
 * do not occur in the given months, and any other day comes within 40 years.
 */
export function cronProblem(text: string): TimingProblem | null {
  const problem = formProblem(text);
  if (problem !== null || parse(canonicalCron(text)) !== null) return problem;
  return fieldProblem(text);
}

/** The one spelling of an expression: upper case, single spaces. Never fails; equal texts fire alike. */
export function canonicalCron(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** Throws RangeError for an expression that `cronProblem` refuses because of its form. */
export function readCron(text: string): Cron {
  const cron = formProblem(text) === null ? parse(canonicalCron(text)) : null;
  if (cron === null) throw new RangeError(`not a cron expression: ${quoted(text)}`);
  return cron;
}

/** The calendar repeats after 400 years: an expression that has not fired by then never will. */
const CALENDAR_CYCLE_MILLISECONDS = 146_097 * 86_400_000;

/** The first day on or after `from` (midnight in UTC, for a day of the wall clock) that the expression fires on. */
export function nextFireDay(cron: Cron, from: Date): Date | null {
  const day = new Date(from);
  while (day.getTime() - from.getTime() <= CALENDAR_CYCLE_MILLISECONDS) {
    if (cron.firesOn(day)) return day;
    if (cron.months.has(day.getUTCMonth() + 1)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return null;
}

/** What cron-parser accepts and roster does not: missing fields, macros, `H` (random), line breaks. */
function formProblem(text: string): TimingProblem | null {
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

/** Which field is wrong. cron-parser does not say, so each field is tried alone. */
function fieldProblem(text: string): TimingProblem {
  const alone = ['0', '0', '0', '*', '*', '*'];
  const bad = fieldsOf(canonicalCron(text)).findIndex(
    (field, index) => parse(alone.with(index, field).join(' ')) === null,
  );
  const message = `${quoted(text)} is not a cron expression`;
  const together =
    'Each field is valid, but the combination never occurs: check that the month has that day.';
  if (bad === -1) return { message, help: together };
  return {
    message: `${message}: its ${fieldNames[bad]} field is not valid`,
    help: `Valid values are ${ranges[bad]}, *, lists (1,2), ranges (1-5, low to high) and steps (*/5).`,
  };
}

function fieldsOf(text: string): string[] {
  return text.split(' ').filter((field) => field !== '');
}

/** Expressions read before. Projects repeat a few expressions many times, and parsing is slow. */
const known = new Map<string, Cron | null>();
const MOST_KNOWN = 1000;

function parse(expression: string): Cron | null {
  const before = known.get(expression);
  if (before !== undefined) return before;
  const cron = parseAnew(expression);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(expression, cron);
  return cron;
}

function parseAnew(expression: string): Cron | null {
  const isValid = fieldsOf(expression).every((field, index) =>
    field.split(/[,/#-]/).every((word) => words[index]?.test(word) ?? false),
  );
  const fields = isValid ? parseFields(expression) : null;
  if (fields === null) return null;
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = fields;
  const months = new Set<number>(month.values);
  const days = new Set<number | string>(dayOfMonth.values);
  const weekdays = new Set<number | string>(dayOfWeek.values);

  const matchesDay = (date: Date) =>
    days.has(date.getUTCDate()) || (dayOfMonth.hasLastChar && monthOf(date, 1) !== date.getUTCMonth());
  const matchesWeekday = (date: Date) => {
    const weekday = date.getUTCDay();
    const nth = dayOfWeek.nthDay <= 0 || Math.ceil(date.getUTCDate() / 7) === dayOfWeek.nthDay;
    if (weekdays.has(weekday) && nth) return true;
    const isLast = monthOf(date, 7) !== date.getUTCMonth();
    return isLast && (weekdays.has(`${weekday}L`) || (weekday === 0 && weekdays.has('7L')));
  };
  return {
    seconds: second.values,
    minutes: minute.values,
    hours: hour.values,
    months,
    firesOn: (date) => {
      if (!months.has(date.getUTCMonth() + 1)) return false;
      if (dayOfMonth.isWildcard) return dayOfWeek.isWildcard || matchesWeekday(date);
      return matchesDay(date) || (!dayOfWeek.isWildcard && matchesWeekday(date));
    },
  };
}

/** The month, 0 to 11, that many days later. */
function monthOf(date: Date, later: number): number {
  return new Date(date.getTime() + later * 86_400_000).getUTCMonth();
}

function parseFields(expression: string) {
  try {
    // The date keeps cron-parser from asking the clock.
    return CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: new Date(0) }).fields;
  } catch (error) {
    // cron-parser throws plain errors for expressions that it cannot read, and for nothing else.
    if (error instanceof Error) return null;
    throw error;
  }
}
