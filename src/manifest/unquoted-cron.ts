import type { Source } from '../yaml/source.js';
import type { Mistake } from '../yaml/syntax/syntax-hints.js';
import type { Diagnostics } from './diagnostics.js';

/** A cron expression without quotes, which YAML takes for an alias: offsets, `end` exclusive. */
export interface Unquoted {
  readonly start: number;
  readonly end: number;
}

/** More than any cron expression takes, so that looking around an error costs little. */
const around = 600;

/** The expression that an error at an offset comes from; null for other errors. */
export function unquotedCronAt(text: string, at: number): Unquoted | null {
  const from = Math.max(0, at - around);
  for (const match of text.slice(from, at + around).matchAll(/(?<=[\s{,]cron:[ \t]{1,20})\*[^\r\n}]*/g)) {
    const [written = ''] = match[0].split(/,\s|\s#/, 1);
    const start = from + match.index;
    const end = start + written.trimEnd().length;
    if (start <= at && at < end) return { start, end };
  }
  return null;
}

/** Those that the errors of a file come from, each once. */
export function unquotedCrons(
  text: string,
  errors: readonly { readonly pos: readonly [number, number] }[],
): Unquoted[] {
  const found = new Map<number, Unquoted>();
  for (const { pos } of errors) {
    const cron = unquotedCronAt(text, pos[0]);
    if (cron !== null) found.set(cron.start, cron);
  }
  return [...found.values()];
}

/** The text with letters in place of the expressions, so that everything else in it can be read. */
export function withoutCrons(text: string, crons: readonly Unquoted[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of crons.toSorted((a, b) => a.start - b.start)) {
    left += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return left + text.slice(at);
}

export function unquotedMistake(text: string, { start, end }: Unquoted): Mistake {
  const help = `Put the cron expression in quotes: "${text.slice(start, end)}"`;
  return { start, end, message: 'YAML takes a `*` without quotes for an alias', help };
}

export function tellUnquoted(source: Source, cron: Unquoted, told: Diagnostics): void {
  const { start, end, message, help } = unquotedMistake(source.text, cron);
  told.error('yaml-syntax', { source, start, end }, message, { help });
}
