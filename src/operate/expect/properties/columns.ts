import { columnsOf } from '../../../model/expectation.js';
import { some } from '../../../model/words.js';
import type { ExpectedProperty } from '../facts.js';
import { dataOf, unknown, verdict, whyUnreadable } from './verdict.js';

const MOST_NAMED = 10;

/** `columns`: which columns are there. */
export const columns: ExpectedProperty = {
  readsData: true,
  judge({ columns: written }, facts) {
    if (written === undefined) return [];
    const { names, isOnly } = columnsOf(written);
    const expected = `${isOnly ? 'only the columns' : 'the columns'} ${some(names, MOST_NAMED)}`;
    const why = whyUnreadable(facts);
    if (why !== null) return [unknown('columns', expected, why)];
    const found = dataOf(facts).columns;
    const missing = names.filter((name) => !found.includes(name));
    const others = isOnly ? found.filter((name) => !names.includes(name)) : [];
    const parts = [
      ...(missing.length === 0 ? [] : [`${some(missing, MOST_NAMED)} missing`]),
      ...(others.length === 0 ? [] : [`${some(others, MOST_NAMED)} not expected`]),
    ];
    const isMet = parts.length === 0;
    const message = isMet ? 'all columns are there' : `expected ${expected}: ${parts.join(', ')}`;
    const actual = some(found, MOST_NAMED);
    return [verdict(isMet, { property: 'columns', expected, actual, message })];
  },
};
