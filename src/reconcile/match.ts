import type { Diagnostic } from '../model/diagnostic.js';
import { groupBy } from '../model/group-by.js';
import type { Hold } from '../model/hold.js';
import type { Inventory, InventoryEntry } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { namedIds } from '../model/named-ids.js';
import {
  type Address,
  addressOf,
  type Declared,
  type Desired,
  type KindName,
  type Observed,
  objectKey,
  type Prune,
} from '../model/resource.js';
import type { Rule } from '../model/why.js';
import { findExternal } from './external.js';
import { comparableRecord } from './ignore.js';
import { type KeptObjects, type Pairing, pair } from './pair.js';
import {
  ComparedValues,
  formerAddress,
  inventoryEntry,
  type RecordedObject,
  RecordedObjects,
  Records,
} from './recorded.js';
import { type AgentLookup, ReferenceResolver } from './references.js';
import { effectiveEntry } from './resolve.js';

/** One resource: what is declared, what exists, and what was applied last. At least one of the three is set. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly entry: Desired | null;
  readonly observed: Observed | null;
  readonly rule: Rule | null;
  /** Under its address, or else under that of `renamedFrom`. */
  readonly known: InventoryEntry | null;
  /** It is on hold: what `entry` wants is paused. */
  readonly hold?: Hold;
  /** `entry` without its hold. Missing when it has none. */
  readonly unheld?: Desired;
  /** It was on hold, and nothing has been applied since that ended. */
  readonly endedHold?: Hold;
  /** What the inventory says of the observed object, under whatever address; `known` where it says nothing. */
  readonly record: InventoryEntry | null;
  /** The ignored properties of the entry that differ. Missing when it ignores none. */
  readonly ignoredDifferences?: readonly string[];
  /** With what somebody else manages by now: it may hold values from the environment. Missing where that is `record`. */
  readonly wholeRecord?: InventoryEntry | null;
  /** The address in the inventory of an object whose entry has another key now. */
  readonly renamedFrom: Address | null;
  /** An earlier run was about to create it, and ended before it could record the result. */
  readonly createInterrupted: boolean;
  /** False for what is neither declared nor in the inventory: only `prune: all` may change it. */
  readonly ours: boolean;
  /** The object is not what the inventory recorded: it may be someone else's. */
  readonly misdescribed: boolean;
  /** An apply has protected the object, under whatever address. */
  readonly wasProtected: boolean;
}

