import { readInstant } from '../../service/operations/record.js';

/**
 * The newest first. A run without a time, which has not started or cannot be read, stays next to the one above it: each
 * list is sorted already.
 */
export function byTime<T extends { readonly startedAt: string | null }>(
  lists: readonly (readonly T[])[],
): readonly T[] {
  const timed = lists.flatMap((runs) => {
    let above = Number.POSITIVE_INFINITY;
    return runs.map((run) => {
      // `Date.parse` would read a year from many words, and a time without an offset as one of this machine's zone.
      const at = run.startedAt === null ? null : readInstant(run.startedAt);
      above = at ?? above;
      return { run, at: above };
    });
  });
  return timed.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at)).map(({ run }) => run);
}
