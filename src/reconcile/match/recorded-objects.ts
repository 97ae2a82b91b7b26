import type { Inventory, InventoryEntry } from '../../model/inventory.js';
import type { Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import { type Address, type Declared, type Observed, objectKey } from '../../model/resource.js';
import { UNKNOWN_TEMPLATE, usesEnvironment } from '../../model/template.js';
import { ruleOf } from '../fields.js';

export function inventoryEntry(
  entry: Pick<Declared, 'address' | 'formerly'>,
  inventory: Inventory,
): InventoryEntry | null {
  const former = entry.formerly === null ? undefined : inventory.entries.get(entry.formerly);
  return inventory.entries.get(entry.address) ?? former ?? null;
}

/** The address from `formerly`, if the inventory has the object under it, and nothing under the entry's own. */
export function formerAddress(
  { address, formerly }: Pick<Declared, 'address' | 'formerly'>,
  observed: Observed | null,
  { entries }: Inventory,
): Address | null {
  if (formerly === null || observed === null || entries.has(address)) return null;
  const former = entries.get(formerly);
  return former !== undefined && former.id === observed.id ? formerly : null;
}

export interface RecordedObject {
  readonly address: Address;
  readonly entry: InventoryEntry;
}

/** What the inventory records of an object, under whatever address: a new key in a manifest must not reveal what it hides. */
export class RecordedObjects {
  private readonly byObject = new Map<string, RecordedObject>();

  constructor({ entries }: Inventory) {
    for (const [address, entry] of entries) {
      if (entry.id === null) continue;
      const key = objectKey(entry.kind, entry.id);
      // Where two records are for one object, the one that hides something counts.
      if (!this.byObject.has(key) || entry.sensitive.length > 0) this.byObject.set(key, { address, entry });
    }
  }

  of({ kind, id }: Observed): RecordedObject | null {
    return id === null ? null : (this.byObject.get(objectKey(kind, id)) ?? null);
  }
}

/** The template of a field at the last apply. Roster 0.1 recorded that a field held such values, but no template. */
export function recordedTemplate(kind: Kind, record: InventoryEntry | null, field: string): Json | undefined {
  if (ruleOf(kind, field).mayHoldSecrets !== true || record?.sensitive.includes(field) !== true)
    return undefined;
  const applied = record.applied[field] ?? UNKNOWN_TEMPLATE;
  return usesEnvironment(applied) ? applied : undefined;
}
