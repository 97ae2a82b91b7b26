/** How late a start may be before it counts as missed (contract §9). */
export const TOLERANCE = 15 * 60_000;
/** How far the clock of the service may be behind, and how far the delays of a schedule's own runs differ. */
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

/** The starts without a run that no later run makes up. Both in order. */
function unmatchedStarts(expected: readonly number[], found: readonly number[]): readonly number[] {
  const own = runsOf(expected, found);
  const madeUp = lastMakeUp(expected, found, own);
  return expected.filter((start, index) => own[index] === null && start > madeUp);
}

/**
 * For each start, which of the runs is its own; null for none. The earliest run that is left is that of the earliest start
 * that it can belong to.
 */
function runsOf(expected: readonly number[], found: readonly number[]): readonly (number | null)[] {
  let next = 0;
  return expected.map((start) => {
    while (next < found.length && (found[next] ?? 0) < start - EARLY) next += 1;
    if (next >= found.length || (found[next] ?? 0) > start + TOLERANCE) return null;
    next += 1;
    return next - 1;
  });
}

/**
 * When the last run began that makes up for the missed starts before it: one that is not the run of any start, or that began
 * clearly later after its start than the others. Somebody has started it (contract §21), and jobs do not say so.
 */
function lastMakeUp(
  expected: readonly number[],
  found: readonly number[],
  own: readonly (number | null)[],
): number {
  const delays = new Map<number, number>();
  for (const [index, run] of own.entries())
    if (run !== null) delays.set(run, (found[run] ?? 0) - (expected[index] ?? 0));
  const [least = 0, second = 0] = [...delays.values()].sort((a, b) => a - b);
  const isMakeUp = (_: number, run: number) => {
    const delay = delays.get(run);
    if (delay === undefined) return true;
    const usual = delay === least ? second : least;
    return delay > usual + EARLY;
  };
  return found.filter(isMakeUp).at(-1) ?? Number.NEGATIVE_INFINITY;
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
