import type { ReadSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { readDuration } from '../../model/words.js';
import { readInstant } from '../../service/operations/record.js';
import { TOLERANCE } from './missed.js';
import type { RecordedChanges } from './resources.js';

const LONGEST_DAYS = 366;
const HELP =
  'Use a duration such as 90m, 24h, 7d or 2w, a time with its offset, such as 2026-12-01T08:00Z, or `apply`.';

/** `--since` as it was written: a time, how long ago, or the time of the last apply, in milliseconds. */
export type Since = { readonly text: string } & (
  | { readonly time: number }
  | { readonly ago: number }
  | { readonly lastApply: number }
);

/** Throws a Problem for anything but a duration, a time with an offset or `apply`. */
export function parseSince(text: string): Since | 'apply' {
  if (text === 'apply') return text;
  const ago = readDuration(text);
  if (ago !== null) return { text, ago };
  const time = timeOf(text);
  if (time !== null) return { text, time };
  throw problem('invalid-time', `--since: "${text}" is neither a time nor a duration`, HELP);
}

/** The instant, in milliseconds. Throws a Problem unless it is in the past, and for what the user wrote in the past year. */
export function instantOf(since: Since, now: Date): number {
  if ('lastApply' in since) return notInFuture(since.lastApply, now);
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

/** Throws a Problem where no apply is recorded. */
export function sinceLastApply({ store }: ReadSession, recorded: RecordedChanges | null): Since {
  if (recorded?.lastApply != null) return { text: 'apply', lastApply: recorded.lastApply };
  const why =
    recorded === null ? 'is a file, which does not record when it was applied' : 'records no apply yet';
  const help = 'Pass a time such as `--since 24h`, or keep the inventory in git: `inventory: { git: {} }`.';
  throw problem('usage', `--since apply: the inventory ${store.name} ${why}`, help);
}

/** Nothing has run since a time to come, and a failure would not be shown. */
function notInFuture(lastApply: number, now: Date): number {
  if (lastApply <= now.getTime() + TOLERANCE) return Math.min(lastApply, now.getTime());
  const time = new Date(lastApply).toISOString();
  const message = `--since apply: the inventory records its last apply at ${time}, which is in the future`;
  throw problem(
    'invalid-time',
    message,
    'Set the clock of the machine that applies. Pass a time such as `--since 24h`.',
  );
}
