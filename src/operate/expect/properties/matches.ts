import { readShare, WHOLE_SHARE } from '../../../model/expectation.js';
import type { DataJudgement } from '../../../model/run.js';
import { count, grouped } from '../../../model/words.js';
import type { DeliveryFacts } from '../facts.js';
import { dataOf, shareText, unknown, verdict, whyUnreadable } from './verdict.js';

/** How many rows may meet a condition. */
interface MostMatches {
  readonly property: string;
  readonly column: string;
  readonly condition: string;
  /** A number, or a share of all rows. */
  readonly most: number | string;
  /** `without price` */
  readonly of: string;
}

/** Whether the service can have counted that: no more rows than all meet a condition. */
function areCounts(found: number, rowCount: number | null): boolean {
  return found >= 0 && (rowCount === null || found <= rowCount);
}

/** Of a column that is missing, nothing is as expected. */
export function judgeMatches(
  { property, column, condition, most, of }: MostMatches,
  facts: DeliveryFacts,
): DataJudgement {
  const limit = readShare(most);
  const rows = typeof most === 'number' ? count(most, 'row') : `${most} of rows`;
  const expected = most === 0 || limit === 0 ? `no rows ${of}` : `at most ${rows} ${of}`;
  const why = whyUnreadable(facts);
  if (why !== null) return unknown(property, expected, why);
  const { columns, rowCount, matches } = dataOf(facts);
  if (!columns.includes(column)) {
    const cause = `there is no column \`${column}\``;
    const message = `expected ${expected}, but ${cause}`;
    return verdict(false, { property, expected, actual: null, message, cause });
  }
  const found = matches.get(condition);
  if (found === undefined || (limit !== null && rowCount === null) || !areCounts(found, rowCount))
    return unknown(property, expected, 'the service does not show how many rows there are');
  const all = rowCount ?? 0;
  const isMet = limit === null ? found <= Number(most) : found * WHOLE_SHARE <= limit * all;
  const part = limit === null || all === 0 ? '' : ` of ${grouped(all)}, ${shareText(found, all)}`;
  const actual = `${grouped(found)}${part}`;
  const message = isMet ? `got ${actual}` : `expected ${expected}, got ${actual}`;
  return verdict(isMet, { property, expected, actual, value: found, message, condition });
}
