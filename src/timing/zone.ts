import type { Suggest } from '../model/resource.js';
import { oncePerText } from './once-per-text.js';
import { quoted, type TimingProblem } from './problem.js';

/** The version of the time-zone data of this Node, such as `2025c`. Versions differ by an hour in some zones. */
export function timeZoneData(): string {
  return process.versions['tz'] ?? 'unknown';
}

/**
 * Why a zone is not valid in a manifest; null when it is. A zone is an IANA name (interface §2, Schedule) in any
 * case, older names such as Asia/Calcutta among them. Other abbreviations and offsets are refused.
 */
export function zoneProblem(text: string, suggest: Suggest = () => null): TimingProblem | null {
  if (zoneOf(text) !== null) return null;
  return { message: `${quoted(text)} is not an IANA time zone`, help: hint(text, suggest) };
}

/** About a name that reads as an abbreviation; null for any other. */
export function zoneWarning(text: string): TimingProblem | null {
  const place = abbreviations.get(text.toUpperCase());
  if (place === undefined) return null;
  const message = `${quoted(text)} reads as an abbreviation: services can differ in what this time zone is, such as whether it has daylight saving time`;
  return { message, help: `Write the name of a place. \`${place}\` has the same time today.` };
}

/**
 * One name for all names of a zone: Asia/Calcutta, Asia/Kolkata and asia/kolkata return Asia/Kolkata. Zones that only
 * have the same time (Europe/Oslo, Europe/Berlin) stay different. Any other text is returned unchanged.
 */
export function canonicalZone(text: string): string {
  const zone = zoneOf(text);
  return zone === null ? text : (renamed.get(zone.name) ?? zone.name);
}

interface Zone {
  /** As Intl spells it. */
  readonly name: string;
  /** Null for UTC, which needs no Intl: its first use takes almost as long as starting Node. */
  readonly clock: Intl.DateTimeFormat | null;
  /** By the number of the block of time. */
  readonly offsets: Map<number, readonly Offset[]>;
}

const utc: Zone = { name: 'UTC', clock: null, offsets: new Map() };
/** By each name in lower case, older names among them, and by Intl's own spelling. */
const zones = new Map<string, Zone>([
  ['UTC', utc],
  ['utc', utc],
]);

/** Null when there is no such zone. */
function zoneOf(text: string): Zone | null {
  return zones.get(text) ?? zoneInAnyCase(text);
}

function zoneInAnyCase(text: string): Zone | null {
  // Other letters may become ASCII in lower case: the Kelvin sign does.
  if (!/^[\w+/-]+$/.test(text)) return null;
  const key = text.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) return known;
  const clock = looksIana(key) ? clockOf(text) : null;
  if (clock === null) return null;
  const intlName = clock.resolvedOptions().timeZone;
  const name = abbreviations.has(text.toUpperCase()) ? text.toUpperCase() : plainName(intlName);
  const zone = zones.get(name) ?? { name, clock, offsets: new Map() };
  zones.set(name, zone).set(key, zone);
  return zone;
}

function plainName(intlName: string): string {
  return renamed.get(intlName) === 'UTC' ? 'UTC' : intlName;
}

