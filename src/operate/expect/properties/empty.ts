import { conditionText } from '../../../model/condition.js';
import type { Expectation } from '../../../model/expectation.js';
import type { ExpectedProperty } from '../facts.js';
import { judgeMatches } from './matches.js';

/** `empty`: the share of rows without a value, by column. */
export const empty: ExpectedProperty = {
  readsData: true,
  conditions: (expectation) => wanted(expectation).map(({ condition }) => condition),
  judge: (expectation, facts) => wanted(expectation).map((each) => judgeMatches(each, facts)),
};

function wanted({ empty: shares = {} }: Expectation) {
  return Object.entries(shares).map(([column, most]) => ({
    property: `empty.${column}`,
    column,
    condition: conditionText({ column, operator: 'isempty' }),
    most,
    of: `without \`${column}\``,
  }));
}
