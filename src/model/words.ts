import { byCodeUnit } from './json.js';

/** `1 error`, `2 errors`, `3,000 entries`: a noun with its number. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

/** `1 hour`, `3000 hours`: a span as manifests say it, without separators, because it is read again. */
export function spanText(value: number, unit: string): string {
  return `${value} ${agree(value, unit, `${unit}s`)}`;
}

/** `3,000`: a whole number as people read it. Without `Intl`, which is slow to start. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The form of a word that agrees with a number: `agree(2, 'is', 'are')` is `are`. */
export function agree(number: number, one: string, several: string): string {
  return number === 1 ? one : several;
}

/** `a, b, c and 4 more`: the first names of a list, and how many others there are. */
export function some(names: readonly string[], most: number, between = ', '): string {
  return names.slice(0, most).join(between) + andMore(names.length - most);
}

/** ` and 1,997 more`, or nothing where nothing is left. */
export function andMore(left: number): string {
  return left > 0 ? ` and ${grouped(left)} more` : '';
}

/** Compares texts so that `g2` comes before `g10`. Numbers of any length, without `Intl`, which is slow to start. */
export function naturalOrder(a: string, b: string): number {
  const start = numberStart(a, firstDifference(a, b));
  const [left, right] = [digitsAt(a, start), digitsAt(b, start)];
  if (left === '' || right === '') return byCodeUnit(a, b);
  const [number, other] = [withoutZeros(left), withoutZeros(right)];
  const order = number.length - other.length || byCodeUnit(number, other);
  const rest = () => naturalOrder(a.slice(start + left.length), b.slice(start + right.length));
  return order || rest() || byCodeUnit(a, b);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** Where the number begins that reaches up to here. */
function numberStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && /\d/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function digitsAt(text: string, start: number): string {
  return /^\d*/.exec(text.slice(start))?.[0] ?? '';
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** `a, b and c`, without `Intl.ListFormat`: the first use of Intl takes as long as starting Node. */
export function wordList(words: readonly string[], last: 'and' | 'or'): string {
  const end = words.at(-1) ?? '';
  return words.length < 2 ? end : `${words.slice(0, -1).join(', ')} ${last} ${end}`;
}

/** `environment: staging`, or `environments staging and production`. */
export function environmentsText(names: readonly string[]): string {
  return names.length < 2 ? `environment: ${names.join()}` : `environments ${wordList(names, 'and')}`;
}

const MOST_NAMED = 10;

/** Ids in a message: the first ten, and how many more there are. */
export function namedIds(ids: readonly (string | null)[]): string {
  return some(
    ids.map((id) => id ?? '?'),
    MOST_NAMED,
  );
}

/** An instant as it is received (in UTC without an offset, interface §1.6), as people read it: `2026-11-01 12:00 UTC`. */
export function instantText(text: string): string {
  const isWithoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text);
  const date = new Date(isWithoutOffset ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
}

const DAY_MS = 86_400_000;

/** `12 s`. A service may ask to wait for any time, and beyond a day nobody needs the number. */
export function waitText(milliseconds: number): string {
  return milliseconds > DAY_MS ? 'more than a day' : `${Math.ceil(milliseconds / 1000)} s`;
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration as flags have it, such as `90m`, `8h`, `3d` or `2w`, in milliseconds. Null for any other text. */
export function readDuration(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * (UNITS[unit] ?? 0);
}

/** A text as one word of a POSIX shell, whatever it contains. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** In quotes only if it needs them. */
export function commandWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : shellWord(text);
}

/** ` -e live`, so that a command that is copied works. */
export function environmentFlag(environment: string | null): string {
  return environment === null ? '' : ` -e ${commandWord(environment)}`;
}

/** Takes the place of every value that must not be shown. */
export const MASK = '(sensitive)';

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

/** A type of JSON Schema in words: `a whole number`. */
export function typeWord(type: string): string {
  return typeWords[type] ?? type;
}
