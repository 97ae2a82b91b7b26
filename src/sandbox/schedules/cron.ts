/**
 * Cron expressions of six fields, the first for seconds (interface.md §2). The dialect is not stated: this one has lists,
 * ranges that may wrap around, steps, names, `?`, `L`, `L-3`, `LW`, `15W`, and `#` for the nth weekday of a month. `5C`, a
 * day of a calendar that only the service has, is stored and never fires.
 */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** `date` in UTC stands for a day of the wall clock. */
  readonly matchesDay: (date: Date) => boolean;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
}

interface FieldRule {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly words?: readonly string[];
}

const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(
  ' ',
);
const WEEKDAYS = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ');
const SECOND: FieldRule = { name: 'second', low: 0, high: 59 };
const MINUTE: FieldRule = { name: 'minute', low: 0, high: 59 };
const HOUR: FieldRule = { name: 'hour', low: 0, high: 23 };
const DAY: FieldRule = { name: 'day-of-month', low: 1, high: 31 };
const MONTH: FieldRule = { name: 'month', low: 1, high: 12, words: ['', ...MONTHS] };
const WEEKDAY: FieldRule = { name: 'day-of-week', low: 0, high: 7, words: WEEKDAYS };
const LONGEST_CHARACTERS = 1024;
const DAYS_IN = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Throws Error with the reason: "has five fields …". */
export function parseCron(expression: string): Cron {
  if (expression.length > LONGEST_CHARACTERS)
    throw new Error(`is longer than ${LONGEST_CHARACTERS} characters`);
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length !== 6)
    throw new Error(`has ${fields.length} fields instead of six, the first of them for seconds`);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const months = new Set(parseField(month, MONTH));
  checkDayOccurs(day, weekday, months);
  return {
    seconds: parseField(second, SECOND),
    minutes: parseField(minute, MINUTE),
    hours: parseField(hour, HOUR),
    months,
    matchesDay: dayMatcher(day, weekday, months),
  };
}

function isAny(field: string): boolean {
  return field === '*' || field === '?';
}

/** Ascending, each once. */
function parseField(field: string, rule: FieldRule): number[] {
  const values = new Set(field.split(',').flatMap((item) => parseItem(item, rule)));
  return [...values].sort((a, b) => a - b);
}

function parseItem(item: string, rule: FieldRule): number[] {
  const [range = '', step, ...more] = item.split('/');
  const every = step === undefined ? 1 : /^\d{1,4}$/.test(step) ? Number(step) : 0;
  if (every === 0 || more.length > 0) throw invalid(rule, item);
  const [low, high] = parseRange(range, rule, step !== undefined);
  const size = rule.name === WEEKDAY.name ? 7 : rule.high - rule.low + 1;
  const values = [];
  for (let value = low; value <= (low <= high ? high : high + size); value += every)
    values.push(value <= rule.high ? value : value - size);
  return values;
}

function parseRange(range: string, rule: FieldRule, hasStep: boolean): [number, number] {
  if (isAny(range)) return [rule.low, rule.name === WEEKDAY.name ? 6 : rule.high];
  const [from = '', to, ...more] = range.split('-');
  const low = parseValue(from, rule);
  const high = to === undefined ? (hasStep ? rule.high : low) : parseValue(to, rule);
  if (more.length > 0) throw invalid(rule, range);
  return [low, high];
}

function parseValue(text: string, rule: FieldRule): number {
  const word =
    text === ''
      ? -1
      : (rule.words?.findIndex((each) => each === text || (each !== '' && each.slice(0, 3) === text)) ?? -1);
  const value = word >= 0 ? word : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.low && value <= rule.high) return value;
  throw invalid(rule, text);
}

function invalid(rule: FieldRule, text: string): Error {
  return new Error(`has a ${rule.name} field that is not valid: '${text.slice(0, 40)}'`);
}

type DayTest = (date: Date) => boolean;

