import type { Suggest } from '../model/suggest.js';
import { isKnownZone } from './known-zones.js';
import { localTimeIn } from './local-time.js';
import { quoted, type TimingProblem } from './problem.js';
import { looksIana, renamed } from './zone-names.js';

/** Needs no Intl, whose first use takes almost as long as starting Node. */
const UTC = 'UTC';
/** Intl's names of existing zones, as written and by lower case: asking Intl costs about 50 µs and 60 KB. */
const resolvedNames = new Map([[UTC.toLowerCase(), UTC]]);
/** A name can be spelled in many cases. */
const MOST_SPELLINGS = 10_000;
/** Longer texts are not compared with every zone's name. */
const LONGEST_NAME_CHARACTERS = 60;

let names: readonly string[] = [];
/** The first zone of each place, in lower case: `berlin`, `knox`, `indiana/knox`. */
const places = new Map<string, string>();

/**
 * Why a zone is not valid in a manifest; null when it is. A zone is an IANA name (interface §2, Schedule) in any
 * case, older names such as Asia/Calcutta among them. Abbreviations and offsets are refused.
 */
export function zoneProblem(text: string, suggest: Suggest = () => null): TimingProblem | null {
  if (canonicalName(text) !== null) return null;
  return { message: `${quoted(text)} is not an IANA time zone`, help: hint(text, suggest) };
}

/**
 * One name for all names of a zone: Asia/Calcutta, Asia/Kolkata and asia/kolkata return Asia/Kolkata. Zones that only
 * have the same time (Europe/Oslo, Europe/Berlin) stay different. Any other text is returned unchanged.
 */
export function canonicalZone(text: string): string {
  return canonicalName(text) ?? text;
}

/** Asking Intl takes several microseconds, and thousands of schedules ask for the same few instants. */
const knownOffsets = new Map<string, number>();
const MOST_OFFSETS = 10_000;

/** How many milliseconds local time is ahead of UTC at an instant. Throws RangeError when there is no such zone. */
export function offsetAt(zone: string, instant: number): number {
  const name = resolvedName(zone);
  if (name === null) throw new RangeError(`not an IANA time zone: ${quoted(zone)}`);
  if (name === UTC) return 0;
  const key = `${name} ${instant}`;
  const known = knownOffsets.get(key);
  if (known !== undefined) return known;
  const offset = localTimeIn(name, instant) - Math.floor(instant / 1000) * 1000;
  if (knownOffsets.size >= MOST_OFFSETS) knownOffsets.clear();
  knownOffsets.set(key, offset);
  return offset;
}

function canonicalName(text: string): string | null {
  const name = resolvedName(text);
  return name === null ? null : (renamed.get(name) ?? name);
}

function resolvedName(text: string): string | null {
  return resolvedNames.get(text) ?? resolvedAnyCase(text);
}

function resolvedAnyCase(text: string): string | null {
  // Other letters may become ASCII in lower case: the Kelvin sign does.
  if (!/^[\w+/-]+$/.test(text)) return null;
  const lower = text.toLowerCase();
  const name = resolvedNames.get(lower) ?? withoutIntl(text) ?? (looksIana(text) ? resolve(text) : null);
  if (name === null) return null;
  resolvedNames.set(lower, name);
  if (resolvedNames.size < MOST_SPELLINGS) resolvedNames.set(text, name);
  return name;
}

/** Null for a name that only Intl can tell. */
function withoutIntl(text: string): string | null {
  if (isKnownZone(text)) return text;
  if (renamed.get(text) === UTC) return UTC;
  const [before] = [...renamed].find(([, now]) => now === text) ?? [];
  return before !== undefined && isKnownZone(before) ? before : null;
}

function resolve(text: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    // This is how Intl reports an unknown zone.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function hint(text: string, suggest: Suggest): string {
  if (/^(UTC|GMT)?[+-]\d/i.test(text)) {
    return 'Use the name of a place, such as `Europe/Berlin`: an offset does not follow daylight saving time.';
  }
  if (/^[A-Z]{2,5}(\d[A-Z]{3})?$/.test(text)) {
    return 'Use the name of a place, such as `America/New_York`: an abbreviation can mean several zones.';
  }
  const known = text.length > LONGEST_NAME_CHARACTERS ? [] : knownNames();
  const city = text.trim().replaceAll(' ', '_').toLowerCase();
  const closest = places.get(city) ?? suggest(text, known);
  return closest === null ? 'Write an IANA name, such as Europe/Berlin or UTC.' : `Did you mean ${closest}?`;
}

function knownNames(): readonly string[] {
  if (names.length === 0) {
    const all = Intl.supportedValuesOf('timeZone').map((name) => renamed.get(name) ?? name);
    names = [...new Set([...all, 'UTC'])];
    for (const name of names) notePlaces(name);
  }
  return names;
}

function notePlaces(name: string): void {
  const [, ...segments] = name.toLowerCase().split('/');
  for (const [index] of segments.entries()) {
    const place = segments.slice(index).join('/');
    if (!places.has(place)) places.set(place, name);
  }
}
