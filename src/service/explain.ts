import { isJsonObject, parseJson } from '../model/json.js';
import type { ServiceMessage, ServiceWords } from './service-words.js';

const MAX_MESSAGE_LENGTH = 500;
/** Levels that are searched for a message. The number of paths to search may double with each. */
const MAX_DEPTH = 8;

/** Reads a raw body: JSON, plain text or a web page. */
export function explainText(body: string, words: ServiceWords): ServiceMessage {
  const data = parseJson(body);
  // Not JSON: the text of a proxy or a web server.
  return explain(data === undefined ? plain(body) : data, words);
}

export function explain(data: unknown, words: ServiceWords): ServiceMessage {
  const { message, errorCode } = words.message({ message: messageIn(data) ?? '', errorCode: codeIn(data) });
  return {
    message: oneLine(message),
    errorCode: errorCode === null ? null : oneLine(errorCode).slice(0, 100),
  };
}

/** One line of at most 500 characters. Other control characters stay: the views escape them. */
export function oneLine(text: string): string {
  const line = text.replace(/[\s\u0085\u2028\u2029]+/g, ' ').trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}

export function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

/** Only the title of a web page is useful. */
function plain(body: string): string {
  if (!isPage(body)) return body;
  return /<title[^>]*>([^<]+)/i.exec(body)?.[1] ?? '';
}

function messageIn(data: unknown, depth = 0): string | null {
  if (typeof data === 'string') return data === '' ? null : data;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(data)) return joined(data, depth + 1);
  if (!isJsonObject(data)) return null;
  const titled = [data['title'], data['detail']].filter(isText).join(': ');
  const inside = (value: unknown) => messageIn(value, depth + 1);
  const own = ['message', 'error', 'errorMessage'].map((name) => inside(data[name])).find(isText);
  const list = inside(data['errors']) ?? fieldErrors(data['errors'], inside);
  const parts = [own ?? titled, list ?? ''].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(': ');
}

function joined(list: readonly unknown[], depth: number): string | null {
  const found = list.map((each) => messageIn(each, depth)).filter(isText);
  return found.length === 0 ? null : found.join('; ');
}

/** `{ errors: { Name: ["is too long"] } }`. */
function fieldErrors(errors: unknown, inside: (value: unknown) => string | null): string | null {
  if (!isJsonObject(errors)) return null;
  const parts = Object.entries(errors).flatMap(([name, value]) => {
    const message = inside(value);
    return message === null ? [] : [`${name}: ${message}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function codeIn(data: unknown): string | null {
  if (!isJsonObject(data)) return null;
  const inner = isJsonObject(data['error']) ? data['error'] : {};
  const found = [data['errorCode'], data['code'], inner['errorCode'], inner['code']].find(isText);
  return found ?? null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
