import { placeLabel } from '../model/inventory-place.js';
import type { Plan } from '../model/plan.js';
import { defaultSafeguards, weakerSafeguards } from '../model/safeguards.js';

export function inventoryLabel({ inventory }: Pick<Plan, 'inventory'>): string {
  return placeLabel(inventory);
}

/**
 * `prune all (default owned), limits.deletes 50 (default 5)`: every setting that allows more than its default, whatever
 * the inventory says of the last apply, because a pull request may write that, too. Null when there are none.
 */
export function weakSettingsLabel({ safeguards }: Pick<Plan, 'safeguards'>): string | null {
  const weak = weakerSafeguards(safeguards, defaultSafeguards);
  if (weak.length === 0) return null;
  return weak.map(({ name, value, before }) => `${name} ${value} (default ${before})`).join(', ');
}
