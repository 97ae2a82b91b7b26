import { byCodeUnit } from '../../model/json.js';
import type { Match } from '../match.js';
import { nameAndId } from '../recorded.js';

/** An object that a message names. */
export type StayingObject = Pick<Match, 'address' | 'kind' | 'observed'>;

/** Objects that one message lists. The rest are counted. */
const MOST_LISTED = 5;

/**
 * `"Retail DE" (3f2a…), "retail-de" (5c1d…)`, or with timing for schedules. The order of the matches has no effect: what has
 * the smallest distance comes first, then what has the first address.
 */
export function listed(
  matches: readonly StayingObject[],
  distanceOf: (each: StayingObject) => number = () => 0,
): string {
  const inOrder = matches
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
