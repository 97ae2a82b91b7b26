import type { JsonObject } from './json.js';
import type { Address, KindName } from './resource.js';

/** What this project owns on the service (contract §1): a hint for pairing, never the truth. */
export interface Inventory {
  readonly project: string;
  readonly environment: string | null;
  readonly entries: ReadonlyMap<Address, InventoryEntry>;
  /** Creates that were about to be sent: a killed run's objects are found again by these. */
  readonly drafts: ReadonlyMap<Address, InventoryDraft>;
}

export interface InventoryEntry {
  readonly kind: KindName;
  /** Null for a key that the service lists without an id. */
  readonly id: string | null;
  readonly name: string | null;
  readonly protect: boolean;
  /** Canonical value of each field as last applied; sensitive fields are left out. */
  readonly applied: JsonObject;
  /** Fields that held a value from the environment. */
  readonly sensitive: readonly string[];
}

export interface InventoryDraft {
  readonly kind: KindName;
  readonly name: string | null;
  /** The natural key of what is created; null where a part of it came from the environment. */
  readonly identity: string | null;
}

/** What apply needs of a create: what is written down before it is sent, and how its object is known if its answer is lost. */
export interface Creation {
  readonly draft: InventoryDraft;
  readonly identity: string;
}

export function emptyInventory(project: string, environment: string | null): Inventory {
  return { project, environment, entries: new Map(), drafts: new Map() };
}

/** Where an inventory is kept. `save` is atomic: the old one or the new one, never a part. */
export interface InventoryStore {
  /** For messages: the file's path or the branch's name. */
  readonly name: string;
  load(): Promise<Inventory>;
  /** Takes the lock, or throws a Problem `locked` that names the holder. */
  lock(): Promise<Lock>;
}

export interface Lock {
  save(inventory: Inventory): Promise<void>;
  release(): Promise<void>;
}
