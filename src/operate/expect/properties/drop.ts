import { readShare, WHOLE_SHARE } from '../../../model/expectation.js';
import { count, grouped } from '../../../model/words.js';
import type { ExpectedProperty } from '../facts.js';
import { shareText, unknown, verdict } from './verdict.js';

/** With fewer runs before it, a median says nothing (contract §20). */
export const FEWEST_RUNS = 3;
/** Older ones do not count. */
export const MOST_RUNS = 7;

/** `records.drop`: how far a run may be below the median of the runs before it. */
export const drop: ExpectedProperty = {
  readsData: false,
  judge({ records }, { noData, records: came, before, isOfPeriod = false }) {
    const most = readShare(records?.drop);
    if (records?.drop === undefined || most === null) return [];
    const [property, limit] = ['records.drop', `at most ${records.drop} below the median of the runs before`];
    if (noData !== null || came === null)
      return [unknown(property, limit, noData ?? 'the service does not show how many records came')];
    if (before === null) return [unknown(property, limit, 'several agents of this run have the same name')];
    const earlier = before.slice(0, MOST_RUNS);
    if (earlier.length < FEWEST_RUNS) {
      if (isOfPeriod)
        return [unknown(property, limit, 'too few successful runs before it are in this period')];
      const runs = `only ${count(earlier.length, 'successful run')} came before it`;
      return [unknown(property, limit, earlier.length === 0 ? 'no successful run came before it' : runs)];
    }
    const usual = medianOf(earlier);
    const isMet = came * WHOLE_SHARE >= usual * (WHOLE_SHARE - most);
    const [median, got] = [groupedMedian(usual), grouped(came)];
    const expected = `${limit} (${median})`;
    const below = usual > 0 && came < usual ? `${shareText(usual - came, usual)} below` : 'not below';
    const message = isMet
      ? `got ${got}, ${below} the median ${median}`
      : `expected ${expected}, got ${got}: ${below}`;
    return [verdict(isMet, { property, expected, actual: String(came), value: came, message })];
  },
};

/** It may lie between two numbers: `1,000.5`. */
function groupedMedian(median: number): string {
  const whole = Math.floor(median);
  return whole === median ? grouped(whole) : `${grouped(whole)}.5`;
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}
