import { type LocalTime, readWallClock, writeWallClock } from './wall-clock.js';
import { offsetAt } from './zone.js';

export type LocalKind = 'normal' | 'skipped' | 'repeated';

/** The offsets around a local day. `at` is the instant from which `after` holds; Infinity when nothing changes. */
interface Span {
  readonly before: number;
  readonly after: number;
  readonly at: number;
}

const hour = 3_600_000;
export const dayLength = 24 * hour;
/** No zone is further from UTC, so a local day lies within this much of the same day in UTC. */
const farthest = 15 * hour;

const spans = new Map<string, Map<number, Span>>();

/** Whether a clock change makes the zone's clocks leave out this time (`skipped`) or show it twice (`repeated`). */
export function localKind(wallClock: string, zone: string): LocalKind {
  const found = instantsOf(readWallClock(wallClock), zone);
  return found.length === 0 ? 'skipped' : found.length === 1 ? 'normal' : 'repeated';
}

/**
 * The instant of a wall-clock time. Of a repeated time it is the first; a skipped time moves on by as much as the
 * clocks do (02:30 to 03:30). Throws RangeError when time or zone cannot be read.
 */
export function toInstant(wallClock: string, zone: string): Date {
  return new Date(firstInstant(readWallClock(wallClock), zone));
}

/** Local wall clock with its offset, which tells the two passes of a repeated hour apart: `2026-12-01 06:00 +01:00`. */
export function show(instant: Date, zone: string): string {
  const offset = offsetAt(zone, instant.getTime());
  const [date, time = ''] = writeWallClock(instant.getTime() + offset).split('T');
  return `${date} ${time.replace(/^(\d\d:\d\d):00$/, '$1')} ${showOffset(offset)}`;
}

/** Every instant at which the zone's clocks show this time: none, one or two, in order. */
export function instantsOf(local: LocalTime, zone: string): number[] {
  const { before, after, at } = spanOf(zone, local);
  const found: number[] = [];
  if (local - before < at) found.push(local - before);
  if (local - after >= at) found.push(local - after);
  return found;
}

/** As `toInstant`, in milliseconds. */
export function firstInstant(local: LocalTime, zone: string): number {
  return instantsOf(local, zone)[0] ?? local - spanOf(zone, local).before;
}

/** The offset that holds all through a local day and well before and after it; null near a clock change. */
export function steadyOffset(local: LocalTime, zone: string): number | null {
  const { before, at } = spanOf(zone, local);
  return at === Number.POSITIVE_INFINITY ? before : null;
}

/** A stretch of time, in instants: `until` is outside it. */
export interface OffsetPeriod {
  readonly from: number;
  readonly until: number;
  /** What the zone's clocks are ahead of UTC. */
  readonly offset: number;
  /**
   * What they were ahead before, as long as a change is felt; null else. When they were less, skipped times run here
   * beside this stretch's own; when they were more, all its times are repeated ones.
   */
  readonly was: number | null;
}

/**
 * Cuts time where a zone's clocks change, and where that is no longer felt: when they have gone on for as long as
 * they were moved. Looks at every day, so that it is worth doing once for all schedules of a zone.
 */
export function offsetPeriods(zone: string, from: number, until: number): OffsetPeriod[] {
  const found: OffsetPeriod[] = [];
  const add = (start: number, end: number, offset: number, was: number | null) => {
    const period = { from: Math.max(start, from), until: Math.min(end, until), offset, was };
    if (period.from < period.until) found.push(period);
  };
  // A change of up to a day, shortly before, is still felt.
  let start = (Math.floor(from / dayLength) - 2) * dayLength;
  let offset = offsetAt(zone, start);
  for (let day = start; day < until; day += dayLength) {
    const { before, after, at } = spanOf(zone, day);
    if (at < day || at >= day + dayLength) continue;
    const settled = at + Math.abs(after - before);
    add(start, at, before, null);
    add(at, settled, after, before);
    [start, offset] = [settled, after];
  }
  add(start, until, offset, null);
  return found;
}

/** Sound because no zone has changed its clocks twice within three days since 1970. */
function spanOf(zone: string, local: LocalTime): Span {
  const day = Math.floor(local / dayLength);
  const known = spans.get(zone) ?? new Map<number, Span>();
  spans.set(zone, known);
  const span = known.get(day) ?? measure(zone, day * dayLength - farthest, (day + 1) * dayLength + farthest);
  known.set(day, span);
  return span;
}

function measure(zone: string, from: number, to: number): Span {
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

function showOffset(offset: number): string {
  const text = new Date(Math.abs(offset)).toISOString().slice(11, 19).replace(/:00$/, '');
  return `${offset < 0 ? '-' : '+'}${text}`;
}
