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
/** What may stand in each field between its signs: cron-parser puts digits for names wherever they are, as in 0MON. */
const words = [
  number,
  number,
  number,
  `${number}|L`,
  `${number}|${months}`,
  `(?:${number}|${weekdays})L?`,
].map((word) => new RegExp(`^(?:[*?]|${word})$`));

/** As cron-parser, which reads no longer text. */
const longest = 1024;

/** The macros that other crons know, as six fields. */
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
 * Why a manifest may not say this expression; null when it may. Then it fires at some time: cron-parser refuses days
 * that no month it names has, and any other day comes within 40 years.
 */
export function cronProblem(text: string): TimingProblem | null {
  const told = formProblem(text);
  if (told !== null || parse(canonicalCron(text)) !== null) return told;
  return (
    fieldProblem(text) ?? {
      message: `${quoted(text)} is not a cron expression`,
      help: 'Its fields can be read one by one, but not together: is there a month with that day?',
    }
  );
}

/** The one spelling of an expression: upper case, single spaces. Never fails; equal texts fire alike. */
export function canonicalCron(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** Throws RangeError for an expression that `cronProblem` refuses for its form. */
export function readCron(text: string): Cron {
  const cron = formProblem(text) === null ? parse(canonicalCron(text)) : null;
  if (cron === null) throw new RangeError(`not a cron expression: ${quoted(text)}`);
  return cron;
}

/** The calendar repeats after 400 years: what has not fired by then never will. */
const calendarCycle = 146_097 * 86_400_000;

/** The first day on or after `from` (midnight in UTC, for a day of the wall clock) that the expression fires on. */
export function nextFireDay(cron: Cron, from: Date): Date | null {
  const day = new Date(from);
  while (day.getTime() - from.getTime() <= calendarCycle) {
    if (cron.firesOn(day)) return day;
    if (cron.months.has(day.getUTCMonth() + 1)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return null;
}

/** What cron-parser takes and we do not: a field too few, macros, `H` (random), line breaks. */
function formProblem(text: string): TimingProblem | null {
  const message = `${quoted(text)} is not a cron expression of six fields`;
  if (text.length > longest) return { message, help: example };
  if (/[^\x20-\x7e]/.test(text))
    return { message, help: 'Write it on one line, in ASCII, with spaces between the fields.' };
  const fields = fieldsOf(text);
  const macro = macros.get(text.trim().toLowerCase());
  if (macro !== undefined) return { message, help: `Write "${macro}".` };
  if (fields.length === 5) return { message, help: `Put the seconds first: "0 ${fields.join(' ')}".` };
  if (fields.length === 7) return { message, help: `Leave the year out. ${example}` };
  if (fields.length !== 6) return { message, help: example };
  if (fields.some((field) => /(^|[,/-])H/i.test(field))) {
    return { message: `${quoted(text)} leaves a time to chance`, help: 'Write a number for H.' };
  }
  return null;
}

/** Says which field is wrong, which cron-parser does not, by trying each alone. */
function fieldProblem(text: string): TimingProblem | null {
  const alone = ['0', '0', '0', '*', '*', '*'];
  const bad = fieldsOf(canonicalCron(text)).findIndex(
    (field, index) => parse(alone.with(index, field).join(' ')) === null,
  );
  if (bad === -1) return null;
  return {
    message: `${quoted(text)} is not a cron expression: its ${fieldNames[bad]} field cannot be read`,
    help: `That field takes ${ranges[bad]}, *, lists (1,2), ranges (1-5, low to high) and steps (*/5).`,
  };
}

function fieldsOf(text: string): string[] {
  return text.split(' ').filter((field) => field !== '');
}

/** What was read last: projects repeat few expressions many times, and reading one takes as long as all else. */
const known = new Map<string, Cron | null>();
const mostKnown = 1000;

function parse(expression: string): Cron | null {
  const before = known.get(expression);
  if (before !== undefined) return before;
  const cron = parseAnew(expression);
  if (known.size >= mostKnown) known.clear();
  known.set(expression, cron);
  return cron;
}

function parseAnew(expression: string): Cron | null {
  const sound = fieldsOf(expression).every((field, index) =>
    field.split(/[,/#-]/).every((word) => words[index]?.test(word) ?? false),
  );
  const fields = sound ? parseFields(expression) : null;
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

/** The month, 0 to 11, of so many days later. */
function monthOf(date: Date, later: number): number {
  return new Date(date.getTime() + later * 86_400_000).getUTCMonth();
}

function parseFields(expression: string) {
  try {
    // The date keeps cron-parser from asking the clock.
    return CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: new Date(0) }).fields;
  } catch (error) {
    // cron-parser throws plain errors for every expression it cannot read, and nothing else about one.
    if (error instanceof Error) return null;
    throw error;
  }
}
