import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory, InventoryEntry } from '../model/inventory.js';
import { groupBy } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import {
  type Address,
  addressOf,
  type Declared,
  type Desired,
  normalId,
  type Observed,
  objectKey,
  type Suggest,
} from '../model/resource.js';
import { namedIds } from '../model/words.js';
import { type BrokenObject, type BrokenObjects, objectsOfBroken } from './broken.js';
import { type Pairing, pair } from './pair.js';
import {
  ComparedValues,
  formerAddress,
  inventoryEntry,
  type RecordedObject,
  RecordedObjects,
  Records,
} from './recorded.js';
import { entryDiagnostic, ReferenceResolver } from './references.js';
import { resolve } from './resolve.js';
import { OtherOwners } from './siblings.js';
import { isOtherService, type Match, type MatchBasis, type Matched } from './world.js';

/** Matches everything declared with everything that exists, kind by kind: objects come before what refers to them. */
export function match(basis: MatchBasis): Matched {
  const matcher = new Matcher(basis);
  for (const kind of basis.kinds) matcher.matchKind(kind);
  return matcher;
}

class Matcher implements Matched {
  readonly matches: Match[] = [];
  readonly externals = new Map<Address, Observed>();
  readonly broken = new Map<Address, Declared>();
  readonly diagnostics: Diagnostic[] = [];
  private readonly resolver: ReferenceResolver;
  private readonly recorded: RecordedObjects;
  private readonly protectedObjects: ReadonlySet<string>;
  private readonly others: OtherOwners;

  constructor(readonly basis: MatchBasis) {
    this.resolver = new ReferenceResolver(basis.agents, this.diagnostics);
    this.recorded = new RecordedObjects(basis.inventory);
    this.others = new OtherOwners(basis, match);
    const entries = [...basis.inventory.entries.values()];
    this.protectedObjects = new Set(
      entries.flatMap(({ protect, kind, id }) => (protect && id !== null ? [objectKey(kind, id)] : [])),
    );
  }

  matchKind(kind: Kind): void {
    const entries = this.basis.project.entries.filter((entry) => entry.kind === kind.name);
    const objects = this.basis.objects.get(kind.name) ?? [];
    const managed = entries.filter((entry) => !entry.external);
    const external = entries.filter((entry) => entry.external);
    if (external.length > 0) this.matchExternal(kind, external, managed);
    const desired = managed.flatMap((entry) => this.resolver.resolve(kind, entry));
    const taken = new Set(this.externals.values());
    const observed = objects.filter((each) => !taken.has(each));
    const resolved = new Set(desired.map(({ address }) => address));
    const unresolved = managed.filter(({ address }) => !resolved.has(address));
    const reserved = this.objectsOf(kind, unresolved, { sound: desired, observed });
    const pairing = this.pairDesired(kind, desired, without(observed, reserved.objects.map(objectOf)));
    const failed = desired.filter(({ address }) => pairing.broken.has(address));
    const sound = desired.filter(({ address }) => !pairing.broken.has(address));
    const paired = sound.flatMap(({ address }) => pairing.pairs.get(address)?.observed ?? []);
    const free = without(without(observed, reserved.objects.map(objectOf)), paired);
    const found = this.objectsOf(kind, failed, { sound, observed: free });
    const held = [...reserved.objects, ...found.objects];
    const broken = [...unresolved, ...failed];
    for (const entry of broken) this.addBroken(kind, entry, held);
    const names = [
      ...managed.map(({ address }) => address),
      ...broken.flatMap(({ formerly }) => formerly ?? []),
    ];
    const keepsMissing = reserved.unknown.length + found.unknown.length > 0;
    const declared = { names: new Set(names), keepsMissing };
    this.addUndeclared(kind, declared, observed, new Set([...paired, ...held.map(objectOf)]));
  }

