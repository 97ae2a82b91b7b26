import type { SyntaxRules } from './context.js';
import type { Pair, Scalar, YAMLMap, YAMLSeq } from './library.js';
import type { YamlProblem } from './problem.js';
import type { Span } from './source.js';
import { quoted, unsafe } from './text.js';
import type { Entry } from './tree.js';

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** What is wrong with a value before its content is looked at: a template, or a tag other than those of YAML itself. */
export function refusalOf(
  node: Scalar | YAMLMap | YAMLSeq,
  span: Span,
  { templateHelp }: SyntaxRules,
): YamlProblem | null {
  const { source, start } = span;
  if (source.text.startsWith('{{', start)) {
    const braces = { source, start, end: start + 2 };
    return { code: 'syntax', span: braces, message: templateMessage, help: templateHelp };
  }
  const { tag } = node;
  if (tag === undefined || tag === '!' || coreTags.has(tag)) return null;
  const help = 'Write the value without a tag.';
  return { code: 'syntax', span: tagBefore(node, span), message: 'this tag is not allowed', help };
}

export const templateMessage = 'templates with `{{` or `{%` are not supported';

/** Where the library reports it as well, so that both are one problem; the value where the tag is not found. */
function tagBefore({ range }: Scalar | YAMLMap | YAMLSeq, span: Span): Span {
  const { source } = span;
  const start = range?.[0] ?? 0;
  const from = Math.max(0, start - 500);
  const tag = /![^\s,]*(?=\s*(?:&[^\s,]+\s*)?$)/.exec(source.text.slice(from, start));
  return tag === null ? span : { source, start: from + tag.index, end: from + tag.index + tag[0].length };
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
