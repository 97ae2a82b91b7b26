import { type Finding, risk } from '../../model/finding.js';
import { type NextRuns, numberText, type Timetable } from '../../model/schedule.js';
import { count } from '../../model/words.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/** New and changed schedules that do not run for much longer than usual (contract §18). */
export const gap: Rule = {
  name: 'gap',
  examine: (world) => world.diffs.flatMap((each) => withoutRuns(each, world)),
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The last run that is certain, or now, and the first one after the change: instants, and their wall clock. */
interface Gap {
  readonly from: string;
  readonly until: string;
  readonly localFrom: string;
  readonly localUntil: string;
}

function withoutRuns({ match, change }: ResourceDiff, { nextRuns, basis: { now } }: World): Finding[] {
  const runs = nextRuns.get(change.address);
  const { timetable } = match.kind;
  const { entry, observed } = match;
  if (runs === undefined || timetable === undefined || entry === null) return [];
  // What is paused starts nothing on purpose, and what runs once has no interval.
  if (runs.pace.after?.runsPerWeek === 0) return [];
  if (runs.after?.length === 0) return [risk(change.address, { code: 'gap', message: 'never runs' })];
  const interval = usualInterval(timetable, observed?.spec ?? null, entry.spec);
  const found = gapOf(runs, timetable, now);
  if (interval === null || found === null) return [];
  const length = lengthOf(found);
  if (length <= DAY || length <= 2 * interval) return [];
  return [risk(change.address, { code: 'gap', message: gapText(found, length) })];
}

/** In milliseconds: the one that it had before, else its own. The longest one, so that nights and weekends are no gaps. */
function usualInterval(timetable: Timetable<unknown>, before: unknown, after: unknown): number | null {
  const isPaused = before === null || timetable.target(before) === null;
  const former = isPaused ? null : timetable.longestGap(before);
  const seconds = former ?? timetable.longestGap(after);
  return seconds === null ? null : seconds * 1000;
}

/** Null where its times are not known. */
function gapOf({ before, after, timeZone }: NextRuns, timetable: Timetable<unknown>, now: Date): Gap | null {
  const until = after?.[0];
  if (until === undefined) return null;
  const since = now.toISOString();
  const from = before?.[0] ?? { utc: since, local: timetable.wallClock(since, timeZone) };
  return { from: from.utc, until: until.utc, localFrom: from.local, localUntil: until.local };
}

/** Of both clocks, the one that shows less: a clock change is no gap. */
function lengthOf({ from, until, localFrom, localUntil }: Gap): number {
  return Math.min(
    Date.parse(until) - Date.parse(from),
    Date.parse(`${localUntil}Z`) - Date.parse(`${localFrom}Z`),
  );
}

/** `no runs for 103 days: 2026-12-01 → 2027-03-14`, as the schedule's own clock shows it. */
function gapText({ localFrom, localUntil }: Gap, length: number): string {
  const [first = '', last = ''] = [localFrom, localUntil].map((time) => time.slice(0, 'yyyy-mm-dd'.length));
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY);
  if (length >= 2 * DAY) return `no runs for ${numberText(days)} days: ${first} → ${last}`;
  const [start, end] = [localFrom, localUntil].map((time) =>
    time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' '),
  );
  return `no runs for ${count(Math.floor(length / HOUR), 'hour')}: ${start} → ${end}`;
}
