import type { Inventory, InventoryEntry } from '../model/inventory.js';
import type { Project } from '../model/resource.js';

/**
 * A plan to destroy is the plan of the same project with no entries: it deletes what the inventory owns and nothing else.
 * What a manifest protects counts as protected, although no apply has recorded it yet.
 */
export function toDestroy(
  project: Project,
  inventory: Inventory,
): { readonly project: Project; readonly inventory: Inventory } {
  const declared = new Set(project.entries.flatMap((each) => (each.protect ? [each.address] : [])));
  const guard = (entry: InventoryEntry): InventoryEntry => ({ ...entry, protect: true });
  const entries = [...inventory.entries].map(
    ([address, entry]) => [address, declared.has(address) ? guard(entry) : entry] as const,
  );
  return { project: { ...project, entries: [] }, inventory: { ...inventory, entries: new Map(entries) } };
}
