import type { Pair, Scalar } from './library.js';
import type { YamlProblem } from './problem.js';
import type { Span } from './source.js';
import { quoted, unsafe } from './text.js';
import type { Entry } from './tree.js';

/** Names that reach the prototype of an ordinary object in careless code. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** What is wrong with the text of a key; null when nothing is. */
export function invalidKey(text: string, span: Span): YamlProblem | null {
  if (text === '') return { code: 'invalid-key', span, message: 'a key is missing' };
  if (forbiddenKeys.has(text))
    return { code: 'invalid-key', span, message: `the key ${quoted(text)} is not allowed` };
  const invisible = unsafe(text, 'line');
  if (invisible === null) return null;
  return {
    code: 'invisible-character',
    span,
    message: `the key contains ${invisible}, an invisible character`,
  };
}

export function duplicateKey(
  key: Entry['key'],
  first: Entry,
  help = 'Remove one of them, or give it another key.',
): YamlProblem {
  return {
    code: 'duplicate-key',
    span: key,
    message: `${quoted(key.text)} is listed twice in this map`,
    help,
    related: [{ message: 'first listed here', span: first.key }],
  };
}

/** `<<` in quotes is an ordinary key. */
export function isMergeKey({ key }: Pair): boolean {
  const { value, type } = key as Scalar;
  return value === '<<' && type === 'PLAIN';
}

/** `{ target:agent/a }`, which to YAML is a key without a value. */
export function isMissingSpace({ value, type }: Scalar): boolean {
  return type === 'PLAIN' && /^[A-Za-z][\w.-]*:[^\s:/]/.test(String(value));
}

/** The colon of `target:agent/a`. */
export function missingSpace({ source, start, text }: Entry['key']): YamlProblem {
  const colon = start + text.indexOf(':');
  const span = { source, start: colon, end: colon + 1 };
  return { code: 'syntax', span, message: 'a space is missing after this colon' };
}
