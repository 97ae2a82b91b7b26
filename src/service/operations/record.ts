import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { Unexpected } from '../../model/request.js';
import { isId, isPlainGuid, normalId } from '../../model/resource.js';

/** An object from the service whose content is not checked yet. */
export type RemoteRecord = { readonly [key: string]: unknown };

/** Describes a value briefly: it may be private, and must not make a message long. */
export function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  // A part of a long text is not shown: it may be a part of a secret, which is masked only as a whole.
  return value.length > 60 ? `a text of ${value.length} characters` : `the text ${JSON.stringify(value)}`;
}

export function unexpected(expected: string, value: unknown): Unexpected {
  return new Unexpected(`expected ${expected}, got ${described(value)}`);
}

export function asRecord(value: unknown, what: string): RemoteRecord {
  if (isJsonObject(value)) return value;
  throw unexpected(what, value);
}

/** An own property; undefined when it is absent. Inherited ones, such as `constructor`, do not come from the service. */
export function field(record: RemoteRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function text(record: RemoteRecord, name: string): string {
  const value = field(record, name);
  if (typeof value === 'string') return value;
  throw unexpected(`${name} to be text`, value);
}

export function optionalText(record: RemoteRecord, name: string): string | null {
  return field(record, name) === undefined || field(record, name) === null ? null : text(record, name);
}

/** Null when absent: unknown is not false. A text is not a boolean, not even "true": what it means would be a guess. */
export function optionalFlag(record: RemoteRecord, name: string): boolean | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value;
  throw unexpected(`${name} to be true or false`, value);
}

export function flag(record: RemoteRecord, name: string): boolean {
  const value = optionalFlag(record, name);
  if (value === null) throw unexpected(`${name} to be true or false`, field(record, name));
  return value;
}

/** A whole number of zero or more, also when it is written as text. */
export function wholeNumber(value: unknown): number | null {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 0 ? read : null;
}

export function optionalCount(record: RemoteRecord, name: string): number | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  const count = wholeNumber(value);
  if (count === null) throw unexpected(`${name} to be a whole number`, value);
  return count;
}

/** A real day and time without an offset: 30 February would roll over to another day. */
export function isWallClock(text: string): boolean {
  const minutes = /^(\d{4}-\d{2}-(\d{2}))[Tt ]((\d{2}):\d{2})(?::[0-5]\d(?:\.\d+)?)?$/.exec(text);
  if (minutes === null) return false;
  const [, date, day, clock, hour] = minutes;
  const written = `${date}T${clock}`;
  const time = Date.parse(`${written}Z`);
  if (Number.isNaN(time)) return false;
  // Only the last days of a month and 24:00 roll over. There may be thousands of times, and this is slow.
  const isPlain = Number(day) <= 28 && Number(hour) < 24;
  return isPlain || new Date(time).toISOString().startsWith(written);
}

const isoInstant = /^(.+?)(Z|[+-]\d{2}:?\d{2})?$/i;

/** Milliseconds since 1970; null for a text that is not an instant. Without an offset it is in UTC (interface §1.6). */
export function readInstant(text: string): number | null {
  const match = isoInstant.exec(text);
  if (match === null || !isWallClock(match[1] ?? '')) return null;
  const time = Date.parse(match[2] === undefined ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time) ? null : time;
}

/** In place of a value that cannot be read and that only few decisions rest on: unknown is neither absent nor zero. */
export const UNREADABLE = 'unreadable';

/** An instant as received, or `UNREADABLE`; null when absent. */
export function optionalInstant(record: RemoteRecord, name: string): string | null {
  const value = field(record, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && readInstant(value) !== null ? value : UNREADABLE;
}

/** An id as text, GUIDs in lower case. */
export function idText(value: unknown, name: string): string {
  if (typeof value === 'string' && isPlainGuid(value)) return value;
  if (typeof value === 'string' && isId(value)) return normalId(value);
  throw unexpected(`${name} to be an id`, value);
}

/** An id whose type the interface does not state (§1.4): as text to compare, and as received to send back. */
export interface LooseId {
  readonly id: string;
  readonly rawId: string | number;
}

/** Rejects numbers beyond 2^53: they were rounded when they were parsed, and may be the id of another object. */
export function looseId(value: unknown, name: string): LooseId {
  if (typeof value !== 'number') {
    const id = idText(value, name);
    return { id, rawId: id };
  }
  if (Number.isSafeInteger(value)) return { id: String(value), rawId: value };
  throw unexpected(`${name} to be an id`, value);
}

/** The word of `known` that equals `value` in any case. Throws for an unknown word. */
export function oneOf<W extends string>(value: unknown, known: readonly W[], name: string): W {
  // As a service that keeps to the interface writes it.
  if (known.includes(value as W)) return value as W;
  const word = typeof value === 'string' ? value.toLowerCase() : null;
  const found = known.find((each) => each.toLowerCase() === word);
  if (found === undefined) throw unexpected(`${name} to be one of ${known.join(', ')}`, value);
  return found;
}

/** Properties to show to people, on which no decision depends. Only plain values. */
export function factsOf(record: RemoteRecord, names: readonly string[]): JsonObject {
  const facts: Record<string, Json> = {};
  for (const name of names) {
    const value = field(record, name);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      facts[name] = value;
  }
  return facts;
}
