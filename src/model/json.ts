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
export function parseJson(text: string, maxDepth = MAX_JSON_DEPTH): unknown {
  try {
    return exceedsDepth(text, maxDepth) ? undefined : JSON.parse(text);
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
 * canonical texts are equal. Keeps the order of arrays: sort a set before. Not recursive, so that no depth is too much.
 */
export function canonical(value: Json): string {
  const open: OpenValue[] = [];
  let text = begin(value, open);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const index = top.next++;
    if (index === top.size) {
      text += top.keys === null ? ']' : '}';
      open.pop();
      continue;
    }
    const key = top.keys === null ? index : (top.keys[index] ?? '');
    const label = top.keys === null ? '' : `${JSON.stringify(key)}:`;
    text += (index === 0 ? '' : ',') + label + begin(top.values[key] ?? null, open);
  }
  return text;
}

/** Whether two values have the same canonical text. Most are plain values, which need none. */
export function equal(a: Json, b: Json): boolean {
  return isSame(a, b) || canonical(a) === canonical(b);
}

/** Whether two values are the same at first sight: false does not say that they differ. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || isSameList(a, b);
}

/** True for two lists of the same plain values: most values that are not plain are lists of names, or unchanged. */
function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((each, index) => isPlain(each) && each === b[index]);
}

/** A list, or an object with its keys in order, of which a part is written. */
interface OpenValue {
  readonly values: { readonly [key: string | number]: Json };
  readonly keys: readonly string[] | null;
  readonly size: number;
  next: number;
}

/** Writes a value, or the beginning of one that contains others. */
function begin(value: Json, open: OpenValue[]): string {
  if (isInOrder(value, SHALLOW)) return JSON.stringify(value);
  const keys = isJsonObject(value) ? sortedKeys(value) : null;
  const size = keys?.length ?? (value as readonly Json[]).length;
  open.push({ values: value as OpenValue['values'], keys, size, next: 0 });
  return keys === null ? '[' : '{';
}

/** Levels that are looked through for a value which `JSON.stringify` writes canonically. */
const SHALLOW = 5;

/** Whether the keys of a value of few levels are in order: false does not say that they are not. */
function isInOrder(value: Json, levels: number): boolean {
  if (isPlain(value)) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((each) => isInOrder(each, levels - 1));
  let last = '';
  const object = value as JsonObject;
  for (const key of Object.keys(object)) {
    const each = object[key];
    // `JSON.stringify` leaves undefined properties out.
    if (key < last || each === undefined || !isInOrder(each, levels - 1)) return false;
    last = key;
  }
  return true;
}

/** Most objects have their keys in order, or a few of them. */
function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  for (let at = 1; at < keys.length; at += 1)
    if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return keys.sort(byCodeUnit);
  return keys;
}

function isPlain(value: Json): boolean {
  return typeof value !== 'object' || value === null;
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
