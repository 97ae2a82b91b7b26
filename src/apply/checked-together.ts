import { groupBy } from '../model/group-by.js';
import type { Step } from '../model/plan.js';
import type { KindName, Observed } from '../model/resource.js';

/** More new objects than this are not read one by one if one list can show them. */
const MOST_READS = 20;
/** A list with more objects for each new one takes longer than reading these one by one. */
const MOST_LISTED = 20;

/** The kinds of which so many new objects are waited for that one list of all is better than a read of each. */
export function checkedTogether(
  steps: readonly Step[],
  waitedFor: ReadonlySet<string>,
  observed: ReadonlyMap<KindName, readonly Observed[]>,
): ReadonlySet<KindName> {
  const creates = steps.filter(({ id, request }) => request.effect === 'create' && waitedFor.has(id));
  const counts = [...groupBy(creates, ({ kind }) => kind)].map(([kind, { length }]) => ({ kind, length }));
  const many = counts.filter(
    ({ kind, length }) => length > MOST_READS && (observed.get(kind)?.length ?? 0) < length * MOST_LISTED,
  );
  return new Set(many.map(({ kind }) => kind));
}
