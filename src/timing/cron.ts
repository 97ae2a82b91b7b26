import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
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
}

/** The one spelling of an expression: upper case, single spaces. Never fails; equal texts fire alike. */
export function canonicalCron(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

function fieldsOf(text: string): string[] {
  return text.split(' ').filter((field) => field !== '');
}

/** Throws RangeError for an expression that `cronProblem` refuses because of its form. */
export function readCron(text: string): Cron {
  const cron = formProblem(text) === null ? parse(canonicalCron(text)) : null;
  if (cron === null) throw new RangeError(`not a cron expression: ${quoted(text)}`);
  return cron;
}

/** Null for an expression that cannot be read. In upper case, with single spaces. */
function parse(expression: string): Cron | null {
  const [second = '', minute = '', hour = '', ...dayFields] = fieldsOf(expression);
  const seconds = parsePart(`${second} 0 0 * * *`)?.seconds;
  const minutes = parsePart(`0 ${minute} 0 * * *`)?.minutes;
  const hours = parsePart(`0 0 ${hour} * * *`)?.hours;
  const days = parsePart(`0 0 0 ${dayFields.join(' ')}`)?.days;
  return seconds && minutes && hours && days ? { seconds, minutes, hours, days } : null;
}

/** cron-parser takes 50 µs for one, and thousands of expressions consist of few different parts. */
const knownParts = new Map<string, Cron | null>();
const MOST_PARTS = 1000;

function parsePart(expression: string): Cron | null {
  const known = knownParts.get(expression);
  if (known !== undefined) return known;
  const cron = parseAnew(expression);
  if (knownParts.size >= MOST_PARTS) knownParts.clear();
  knownParts.set(expression, cron);
  return cron;
}

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
  if (found.length > 0) return { perWeek: averagePerWeek(found), shortestGap: Math.min(...gaps(found)) };
  const rare = daysAmong(days, CYCLE_DAYS);
  return { perWeek: (rare.length * 7) / CYCLE_DAYS, shortestGap: Number.POSITIVE_INFINITY };
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

/**
 * Why an expression is not valid in a manifest; null when it is. A valid one that can be read always fires: cron-parser
 * refuses days that do not occur in the given months, and any other day comes within 40 years.
 */
export function cronProblem(text: string): TimingProblem | null {
  const problem = formProblem(text);
  if (problem !== null) return problem;
  const cron = parse(canonicalCron(text));
  if (cron !== null) return nextFireDay(cron, new Date(0)) === null ? neverFires(text) : null;
  return isUnknown(text) ? null : fieldProblem(text);
}

/** Whether an expression without a problem cannot be computed here: only the service can say when it fires. */
export function isUnknownCron(text: string): boolean {
  return formProblem(text) === null && parse(canonicalCron(text)) === null && isUnknown(text);
}

function isUnknown(text: string): boolean {
  const fields = fieldsOf(canonicalCron(text)).map((field, index) => ({ field, index }));
  const unread = fields.filter(({ field, index }) => !parsesAlone(field, index));
  return unread.length > 0 && unread.every(({ field, index }) => isExtended(field, index));
}

function neverFires(text: string): TimingProblem {
  const help = 'Each field is valid, but the combination never occurs: check that the month has that day.';
  return { message: `${quoted(text)} never runs`, help };
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
  const bad = fieldsOf(canonicalCron(text)).findIndex((field, index) => !parsesAlone(field, index));
  const field = cronFields[bad];
  if (field === undefined) return neverFires(text);
  const special = field.special === undefined ? '' : `, ${field.special}`;
  return {
    message: `${quoted(text)} is not a cron expression: its ${field.name} field is not valid`,
    help: `Valid values are ${field.range}, *, lists (1,2), ranges (1-5), steps (*/5)${special}.`,
  };
}

function parsesAlone(field: string, index: number): boolean {
  return parse(['0', '0', '0', '*', '*', '*'].with(index, field).join(' ')) !== null;
}

/** The six fields of an expression that can be read here, in upper case; null for any other. */
function readableFields(text: string): readonly string[] | null {
  const isReadable = formProblem(text) === null && parse(canonicalCron(text)) !== null;
  return isReadable ? fieldsOf(canonicalCron(text)) : null;
}
export interface CronWarning extends TimingProblem {
  readonly code: 'unknown-cron' | 'ambiguous-cron' | 'large-step';
}

/** What only the service can read, what services read differently, and what is probably not meant. */
export function cronWarnings(text: string): readonly CronWarning[] {
  const fields = readableFields(text);
  if (fields === null) return isUnknownCron(text) ? [unknown(text)] : [];
  const [dayOfMonth = '', dayOfWeek = ''] = [fields[DAY_OF_MONTH], fields[DAY_OF_WEEK]];
  return [
    ...(isRestricted(dayOfMonth) && isRestricted(dayOfWeek) ? [bothDays(text)] : []),
    ...(isNumbered(dayOfWeek) ? [numberedWeekday(text)] : []),
    ...longNames(fields, text),
    ...fields.flatMap((field, index) => largeSteps(field, index, text)),
  ];
}

function unknown(text: string): CronWarning {
  return {
    code: 'unknown-cron',
    message: `cannot compute when ${quoted(text)} runs: it uses syntax that only some services support`,
    help: "The service's preview decides whether it is valid. Check the next runs that `roster plan` shows.",
  };
}

function isRestricted(field: string): boolean {
  return !/^[*?]$/.test(field);
}

function bothDays(text: string): CronWarning {
  return {
    code: 'ambiguous-cron',
    message: `${quoted(text)} restricts both the day of month and the day of week: some services run it when either matches, others only when both do`,
    help: 'Set one of the two to `*`, or compare the next runs that `roster plan` shows.',
  };
}

/** A range of all seven days is the same however they are numbered. */
function isNumbered(field: string): boolean {
  return !/^(\*|0-6|1-7|0-7)/.test(field) && /(^|[,-])\d/.test(field);
}

function numberedWeekday(text: string): CronWarning {
  return {
    code: 'ambiguous-cron',
    message: `${quoted(text)} numbers a day of the week: 1 is Monday for some services and Sunday for others`,
    help: 'Write SUN, MON, TUE, WED, THU, FRI or SAT.',
  };
}

/** Names that roster knows and not every service: the plan and its preview would say so only after the review. */
function longNames(fields: readonly string[], text: string): CronWarning[] {
  const words = [...new Set(fields.flatMap((field) => field.match(/[A-Z]{4,}/g) ?? []))];
  const known = words.filter((word) => shortNameOf(word) !== null);
  if (known.length === 0) return [];
  const short = fields.join(' ').replace(/[A-Z]{4,}/g, (word) => shortNameOf(word) ?? word);
  const message = `${quoted(text)} contains the full name of a day or month, which only some services know: ${known.join(', ')}`;
  return [{ code: 'unknown-cron', message, help: `Write the short name: "${short}".` }];
}

/** `MON` of `MONDAY` and of `MONDAYL`; null for any other word. */
function shortNameOf(word: string): string | null {
  const name = fullNames.find((each) => word === each || word === `${each}L`);
  return name === undefined ? null : name.slice(0, 3) + word.slice(name.length);
}

/** A step begins anew with each cycle of its field. */
function largeSteps(field: string, index: number, text: string): CronWarning[] {
  return field.split(',').flatMap((item) => {
    const { name = '', cycle = '' } = cronFields[index] ?? {};
    const step = Number(/\/(\d+)$/.exec(item)?.[1] ?? 0);
    const values = step > 1 ? (valuesOf(item, index) ?? []) : [];
    const [first, last] = [values[0], values.at(-1)];
    if (first === last) return values.length === 0 ? [] : [singleValue(text, item, `${name} field`, first)];
    const isWhole = !item.includes('-') && (index === DAY_OF_MONTH || sizeOf(index) % step !== 0);
    if (!isWhole) return [];
    const unit = name.replaceAll('-', ' ');
    const message = `${quoted(text)}: the step of ${item} starts again with each ${cycle}, so the ${unit} after ${last} is ${first}`;
    const help = 'For equal intervals, use `every` instead of `cron`.';
    return [{ code: 'large-step', message, help }];
  });
}

function singleValue(text: string, item: string, field: string, value: number | undefined): CronWarning {
  const message = `${quoted(text)}: the step of ${item} is larger than the ${field}, so it has the single value ${value}`;
  const help = 'A step counts within its field. Write the value alone, or a smaller step.';
  return { code: 'large-step', message, help };
}

/**
 * The syntax of cron fields that Quartz, Quartz.NET and Cronos agree on, rewritten to what cron-parser reads: values
 * listed once, wrap-around ranges split, names shortened. Expressions are in upper case here.
 */

interface FieldSyntax {
  readonly name: string;
  /** Its values come once in each of these. */
  readonly cycle: string;
  readonly first: number;
  readonly last: number;
  /** For messages. */
  readonly range: string;
  readonly words?: ReadonlyMap<string, number>;
  /** How a message lists the special letters of this field. */
  readonly special?: string;
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const monthNames = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER';
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const weekdayNames = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY';

const cronFields: readonly FieldSyntax[] = [
  { name: 'second', cycle: 'minute', first: 0, last: 59, range: '0-59' },
  { name: 'minute', cycle: 'hour', first: 0, last: 59, range: '0-59' },
  { name: 'hour', cycle: 'day', first: 0, last: 23, range: '0-23' },
  { name: 'day-of-month', cycle: 'month', first: 1, last: 31, range: '1-31', special: 'L, L-3, LW, 15W' },
  {
    name: 'month',
    cycle: 'year',
    first: 1,
    last: 12,
    range: '1-12 or JAN-DEC',
    words: named(months, monthNames, 1),
  },
  {
    name: 'day-of-week',
    cycle: 'week',
    first: 0,
    last: 7,
    range: '0-7 or SUN-SAT',
    words: named(weekdays, weekdayNames, 0),
    special: 'FRIL, MON#2',
  },
];

const fullNames = `${monthNames} ${weekdayNames}`.split(' ').filter((each) => each.length > 3);

const DAY_OF_MONTH = 3;
const DAY_OF_WEEK = 5;

function named(short: readonly string[], long: string, first: number): ReadonlyMap<string, number> {
  return new Map([...short.entries(), ...long.split(' ').entries()].map(([at, word]) => [word, first + at]));
}

/** A day of the month that depends on the month: its last day less `before`, or the weekday nearest to a day. */
export type MonthDay =
  | { readonly type: 'beforeLast'; readonly before: number; readonly weekday: boolean }
  | { readonly type: 'nearestWeekday'; readonly day: number };

/** One field: a text for cron-parser, and what cron-parser does not know. */
export interface CronField {
  /** Null when the field consists of `monthDays` alone. */
  readonly plain: string | null;
  readonly monthDays: readonly MonthDay[];
}

/** What cron-parser reads itself: everything, the last day, the last or the nth weekday of a month. */
const verbatim = new Map([
  [DAY_OF_MONTH, /^L$/],
  [DAY_OF_WEEK, new RegExp(`^(?:(?:[0-7]|${weekdays.join('|')})L|(?:[0-7*?]|${weekdays.join('|')})#[1-5])$`)],
]);

/** Null for a field that cannot be read. */
function rewriteField(text: string, index: number): CronField | null {
  if (/^[*?](?:\/0*[1-9]\d*)?$/.test(text)) return { plain: text, monthDays: [] };
  const plain = new Set<number | string>();
  const monthDays: MonthDay[] = [];
  for (const item of text.split(',')) {
    const monthDay = index === DAY_OF_MONTH ? monthDayOf(item) : null;
    const values = valuesOf(item, index);
    const short = shortNames(item, index);
    if (monthDay !== null) monthDays.push(monthDay);
    else if (values !== null) for (const value of values) plain.add(value);
    else if (verbatim.get(index)?.test(short) === true) plain.add(short);
    else return null;
  }
  return { plain: plain.size === 0 ? null : [...plain].join(','), monthDays };
}

function monthDayOf(item: string): MonthDay | null {
  const [, before, weekday] = /^L(?:-(\d{1,2}))?(W?)$/.exec(item) ?? [];
  if (weekday !== undefined && item !== 'L' && Number(before ?? 0) <= 30)
    return { type: 'beforeLast', before: Number(before ?? 0), weekday: weekday === 'W' };
  const day = Number(/^(\d{1,2})W$/.exec(item)?.[1] ?? 0);
  return day >= 1 && day <= 31 ? { type: 'nearestWeekday', day } : null;
}

/** The values of an item, in the order in which it reaches them; null when it is not made of known numbers or names. */
function valuesOf(item: string, index: number): readonly number[] | null {
  const field = cronFields[index];
  const [, from, to, step] = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(item) ?? [];
  if (field === undefined || from === undefined || (step !== undefined && Number(step) === 0)) return null;
  const isAll = from === '*' || from === '?';
  if (isAll && to !== undefined) return null;
  // 7 is Sunday, too: all days are those up to Saturday, but 1/2 goes on to Sunday.
  const end = isAll && index === DAY_OF_WEEK ? 6 : field.last;
  const first = isAll ? field.first : numberOf(from, field);
  const last = to !== undefined ? numberOf(to, field) : isAll || step !== undefined ? end : first;
  return first === null || last === null
    ? null
    : steps({ first, last, step: Number(step ?? 1) }, field, index);
}

function numberOf(word: string, { first, last, words }: FieldSyntax): number | null {
  const value = words?.get(word) ?? (/^\d+$/.test(word) ? Number(word) : Number.NaN);
  return value >= first && value <= last ? value : null;
}

function sizeOf(index: number): number {
  const { first, last } = cronFields[index] ?? { first: 0, last: 0 };
  return index === DAY_OF_WEEK ? 7 : last - first + 1;
}

/** A range whose end comes before its start goes on after the last value of the field. */
function steps(
  { first, last, step }: Readonly<Record<'first' | 'last' | 'step', number>>,
  field: FieldSyntax,
  index: number,
): number[] {
  const size = sizeOf(index);
  const until = last >= first ? last : last + size;
  const count = Math.floor((until - first) / step) + 1;
  return Array.from({ length: count }, (_, nth) => field.first + ((first + nth * step - field.first) % size));
}

/** `MONDAY#2` as `MON#2`. */
function shortNames(item: string, index: number): string {
  const [, word = '', suffix = ''] = /^([A-Z]+?)(L?|#\d)$/.exec(item) ?? [];
  const at = weekdayNames.split(' ').indexOf(word);
  return index !== DAY_OF_WEEK || at < 0 ? item : `${weekdays[at]}${suffix}`;
}

const dayNumber = '(?:0*(?:[12]\\d|3[01]|[1-9]))';
const monthAtom = `(?:[*?]|${dayNumber}?(?:L?W|C)|${dayNumber}|L)`;
const weekdayWord = `(?:0*[0-7]|${weekdays.join('|')}|${weekdayNames.replaceAll(' ', '|')})`;
const weekAtom = `(?:[*?]|${weekdayWord}(?:L|C)?|L|C)`;
const stepSuffix = '(?:/0*[1-9]\\d*)?';
/** Days that some service may know, such as the `C` of Quartz. What is not among them is an error everywhere. */
const extended = new Map([
  [DAY_OF_MONTH, new RegExp(`^(?!L-\\d)${monthAtom}(?:-${monthAtom})?W?${stepSuffix}$`)],
  [DAY_OF_WEEK, new RegExp(`^${weekAtom}(?:-${weekAtom})?(?:#(?:[1-5]|L))?${stepSuffix}$`)],
]);

/** Whether a field that cannot be computed here may still mean something to the service. */
function isExtended(text: string, index: number): boolean {
  const pattern = extended.get(index);
  return pattern !== undefined && text.split(',').every((item) => pattern.test(item));
}
