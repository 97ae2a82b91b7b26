import { byCodeUnit } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { UnmanagedCounts } from '../model/plan.js';
import type { KindName, Observed } from '../model/resource.js';
import { nameAndId } from './recorded.js';
import { type Comparison, isOwnedElsewhere, type Match, type ResourceDiff } from './world.js';

function deletedBy(diffs: readonly ResourceDiff[]): ReadonlySet<Observed | null> {
  return new Set(diffs.flatMap(({ change, match }) => (change.action === 'delete' ? [match.observed] : [])));
}

/** What no entry declares and the plan does not delete, be it only because it is not selected. */
export function undeclaredStaying({ matches, diffs }: Comparison): readonly Match[] {
  const deleted = deletedBy(diffs);
  return matches.filter(
    ({ entry, broken, observed }) =>
      entry === null && broken === undefined && observed !== null && !deleted.has(observed),
  );
}

/** What neither an entry nor the inventory knows. Another project of the repository may manage it. */
export function foreignObjects(comparison: Comparison): readonly Match[] {
  return undeclaredStaying(comparison).filter(({ ours }) => !ours);
}

/** What no project of the repository manages, as far as is known. */
export function unmanagedObjects(comparison: Comparison): readonly Match[] {
  return foreignObjects(comparison).filter((each) => !isOwnedElsewhere(each));
}

/** All kinds are named, also those with none. */
export function countUnmanaged(kinds: readonly Kind[], unmanaged: readonly Match[]): UnmanagedCounts {
  const counts: Record<KindName, number> = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  for (const { kind } of unmanaged) counts[kind.name] = (counts[kind.name] ?? 0) + 1;
  return counts;
}

/** An object that a message names. */
export type StayingObject = Pick<Match, 'address' | 'kind' | 'observed'>;

/** False for a schedule that never starts again, such as a `once` whose time has passed: it can do no harm. */
export function mayStart(now: Date): (each: StayingObject) => boolean {
  return ({ kind, observed }) => {
    if (kind.timetable === undefined || observed?.spec == null) return true;
    return kind.timetable.nextRuns(observed.spec, now, 1)?.length !== 0;
  };
}

/** Objects that one message lists. The rest are counted. */
const MOST_LISTED = 5;

/**
 * `"Retail DE" (3f2a…), "retail-de" (5c1d…)`, or with timing for schedules. The order of the objects has no effect: what has
 * the smallest distance comes first, then what has the first address.
 */
export function listed(
  objects: readonly StayingObject[],
  distanceOf: (each: StayingObject) => number = () => 0,
): string {
  const inOrder = objects
    .map((each) => ({ each, distance: distanceOf(each) }))
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.each.address, b.each.address))
    .map(({ each }) => each);
  const [shown, rest] = [inOrder.slice(0, MOST_LISTED), inOrder.length - MOST_LISTED];
  const texts = shown.map(describe).join(', ');
  return rest > 0 ? `${texts} and ${rest} more` : texts;
}

function describe({ kind, observed }: StayingObject): string {
  if (observed === null) return '';
  const { spec } = observed;
  const about = spec === null ? undefined : kind.timetable?.describe(spec);
  return about === undefined ? nameAndId(observed) : `${nameAndId(observed)} (${about})`;
}
