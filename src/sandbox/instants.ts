import { badRequest } from './api.js';

/** Instants in queries: ISO 8601, in UTC where there is no offset (interface.md §1, convention 6). */

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** A range of days around any such instant is still a valid date. */
const YEARS = { first: 1970, last: 9000 };

/** Undefined if the query lacks it. */
export function queryInstant(query: URLSearchParams, name: string): number | undefined {
  const text = query
    .get(name)
    ?.trim()
    .replace(/ (?=\d{2}:?\d{2}$)/, '+');
  if (text === undefined || text === '') return undefined;
  const instant = readInstant(text);
  if (instant !== null) return instant;
  throw badRequest(`The query value '${name}' must be a date and time, such as 2026-12-01T06:00:00Z.`);
}

function readInstant(text: string): number | null {
  const [, date, time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (date === undefined) return null;
  const instant = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(instant) || !isCalendarDay(date)) return null;
  const year = new Date(instant).getUTCFullYear();
  return year >= YEARS.first && year <= YEARS.last ? instant : null;
}

/** `Date.parse` accepts 30 February. */
function isCalendarDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

/** `from` and `to` as a test of instants; both are included. */
export function queryRange(query: URLSearchParams): (instant: number) => boolean {
  const from = queryInstant(query, 'from') ?? Number.NEGATIVE_INFINITY;
  const to = queryInstant(query, 'to') ?? Number.POSITIVE_INFINITY;
  return (instant) => instant >= from && instant <= to;
}

/** `2026-12-01T06:00:00.000Z`; null stays null. */
export function isoTime(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