  private objectsOf(
    kind: Kind,
    entries: readonly Declared[],
    among: { readonly sound: readonly Desired[]; readonly observed: readonly Observed[] },
  ): BrokenObjects {
    const { inventory, kept } = this.basis;
    const { recorded, resolver } = this;
    const known = { inventory, kept, recorded, resolver, records: this.recordsOf(kind) };
    return objectsOfBroken({ kind, entries, ...among, ...known });
  }

  private matchExternal(kind: Kind, external: readonly Declared[], managed: readonly Declared[]): void {
    const { inventory, agents } = this.basis;
    const objects = this.basis.objects.get(kind.name) ?? [];
    const names = objects.flatMap((each) => each.name ?? []);
    for (const entry of external) {
      const { suggest } = agents;
      const result = findExternal(kind, entry, { objects, names, managed, inventory, suggest });
      this.diagnostics.push(...result.diagnostics);
      if (result.diagnostics.length > 0) this.broken.set(entry.address, entry);
      if (result.found === null) continue;
      const { observed, id } = result.found;
      this.externals.set(entry.address, observed);
      this.resolver.add(entry.address, id, kind, observed.spec);
    }
  }

  private pairDesired(kind: Kind, desired: readonly Desired[], observed: readonly Observed[]): Pairing {
    const values = new ComparedValues(kind, this.recorded);
    const records = this.recordsOf(kind);
    const isOthers = (each: Observed) => this.others.of(each) !== undefined;
    const pairing = pair({ kind, desired, observed, basis: this.basis, records, values, isOthers });
    this.diagnostics.push(...pairing.diagnostics);
    for (const entry of desired)
      if (!pairing.broken.has(entry.address)) this.addDeclared(kind, entry, pairing);
    return pairing;
  }

  /** Nothing is planned for it. Its objects are there, so that they are not taken for what nobody declares. */
  private addBroken(kind: Kind, entry: Declared, objects: readonly BrokenObject[]): void {
    this.broken.set(entry.address, entry);
    const { inventory } = this.basis;
    const own = objects.filter((each) => each.entry === entry);
    const named = own.find(({ isNamed }) => isNamed)?.observed ?? null;
    const known = inventoryEntry(entry, inventory);
    const renamedFrom = known === null || inventory.entries.has(entry.address) ? null : entry.formerly;
    const records = this.recordsOf(kind);
    type BrokenMatch = Pick<Match, 'address' | 'observed' | 'known' | 'renamedFrom' | 'ours'>;
    const add = (each: BrokenMatch) => {
      const { observed } = each;
      const recordedAs = each.renamedFrom ?? each.address;
      const isRecorded = observed !== null && each.known !== null && each.known.id === observed.id;
      const state = {
        kind,
        entry: null,
        broken: entry,
        createInterrupted: false,
        misdescribed: isRecorded && !records.describes(recordedAs, each.known, observed),
        wasProtected: this.wasProtected(kind, observed, each.known),
        record: this.recordOf(observed) ?? each.known,
        rule: each.ours && observed !== null ? ('inventory' as const) : null,
      };
      this.matches.push(this.resolved({ ...each, ...state }));
    };
    if (named !== null || known !== null)
      add({ address: entry.address, observed: named, known, renamedFrom, ours: true });
    for (const observed of own.map(objectOf)) {
      if (observed === named) continue;
      const recorded = this.recorded.of(observed);
      const address = recorded?.address ?? addressOf(kind.name, observed.id ?? observed.name ?? 'unknown');
      const ours = recorded !== null;
      add({ address, observed, known: recorded?.entry ?? null, renamedFrom: null, ours });
    }
  }

