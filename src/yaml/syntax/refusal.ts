import type { Refusal } from '../events.js';
import type { ReportedError } from './syntax-hints.js';

/** The codes of explanations, by what the fast parser says. */
const codes: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/^tab characters/, 'TAB_AS_INDENT'],
  [/indentation/, 'BAD_INDENT'],
  [/non-printable/, 'UNPRINTABLE'],
  [/escape sequence|hexadecimal/, 'BAD_DQ_ESCAPE'],
  [/quoted scalar$|flow collection$/, 'UNCLOSED'],
  [/multiline key/, 'MULTILINE_IMPLICIT_KEY'],
  [/missed comma|whitespace character is expected/, 'MISSING_CHAR'],
];

/** The error at which the fast parser stopped, for a text in which the slow one finds no errors. */
export function refusalError({ reason, offset }: Refusal): ReportedError {
  const [, code = 'REFUSED'] = codes.find(([pattern]) => pattern.test(reason)) ?? [];
  return { code, message: '', pos: [offset, offset + 1] };
}
