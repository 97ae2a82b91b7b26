import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAll, isLong, sampleOf } from '../../support/size.js';

/** How often to run a random experiment: `npm run test:faults` runs all, `npm run test:long` a tenth. */
export const times = (count: number): number => (isAll ? count : Math.ceil(count / (isLong ? 10 : 100)));

/**
 * One test of many experiments for an invariant of the table that `npm run test:faults` prints. An experiment fails by
 * throwing; all are run, and the failures are shown together. The long run takes one of every `share`.
 * Returns how many are run.
 */
export function experiments<T>(
  invariant: string,
  title: string,
  list: readonly T[],
  run: (each: T) => Promise<unknown>,
  share = 21,
): number {
  const chosen = sampleOf(list, 1, share);
  test(`${invariant}: ${title}`, async () => {
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
  return chosen.length;
}

/** For experiments that something else counts, such as fast-check. Call it at their end. */
export function tally(invariant: string, title: string, run: number, passed: number): void {
  const file = process.env['ROSTER_FAULTS_TALLY'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ invariant, title, run, passed })}\n`);
}