  private addDeclared(kind: Kind, entry: Desired, { pairs, misdescribed }: Pairing): void {
    const { inventory } = this.basis;
    const { address } = entry;
    const found = pairs.get(address);
    const { observed = null, rule = null } = found ?? {};
    const own = inventoryEntry(entry, inventory);
    const former = own === null ? this.formerRecord(kind, observed) : null;
    const known = own ?? former?.entry ?? null;
    const createInterrupted = this.isInterruptedCreate(kind, address, observed);
    const wasProtected = this.wasProtected(kind, observed, known);
    const record = this.recordOf(observed) ?? known;
    const renamedFrom = former?.address ?? formerAddress(entry, observed, inventory);
    const state = { createInterrupted, ours: true, misdescribed: misdescribed.has(address), wasProtected };
    const each = { address, kind, entry, observed, rule, known, record, renamedFrom, ...state };
    const resolved = this.resolved(each);
    // The object that it is bound to may be gone: what refers to it still has its id.
    const bound = entry.id === null ? { pending: address } : normalId(entry.id);
    this.resolver.add(address, observed?.id ?? bound, kind, resolved.entry?.spec ?? null);
    this.matches.push(resolved);
  }

  private resolved(each: Match): Match {
    const elsewhere = each.observed === null ? undefined : this.others.of(each.observed);
    const heldElsewhere = each.observed === null ? undefined : this.others.holdOf(each.observed);
    const shared = elsewhere === undefined ? each : { ...each, elsewhere };
    return resolve(heldElsewhere === undefined ? shared : { ...shared, heldElsewhere }, this.basis);
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
    if (!this.basis.inventory.drafts.has(address)) return false;
    return observed === null || this.recordsOf(kind).isIntended(address, observed);
  }

  private recordsOf(kind: Kind): Records {
    return new Records(kind, this.basis.inventory, this.resolver);
  }

  private wasProtected(kind: Kind, observed: Observed | null, known: InventoryEntry | null): boolean {
    if (observed === null) return false;
    if (observed.id === null) return known?.protect ?? false;
    return this.protectedObjects.has(objectKey(kind.name, observed.id));
  }

  private addUndeclared(
    kind: Kind,
    { names, keepsMissing }: { readonly names: ReadonlySet<Address>; readonly keepsMissing: boolean },
    observed: readonly Observed[],
    known: ReadonlySet<Observed>,
  ): void {
    const { list, diagnostics } = findUndeclared({
      kind,
      inventory: this.basis.inventory,
      declared: names,
      keepsMissing,
      takenIds: new Set([...known].map((each) => each.id)),
      free: observed.filter((each) => !known.has(each)),
      records: this.recordsOf(kind),
      otherAccount: isOtherService(this.basis),
    });
    this.diagnostics.push(...diagnostics);
    for (const each of list) {
      const rule = each.ours ? 'inventory' : null;
      const wasProtected = this.wasProtected(kind, each.observed, each.known);
      const record = this.recordOf(each.observed) ?? each.known;
      const state = { renamedFrom: null, createInterrupted: false, wasProtected };
      this.matches.push(this.resolved({ ...each, kind, entry: null, rule, record, ...state }));
    }
  }
}

function objectOf({ observed }: BrokenObject): Observed {
  return observed;
}

function without(all: readonly Observed[], some: readonly Observed[]): readonly Observed[] {
  if (some.length === 0) return all;
  const left = new Set(some);
  return all.filter((each) => !left.has(each));
}

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
  /** What the inventory knows and the service does not show stays known: it may be that of an entry with an error. */
  readonly keepsMissing: boolean;
  /** Ids of objects that are matched with an entry. */
  readonly takenIds: ReadonlySet<string | null>;
  readonly free: readonly Observed[];
  readonly records: Records;
  /** The ids in the inventory may be those of another account: objects that it does not describe are not ours. */
  readonly otherAccount: boolean;
}

/** What no entry declares: first what the inventory knows, then what an interrupted run created, then all other objects. */
function findUndeclared(inputs: UndeclaredInputs): {
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
    const { kind, inventory, declared, keepsMissing } = this.inputs;
    for (const [address, draft] of inventory.drafts) {
      if (draft.kind !== kind.name || declared.has(address) || inventory.entries.has(address)) continue;
      const candidates = this.candidatesFor(address);
      const [only] = candidates.filter((each) => this.inputs.records.isIntended(address, each));
      const created = candidates.length === 1 ? only : undefined;
      if (created === undefined && keepsMissing) continue;
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
    const { records, otherAccount, keepsMissing } = this.inputs;
    if (keepsMissing && observed === undefined) return;
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
    message: `an interrupted apply was about to create ${address}, which is no longer declared; it may have created ${ids}`,
    help: 'It may belong to someone else, so roster leaves it unchanged. If nobody needs it, delete it in the dashboard.',
  };
}

