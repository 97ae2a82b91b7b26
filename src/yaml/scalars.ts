import type { Scalar, YAMLMap, YAMLSeq } from './library.js';
import type { YamlProblem } from './problem.js';
import type { SyntaxRules } from './rules.js';
import type { Span } from './source.js';

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
  if (source.text.startsWith('{{', start))
    return {
      code: 'syntax',
      span: { source, start, end: start + 2 },
      message: templateMessage,
      help: templateHelp,
    };
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
