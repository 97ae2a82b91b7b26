import { isJsonObject, type Json } from './json.js';
import type { Address } from './resource.js';
import { instantText } from './words.js';

/** Why an object is paused for a time, whatever its entry says (`roster hold`). */
export type Hold = {
  /** Who holds it: a name, for people. */
  readonly by: string;
  readonly reason: string;
  /** ISO 8601 in UTC, like `until`. */
  readonly since: string;
  /** When it ends. Null: when `roster resume` ends it. */
  readonly until: string | null;
  /** `roster resume` has begun to end it. */
  readonly resumed?: true;
  /** It was paused before the hold, by somebody else: it stays paused when the hold ends. */
  readonly wasPaused?: true;
  /**
   * The agents, groups and pipelines of which the hold was asked, as they were written: `roster resume` of the same finds
   * it, whatever it starts by then. Missing where it was meant by its own address.
   */
  readonly of?: readonly string[];
};

export type Holds = Readonly<Record<Address, Hold>>;

export function hasEnded({ until, resumed }: Hold, now: Date): boolean {
  return resumed === true || (until !== null && Date.parse(until) <= now.getTime());
}

export function isLasting(hold: Hold | undefined, now: Date): hold is Hold {
  return hold !== undefined && !hasEnded(hold, now);
}

/** Null for anything that roster has not written: a hold must not be guessed. */
export function holdFrom(value: Json): Hold | null {
  if (!isJsonObject(value)) return null;
  const { by, reason, since, until, resumed, wasPaused, of } = value;
  if (typeof by !== 'string' || typeof reason !== 'string' || !isTime(since)) return null;
  if (until !== null && !isTime(until)) return null;
  const hold = { by, reason, since, until };
  const withEnd = resumed === true ? { ...hold, resumed } : hold;
  const whole = wasPaused === true ? { ...withEnd, wasPaused } : withEnd;
  return Array.isArray(of) ? { ...whole, of: of.map(String) } : whole;
}

/** Only in the form that roster writes: plans show this text. */
export function isTime(value: Json | undefined): value is string {
  const time = typeof value === 'string' ? new Date(value) : null;
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

/** `until 2026-12-01 06:00 UTC`, or `until `roster resume``. */
export function endText({ until }: Hold): string {
  return until === null ? 'until `roster resume`' : `until ${instantText(until)}`;
}

/** `held by Anna until 2026-12-01 06:00 UTC: "incident 42"`. */
export function holdText({ by, reason, until }: Hold): string {
  const end = until === null ? '' : ` until ${instantText(until)}`;
  return `held by ${by}${end}: "${reason}"`;
}

/** `the hold of Anna ended at 2026-12-01 06:00 UTC`. */
export function endedHoldText({ by, until, resumed }: Hold): string {
  if (resumed === true || until === null) return `\`roster resume\` has begun to end the hold of ${by}`;
  return `the hold of ${by} ended at ${instantText(until)}`;
}
