import { byCodeUnit } from '../../model/json.js';
import type { Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { ignoredParts } from '../ignore.js';
import type { Match } from '../match.js';

/** What the entries of a plan ignore, and how much of it differs. */
export function ignoredOf(diffs: readonly { readonly match: Match }[]): Pick<Plan, 'ignored'> {
  const ignoring = diffs.filter(({ match }) => match.entry?.ignore !== undefined);
  if (ignoring.length === 0) return {};
  const properties: Record<Address, readonly string[]> = {};
  const differing: Address[] = [];
  let differences = 0;
  for (const { match } of ignoring) {
    const paths = ignoredParts(match.entry).map(({ path }) => path);
    properties[match.address] = paths.sort(byCodeUnit);
    const differ = match.ignoredDifferences?.length ?? 0;
    differences += differ;
    if (differ > 0) differing.push(match.address);
  }
  return { ignored: { properties, differences, differing: differing.sort(byCodeUnit) } };
}
