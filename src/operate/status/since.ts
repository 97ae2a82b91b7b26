import { problem } from '../../model/diagnostic.js';
import { readDuration } from '../../model/duration.js';
import { readInstant } from '../../service/operations/record.js';

const LONGEST_DAYS = 366;
const HELP =
  'Use a duration such as 90m, 24h, 7d or 2w, a time with its offset, such as 2026-12-01T08:00Z, or `apply`.';

/** `--since` as it was written: a time, or how long ago, in milliseconds. */
export type Since = { readonly text: string } & ({ readonly time: number } | { readonly ago: number });

/** Throws a Problem for anything but a duration, a time with an offset or `apply`. */
export function parseSince(text: string): Since | 'apply' {
  if (text === 'apply') return text;
  const ago = readDuration(text);
  if (ago !== null) return { text, ago };
  const time = timeOf(text);
  if (time !== null) return { text, time };
  throw problem('invalid-time', `--since: "${text}" is neither a time nor a duration`, HELP);
}

/** The instant, in milliseconds. Throws a Problem unless it is in the past year. */
export function instantOf(since: Since, now: Date): number {
  const time = 'time' in since ? since.time : now.getTime() - since.ago;
  const { text } = since;
  if (time >= now.getTime()) throw problem('invalid-time', `--since: "${text}" is not in the past`, HELP);
  if (time < now.getTime() - LONGEST_DAYS * 86_400_000)
    throw problem('invalid-time', `--since: "${text}" is more than a year ago`, HELP);
  return time;
}

/** With an offset: otherwise it is not known which time is meant. */
function timeOf(text: string): number | null {
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? readInstant(text) : null;
}
