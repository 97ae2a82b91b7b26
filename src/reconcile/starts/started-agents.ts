import type { Kind } from '../../model/kind.js';
import { isPending, type ObjectRef, objectKey } from '../../model/resource.js';
import type { Runs } from '../../model/run.js';
import type { Match, Matches } from '../match/match.js';

export interface Startable extends Pick<Matches, 'list' | 'externals'> {
  readonly kinds: readonly Kind[];
}

/** How a match is seen, such as before or after the plan, and how the agents of what can be run are counted. */
interface Counting {
  specOf(match: Match): unknown;
  count(runs: Runs<unknown>, spec: unknown): number;
}

/** How many agents an object starts. NaN where that is not known, as of an external object that the service does not show. */
export function startedAgents(
  { kinds, list, externals }: Startable,
  { specOf, count }: Counting,
): (reference: ObjectRef) => number {
  const found = new Map<string, { readonly kind: Kind | undefined; readonly spec: unknown }>();
  // The plan does not change these.
  for (const { kind: name, id, spec } of externals.values())
    found.set(objectKey(name, id), { kind: kinds.find((each) => each.name === name), spec });
  for (const match of list) {
    const { kind, address, observed } = match;
    if (kind.runs === undefined) continue;
    const key = observed?.id == null ? address : objectKey(kind.name, observed.id);
    found.set(key, { kind, spec: specOf(match) });
  }
  return ({ kind, id }) => {
    const object = found.get(isPending(id) ? id.pending : objectKey(kind, id));
    const runs = object?.kind?.runs;
    return runs === undefined || object?.spec == null ? Number.NaN : count(runs, object.spec);
  };
}
