import {
  decimalText,
  ExactNumber,
  isRewritten,
  type NumberSpan,
  plainNumber,
  readExactly,
} from './exact-number.js';

/** A JSON value. Everything that is saved, sent, hashed or compared is one. */
export type Json =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}

/**
 * Levels of a value that roster walks through, twice those that a manifest may have. Deeper values exhaust the stack:
 * `JSON.parse` reads 100,000 levels, `JSON.stringify` writes a few thousand.
 */
export const MAX_JSON_DEPTH = 128;

/** Undefined for a text that is not JSON or is nested too deeply. Numbers keep their digits. */
export function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

export class TooDeep extends Error {
  constructor(levels: number) {
    super(`nested more than ${levels} levels deep`);
    this.name = 'TooDeep';
  }
}

/** The value of a JSON text whose numbers keep their digits. Throws a SyntaxError, or `TooDeep`. */
export function readJson(text: string, maxDepth = MAX_JSON_DEPTH): unknown {
  return readExactly(text, rewrittenNumbers(text, maxDepth));
}

/**
 * The numbers that `JSON.parse` would change: few texts have any. Throws `TooDeep` for a text with more levels. Strings,
 * most of such a text, are skipped. Not a regular expression: those exhaust the stack on long texts. In a text that is not
 * JSON, what is found may be no number, but never a key.
 */
function rewrittenNumbers(text: string, maxDepth: number): readonly NumberSpan[] {
  const found: NumberSpan[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACKET || code === BRACE) depth += 1;
    // The closing ones follow two codes later.
    else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
    else if (isDigit(code) || code === MINUS) {
      const end = endOfNumber(text, at);
      if (!isShortInteger(text, at, end) && isWholeNumber(text, at, end)) found.push({ start: at, end });
      at = Math.max(at, end - 1);
    }
    if (depth > maxDepth) throw new TooDeep(maxDepth);
  }
  return found;
}

const LONGEST_SAFE = 15;

/** Such as most numbers: without a sign, a zero in front, or more digits than a double has. */
function isShortInteger(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_SAFE) return false;
  for (let at = start; at < end; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return text.charCodeAt(start) !== ZERO || end === start + 1;
}

const numberOfJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether it is a number that would be changed. One before a colon would become a key. */
function isWholeNumber(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end);
  if (!isRewritten(written) || !numberOfJson.test(written)) return false;
  let next = end;
  while (/\s/.test(text.charAt(next))) next += 1;
  return text.charAt(next) !== ':';
}

/** The end of all that a number may consist of. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end)) || '.eE+-'.includes(text.charAt(end) || ' ')) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code < ZERO + 10;
}

/** Where the string that begins there ends: at a quote that no backslash escapes, or with the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const [QUOTE = 0, BACKSLASH = 0, BRACKET = 0, BRACE = 0, MINUS = 0, ZERO = 0] = [...'"\\[{-0'].map((sign) =>
  sign.charCodeAt(0),
);

/**
 * The canonical text of a JSON value: object keys sorted by code unit, no spaces, one text for each decimal. Two values are
 * equal exactly when their canonical texts are equal. Keeps the order of arrays: sort a set before.
 */
export function canonical(value: Json): string {
  return sorted(value, decimalText);
}

/** The same for people: numbers have the digits that they were written with. */
export function shownText(value: Json): string {
  return sorted(value, (text) => text);
}

function sorted(value: Json, digits: (text: string) => string): string {
  if (Array.isArray(value)) return `[${value.map((each: Json) => sorted(each, digits)).join(',')}]`;
  if (value instanceof ExactNumber) return digits(value.text);
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const properties = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${sorted(value[key] ?? null, digits)}`);
  return `{${properties.join(',')}}`;
}

/** The path to a number that no double is, and that other programs therefore round. Null where there is none. */
export function inexactNumberIn(value: Json): readonly string[] | null {
  if (value instanceof ExactNumber) return plainNumber(value) instanceof ExactNumber ? [] : null;
  const inner = Array.isArray(value) || isJsonObject(value) ? Object.entries(value) : [];
  for (const [name, each] of inner) {
    const path = inexactNumberIn(each as Json);
    if (path !== null) return [name, ...path];
  }
  return null;
}

/** Whether two values have the same canonical text, which need not be made to find out. */
export function equal(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each: Json, at) => equal(each, b[at]));
  if (isJsonObject(a)) return isJsonObject(b) && haveEqualProperties(a, b);
  return canonical(a) === canonical(b);
}

function haveEqualProperties(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal(a[name] ?? null, b[name] ?? null));
}

/** Order by UTF-16 code unit: the same in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function groupBy<K, T>(list: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