export interface ExternalInputs {
  readonly objects: readonly Observed[];
  readonly names: readonly string[];
  /** Entries of the same kind that are not external. */
  readonly managed: readonly Declared[];
  readonly inventory: Inventory;
  readonly suggest: Suggest;
}

export interface ExternalFound {
  readonly found: { readonly observed: Observed; readonly id: string } | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The object that an `external: true` entry refers to by id or by name. There must be exactly one. */
function findExternal(kind: Kind, entry: Declared, inputs: ExternalInputs): ExternalFound {
  const identity = kind.identity.ofDeclared(entry.declared);
  const found = inputs.objects.filter((each) =>
    entry.id === null ? kind.identity.ofObserved(each) === identity : each.id === normalId(entry.id),
  );
  const [only] = found;
  if (only === undefined) return { found: null, diagnostics: [notFound(kind, entry, inputs)] };
  if (only.id === null || found.length > 1)
    return { found: null, diagnostics: [notUnique(kind, entry, found)] };
  const owner = ownerOf(kind, only, inputs);
  const diagnostics = owner === null ? [] : [managedHere(kind, entry, owner)];
  return { found: { observed: only, id: only.id }, diagnostics };
}

/** The entry that manages the object, or would be matched with it by name: an external object has no such entry. */
function ownerOf(kind: Kind, object: Observed, { managed, inventory }: ExternalInputs): Address | null {
  const identity = kind.identity.ofObserved(object);
  const owns = (each: Declared) => {
    if (each.id !== null) return normalId(each.id) === object.id;
    const known = inventoryEntry(each, inventory);
    if (known !== null) return known.id === object.id;
    return identity !== null && kind.identity.ofDeclared(each.declared) === identity;
  };
  return managed.find(owns)?.address ?? null;
}

function managedHere(kind: Kind, entry: Declared, owner: Address): Diagnostic {
  const message = `the external ${kind.name} ${criterion(kind, entry)} is managed by ${owner}`;
  const help = `Refer to ${owner}, and remove the external entry.`;
  const path = entry.id === null ? 'name' : 'id';
  return entryDiagnostic(entry, { severity: 'error', code: 'duplicate-name', path: [path], message, help });
}

function notFound(kind: Kind, entry: Declared, { names, suggest }: ExternalInputs): Diagnostic {
  const [code, path] =
    entry.id === null ? (['unknown-reference', 'name'] as const) : (['unknown-id', 'id'] as const);
  const message = `no ${kind.name} ${criterion(kind, entry)} is visible to this key`;
  const name = entry.id === null ? kind.identity.ofDeclared(entry.declared) : null;
  const closest = name === null ? null : suggest(name, names);
  const help =
    closest === null
      ? 'An external object must exist: check the spelling, and that all its agents are assigned to you.'
      : `Did you mean "${closest}"?`;
  return entryDiagnostic(entry, { severity: 'error', code, path: [path], message, help });
}

function notUnique(kind: Kind, entry: Declared, found: readonly Observed[]): Diagnostic {
  const ids = namedIds(found.map((each) => each.id));
  const message = `${found.length} ${kind.section} are ${criterion(kind, entry)}: ${ids}`;
  const help = `Use \`id: ${found[0]?.id}\`.`;
  return entryDiagnostic(entry, { severity: 'error', code: 'ambiguous-name', path: ['name'], message, help });
}

function criterion(kind: Kind, entry: Declared): string {
  return entry.id === null
    ? `named "${kind.identity.ofDeclared(entry.declared)}"`
    : `with the id ${entry.id}`;
}
