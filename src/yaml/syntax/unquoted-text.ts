import type { Hint, SyntaxRules } from '../rules.js';
import type { ReportedError } from './syntax-hints.js';

/** The texts without quotes that cause the errors of a file, each once. */
export function unquotedTexts(
  text: string,
  errors: readonly ReportedError[],
  { unquotedAt }: SyntaxRules,
): Hint[] {
  const found = new Map<number, Hint>();
  for (const { pos } of errors) {
    const unquoted = unquotedAt(text, pos[0]);
    if (unquoted !== null) found.set(unquoted.start, unquoted);
  }
  return [...found.values()];
}

/** The text with letters in place of some stretches, so that everything else in it can be read. */
export function maskText(text: string, masked: readonly Pick<Hint, 'start' | 'end'>[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    left += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return left + text.slice(at);
}
