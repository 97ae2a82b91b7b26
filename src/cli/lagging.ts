import type { Observation, Session } from './session.js';

/** Milliseconds before each further look at lists that may lag behind what was written. */
const looks = [250, 750, 2000];

/** Looks until nothing seems to lag any more; what was seen last after some seconds of it. */
export async function pollUntilShown<T>(
  { sleep }: Pick<Session, 'sleep'>,
  look: () => Promise<T>,
  isLagging: (seen: T) => boolean,
): Promise<T> {
  let seen = await look();
  for (const wait of looks) {
    if (!isLagging(seen)) break;
    await sleep(wait);
    seen = await look();
  }
  return seen;
}

/**
 * Whether something would be created that an earlier run has created, or was about to: the list may not show it yet,
 * and a second one must not come of that.
 */
export function recreatesKnown({ reconciled: { plan, matches } }: Observation): boolean {
  const known = new Set(
    matches
      .filter((each) => each.observed === null && (each.createInterrupted || each.known?.id != null))
      .map((each) => each.address),
  );
  return plan?.changes.some(({ action, address }) => action === 'create' && known.has(address)) ?? false;
}
