import { readShare, WHOLE_SHARE } from '../../../model/expectation.js';
import type { DataJudgement } from '../../../model/run.js';
import type { DeliveryFacts } from '../facts.js';
import { dataOf, shareText, unknown, verdict, whyUnreadable } from './verdict.js';

/** How many rows may meet a condition. */
interface MostMatches {
  readonly property: string;
  readonly column: string;
  readonly condition: string;
  /** A number, or a share of all rows. */
  readonly most: number | string;
  /** `rows without price` */
  readonly of: string;
}

/** Of a column that is missing, nothing is as expected. */
export function judgeMatches(
  { property, column, condition, most, of }: MostMatches,
  facts: DeliveryFacts,
): DataJudgement {
  const expected = `at most ${most} ${of}`;
  const why = whyUnreadable(facts);
  if (why !== null) return unknown(property, expected, why);
  const { columns, rowCount, matches } = dataOf(facts);
  if (!columns.includes(column)) {
    const message = `expected ${expected}, but there is no column \`${column}\``;
    return verdict(false, { property, expected, actual: null, message });
  }
  const found = matches.get(condition);
  const share = readShare(most);
  if (found === undefined || (share !== null && rowCount === null))
    return unknown(property, expected, 'the service does not show how many rows there are');
  const all = rowCount ?? 0;
  const isMet = share === null ? found <= Number(most) : found * WHOLE_SHARE <= share * all;
  const part = share === null || all === 0 ? '' : ` of ${all}, ${shareText(found, all)}`;
  const actual = `${found}${part}`;
  const message = isMet ? `got ${actual}` : `expected ${expected}, got ${actual}`;
  return verdict(isMet, { property, expected, actual, message, condition });
}
