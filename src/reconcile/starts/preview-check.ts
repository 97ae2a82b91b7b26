import type { Timetable } from '../../model/timetable.js';

/** How far the clocks of the service and of this machine may be apart. */
const CLOCK_SKEW_MILLISECONDS = 10 * 60_000;

/**
 * Whether the service's preview of a schedule, at most as many runs as are shown, disagrees with the times computed here.
 * False where they cannot be computed.
 */
export function previewDiffers(
  timetable: Timetable<unknown>,
  spec: unknown,
  preview: readonly string[],
  now: Date,
): boolean {
  const soon = new Date(now.getTime() + CLOCK_SKEW_MILLISECONDS);
  const next = timetable.nextRuns(spec, soon, 1);
  if (next === null) return false;
  const runs = preview.map((run) => Date.parse(run));
  const [first] = runs;
  if (first === undefined) return next.length > 0;
  if (Number.isNaN(first) || first < now.getTime() - CLOCK_SKEW_MILLISECONDS) return true;
  if (next[0] !== undefined && first > Date.parse(next[0])) return true;
  const computed = timetable.nextRuns(spec, new Date(first), runs.length) ?? [];
  return computed.length < runs.length || computed.some((run, index) => Date.parse(run) !== runs[index]);
}
