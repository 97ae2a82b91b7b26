import { problem } from '../model/diagnostic.js';
import { isJsonObject, parseJson } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import { unexpected, wholeNumber } from '../service/operations/record.js';

/**
 * Reads what is needed of a value that the host has sent, and throws `Unexpected` for anything else. `name` says where the
 * value is; it is empty for the whole answer.
 */
export type Shape<T> = (value: unknown, name: string) => T;

/** What a shape reads. */
export type Read<S> = S extends Shape<infer T> ? T : never;

export const text: Shape<string> = (value, name) => {
  if (typeof value === 'string') return value;
  throw mismatch('text', value, name);
};

export const number: Shape<number> = (value, name) => {
  const read = wholeNumber(value);
  if (read !== null) return read;
  throw mismatch('a whole number', value, name);
};

export const flag: Shape<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value;
  throw mismatch('true or false', value, name);
};

/** Null for what is absent. */
export function optional<T>(shape: Shape<T>): Shape<T | null> {
  return (value, name) => (value === undefined || value === null ? null : shape(value, name));
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw mismatch('a list', value, name);
    return value.map((each, index) => item(each, `${name}[${index}]`));
  };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** An object with these properties. Others are not read. */
export function object<F extends Fields>(fields: F): Shape<{ readonly [N in keyof F]: Read<F[N]> }> {
  return (value, name) => {
    if (!isJsonObject(value)) throw mismatch('an object', value, name);
    const read = Object.entries(fields).map(([each, shape]) => [
      each,
      shape(Object.hasOwn(value, each) ? value[each] : undefined, name === '' ? each : `${name}.${each}`),
    ]);
    return Object.fromEntries(read) as { readonly [N in keyof F]: Read<F[N]> };
  };
}

/** An object whose names are not known. */
export function record<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, name) => {
    if (!isJsonObject(value)) throw mismatch('an object', value, name);
    return Object.fromEntries(
      Object.entries(value).map(([each, inner]) => [
        each,
        item(inner, name === '' ? each : `${name}.${each}`),
      ]),
    );
  };
}

/**
 * Reads a JSON file that an earlier job or command has written, which can be cut or of another version. `name` is how people
 * know it.
 */
export function fileIn<T>(content: string | Uint8Array | undefined, name: string, shape: Shape<T>): T {
  try {
    return shape(parseJson(typeof content === 'string' ? content : new TextDecoder().decode(content)), '');
  } catch (failure) {
    if (!(failure instanceof Unexpected)) throw failure;
    throw problem('ci-host-error', `${name} cannot be read: ${failure.message}`, 'Run the job again.');
  }
}

/** The property of an object that holds what is wanted, as a page of GitHub holds its items. */
export function within<T>(property: string, shape: Shape<T>): Shape<T> {
  const whole = object({ [property]: shape });
  return (value, name) => whole(value, name)[property] as T;
}

function mismatch(expected: string, value: unknown, name: string): Error {
  return unexpected(name === '' ? expected : `${name} to be ${expected}`, value);
}
