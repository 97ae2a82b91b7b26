import { looks } from '../../apply/recover-create.js';
import type { Clock } from '../clock.js';
import type { Observation } from '../plan.js';

/** Looks again while a list seems to lag behind what was written. Returns what was seen last. */
export async function pollUntilShown<T>(
  clock: Clock,
  look: () => Promise<T>,
  isLagging: (seen: T) => boolean,
): Promise<T> {
  // The table is that of the search for a lost create, which waits before its first look as well.
  const [, ...delays] = looks;
  let seen = await look();
  for (const delay of delays) {
    if (!isLagging(seen)) break;
    await clock.sleep(delay);
    seen = await look();
  }
  return seen;
}

/**
 * Whether the plan creates something that an earlier run created, or was about to create: the list may not show it yet,
 * and a second object must not be the result.
 */
export function recreatesKnown({ reconciled: { plan, matches } }: Observation): boolean {
  const known = new Set(
    matches
      .filter((each) => each.observed === null && (each.drafted || each.known?.id != null))
      .map((each) => each.address),
  );
  return plan?.changes.some(({ action, address }) => action === 'create' && known.has(address)) ?? false;
}
