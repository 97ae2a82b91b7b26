import { quoted, type TimingProblem } from './problem.js';
import { DAY_MILLISECONDS, offsetAt } from './zone.js';

/**
 * A wall-clock time as a number: milliseconds since 1970-01-01T00:00:00 on the same wall clock. It only becomes an
 * instant in a time zone.
 */
export type LocalTime = number;

interface WallClockParts {
  readonly date: string;
  readonly minutes: string;
  readonly seconds: string;
  /** Digits after the point, without zeros at the end. */
  readonly fraction: string;
}

const strict = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/;
/** As a service may answer: with `t` or a space for `T`. */
const lenient = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/;

/**
 * Why a time is not valid in a manifest; null when it is. A time is `YYYY-MM-DDTHH:MM[:SS[.fraction]]` with no
 * offset, since the schedule's zone gives it (interface §1.6), and a real day of the years 1970 to 9999.
 */
export function wallClockProblem(text: string): TimingProblem | null {
  const parts = partsOf(text, strict);
  if (parts === null) return shapeProblem(text);
  if (toLocalTime(parts) !== null) return null;
  return { message: `${quoted(text)} is not a valid date and time`, help: calendarHelp(parts) };
}

/**
 * The canonical spelling of a wall-clock time: `YYYY-MM-DDTHH:MM:SS`, with a fraction only if it is not zero. Equal
 * texts are equal times. A text that cannot be read is returned unchanged.
 */
export function canonicalWallClock(text: string): string {
  const parts = partsOf(text, lenient);
  if (parts === null || toLocalTime(parts) === null) return text;
  return `${parts.date}T${parts.minutes}:${parts.seconds}${parts.fraction === '' ? '' : `.${parts.fraction}`}`;
}

/** Throws RangeError for a text that cannot be read; fractions below a millisecond are cut. */
export function readWallClock(text: string): LocalTime {
  const parts = partsOf(text, lenient);
  const local = parts === null ? null : toLocalTime(parts);
  if (local === null) throw new RangeError(`not a wall-clock time: ${quoted(text)}`);
  return local;
}

/** `YYYY-MM-DDTHH:MM:SS` (with milliseconds where they are not zero) of a local time. */
export function writeWallClock(local: LocalTime): string {
  return new Date(local)
    .toISOString()
    .slice(0, -1)
    .replace(/\.000$/, '');
}

function partsOf(text: string, pattern: RegExp): WallClockParts | null {
  const [, date, minutes, seconds = '00', fraction = ''] = pattern.exec(text) ?? [];
  if (date === undefined || minutes === undefined) return null;
  return { date, minutes, seconds, fraction: fraction.replace(/0+$/, '') };
}

/** Null for what is not a real day of these years, or not a time of day. */
function toLocalTime({ date, minutes, seconds, fraction }: WallClockParts): LocalTime | null {
  const text = `${date}T${minutes}:${seconds}`;
  const local = Date.parse(`${text}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date.parse turns 30 February into 1 or 2 March, and 24:00 into the next day.
  return local >= 0 && writeWallClock(local).startsWith(text) ? local : null;
}

function shapeProblem(text: string): TimingProblem {
  const message = `${quoted(text)} is not a wall-clock time`;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { message, help: `Add the time of day: "${text}T00:00:00".` };
  const before = text.replace(/ ?(?:Z|[+-]\d\d(?::?\d\d)?)$/i, '');
  if (before !== text && partsOf(before, lenient) !== null) {
    return {
      message: `${quoted(text)} has an offset`,
      help: 'Remove the offset: the time is local time in `timeZone`, which is UTC by default. Write the time of day in that zone.',
    };
  }
  if (partsOf(text, lenient) !== null) return { message, help: `Write "${canonicalWallClock(text)}".` };
  return { message, help: 'Write YYYY-MM-DDTHH:MM:SS, such as "2026-12-01T06:00:00".' };
}

function calendarHelp({ date, minutes, seconds }: WallClockParts): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (year < 1970) return 'The year must be 1970 or later.';
  if (month < 1 || month > 12) return 'The month must be 01 to 12.';
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day < 1 || day > last) return `That month has the days 01 to ${last}.`;
  return `"${minutes}:${seconds}" must be 00:00:00 to 23:59:59.`;
}

/** No zone is further from UTC, so an instant is within this distance of the same time in UTC. */
const LARGEST_OFFSET_MILLISECONDS = 15 * 3_600_000;

/** Whether the zone's clocks skip this time or repeat it. Throws RangeError for an invalid time or zone. */
export function localKind(wallClock: string, zone: string): 'normal' | 'skipped' | 'repeated' {
  const found = instantsOf(readWallClock(wallClock), zone);
  return found.length === 0 ? 'skipped' : found.length === 1 ? 'normal' : 'repeated';
}

/**
 * The instant of a wall-clock time. For a repeated time it is the first one. A skipped time moves forward as the clocks
 * do (02:30 to 03:30). Throws RangeError for an invalid time or zone.
 */
export function toInstant(wallClock: string, zone: string): Date {
  return new Date(firstInstant(readWallClock(wallClock), zone));
}

/** The instants at which the zone's clocks show this time: none, one or two, in order. */
export function instantsOf(local: LocalTime, zone: string): number[] {
  const offsets = new Set([offsetBefore(local, zone), offsetAt(zone, local + LARGEST_OFFSET_MILLISECONDS)]);
  const possible = [...offsets].map((offset) => local - offset);
  return possible.filter((instant) => instant + offsetAt(zone, instant) === local);
}

/** Like `toInstant`, in milliseconds. */
export function firstInstant(local: LocalTime, zone: string): number {
  return instantsOf(local, zone)[0] ?? local - offsetBefore(local, zone);
}

/** The offset that applies throughout a local day and well before and after it. Null near a clock change. */
export function steadyOffset(day: LocalTime, zone: string): number | null {
  const before = offsetBefore(day, zone);
  const after = offsetAt(zone, day + DAY_MILLISECONDS + LARGEST_OFFSET_MILLISECONDS);
  return before === after ? before : null;
}

function offsetBefore(local: LocalTime, zone: string): number {
  return offsetAt(zone, local - LARGEST_OFFSET_MILLISECONDS);
}
