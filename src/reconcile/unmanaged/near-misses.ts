import { groupBy } from '../../model/group-by.js';
import { canonical, type Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Change } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { fieldValue } from '../fields.js';
import { foldedName } from '../look-alikes/folded-name.js';
import type { Match } from '../match.js';
import { listed, type StayingObject } from './listed.js';
import { distanceFrom } from './nearness.js';
import { mayStart } from './unmanaged.js';

/** The closest of these come first. More are in the order of their ids: every create would be compared with each. */
const MOST_ORDERED = 100;

/**
 * The risk of changes that may make a second object of something that exists and stays as it is. `state` says why it
 * stays: `not managed here`.
 */
export function possibleDuplicates(
  staying: readonly StayingObject[],
  state: string,
  now: Date,
): (change: Pick<Change, 'action' | 'fields'>, match: Match) => readonly Risk[] {
  const byKey = groupBy(staying, ({ kind, observed }) =>
    nearKey(kind, observed?.spec ?? null, observed?.name ?? null),
  );
  // Most services hold nothing else, and the key of each create would be computed in vain.
  if (byKey.size === 0) return () => [];
  const starting = mayStart(now);
  // Many creates may be close to the same objects.
  const found = new Map<string, readonly StayingObject[]>();
  const unordered = new Map<string, readonly Risk[]>();
  return (change, { kind, entry }) => {
    const key = entry !== null && setsNearField(change, kind) ? nearKey(kind, entry.spec, null) : null;
    const near = key === null ? undefined : (found.get(key) ?? byKey.get(key)?.filter(starting));
    if (key === null || entry === null || near === undefined) return [];
    found.set(key, near);
    if (near.length <= MOST_ORDERED)
      return risksOf(kind, near.length, state, () => listed(near, distanceFrom(kind, entry.spec)));
    const risks = unordered.get(key) ?? risksOf(kind, near.length, state, () => listed(near));
    unordered.set(key, risks);
    return risks;
  };
}

function setsNearField({ action, fields }: Pick<Change, 'action' | 'fields'>, { nearMiss }: Kind): boolean {
  return action === 'create' || (action === 'update' && fields.some(({ path }) => path === nearMiss?.field));
}

/** Objects of one kind with the same key may be duplicates. Null if the object has nothing to compare. */
function nearKey(kind: Kind, spec: unknown, name: string | null): string | null {
  const { nearMiss } = kind;
  if (nearMiss === undefined) return null;
  // A list may show no more than the name.
  const shown = nearMiss.isName === true ? name : null;
  const key = nearValue(kind, spec === null ? shown : fieldValue(kind, spec, nearMiss.field));
  return key === null ? null : `${kind.name} ${key}`;
}

/** The value of the field in which near misses agree, as far as it counts. */
export function nearValue({ nearMiss }: Kind, value: Json): string | null {
  if (value === null) return null;
  const isName = nearMiss?.isName === true && typeof value === 'string';
  return isName ? foldedName(value) : canonical(value);
}

function risksOf(
  { name, section, nearMiss }: Kind,
  count: number,
  state: string,
  list: () => string,
): readonly Risk[] {
  if (count === 0) return [];
  const what = nearMiss?.relation ?? '';
  const subject =
    count === 1
      ? `a ${name} ${what}, which is ${state}`
      : `one of ${count} ${section} ${what}, which are ${state}`;
  return [{ code: 'possible-duplicate', message: `may duplicate ${subject}: ${list()}` }];
}
