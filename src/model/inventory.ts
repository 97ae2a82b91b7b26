import { Problem } from './diagnostic.js';
import type { Hold } from './hold.js';
import { canonical, isJsonObject, type Json, type JsonObject } from './json.js';
import type { PolicyRecord } from './policy.js';
import { type Address, type InventorySetting, type KindName, objectKey } from './resource.js';
import type { Safeguards } from './safeguards.js';

/** What this project owns on the service (contract §1). It helps to match entries with objects, and is never trusted alone. */
export interface Inventory {
  readonly project: string;
  readonly environment: string | null;
  /** The service that the ids belong to, as plans name it. Null in a new inventory. */
  readonly service: string | null;
  /** Those of the last apply. Null before it. */
  readonly safeguards: Safeguards | null;
  /** Where the last apply kept it. Missing or null before it. */
  readonly place?: InventorySetting | null | undefined;
  /** The commit of the manifests last applied, followed by `-dirty` if they differed from it. Missing or null where it is not known. */
  readonly commit?: string | null | undefined;
  /** Those that the last apply was checked by. Missing when there were none. */
  readonly policies?: readonly PolicyRecord[] | undefined;
  /** The plan whose apply was interrupted or partly failed. Absent after a successful apply. */
  readonly intent?: Intent | undefined;
  readonly entries: ReadonlyMap<Address, InventoryEntry>;
  /**
   * Creates that were about to be sent: the objects of a killed run are found by these. For an entry: the update of its
   * natural key that was about to be sent.
   */
  readonly drafts: ReadonlyMap<Address, InventoryDraft>;
}

/** A plan whose apply has started but not succeeded. */
export interface Intent {
  readonly digest: string;
  /** Those of its plan. */
  readonly digestParts: readonly string[];
  /** It deletes everything: afterwards, objects may be missing. */
  readonly destroy?: true;
}

/** What an inventory says of an object, besides its id. */
export interface InventoryRecord {
  readonly kind: KindName;
  readonly name: string | null;
  readonly protect: boolean;
  /** The manifest that declared it at the last apply, from the project's folder. Missing in inventories of older versions. */
  readonly file?: string;
  /** Canonical value of each field as last applied; of sensitive fields the template. */
  readonly applied: JsonObject;
  /** Fields with a value from the environment. It hides nothing but what the service holds in such a field. */
  readonly sensitive: readonly string[];
  /** What its entry ignored at the last apply, sorted. Missing when that is nothing. */
  readonly ignore?: readonly string[];
  /** What its entry expected of its data at the last apply. Missing when that was nothing. */
  readonly expect?: JsonObject;
  /** The version of each of its agents at the last apply, by id. Only with `expect`, and where the service shows it. */
  readonly versions?: Readonly<Record<string, string>>;
  /** When it was created, ISO 8601, as long as no list has shown it: lists may lag. */
  readonly created?: string;
  /**
   * When roster last created or adopted it, or changed when it starts or whether it can be run, ISO 8601 by the service's
   * clock: what was due before was not missed. Missing for keys, and in inventories of older versions.
   */
  readonly since?: string;
  /** It was enabled and is paused for a time. Absent otherwise. */
  readonly hold?: Hold;
}

export interface InventoryEntry extends InventoryRecord {
  /** Null for a key that the service lists without an id. */
  readonly id: string | null;
}

export interface InventoryDraft {
  readonly kind: KindName;
  readonly name: string | null;
  /** The natural key of the new object; null when a part of it came from the environment. */
  readonly identity: string | null;
  /** The values to create, like those of an entry. Older versions did not record them. */
  readonly applied?: JsonObject;
}

/** What apply needs for a create: the draft to save before it, and the natural key to find its object by if the answer is lost. */
export interface CreateIntent {
  readonly draft: InventoryDraft;
  readonly identity: string;
}

export function emptyInventory(project: string, environment: string | null): Inventory {
  const nothing = { service: null, safeguards: null, entries: new Map(), drafts: new Map() };
  return { project, environment, ...nothing };
}