function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...day, ...time, timeZone });
  } catch (error) {
    // This is how Intl reports an unknown zone.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The areas of IANA zones. Other names that ICU knows (`SystemV/…`, `PST`, `IST`) are not IANA's. */
const areas =
  /^(africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us)\/./;

/**
 * The IANA names that read as an abbreviation, and places with the same time. They stay zones of their own: what they mean has
 * changed between versions of the zone data, and a digest must not.
 */
const abbreviations: ReadonlyMap<string, string> = new Map([
  ['EST', 'America/Panama'],
  ['MST', 'America/Phoenix'],
  ['HST', 'Pacific/Honolulu'],
  ['EST5EDT', 'America/New_York'],
  ['CST6CDT', 'America/Chicago'],
  ['MST7MDT', 'America/Denver'],
  ['PST8PDT', 'America/Los_Angeles'],
  ['CET', 'Europe/Brussels'],
  ['MET', 'Europe/Brussels'],
  ['EET', 'Europe/Athens'],
  ['WET', 'Europe/Lisbon'],
]);

/** The other IANA names without an area, which name a place or UTC. */
const withoutArea: ReadonlySet<string> = new Set(
  (
    'utc uct gmt gmt0 greenwich universal zulu cuba egypt eire gb gb-eire hongkong iceland iran israel jamaica ' +
    'japan kwajalein libya navajo nz nz-chat poland portugal prc roc rok singapore turkey w-su'
  ).split(' '),
);

/** True for the form of an IANA name in lower case. Newer versions of Node take offsets, too. */
function looksIana(name: string): boolean {
  return areas.test(name) || withoutArea.has(name) || abbreviations.has(name.toUpperCase());
}

/**
 * Zones that IANA has renamed and CLDR has not. Node returns CLDR's name for both today. A Node built with other zone
 * data, or one that follows the newer ECMA-402 text, returns IANA's. A digest must be the same on both.
 */
const renamed: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
  ['Etc/UTC', 'UTC'],
  ['Etc/GMT', 'UTC'],
  ['GMT', 'UTC'],
]);

/** Longer texts are not compared with every zone's name. */
const LONGEST_NAME_CHARACTERS = 60;

function hint(text: string, suggest: Suggest): string {
  if (/^(UTC|GMT)?[+-]\d/i.test(text)) {
    return 'Use the name of a place, such as `Europe/Berlin`: an offset does not follow daylight saving time.';
  }
  if (/^[A-Z]{2,5}(\d[A-Z]{3})?$/.test(text)) {
    return 'Use the name of a place, such as `America/New_York`: an abbreviation can mean several zones.';
  }
  const closest = text.length > LONGEST_NAME_CHARACTERS ? null : closestName(text, suggest);
  return closest === null ? 'Write an IANA name, such as Europe/Berlin or UTC.' : `Did you mean ${closest}?`;
}

/** Listed once: there may be thousands of wrong names. */
let zoneNames: readonly string[] | null = null;

/** The first zone of that place (`berlin`, `knox`, `indiana/knox`), or the nearest name. */
function closestName(text: string, suggest: Suggest): string | null {
  const place = `/${text.trim().replaceAll(' ', '_').toLowerCase()}`;
  zoneNames ??= [...new Set([...Intl.supportedValuesOf('timeZone').map(canonicalSpelling), 'UTC'])];
  const names = zoneNames;
  return names.find((name) => name.toLowerCase().endsWith(place)) ?? suggest(text, names);
}

function canonicalSpelling(name: string): string {
  return renamed.get(name) ?? name;
}

/** How far the clocks of a zone are ahead of UTC from an instant on, in milliseconds. */
interface Offset {
  readonly from: number;
  readonly offset: number;
}

export const DAY_MILLISECONDS = 86_400_000;
/** Correct because no zone has changed its clocks twice within four days since 1970. */
const STEP_MILLISECONDS = 4 * DAY_MILLISECONDS;
/** Offsets are looked up in blocks of this length, once for each zone. */
const BLOCK_MILLISECONDS = 8 * STEP_MILLISECONDS;
/** For all of 400 years. */
const MOST_BLOCKS = 5000;
/** The last instant that a Date can hold. */
export const LAST_INSTANT = 8.64e15;

/** How many milliseconds local time is ahead of UTC at an instant. Throws RangeError when there is no such zone. */
export function offsetAt(zone: string, instant: number): number {
  const offsets = offsetsIn(existing(zone), Math.floor(instant / BLOCK_MILLISECONDS));
  return offsets.findLast(({ from }) => from <= instant)?.offset ?? 0;
}

