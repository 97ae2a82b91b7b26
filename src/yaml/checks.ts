import type { SyntaxRules } from './context.js';
import type { YamlProblem } from './problem.js';
import type { Span } from './source.js';
import { quoted, unsafe } from './text.js';
import type { Entry } from './tree.js';

export const templateMessage = 'templates with `{{` or `{%` are not supported';

/** `{{ name }}`, which to YAML is a map in a map. `braces` is where two of them may be. */
export function templateAt(braces: Span, { templateHelp: help }: SyntaxRules): YamlProblem | null {
  const isTemplate = braces.source.text.startsWith('{{', braces.start);
  return isTemplate ? { code: 'syntax', span: braces, message: templateMessage, help } : null;
}

/** A tag that YAML does not define, or that does not match the value. */
export function refusedTag(span: Span): YamlProblem {
  return { code: 'syntax', span, message: 'this tag is not allowed', help: 'Write the value without a tag.' };
}

export function keyNotText(span: Span): YamlProblem {
  return { code: 'syntax', span, message: 'a key must be text' };
}

/** Other keys than those in braces are found by their colon, which must not be far. */
export function keyTooLong(span: Span): YamlProblem | null {
  if (span.end - span.start <= 1024) return null;
  return { code: 'syntax', span, message: 'a key is longer than 1024 characters' };
}

/** A number that would not be kept as it is written; null for one that would. */
export function inexactNumber(value: number, written: string, span: Span): YamlProblem | null {
  const code = 'inexact-number';
  if (!Number.isFinite(value) || isUnsafeInteger(value, written)) {
    const help = 'Put it in quotes if it is text, such as an id.';
    return { code, span, message: 'this number cannot be stored exactly', help };
  }
  if (!/^[-+]?0\d/.test(written)) return null;
  const help = `Put it in quotes if it is text: \`"${written}"\`.`;
  return { code, span, message: 'this number would lose its leading zero', help };
}

/** Numbers with a fraction or an exponent are approximate by nature; integers are not. */
function isUnsafeInteger(value: number, written: string): boolean {
  return !Number.isSafeInteger(value) && !/[.eE]/.test(written);
}

/** Names that reach the prototype of an ordinary object in careless code. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** What is wrong with the text of a key; null when nothing is. */
export function invalidKey(text: string, span: Span): YamlProblem | null {
  if (text === '') return { code: 'invalid-key', span, message: 'a key is missing' };
  if (forbiddenKeys.has(text))
    return { code: 'invalid-key', span, message: `the key ${quoted(text)} is not allowed` };
  const invisible = unsafe(text, 'line');
  const message = `the key contains ${invisible}, an invisible character`;
  return invisible === null ? null : { code: 'invisible-character', span, message };
}

export function duplicateKey(
  key: Entry['key'],
  first: Entry,
  help = 'Remove one of them, or give it another key.',
): YamlProblem {
  const message = `${quoted(key.text)} is listed twice in this map`;
  const related = [{ message: 'first listed here', span: first.key }];
  return { code: 'duplicate-key', span: key, message, help, related };
}

/** A key such as `target:agent/a`, whose value is missing: to YAML, all of it is the key. */
export function isMissingSpace(text: string): boolean {
  return /^[A-Za-z][\w.-]*:[^\s:/]/.test(text);
}

/** The colon of `target:agent/a`. */
export function missingSpace({ source, start, text }: Entry['key']): YamlProblem {
  const colon = start + text.indexOf(':');
  const span = { source, start: colon, end: colon + 1 };
  return { code: 'syntax', span, message: 'a space is missing after this colon' };
}
