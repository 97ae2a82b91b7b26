import type { Risk } from '../../model/risk.js';
import { ignoredParts } from '../ignore.js';
import type { Match } from '../match.js';

/**
 * What entries ignore and did not ignore at the last apply: from now on, nobody sees or undoes what others change there, and
 * no other change of the plan says so.
 */
export function newlyIgnoredRisks(diffs: readonly { readonly match: Match }[]): Risk[] {
  return diffs.flatMap(({ match: { address, entry, observed, known } }): Risk[] => {
    if (observed === null || known === null) return [];
    const before = new Set(known.ignore);
    const added = ignoredParts(entry).flatMap(({ path }) => (before.has(path) ? [] : [`\`${path}\``]));
    if (added.length === 0) return [];
    const message = `${address} ignores ${added.join(', ')} from now on: changes made there outside roster are neither shown nor undone`;
    return [{ code: 'safeguard', message }];
  });
}
