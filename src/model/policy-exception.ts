import type { Diagnostic, Place } from './diagnostic.js';
import { Glob } from './glob.js';
import { byCodeUnit, isJsonObject, type Json } from './json.js';
import type { Address } from './resource.js';
import { agree, some } from './words.js';

/** Entries that may break a policy for a time (contract §19). */
export interface PolicyException extends ExceptionRecord {
  readonly place: Place;
}

/** What an apply remembers of an exception. It is part of the digest, which no clock changes. */
export type ExceptionRecord = {
  /** Addresses, in which `*` stands for any characters. */
  readonly match: readonly string[];
  readonly reason: string;
  /** The last day, in UTC: `2027-03-31`. */
  readonly until: string;
};

const DAY_MS = 86_400_000;
/** How long before its end an exception is a warning. */
const NOTICE_DAYS = 14;

/** Whether its last day is over. */
export function isOver({ until }: ExceptionRecord, now: Date): boolean {
  return now.getTime() >= Date.parse(until) + DAY_MS;
}

function endsSoon({ until }: ExceptionRecord, now: Date): boolean {
  return now.getTime() >= Date.parse(until) - NOTICE_DAYS * DAY_MS;
}

/** `2027-02-30` does not exist. */
export function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(`${text}T`);
}

export function recordOfException({ match, reason, until }: PolicyException): ExceptionRecord {
  return { match: [...new Set(match)].sort(byCodeUnit), reason, until };
}

/** Another order of the file must not be another plan. */
export function inExceptionOrder(records: readonly ExceptionRecord[]): readonly ExceptionRecord[] {
  const keyOf = ({ match, reason, until }: ExceptionRecord) => JSON.stringify([match, until, reason]);
  return [...new Map(records.map((each) => [keyOf(each), each]))]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, each]) => each);
}

/** What an inventory says of them. What cannot be read was written by nobody: then an exception counts as new. */
export function exceptionsFrom(value: unknown): readonly ExceptionRecord[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: Json): ExceptionRecord[] => {
    if (!isJsonObject(each)) return [];
    const { match, reason, until } = each;
    if (!Array.isArray(match) || typeof reason !== 'string') return [];
    if (typeof until !== 'string' || !isDay(until)) return [];
    return [{ match: match.map(String), reason, until }];
  });
}

/** An exception that lets pass what none of the last apply did. */
export interface WiderException extends ExceptionRecord {
  readonly change: 'new' | 'longer' | 'wider';
}

export function widerExceptions(
  before: readonly ExceptionRecord[],
  now: readonly ExceptionRecord[],
): readonly WiderException[] {
  const known = before.map(({ match, until }) => ({ until, match, globs: match.map(globOf) }));
  const covers = (all: typeof known, pattern: string) =>
    all.some(({ globs }) => globs.some((each) => each.matches(pattern)));
  return now.flatMap((each): WiderException[] => {
    const lasting = known.filter(({ until }) => until >= each.until);
    if (each.match.every((pattern) => covers(lasting, pattern))) return [];
    if (each.match.every((pattern) => covers(known, pattern))) return [{ ...each, change: 'longer' }];
    const globs = each.match.map(globOf);
    const isWider = known.some(({ match }) =>
      match.every((pattern) => globs.some((glob) => glob.matches(pattern))),
    );
    return [{ ...each, change: isWider ? 'wider' : 'new' }];
  });
}

/** A glob that matches the text of another one matches all that the other matches: its `*` stands for any characters. */
function globOf(pattern: string): Glob {
  return new Glob(pattern, { crossing: true });
}

/** Entries that one sentence names. The rest are counted. */
const MOST_NAMED = 5;

/** That entries are excepted, and why; a warning when that ends soon. */
export function exceptionDiagnostic(
  { reason, until, place }: PolicyException,
  {
    policy,
    addresses,
    now,
  }: { readonly policy: string; readonly addresses: readonly Address[]; readonly now: Date },
): Diagnostic {
  const about = { code: 'policy-exception', policy, place } as const;
  const [named, many] = [some(addresses, MOST_NAMED), addresses.length];
  if (!endsSoon({ match: [], reason, until }, now)) {
    const message = `${named} may break the policy \`${policy}\` until ${until}: ${reason}`;
    return { severity: 'info', ...about, message, entries: addresses };
  }
  const breaks = agree(many, 'breaks', 'break');
  const message = `${named} ${breaks} the policy \`${policy}\`, and the exception ends on ${until} (${reason})`;
  const help = `Change ${agree(many, 'the entry', 'the entries')} by then. After that day, it counts as a breach again.`;
  return { severity: 'warning', ...about, message, help };
}
