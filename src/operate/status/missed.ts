/** How late a start may be before it counts as missed (contract §9). */
export const TOLERANCE = 15 * 60_000;
/** How far the clock of the service may be behind. */
const EARLY = 60_000;
/** More starts in a period are not compared one by one. */
const MOST_STARTS = 20_000;
const CHUNK = 50;

export interface FoundStarts {
  /** In order, in milliseconds. */
  readonly times: readonly number[];
  /** How many more there are at unknown times. */
  readonly untimed: number;
}

export interface MissedStarts {
  readonly count: number;
  /** When the last of them was due, in milliseconds. Null for none, and where that is not known. */
  readonly last: number | null;
}

export const noneMissed: MissedStarts = { count: 0, last: null };

/**
 * Which of the expected starts have no run. Each run is that of one start. A run at an unknown time may be that of any
 * start: null where that decides whether one was missed at all.
 */
export function missedStarts(
  expected: readonly number[],
  { times, untimed }: FoundStarts,
): MissedStarts | null {
  const unmatched = unmatchedStarts(expected, times);
  const count = unmatched.length;
  if (count === 0 || untimed === 0) return { count, last: unmatched.at(-1) ?? null };
  return count > untimed ? { count: count - untimed, last: null } : null;
}

/** Both in order: the earliest run that is left is that of the earliest start that it can belong to. */
function unmatchedStarts(expected: readonly number[], found: readonly number[]): readonly number[] {
  let next = 0;
  const unmatched: number[] = [];
  for (const start of expected) {
    while (next < found.length && (found[next] ?? 0) < start - EARLY) next += 1;
    if (next < found.length && (found[next] ?? 0) <= start + TOLERANCE) next += 1;
    else unmatched.push(start);
  }
  return unmatched;
}

/** The next `count` starts from an instant on; null for a timing that cannot be understood. */
type NextStarts = (from: Date, count: number) => readonly string[] | null;

/** The starts that should have happened by now, in order; null where they cannot be computed. */
export function expectedStarts(next: NextStarts, from: number, now: number): readonly number[] | null {
  const until = now - TOLERANCE;
  const found: number[] = [];
  let at = from;
  while (at <= until) {
    const starts = next(new Date(at), CHUNK)?.map((each) => Date.parse(each));
    if (starts === undefined || found.length > MOST_STARTS) return null;
    found.push(...starts.filter((each) => each <= until));
    const last = starts.at(-1);
    if (last === undefined || starts.length < CHUNK) break;
    at = last + 1;
  }
  return found;
}
