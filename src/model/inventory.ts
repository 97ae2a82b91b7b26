import { Problem } from './diagnostic.js';
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
  /** What was to be created, as entries have it; left out by versions that did not write it down. */
  readonly applied?: JsonObject;
}

/** What apply needs of a create: what is written down before it is sent, and how its object is known if its answer is lost. */
export interface CreateIntent {
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
  /**
   * Takes the lock. Throws a Problem: `locked`, which names the holder, or `stale-plan` when the inventory is no longer
   * the one that the plan was made with.
   */
  lock(run: RunFacts, expected: Inventory): Promise<Lock>;
  /** Who holds the lock; null when nobody does. */
  holder(): Promise<LockInfo | null>;
  /** Takes the lock away from this holder. Throws a Problem `locked` when another run has it by now. */
  unlock(holder: LockInfo): Promise<void>;
}

export interface Lock {
  /**
   * The first one takes the lock for good where the store is remote: it throws a Problem `locked` when another run
   * was quicker, and nothing may have been sent by then. So does every other one when the lock was lost: what another
   * run has written is not overwritten.
   */
  save(inventory: Inventory): Promise<void>;
  /** As it was last saved: a store may write it down only when the lock is given back. */
  current(): Inventory;
  /** Gives the lock back, with what came of the run for whoever reads the history. */
  release(ending: RunResult): Promise<void>;
  /** True once another run may have taken the lock over: nothing more may be sent. */
  lost(): boolean;
}

/** Another run holds the lock, or changed the inventory between plan and lock: to plan again may help. */
export class LockProblem extends Problem {
  constructor(code: 'locked' | 'stale-plan', message: string, help: string) {
    super({ severity: 'error', code, message, help });
    this.name = 'LockProblem';
  }
}

/** Who holds a lock, as a person can find out more. */
export interface LockInfo {
  /** Which lock it is: of two by one run the second is another. */
  readonly token: string;
  /** `process 4711 on runner-7`, or the address of a CI run. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** When it is nobody's unless it is renewed: ISO 8601; null when that cannot be told. */
  readonly until: string | null;
  /** Its process can be seen to be at work. */
  readonly alive?: boolean;
}

/** What is told of a run in the history of the inventory. Holds no value of any field. */
export interface RunFacts {
  readonly service: string;
  readonly digest: string;
  /** `2 to create, 1 to update`. */
  readonly plan: string;
}

export interface RunResult {
  /** `complete`, `incomplete`, `interrupted`. */
  readonly result: string;
  /** `created group/retail-prices`, one a change. */
  readonly changes: readonly string[];
}
