import { isSamePlace, placeLabel } from '../model/inventory-place.js';
import type { InventorySetting } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import { defaultSafeguards, type Safeguards, weakerSafeguards } from '../model/safeguards.js';

/** Settings that allow more than at the last apply; before the first apply, more than their defaults. */
export function safeguardRisks(now: Safeguards, lastApplied: Safeguards | null): Risk[] {
  const than = lastApplied === null ? 'the default' : 'at the last apply';
  return weakerSafeguards(now, lastApplied ?? defaultSafeguards).map(({ name, value, before }) => ({
    code: 'safeguard',
    message: `\`${name}\` is ${value}, which allows more than ${than} (${before})`,
  }));
}

/** Whoever decides where the inventory is decides what is owned and protected. `former` are the places where it was. */
export function movedInventoryRisks(
  now: InventorySetting,
  former: readonly (InventorySetting | null)[],
): Risk[] {
  const others = former.flatMap((each) => (each === null || isSamePlace(each, now) ? [] : placeLabel(each)));
  return [...new Set(others)].map((other) => ({
    code: 'safeguard',
    message: `the inventory was moved from ${other} to ${placeLabel(now)}, and it says what is owned and protected`,
  }));
}
