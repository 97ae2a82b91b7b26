import { resolve } from 'node:path';
import { readCheckout } from '../inventory/checkout.js';
import type { WorkTree } from '../inventory/work-tree.js';
import type { Checkout } from '../model/checkout.js';
import type { Inventory } from '../model/inventory.js';
import type { Project } from '../model/resource.js';

/** Null if there is nothing to compare. For recording, it also matters whether the manifests differ from the commit. */
export type ReadCheckout = (inventory: Inventory, purpose: 'compare' | 'record') => Promise<Checkout | null>;

/** Git is started only if there is something to compare or to record. */
export function checkoutReader(
  { root, inventory: place, prune }: Project,
  manifests: readonly string[],
  open: () => Promise<WorkTree>,
): ReadCheckout {
  const inventoryFile = 'file' in place ? resolve(root, place.file) : null;
  return async ({ commit }, purpose) => {
    const applied = commit ?? null;
    const deletesUnknown = prune === 'all' && inventoryFile !== null;
    if (applied === null && purpose === 'compare' && !deletesUnknown) return null;
    const files = purpose === 'record' ? manifests : null;
    return readCheckout({ open, files, inventoryFile }, applied);
  };
}
