import { type LocalTime, readWallClock } from './wall-clock.js';
import { offsetAt } from './zone.js';

export type LocalKind = 'normal' | 'skipped' | 'repeated';

/** The offsets around a local day. `after` applies from the instant `at`, which is Infinity without a clock change. */
interface DayOffsets {
  readonly before: number;
  readonly after: number;
  readonly at: number;
}

const hour = 3_600_000;
export const dayLength = 24 * hour;
/** No zone is further from UTC, so a local day is within this distance of the same day in UTC. */
const LARGEST_OFFSET = 15 * hour;

const knownOffsets = new Map<string, Map<number, DayOffsets>>();

/** Whether the zone's clocks skip this time or repeat it. */
export function localKind(wallClock: string, zone: string): LocalKind {
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
  const { before, after, at } = offsetsOf(zone, local);
  const found: number[] = [];
  if (local - before < at) found.push(local - before);
  if (local - after >= at) found.push(local - after);
  return found;
}

/** Like `toInstant`, in milliseconds. */
export function firstInstant(local: LocalTime, zone: string): number {
  return instantsOf(local, zone)[0] ?? local - offsetsOf(zone, local).before;
}

/** The offset that applies throughout a local day and well before and after it. Null near a clock change. */
export function steadyOffset(local: LocalTime, zone: string): number | null {
  const { before, at } = offsetsOf(zone, local);
  return at === Number.POSITIVE_INFINITY ? before : null;
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

const knownPeriods = new Map<string, readonly OffsetPeriod[]>();
const MOST_SPANS = 1000;

/**
 * Splits time where a zone's clocks change, and where the change no longer has an effect: after as much time as the
 * clocks were moved by. Cached, because it looks at every day, and all schedules of a zone ask for the same span.
 */
export function offsetPeriods(zone: string, from: number, until: number): readonly OffsetPeriod[] {
  const key = `${zone} ${from} ${until}`;
  const known = knownPeriods.get(key);
  if (known !== undefined) return known;
  const found = periodsBetween(zone, from, until);
  if (knownPeriods.size >= MOST_SPANS) knownPeriods.clear();
  knownPeriods.set(key, found);
  return found;
}

function periodsBetween(zone: string, from: number, until: number): OffsetPeriod[] {
  const found: OffsetPeriod[] = [];
  const add = (start: number, stop: number, offset: number, was: number | null) => {
    const period = { from: Math.max(start, from), until: Math.min(stop, until), offset, was };
    if (period.from < period.until) found.push(period);
  };
  // A change of up to a day, shortly before, still has an effect.
  let start = (Math.floor(from / dayLength) - 2) * dayLength;
  let offset = offsetAt(zone, start);
  for (let day = start; day < until; day += dayLength) {
    const { before, after, at } = offsetsOf(zone, day);
    if (at < day || at >= day + dayLength) continue;
    const end = at + Math.abs(after - before);
    add(start, at, before, null);
    add(at, end, after, before);
    [start, offset] = [end, after];
  }
  add(start, until, offset, null);
  return found;
}

/** Correct because no zone has changed its clocks twice within three days since 1970. */
function offsetsOf(zone: string, local: LocalTime): DayOffsets {
  const day = Math.floor(local / dayLength);
  const known = knownOffsets.get(zone) ?? new Map<number, DayOffsets>();
  knownOffsets.set(zone, known);
  const offsets =
    known.get(day) ?? measure(zone, day * dayLength - LARGEST_OFFSET, (day + 1) * dayLength + LARGEST_OFFSET);
  known.set(day, offsets);
  return offsets;
}

function measure(zone: string, from: number, to: number): DayOffsets {
  const before = offsetAt(zone, from);
  const after = offsetAt(zone, to);
  if (before === after) return { before, after, at: Number.POSITIVE_INFINITY };
  let [low, high] = [from / 1000, to / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return { before, after, at: high * 1000 };
}
