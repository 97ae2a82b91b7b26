import type { Observed } from '../../model/resource.js';
import type { ResourceDiff } from '../diff.js';
import type { Match } from '../match.js';

/** The objects that a plan deletes. */
export function deletedBy(diffs: readonly ResourceDiff[]): ReadonlySet<Observed | null> {
  return new Set(diffs.flatMap(({ change, match }) => (change.action === 'delete' ? [match.observed] : [])));
}

/** What no entry declares and the plan does not delete, be it only because it is not selected. */
export function undeclaredStaying(
  matches: readonly Match[],
  deleted: ReadonlySet<Observed | null>,
): readonly Match[] {
  return matches.filter(
    ({ entry, observed }) => entry === null && observed !== null && !deleted.has(observed),
  );
}