/** A period between two instants. `until` is not part of it. */
export interface OffsetPeriod {
  readonly from: number;
  readonly until: number;
  /** How far the zone's clocks are ahead of UTC. */
  readonly offset: number;
  /**
   * The offset before the last clock change, while that change still has an effect; otherwise null. If it was smaller,
   * skipped times run in this period besides its own. If it was larger, all times of this period are repeated ones.
   */
  readonly was: number | null;
}

/**
 * Splits time where a zone's clocks change, and where the change no longer has an effect: after as much time as the
 * clocks were moved by. Throws RangeError when there is no such zone.
 */
export function offsetPeriods(zone: string, from: number, until: number): OffsetPeriod[] {
  const found: OffsetPeriod[] = [];
  const add = (start: number, stop: number, offset: number, was: number | null) => {
    const period = { from: Math.max(start, from), until: Math.min(stop, until), offset, was };
    if (period.from < period.until) found.push(period);
  };
  // A change of up to a day, shortly before, still has an effect.
  let start = from - 2 * DAY_MILLISECONDS;
  let offset = offsetAt(zone, start);
  for (const { from: at, offset: after } of offsetsBetween(zone, start, until)) {
    if (after === offset) continue;
    const end = at + Math.abs(after - offset);
    add(start, at, offset, null);
    add(at, end, after, offset);
    [start, offset] = [end, after];
  }
  add(start, until, offset, null);
  return found;
}

function offsetsBetween(zone: string, from: number, until: number): Offset[] {
  const found: Offset[] = [];
  const known = existing(zone);
  for (let block = Math.floor(from / BLOCK_MILLISECONDS); block * BLOCK_MILLISECONDS < until; block += 1)
    found.push(...offsetsIn(known, block).filter((each) => each.from > from && each.from < until));
  return found;
}

function existing(name: string): Zone {
  const zone = zoneOf(name);
  if (zone === null) throw new RangeError(`not an IANA time zone: ${quoted(name)}`);
  return zone;
}

/** The offsets in a block of time, in order; the first applies from its beginning. */
function offsetsIn(zone: Zone, block: number): readonly Offset[] {
  const known = zone.offsets.get(block);
  if (known !== undefined) return known;
  const begin = block * BLOCK_MILLISECONDS;
  let offset = askOffset(zone, begin);
  const found = [{ from: begin, offset }];
  for (let from = begin; from < begin + BLOCK_MILLISECONDS; from += STEP_MILLISECONDS) {
    const after = askOffset(zone, from + STEP_MILLISECONDS);
    if (after !== offset) found.push({ from: changeAfter(zone, from, offset), offset: after });
    offset = after;
  }
  if (zone.offsets.size >= MOST_BLOCKS) zone.offsets.clear();
  zone.offsets.set(block, found);
  return found;
}

/** The first second within a step at which the offset is another one. */
function changeAfter(zone: Zone, from: number, offset: number): number {
  let [low, high] = [from / 1000, (from + STEP_MILLISECONDS) / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (askOffset(zone, middle * 1000) === offset) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** What Intl says. `instant` is a whole second. */
function askOffset({ clock }: Zone, instant: number): number {
  if (clock === null) return 0;
  const second = Math.min(instant, LAST_INSTANT);
  const numbers = clock.format(second).match(/\d+/g) ?? [];
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, seconds = 0] = numbers.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

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
export const canonicalWallClock = oncePerText((text): string => {
  const parts = partsOf(text, lenient);
  if (parts === null || toLocalTime(parts) === null) return text;
  return `${parts.date}T${parts.minutes}:${parts.seconds}${parts.fraction === '' ? '' : `.${parts.fraction}`}`;
});

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
  const local = Date.parse(`${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date.parse turns 30 February into 1 or 2 March, and 24:00 into the next day.
  return local >= 0 && new Date(local).getUTCDate() === Number(date.slice(-2)) ? local : null;
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
