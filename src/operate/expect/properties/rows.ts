import { suggest } from '../../../manifest/suggest.js';
import { type DatasetCondition, parseCondition } from '../../../model/condition.js';
import type { Expectation } from '../../../model/expectation.js';
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
    of: `with \`${condition}\``,
  }));
}

/** A condition of a manifest, which the loader has checked. */
export function readCondition(text: string): DatasetCondition {
  return parseCondition(text, { name: '`rows`', example: '"price lte 0": 0', suggest });
}
