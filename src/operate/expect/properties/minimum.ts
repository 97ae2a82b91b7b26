import { count, grouped } from '../../../model/words.js';
import type { ExpectedProperty } from '../facts.js';
import { unknown, verdict } from './verdict.js';

/** `records.min`: the fewest records of a run. */
export const minimum: ExpectedProperty = {
  readsData: false,
  judge({ records }, { noData, records: came }) {
    const least = records?.min;
    if (least === undefined) return [];
    const [property, expected] = ['records.min', `at least ${count(least, 'record')}`];
    if (noData !== null || came === null)
      return [unknown(property, expected, noData ?? 'the service does not show how many came')];
    const missing = least - came;
    const message =
      missing > 0
        ? `expected ${expected}, got ${grouped(came)}: ${grouped(missing)} too few`
        : `got ${grouped(came)}`;
    return [verdict(missing <= 0, { property, expected, actual: String(came), value: came, message })];
  },
};
