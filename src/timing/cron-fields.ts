/*
 * The syntax of cron fields that Quartz, Quartz.NET and Cronos agree on, rewritten to what cron-parser reads: values
 * listed once, wrap-around ranges split, names shortened. Expressions are in upper case here.
 */

export function fieldsOf(text: string): string[] {
  return text.split(' ').filter((field) => field !== '');
}

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

export const cronFields: readonly FieldSyntax[] = [
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

export const DAY_OF_MONTH = 3;
export const DAY_OF_WEEK = 5;

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
export function rewriteField(text: string, index: number): CronField | null {
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
export function valuesOf(item: string, index: number): readonly number[] | null {
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

export function sizeOf(index: number): number {
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
export function isExtended(text: string, index: number): boolean {
  const pattern = extended.get(index);
  return pattern !== undefined && text.split(',').every((item) => pattern.test(item));
}

/** `MON` of `MONDAY` and of `MONDAYL`; null for any other word. */
export function shortNameOf(word: string): string | null {
  const name = fullNames.find((each) => word === each || word === `${each}L`);
  return name === undefined ? null : name.slice(0, 3) + word.slice(name.length);
}
