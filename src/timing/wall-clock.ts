import { quoted, type TimingProblem } from './problem.js';

/**
 * A wall-clock time as a number: milliseconds since 1970-01-01T00:00:00 on the same wall clock. It only becomes an
 * instant in a time zone (offset-period.ts).
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
  if (canonicalTime(text) !== null) return null;
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
  if (canonicalTime(text) !== null) return text;
  const parts = partsOf(text, lenient);
  if (parts === null || toLocalTime(parts) === null) return text;
  return `${parts.date}T${parts.minutes}:${parts.seconds}${parts.fraction === '' ? '' : `.${parts.fraction}`}`;
}

/** Throws RangeError for a text that cannot be read; fractions below a millisecond are cut. */
export function readWallClock(text: string): LocalTime {
  const known = canonicalTime(text);
  if (known !== null) return known;
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

/**
 * The local time of a text in the canonical spelling, as most are; null for any other. Sign by sign, because each start
 * time of a project is read several times.
 */
function canonicalTime(text: string): LocalTime | null {
  if (text.length !== 19) return null;
  for (let at = 0; at < 19; at += 1) {
    const code = text.charCodeAt(at);
    const fixed = shape.charCodeAt(at);
    if (fixed === DIGIT ? code < DIGIT || code > DIGIT + 9 : code !== fixed) return null;
  }
  const two = (at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * DIGIT;
  const [year, month, day] = [two(0) * 100 + two(2), two(5), two(8)];
  return localTime({ year, month, day, hour: two(11), minute: two(14), second: two(17), milliseconds: 0 });
}

const shape = '0000-00-00T00:00:00';
const DIGIT = 48;

function partsOf(text: string, pattern: RegExp): WallClockParts | null {
  const [, date, minutes, seconds = '00', fraction = ''] = pattern.exec(text) ?? [];
  if (date === undefined || minutes === undefined) return null;
  return { date, minutes, seconds, fraction: fraction.replace(/0+$/, '') };
}

function toLocalTime({ date, minutes, seconds, fraction }: WallClockParts): LocalTime | null {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8))];
  const [hour, minute, second] = [Number(minutes.slice(0, 2)), Number(minutes.slice(3)), Number(seconds)];
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return localTime({ year, month, day, hour, minute, second, milliseconds });
}

type Numbers = Readonly<
  Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'milliseconds', number>
>;

/** Null for what is not a real day of these years, or not a time of day. */
function localTime({ year, month, day, hour, minute, second, milliseconds }: Numbers): LocalTime | null {
  if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59)
    return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  // Date.UTC turns 30 February into 1 or 2 March.
  return day <= 28 || new Date(local).getUTCDate() === day ? local : null;
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
