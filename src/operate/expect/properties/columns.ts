import { columnsOf } from '../../../model/expectation.js';
import { agree, some } from '../../../model/words.js';
import type { ExpectedProperty } from '../facts.js';
import { dataOf, unknown, verdict, whyUnreadable } from './verdict.js';

const MOST_NAMED = 10;

/** `price, "net, EUR"`: a name can hold anything. */
function listed(names: readonly string[]): string {
  return some(
    names.map((name) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name))),
    MOST_NAMED,
  );
}

/** `columns`: which columns are there. */
export const columns: ExpectedProperty = {
  readsData: true,
  judge({ columns: written }, facts) {
    if (written === undefined) return [];
    const { names, isOnly } = columnsOf(written);
    const noun = agree(names.length, 'the column', 'the columns');
    const expected = `${isOnly ? 'only ' : ''}${noun} ${listed(names)}`;
    const why = whyUnreadable(facts);
    if (why !== null) return [unknown('columns', expected, why)];
    const found = dataOf(facts).columns;
    const missing = names.filter((name) => !found.includes(name));
    const others = isOnly ? found.filter((name) => !names.includes(name)) : [];
    const parts = [
      ...(missing.length === 0 ? [] : [`${listed(missing)} missing`]),
      ...(others.length === 0 ? [] : [`${listed(others)} not expected`]),
    ];
    const isMet = parts.length === 0;
    const message = isMet ? 'all columns are there' : `expected ${expected}: ${parts.join(', ')}`;
    const actual = listed(found);
    return [verdict(isMet, { property: 'columns', expected, actual, message })];
  },
};
