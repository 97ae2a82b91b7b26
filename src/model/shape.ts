import { ExactNumber, plainNumber } from './exact-number.js';
import { isJsonObject, type JsonObject } from './json.js';
import { Unexpected } from './request.js';

/**
 * Reads what is needed of a value from outside, and throws `Unexpected` for anything else. `name` says where the value is;
 * the whole answer has none. An answer is declared once, as a shape, and `Read` is the type of what the shape returns.
 */
export type Shape<T> = (value: unknown, name?: string) => T;

/** A property that is read from the whole object: it has another name there, or depends on more than one property. */
export interface Property<T> {
  readonly of: (record: JsonObject, name?: string) => T;
}

export type Read<S> = S extends Shape<infer T> | Property<infer T> ? T : never;

/** Describes a value briefly: it may be private, and must not make a message long. */
export function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return `the number ${value.text.slice(0, 60)}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  // A part of a long text is not shown: it may be a part of a secret, which is masked only as a whole.
  return value.length > 60 ? `a text of ${value.length} characters` : `the text ${JSON.stringify(value)}`;
}

export function unexpected(expected: string, value: unknown): Unexpected {
  return new Unexpected(`expected ${expected}, got ${described(value)}`);
}

export function mismatch(expected: string, value: unknown, name = ''): Unexpected {
  return unexpected(name === '' ? expected : `${name} to be ${expected}`, value);
}

export const text: Shape<string> = (value, name) => {
  if (typeof value === 'string') return value;
  throw mismatch('text', value, name);
};

/** A text is not a boolean, not even "true": what it means would be a guess. */
export const flag: Shape<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value;
  throw mismatch('true or false', value, name);
};

/** A whole number of zero or more, also when it is written as text. */
export const integer: Shape<number> = (value, name) => {
  const read = wholeNumber(value);
  if (read !== null) return read;
  throw mismatch('a whole number', value, name);
};

/** The same, and null for everything else. */
export function wholeNumber(value: unknown): number | null {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : plainNumber(value);
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 0 ? read : null;
}

/** A number of any kind, also when it is written as text. */
export const number: Shape<number> = (value, name) => {
  const isWritten = (typeof value === 'string' && value.trim() !== '') || value instanceof ExactNumber;
  const read = isWritten ? Number(value) : value;
  if (typeof read === 'number' && Number.isFinite(read)) return read;
  throw mismatch('a number', value, name);
};

/** As received: only `undefined` becomes null. */
export const anything: Shape<unknown> = (value) => value ?? null;

/** One of these words, in any case. */
export function oneOf<const W extends string>(known: readonly W[]): Shape<W> {
  const words = new Map<unknown, W>(known.map((word) => [word.toLowerCase(), word]));
  return (value, name) => {
    const word = typeof value === 'string' ? words.get(value.toLowerCase()) : undefined;
    if (word !== undefined) return word;
    throw mismatch(`one of ${known.join(', ')}`, value, name);
  };
}

/** `absent` for what is missing or null: unknown is neither false nor zero. */
export function optional<T>(shape: Shape<T>): Shape<T | null>;
export function optional<T>(shape: Shape<T>, absent: T): Shape<T>;
export function optional<T>(shape: Shape<T>, absent: unknown = null): Shape<unknown> {
  return (value, name) => (value === undefined || value === null ? absent : shape(value, name));
}

/** A list whose items are not read. */
export const rawList: Shape<readonly unknown[]> = (value, name) => {
  if (Array.isArray(value)) return value;
  throw mismatch('a list', value, name);
};

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, name = '') => rawList(value, name).map((each, index) => item(each, `${name}[${index}]`));
}

/** A list whose items are answers of their own: messages about one do not say where it is. */
export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, name) => rawList(value, name).map((each) => item(each));
}

type Properties = Readonly<Record<string, Shape<unknown> | Property<unknown>>>;

/**
 * An object with these properties. Others are not read. `expected` describes the whole answer in messages.
 * Inherited properties are not excluded, so no shape may declare `constructor`, `toString` and the like.
 */
export function object<F extends Properties>(
  fields: F,
  expected = 'an object',
): Shape<{ readonly [N in keyof F]: Read<F[N]> }> {
  const properties = Object.entries(fields).map(([key, field]) => ({
    key,
    field: typeof field === 'function' ? named(field, key) : field,
  }));
  return (value, name) => {
    if (!isJsonObject(value)) throw name ? mismatch('an object', value, name) : unexpected(expected, value);
    const read: Record<string, unknown> = {};
    for (const { key, field } of properties) read[key] = field.of(value, name);
    return read as { readonly [N in keyof F]: Read<F[N]> };
  };
}

/** A property that has another name in the answer, or one of several: messages use the first. */
export function named<T>(shape: Shape<T>, first: string, ...others: readonly string[]): Property<T> {
  return {
    of(record, name) {
      let value: unknown = record[first];
      for (const other of others) value ??= record[other];
      return shape(value, inside(name, first));
    },
  };
}

/** The first of these properties that says something, each as the shape reads it; null where none does. */
export function firstOf<T>(shape: Shape<T | null>, ...names: readonly string[]): Property<T | null> {
  return {
    of(record, name) {
      for (const each of names) {
        const found = shape(record[each], inside(name, each));
        if (found !== null) return found;
      }
      return null;
    },
  };
}

/** An object whose names are not known. */
export function record<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, name) => {
    if (!isJsonObject(value)) throw mismatch('an object', value, name);
    return Object.fromEntries(
      Object.entries(value).map(([each, inner]) => [each, item(inner, inside(name, each))]),
    );
  };
}

/** The property of an object that holds what is wanted, as a page of GitHub holds its items. */
export function within<T>(property: string, shape: Shape<T>, expected?: string): Shape<T> {
  const whole = object({ [property]: shape }, expected);
  return (value, name) => whole(value, name)[property] as T;
}

function inside(name: string | undefined, property: string): string {
  return name ? `${name}.${property}` : property;
}