export interface InventoryReader {
  /** For messages: the file's path or the branch's name. */
  readonly name: string;
  load(): Promise<Inventory>;
  /** Who holds the lock; null when it is free. */
  holder(): Promise<LockInfo | null>;
  /** The runs so far. Missing in a store that remembers none. */
  readonly history?: (() => Promise<InventoryHistory>) | undefined;
}

/** Where an inventory is stored. `save` is atomic: the old one or the new one, never a part. */
export interface InventoryStore extends InventoryReader {
  /**
   * Takes the lock. Throws a Problem: `locked`, which names the holder, or `stale-plan` when the inventory has changed
   * since the plan was made.
   */
  lock(run: RunFacts, expected: Inventory): Promise<Lock>;
  /** Says who holds the lock, and what to do. */
  lockedBy(holder: LockInfo): Promise<LockProblem>;
  /** Removes the lock of this holder. Throws a Problem `locked` when another run holds it now. */
  unlock(holder: LockInfo): Promise<void>;
}

/** What a store remembers of the runs that changed it. */
export interface InventoryHistory {
  /** The oldest first. */
  readonly commits: readonly HistoryCommit[];
  readonly lock: Pick<LockInfo, 'name' | 'until'> | null;
  /** The inventory as it was at a commit; null where it cannot be read. */
  inventoryAt(commit: string): Promise<Inventory | null>;
}

export interface Lock {
  /**
   * In a remote store, the first save takes the lock: no request may be sent before it. Throws a Problem `locked` when
   * another run came first, or has taken the lock over: its inventory is never overwritten.
   */
  save(inventory: Inventory): Promise<void>;
  /** The last saved inventory: a store may write it only when the lock is released. */
  current(): Inventory;
  /** Releases the lock, and records the result of the run in the history. */
  release(result: RunResult): Promise<void>;
  /**
   * True once another run may have taken over the lock: nothing more may be sent. Ask right before each request, retries
   * included: the lease leaves time for one. It is cheap.
   */
  lost(): boolean;
}

/**
 * Another run holds the lock, or changed the inventory between plan and lock: nothing was done, and planning again may
 * help. A lock that is lost later is a plain Problem: a run that has sent requests does not begin again.
 */
export class LockProblem extends Problem {
  constructor(code: 'locked' | 'stale-plan', message: string, help: string) {
    super({ severity: 'error', code, message, help });
    this.name = 'LockProblem';
  }
}

/** Who holds a lock. */
export interface LockInfo {
  /** Identifies the lock: a run that takes it twice has two tokens. */
  readonly token: string;
  /** `Ada Lovelace, process 4711 on runner-7`; in CI with the address of the run. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** When it expires unless it is renewed, by the clock of its run: ISO 8601; null when that is not known. */
  readonly until: string | null;
  /** For how long it must still be watched without a renewal before another run may take it over; 0 for now. */
  readonly takeOverMs: number;
  /** Its process is known to be running. */
  readonly alive?: boolean;
}

/** Whether the run that holds a lock is still going. Otherwise it has probably died. */
export function isAlive({ alive, takeOverMs, until }: LockInfo, now: Date): boolean {
  if (alive === true) return true;
  return takeOverMs > 0 && (until === null || Date.parse(until) > now.getTime());
}

export type RunCommand = 'apply' | 'hold' | 'resume';

/** What the history of the inventory records about a run. Holds no field values. */
export interface RunFacts {
  /** Default: `apply`. */
  readonly command?: RunCommand;
  readonly service: string;
  readonly digest: string;
  /** The commit of the manifests. Null where git knows none. */
  readonly commit?: string | null;
  /** `2 to create, 1 to update`. */
  readonly plan: string;
  /** The `--reason` of an apply that may break policies, one line. Default: none. */
  readonly reason?: string | undefined;
  /** What time it is by the service's clock, ISO 8601; null where this machine's agrees with it. Default: null. */
  serviceTime?(): string | null;
}

export interface RunResult {
  /** `complete`, `incomplete`, `interrupted`. */
  readonly result: string;
  /** `created group/retail-prices`, one per change. */
  readonly changes: readonly string[];
  /** The updates among them that only this inventory records: nothing was sent. Missing where that is not known. */
  readonly unsent?: readonly Address[];
}

