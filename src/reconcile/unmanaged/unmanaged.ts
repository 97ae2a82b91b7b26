import type { Kind } from '../../model/kind.js';
import type { UnmanagedCounts } from '../../model/plan.js';
import type { KindName, Prune } from '../../model/resource.js';
import type { Match } from '../match.js';

/**
 * An object that no entry declares and the inventory does not hold (contract §1), and that stays as it is: what `prune:
 * all` deletes is part of the plan.
 */
export function isUnmanaged({ ours, observed }: Match, prune: Prune): boolean {
  return !ours && (prune !== 'all' || observed?.manageable !== true || observed.caller);
}

/** False for a schedule that never starts again, such as a `once` whose time has passed: it can do no harm. */
export function mayStart(now: Date): (match: Pick<Match, 'kind' | 'observed'>) => boolean {
  return ({ kind, observed }) => {
    if (kind.timetable === undefined || observed?.spec == null) return true;
    return kind.timetable.nextRuns(observed.spec, now, 1)?.length !== 0;
  };
}

/** All kinds are named, also those with none. */
export function countUnmanaged(kinds: readonly Kind[], unmanaged: readonly Match[]): UnmanagedCounts {
  const counts: Record<KindName, number> = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  for (const { kind } of unmanaged) counts[kind.name] = (counts[kind.name] ?? 0) + 1;
  return counts;
}
