/** Time zones and wall clocks. A local time is a number: milliseconds since 1970-01-01T00:00 on the wall clock. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The areas of IANA names, and the names without one. Intl also knows abbreviations such as PST, which are not names. */
const AREAS =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\//i;
const SINGLE_NAMES = new Set(
  `cet cst6cdt cuba eet egypt eire est est5edt gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hongkong hst iceland iran
   israel jamaica japan kwajalein libya met mst mst7mdt navajo nz nz-chat poland portugal prc pst8pdt roc rok singapore
   turkey uct universal utc w-su wet zulu`.split(/\s+/),
);

const known = new Set<string>();
const MOST_KNOWN = 1_000;

/** Remembers names: to ask Intl takes a tenth of a millisecond. */
export function isZone(name: string): boolean {
  if (known.has(name)) return true;
  if (!isZoneOfIntl(name)) return false;
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(name);
  return true;
}

function isZoneOfIntl(name: string): boolean {
  if (!/^[\w+/-]+$/.test(name)) return false;
  if (!AREAS.test(name) && !SINGLE_NAMES.has(name.toLowerCase())) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The offsets of one day in UTC: `after` applies from `at`, which is infinite on a day without a clock change. */
interface Day {
  readonly before: number;
  readonly after: number;
  readonly at: number;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: Map<number, Day>;
}

const zones = new Map<string, Zone>();
const MOST_DAYS = 20_000;

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(name: string, instant: number): number {
  const zone = zoneOf(name);
  const number = Math.floor(instant / DAY_MS);
  const day = zone.days.get(number) ?? readDay(zone, number);
  return instant < day.at ? day.before : day.after;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const;
  const options = { ...parts, second: 'numeric', hourCycle: 'h23', era: 'short', timeZone: name } as const;
  const zone = { format: new Intl.DateTimeFormat('en-US', options), days: new Map<number, Day>() };
  zones.set(name, zone);
  return zone;
}

function readDay(zone: Zone, number: number): Day {
  if (zone.days.size > MOST_DAYS) zone.days.clear();
  const [start, end] = [number * DAY_MS, (number + 1) * DAY_MS];
  const [before, after] = [readOffset(zone, start), readOffset(zone, end - 1)];
  const at = before === after ? Number.POSITIVE_INFINITY : changeBetween(zone, start, end - 1);
  const day = { before, after, at };
  zone.days.set(number, day);
  return day;
}

/** The first instant of the second offset. */
function changeBetween(zone: Zone, start: number, end: number): number {
  const before = readOffset(zone, start);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function readOffset({ format }: Zone, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const parts = Object.fromEntries(format.formatToParts(second).map(({ type, value }) => [type, value]));
  const numbers = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((type) => Number(parts[type]));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** The instants at which the zone's clocks show a local time: none, one or two, in order. */
export function instantsOf(zone: string, local: number): number[] {
  const offsets = new Set([offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]);
  const found = [...offsets].map((offset) => local - offset);
  return found.filter((instant) => instant + offsetAt(zone, instant) === local).sort((a, b) => a - b);
}

/** A repeated time is the first one; a skipped time moves forward as the clocks do. */
export function firstInstant(zone: string, local: number): number {
  return instantsOf(zone, local)[0] ?? local - offsetAt(zone, local - DAY_MS);
}

/** The offset of a local day that no clock change is near. */
export function steadyOffset(zone: string, day: number): number | undefined {
  const [before, after] = [offsetAt(zone, day - DAY_MS), offsetAt(zone, day + 2 * DAY_MS)];
  return before === after && offsetAt(zone, day) === before ? before : undefined;
}

const WALL_CLOCK = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?$/;

/** A wall-clock time with seconds, or undefined if it is not one or has an offset. */
export function wallClock(text: string): string | undefined {
  const [, minutes, seconds = '00', fraction = ''] = WALL_CLOCK.exec(text) ?? [];
  if (minutes === undefined) return undefined;
  const plain = `${minutes}:${seconds}`;
  const local = Date.parse(`${plain}Z`);
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(plain)) return undefined;
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? plain : `${plain}.${digits}`;
}

/** Fractions below a millisecond are cut. */
export function localTime(text: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Date.parse(`${whole}Z`) + Number(fraction.padEnd(3, '0').slice(0, 3));
}
