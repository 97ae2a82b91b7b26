import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `ROSTER_FAULTS=all` for every experiment (`npm run test:faults`); a tenth of them otherwise. */
export const all = process.env['ROSTER_FAULTS'] === 'all';

/** The number of runs of a random experiment: all, or a tenth. */
export const times = (count: number): number => (all ? count : Math.ceil(count / 10));

/** One in `share`, spread over the whole list. */
function sample<T>(list: readonly T[], share = 10): readonly T[] {
  return all ? list : list.filter((_, index) => index % share === Math.min(4, share - 1, list.length - 1));
}

/**
 * One test with many experiments for an invariant in the table of `npm run test:faults`. An experiment fails by throwing.
 * All of them run, and the failures are reported together. With `npm test`, one in `share` runs: choose an odd number if
 * the list is a product, so that no factor is left out.
 */
export function experiments<T>(
  invariant: string,
  title: string,
  list: readonly T[],
  run: (each: T) => Promise<unknown>,
  share = 10,
): void {
  const chosen = sample(list, share);
  test(`${invariant}: ${title}`, { timeout: Math.max(60_000, chosen.length * 20_000) }, async () => {
    const failures: string[] = [];
    for (const each of chosen) {
      try {
        await run(each);
      } catch (failure) {
        failures.push(
          `${JSON.stringify(each)}: ${failure instanceof Error ? failure.message : String(failure)}`,
        );
      }
    }
    tally(invariant, title, chosen.length, chosen.length - failures.length);
    expect(chosen.length).toBeGreaterThan(0);
    expect(failures).toEqual([]);
  });
}

/** For experiments that something else counts, such as fast-check. Call it at their end. */
export function tally(invariant: string, title: string, run: number, passed: number): void {
  const file = process.env['ROSTER_FAULTS_TALLY'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ invariant, title, run, passed })}\n`);
}
