/** A JSON value. Everything that is saved, sent, hashed or compared is one. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Undefined for a text that is not JSON or is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    return exceedsDepth(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a JSON text has more levels than that. Strings, most of such a text, are skipped. Not a regular expression:
 * those exhaust the stack on long texts.
 */
export function exceedsDepth(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACKET || code === BRACE) depth += 1;
    // The closing ones follow two codes later.
    else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
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

const [QUOTE = 0, BACKSLASH = 0, BRACKET = 0, BRACE = 0] = [...'"\\[{'].map((sign) => sign.charCodeAt(0));

/**
 * The canonical text of a JSON value: object keys sorted by code unit, no spaces. Two values are equal exactly when their
 * canonical texts are equal. Keeps the order of arrays: sort a set before.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((each: Json) => canonical(each)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const properties = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${properties.join(',')}}`;
}

export function equal(a: Json, b: Json): boolean {
  return a === b || canonical(a) === canonical(b);
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