/** `roster.inventory.json`, or `refs/heads/roster-inventory of origin`. */
export function placeLabel(place: InventorySetting): string {
  return 'file' in place ? place.file : `${place.git.ref} of ${place.git.remote}`;
}

export function isSamePlace(a: InventorySetting, b: InventorySetting): boolean {
  return canonical(a as Json) === canonical(b as Json);
}

/** What an inventory says of its place; null for anything else. */
export function placeFrom(value: Json | undefined): InventorySetting | null {
  if (!isJsonObject(value)) return null;
  const { file, git } = value;
  if (typeof file === 'string') return { file };
  const { ref, remote } = isJsonObject(git) ? git : {};
  return typeof ref === 'string' && typeof remote === 'string' ? { git: { ref, remote } } : null;
}

/** A commit on the branch of an inventory. Anyone who can push to the branch may have written it. */
export interface HistoryCommit {
  readonly hash: string;
  readonly parent: string | null;
  readonly author: Author;
  /** ISO 8601, in UTC; null for a date that is not one. */
  readonly time: string | null;
  readonly message: string;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** The checkout that the manifests come from, compared with what was applied last (contract §3). */
export interface Checkout {
  /** Its commit, followed by `-dirty` if the manifests differ from it. Null where git knows none. */
  readonly commit: string | null;
  /** The same of the last apply; null where the inventory does not say, or is itself a file of the checkout. */
  readonly applied: string | null;
  /** `unknown` where git cannot tell whether `commit` contains `applied`. */
  readonly state: 'current' | 'stale' | 'unknown';
  /** Why the state is unknown; missing where git tracks the inventory file. */
  readonly reason?: string;
  /** Who applied `applied`. Missing where it is contained, and where the inventory does not say. */
  readonly by?: AppliedBy;
}

export interface AppliedBy {
  readonly name: string;
  /** ISO 8601; null where it is not known. */
  readonly at: string | null;
}

/** What a plan holds of the checkout. Not part of the digest: the same plan can be made from any commit. */
export interface PlannedCheckout {
  readonly commit: string | null;
  /** What the inventory says after an apply. */
  readonly record: string | null;
  /** The user has decided that an older state is the current one: that is recorded even without any other change. */
  readonly decided: boolean;
}

/**
 * Only a checkout that is known to contain what was applied before replaces it in the inventory. Otherwise an apply from
 * an old checkout that deletes nothing, or from a shallow clone of one, would let the next one delete everything.
 */
export function plannedCheckout(checkout: Checkout, allowStale: boolean): PlannedCheckout {
  const { commit, applied, state } = checkout;
  const decided = state === 'stale' && allowStale;
  const replaces = applied === null || state === 'current' || decided;
  return { commit, record: replaces ? (commit ?? applied) : applied, decided };
}

/** The commit in an untrusted text; null for anything else. */
export function commitFrom(value: unknown): string | null {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:-dirty)?$/.test(value) ? value : null;
}

export function isDirty(commit: string): boolean {
  return commit.endsWith('-dirty');
}

/** Without `-dirty`. */
export function commitId(commit: string): string {
  return commit.replace(/-dirty$/, '');
}

export function shortCommit(commit: string): string {
  return commitId(commit).slice(0, 10);
}

/**
 * What the history of git says about an inventory file. The author of a pull request can write such a file, so what it
 * says must not be weaker than what an apply has recorded.
 */
export interface CommittedInventory {
  /** As messages show it. */
  readonly file: string;
  /** The objects that a version protects, and whose protection no apply has lifted since, as `objectKey` names them. */
  readonly stillProtected: ReadonlySet<string>;
  /** The version before the commit that is checked out. */
  readonly before: Inventory | null;
  /** Why the version that an apply wrote cannot be found; null where it was found. */
  readonly missing: string | null;
}

/** Of one object, under whatever address. */
export function entriesOf(
  inventories: readonly (Inventory | null)[],
  kind: KindName,
  id: string,
): InventoryEntry[] {
  const key = objectKey(kind, id);
  return inventories.flatMap((each) =>
    [...(each?.entries.values() ?? [])].filter(
      (entry) => entry.id !== null && objectKey(entry.kind, entry.id) === key,
    ),
  );
}
