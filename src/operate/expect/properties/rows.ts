import type { Expectation } from '../../../model/expectation.js';
import { readCondition } from '../conditions.js';
import type { ExpectedProperty } from '../facts.js';
import { judgeMatches } from './matches.js';

/** `rows`: how many rows meet a condition. */
export const rows: ExpectedProperty = {
  readsData: true,
  conditions: ({ rows: most = {} }) => Object.keys(most),
  judge: (expectation, facts) => wanted(expectation).map((each) => judgeMatches(each, facts)),
};

function wanted({ rows: limits = {} }: Expectation) {
  return Object.entries(limits).map(([condition, most]) => ({
    property: `rows.${condition}`,
    column: readCondition(condition).column,
    condition,
    most,
    of: `rows with \`${condition}\``,
  }));
}