export interface Matches {
  readonly list: readonly Match[];
  /** External entries with their objects. */
  readonly externals: ReadonlyMap<Address, Observed>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface MatchInputs {
  readonly kinds: readonly Kind[];
  readonly entries: readonly Declared[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  readonly agents: AgentLookup;
  readonly prune: Prune;
  /** The ids in the inventory may be those of another account. */
  readonly otherAccount: boolean;
  readonly kept: KeptObjects;
}

/** Matches everything declared with everything that exists, kind by kind: objects come before what refers to them. */
export function match(inputs: MatchInputs): Matches {
  const matcher = new Matcher(inputs);
  for (const kind of inputs.kinds) matcher.matchKind(kind);
  return matcher;
}

class Matcher implements Matches {
  readonly list: Match[] = [];
  readonly externals = new Map<Address, Observed>();
  readonly diagnostics: Diagnostic[] = [];
  private readonly resolver: ReferenceResolver;
  private readonly recorded: RecordedObjects;
  private readonly protectedObjects: ReadonlySet<string>;

  constructor(private readonly inputs: MatchInputs) {
    this.resolver = new ReferenceResolver(inputs.agents, this.diagnostics);
    this.recorded = new RecordedObjects(inputs.inventory);
    const entries = [...inputs.inventory.entries.values()];
    this.protectedObjects = new Set(
      entries.flatMap(({ protect, kind, id }) => (protect && id !== null ? [objectKey(kind, id)] : [])),
    );
  }

  matchKind(kind: Kind): void {
    const entries = this.inputs.entries.filter((entry) => entry.kind === kind.name);
    const objects = this.inputs.objects.get(kind.name) ?? [];
    const managed = entries.filter((entry) => !entry.external);
    const external = entries.filter((entry) => entry.external);
    if (external.length > 0) this.matchExternal(kind, external, managed);
    const desired = managed.flatMap((entry) => this.resolver.resolve(kind, entry));
    const taken = new Set(this.externals.values());
    const observed = objects.filter((each) => !taken.has(each));
    const paired = this.pairDesired(kind, desired, observed);
    this.addUndeclared(kind, managed, observed, paired);
  }

  private matchExternal(kind: Kind, external: readonly Declared[], managed: readonly Declared[]): void {
    const { inventory, agents } = this.inputs;
    const objects = this.inputs.objects.get(kind.name) ?? [];
    const names = objects.flatMap((each) => each.name ?? []);
    for (const entry of external) {
      const { suggest } = agents;
      const result = findExternal(kind, entry, { objects, names, managed, inventory, suggest });
      this.diagnostics.push(...result.diagnostics);
      if (result.found === null) continue;
      const { observed, id } = result.found;
      this.externals.set(entry.address, observed);
      this.resolver.add(entry.address, id, kind, observed.spec);
    }
  }

  /** Returns the objects that now have an entry. */
  private pairDesired(
    kind: Kind,
    desired: readonly Desired[],
    observed: readonly Observed[],
  ): ReadonlySet<Observed> {
    const { inventory, prune, otherAccount, kept } = this.inputs;
    const values = new ComparedValues(kind, this.recorded);
    const records = this.recordsOf(kind);
    const pairing = pair({ kind, desired, observed, inventory, prune, otherAccount, records, values, kept });
    this.diagnostics.push(...pairing.diagnostics);
    for (const entry of desired)
      if (!pairing.broken.has(entry.address)) this.addDeclared(kind, entry, pairing);
    return new Set([...pairing.pairs.values()].map((each) => each.observed));
  }

  private addDeclared(kind: Kind, entry: Desired, { pairs, misdescribed }: Pairing): void {
    const { inventory } = this.inputs;
    const { address } = entry;
    const found = pairs.get(address);
    const { observed = null, rule = null } = found ?? {};
    const own = inventoryEntry(entry, inventory);
    const former = own === null ? this.formerRecord(kind, observed) : null;
    const known = own ?? former?.entry ?? null;
    const createInterrupted = this.isInterruptedCreate(kind, address, observed);
    const wasProtected = this.wasProtected(kind, observed, known);
    const last = this.recordOf(observed) ?? known;
    const { differences, ...effective } = effectiveEntry(kind, entry, observed, last);
    const record = last && comparableRecord(entry, last);
    this.resolver.add(address, observed?.id ?? { pending: address }, kind, effective.entry.spec);
    const renamedFrom = former?.address ?? formerAddress(entry, observed, inventory);
    const state = { createInterrupted, ours: true, misdescribed: misdescribed.has(address), wasProtected };
    const each: Match = { address, kind, ...effective, observed, rule, known, record, renamedFrom, ...state };
    const ignoring = { ignoredDifferences: differences, wholeRecord: last };
    this.list.push(entry.ignore === undefined ? each : { ...each, ...ignoring });
  }

  private recordOf(observed: Observed | null): InventoryEntry | null {
    return observed && (this.recorded.of(observed)?.entry ?? null);
  }

  /** The record of a matched object whose entry the inventory does not know. */
  private formerRecord(kind: Kind, observed: Observed | null): RecordedObject | null {
    const found = observed && this.recorded.of(observed);
    if (observed === null || found === null) return null;
    return this.recordsOf(kind).describes(found.address, found.entry, observed) ? found : null;
  }

  /** A draft says nothing about an object that its create would not have made. */
  private isInterruptedCreate(kind: Kind, address: Address, observed: Observed | null): boolean {
    if (!this.inputs.inventory.drafts.has(address)) return false;
    return observed === null || this.recordsOf(kind).isIntended(address, observed);
  }

  private recordsOf(kind: Kind): Records {
    return new Records(kind, this.inputs.inventory, this.resolver);
  }

  private wasProtected(kind: Kind, observed: Observed | null, known: InventoryEntry | null): boolean {
    if (observed === null) return false;
    if (observed.id === null) return known?.protect ?? false;
    return this.protectedObjects.has(objectKey(kind.name, observed.id));
  }

  private addUndeclared(
    kind: Kind,
    managed: readonly Declared[],
    observed: readonly Observed[],
    paired: ReadonlySet<Observed>,
  ): void {
    const { list, diagnostics } = findUndeclared({
      kind,
      inventory: this.inputs.inventory,
      declared: new Set(managed.map((each) => each.address)),
      takenIds: new Set([...paired].map((each) => each.id)),
      free: observed.filter((each) => !paired.has(each)),
      records: this.recordsOf(kind),
      otherAccount: this.inputs.otherAccount,
    });
    this.diagnostics.push(...diagnostics);
    for (const each of list) {
      const rule = each.ours ? 'inventory' : null;
      const wasProtected = this.wasProtected(kind, each.observed, each.known);
      const record = this.recordOf(each.observed) ?? each.known;
      this.list.push({
        ...{ ...each, kind, entry: null, rule, record },
        ...{ renamedFrom: null, createInterrupted: false, wasProtected },
      });
    }
  }
}

/** A resource that no manifest declares. */
export interface Undeclared {
  readonly address: Address;
  /** Null when it no longer exists. */
  readonly observed: Observed | null;
  readonly known: InventoryEntry | null;
  /** False for what the inventory does not know: only `prune: all` may change it. */
  readonly ours: boolean;
  /** The object is not what the inventory recorded: it may be someone else's. */
  readonly misdescribed: boolean;
}

export interface UndeclaredInputs {
  readonly kind: Kind;
  readonly inventory: Inventory;
  /** Addresses of the declared entries, except external ones. */
  readonly declared: ReadonlySet<Address>;
  /** Ids of objects that are matched with an entry. */
  readonly takenIds: ReadonlySet<string | null>;
  readonly free: readonly Observed[];
  readonly records: Records;
  /** The ids in the inventory may be those of another account: objects that it does not describe are not ours. */
  readonly otherAccount: boolean;
}

/** What no entry declares: first what the inventory knows, then what an interrupted run created, then all other objects. */
export function findUndeclared(inputs: UndeclaredInputs): {
  readonly list: readonly Undeclared[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const search = new Search(inputs);
  search.addOwned();
  search.addInterrupted();
  search.addForeign();
  return search;
}

class Search {
  readonly list: Undeclared[] = [];
  readonly diagnostics: Diagnostic[] = [];
  private readonly free: Set<Observed>;
  private readonly byId: ReadonlyMap<string | null, Observed>;
  private byIdentity: ReadonlyMap<string | null, readonly Observed[]> | null = null;

  constructor(private readonly inputs: UndeclaredInputs) {
    this.free = new Set(inputs.free);
    this.byId = new Map(inputs.free.map((each) => [each.id, each]));
  }

  addOwned(): void {
    const { kind, inventory, declared, takenIds } = this.inputs;
    for (const [address, known] of inventory.entries) {
      if (known.kind !== kind.name) continue;
      // A declared entry has this object now: the entry was renamed, or bound to the object.
      if (known.id !== null && takenIds.has(known.id)) continue;
      if (!declared.has(address)) this.addKnown(address, address, this.objectOf(known), known);
      else {
        // The entry with this address is bound to another object now. Its former object is ours, and undeclared.
        const former = known.id === null ? undefined : this.byId.get(known.id);
        const own = addressOf(kind.name, known.id ?? '');
        if (former !== undefined) this.addKnown(own, address, former, known);
      }
    }
  }

  /**
   * What an interrupted run may have created for an entry that was removed since. It counts as ours only if it is equal
   * to what was to be created in every field: somebody else may have created an object with that name.
   */
  addInterrupted(): void {
    const { kind, inventory, declared } = this.inputs;
    for (const [address, draft] of inventory.drafts) {
      if (draft.kind !== kind.name || declared.has(address) || inventory.entries.has(address)) continue;
      const candidates = this.candidatesFor(address);
      const [only] = candidates.filter((each) => this.inputs.records.isIntended(address, each));
      const created = candidates.length === 1 ? only : undefined;
      if (created === undefined && candidates.length > 0)
        this.diagnostics.push(possibleOrphan(address, candidates));
      const { name } = draft;
      const id = created?.id ?? null;
      const known = { kind: kind.name, name, id, protect: false, applied: {}, sensitive: [] };
      this.add({ address, observed: created ?? null, known, misdescribed: false });
    }
  }

  addForeign(): void {
    for (const each of this.free) {
      const address = addressOf(this.inputs.kind.name, each.id ?? each.name ?? 'unknown');
      this.list.push({ address, observed: each, known: null, ours: false, misdescribed: false });
    }
  }

  /** `recordedAs` is its address in the inventory. */
  private addKnown(
    address: Address,
    recordedAs: Address,
    observed: Observed | undefined,
    known: InventoryEntry,
  ): void {
    const { records, otherAccount } = this.inputs;
    const rule = otherAccount ? 'identifies' : 'describes';
    const misdescribed = observed !== undefined && !records[rule](recordedAs, known, observed);
    if (!misdescribed || !otherAccount)
      this.add({ address, observed: observed ?? null, known, misdescribed });
    else if (address === recordedAs) this.add({ address, observed: null, known, misdescribed: false });
  }

  private add(owned: Omit<Undeclared, 'ours'>): void {
    if (owned.observed !== null) this.free.delete(owned.observed);
    this.list.push({ ...owned, ours: true });
  }

  /** By its id; without one, by a name that only one object has. */
  private objectOf({ id, name }: InventoryEntry): Observed | undefined {
    if (id !== null) return this.byId.get(id);
    const named = [...this.free].filter((each) => each.name === name);
    return named.length === 1 ? named[0] : undefined;
  }

  private candidatesFor(address: Address): Observed[] {
    const { kind, records } = this.inputs;
    const identity = records.intendedIdentity(address);
    if (identity === null) return [];
    this.byIdentity ??= groupBy(this.free, (each) => kind.identity.ofObserved(each));
    const candidates = this.byIdentity.get(identity) ?? [];
    return candidates.filter((each) => this.free.has(each));
  }
}

function possibleOrphan(address: Address, candidates: readonly Observed[]): Diagnostic {
  const ids = namedIds(candidates.map((each) => each.id));
  return {
    severity: 'warning',
    code: 'possible-orphan',
    message: `an interrupted run was about to create ${address}, which is no longer declared; it may have created ${ids}`,
    help: 'It may belong to someone else, so roster leaves it unchanged. If nobody needs it, delete it in the dashboard.',
  };
}