/** When both days are restricted, either is enough. */
function dayMatcher(day: string, weekday: string, months: ReadonlySet<number>): DayTest {
  const byDay = isAny(day) ? null : dayTest(day);
  const byWeekday = isAny(weekday) ? null : weekdayTest(weekday);
  const matches = [byDay, byWeekday].filter((test) => test !== null);
  return (date) =>
    months.has(date.getUTCMonth() + 1) && (matches.length === 0 || matches.some((test) => test(date)));
}

function dayTest(field: string): DayTest {
  const items = field.split(',');
  const plain = items.filter((item) => monthDay(item) === null);
  const days = new Set(plain.length === 0 ? [] : parseField(plain.join(','), DAY));
  const others = items.flatMap((item) => monthDay(item) ?? []);
  return (date) =>
    days.has(date.getUTCDate()) || others.some((other) => dayIn(date, other) === date.getUTCDate());
}

/** A day that depends on the month: a number of days before its last day, a given day, or the weekday nearest to it. */
interface MonthDay {
  readonly isFromLast: boolean;
  readonly number: number;
  readonly isWeekday: boolean;
}

/** Null for an item that is a number or a range. */
function monthDay(item: string): MonthDay | null {
  const [, before, weekday] = /^L(?:-(\d\d?))?(W?)$/.exec(item) ?? [];
  if (weekday !== undefined)
    return { isFromLast: true, number: parseBefore(before), isWeekday: weekday === 'W' };
  const [, day, letter] = /^(\d\d?)([WC])$/.exec(item) ?? [];
  if (day === undefined) return null;
  const number = parseValue(day, DAY);
  return { isFromLast: false, number: letter === 'W' ? number : Number.NaN, isWeekday: letter === 'W' };
}

function parseBefore(text = '0'): number {
  if (Number(text) < DAY.high) return Number(text);
  throw invalid(DAY, `L-${text}`);
}

/** The day of the date's month that is meant, if that month has it. */
function dayIn(date: Date, { isFromLast, number, isWeekday }: MonthDay): number {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = isFromLast ? last - number : number;
  if (!isWeekday || day < 1 || day > last) return day;
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  if (weekday === 6) return day > 1 ? day - 1 : day + 2;
  return weekday !== 0 ? day : day < last ? day + 1 : day - 2;
}

function weekdayTest(field: string): DayTest {
  const nth = /^(\w+)#([1-5])$/.exec(field);
  if (nth !== null) {
    const weekday = parseValue(nth[1] ?? '', WEEKDAY) % 7;
    return (date) => date.getUTCDay() === weekday && Math.ceil(date.getUTCDate() / 7) === Number(nth[2]);
  }
  const items = field.split(',');
  const last = items
    .filter((item) => /^\w+L$/.test(item))
    .map((item) => parseValue(item.slice(0, -1), WEEKDAY) % 7);
  const plain = items.filter((item) => !/^\w+L$/.test(item));
  const days = new Set(plain.length === 0 ? [] : parseField(plain.join(','), WEEKDAY).map((day) => day % 7));
  return (date) => days.has(date.getUTCDay()) || (last.includes(date.getUTCDay()) && isInLast(date, 7));
}

/** Whether the day is among the last `count` of its month. */
function isInLast(date: Date, count: number): boolean {
  return new Date(date.getTime() + count * 86_400_000).getUTCMonth() !== date.getUTCMonth();
}

function checkDayOccurs(day: string, weekday: string, months: ReadonlySet<number>): void {
  if (isAny(day) || !isAny(weekday)) return;
  const longest = Math.max(...[...months].map((month) => DAYS_IN[month - 1] ?? 31));
  if (day.split(',').some((item) => daysNeeded(item) <= longest)) return;
  throw new Error('never fires: no such month has that day');
}

/** How many days a month must have at least for the item to come. */
function daysNeeded(item: string): number {
  const special = monthDay(item);
  if (special === null) return parseField(item, DAY)[0] ?? 1;
  if (Number.isNaN(special.number)) return 1;
  return special.isFromLast ? special.number + 1 : special.number;
}
