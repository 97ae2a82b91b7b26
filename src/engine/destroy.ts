import type { Inventory, InventoryEntry } from '../model/inventory.js';
import { removedAddresses } from '../model/removed.js';
import { type Address, type Declared, normalId, type Project } from '../model/resource.js';

/**
 * A plan to destroy is the plan of the same project with no entries: it deletes what the inventory owns and nothing else.
 * What a manifest protects counts as protected, although no apply has recorded it yet.
 */
export function toDestroy(
  project: Project,
  inventory: Inventory,
): { readonly project: Project; readonly inventory: Inventory } {
  const isProtected = isMeantBy(project.entries.filter(({ protect }) => protect));
  // What is declared as someone else's is only forgotten.
  const external = project.entries.filter((each) => {
    const isMeant = isMeantBy([each]);
    return each.external && [...inventory.entries].some(([address, entry]) => isMeant(address, entry));
  });
  const entries = [...inventory.entries].map(
    ([address, entry]) =>
      [address, isProtected(address, entry) ? { ...entry, protect: true } : entry] as const,
  );
  return {
    // What a glob of `removed:` means depends on what is declared.
    project: { ...project, entries: external, removed: [...removedAddresses(project, inventory)] },
    inventory: { ...inventory, entries: new Map(entries) },
  };
}

/** By all that an entry may mean its object by: rather too much stays than too little. */
function isMeantBy(entries: readonly Declared[]): (address: Address, entry: InventoryEntry) => boolean {
  const addresses = new Set(entries.flatMap(({ address, formerly }) => [address, formerly]));
  const ids = new Set(entries.flatMap(({ kind, id }) => (id === null ? [] : [`${kind} ${normalId(id)}`])));
  const names = new Set(entries.map((each) => `${each.kind} ${nameOf(each)}`));
  return (address, { kind, id, name }) =>
    addresses.has(address) ||
    (id !== null && ids.has(`${kind} ${normalId(id)}`)) ||
    (name !== null && names.has(`${kind} ${name.normalize('NFC')}`));
}

function nameOf({ declared, key }: Declared): string {
  const { name } = declared as { readonly name?: unknown };
  return typeof name === 'string' ? name.normalize('NFC') : key;
}
