import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory, InventoryEntry } from '../model/inventory.js';
import { byCodeUnit, canonical, groupBy, isJsonObject, type Json } from '../model/json.js';
import { fieldValue, type Kind } from '../model/kind.js';
import type { MatchRule } from '../model/plan.js';
import { type Address, type Desired, type EntryProblem, normalId, type Observed } from '../model/resource.js';
import { namedIds } from '../model/words.js';
import {
  type ComparedValues,
  inventoryEntry,
  mismatch,
  nameAndId,
  type Records,
  textOf,
} from './recorded.js';
import { entryDiagnostic } from './references.js';
import { isOtherService, type MatchBasis } from './world.js';

export interface Pair {
  readonly observed: Observed;
  readonly rule: MatchRule;
}

export interface Pairing {
  readonly pairs: ReadonlyMap<Address, Pair>;
  readonly diagnostics: readonly Diagnostic[];
  /** Entries with an error: nothing may be planned for them. */
  readonly broken: ReadonlySet<Address>;
  /** Entries whose objects are not what the inventory recorded: apply refuses to change them. */
  readonly misdescribed: ReadonlySet<Address>;
}

export interface PairingInputs {
  readonly kind: Kind;
  readonly desired: readonly Desired[];
  readonly observed: readonly Observed[];
  readonly basis: MatchBasis;
  readonly records: Records;
  readonly values: ComparedValues;
  /** Whether another project of the repository owns an object, or declares it. */
  isOthers(observed: Observed): boolean;
}

/** Pairs the declared entries of one kind with the existing objects. An object never belongs to two entries. */
export function pair(inputs: PairingInputs): Pairing {
  const { desired, basis } = inputs;
  const { inventory, prune } = basis;
  const state = new PairingState(inputs);
  for (const entry of desired) if (entry.id !== null) state.byId(entry, entry.id);
  for (const entry of desired) {
    if (entry.id !== null) continue;
    const known = inventoryEntry(entry, inventory);
    state.byKept(entry);
    if (state.isOpen(entry)) state.byIntent(entry, known);
    if (state.isOpen(entry) && known !== null) state.byInventory(entry, known);
  }
  state.byNaturalKey(desired.filter((entry) => state.isOpen(entry)));
  state.byDoubtfulId();
  // An object without an entry would be deleted: it is better to change it into what is declared.
  if (prune === 'all') {
    const open = desired.filter((entry) => state.isOpen(entry));
    state.bySimilarity(open, protectedIds(inventory));
  }
  for (const entry of desired) state.checkManageable(entry);
  return state;
}

/** A protected object is not changed into another one when its entry is removed: like its delete, that is refused. */
function protectedIds({ entries }: Inventory): ReadonlySet<string | null> {
  return new Set([...entries.values()].filter(({ protect }) => protect).map(({ id }) => id));
}

class PairingState implements Pairing {
  readonly pairs = new Map<Address, Pair>();
  readonly diagnostics: Diagnostic[] = [];
  readonly broken = new Set<Address>();
  readonly misdescribed = new Set<Address>();
  private readonly doubtful = new Map<Address, () => void>();
  private readonly takenBy = new Map<Observed, Address>();
  private readonly observedById: ReadonlyMap<string | null, Observed>;
  private readonly ownedByName = new Set<Address>();
  private identities: ReadonlyMap<string | null, readonly Observed[]> | null = null;
  private readonly kind: Kind;
  private readonly observed: readonly Observed[];

  constructor(private readonly inputs: PairingInputs) {
    this.kind = inputs.kind;
    this.observed = inputs.observed;
    this.observedById = new Map(this.observed.map((each) => [each.id, each]));
  }

  isOpen(entry: Desired): boolean {
    const { address, id } = entry;
    return (
      id === null && !this.pairs.has(address) && !this.broken.has(address) && !this.doubtful.has(address)
    );
  }

  byId(entry: Desired, id: string): void {
    const found = this.observedById.get(normalId(id));
    const owner = found && this.takenBy.get(found);
    // It is matched with nothing, which breaks nothing that refers to it.
    if (found === undefined)
      this.report(entry, {
        code: 'unknown-id',
        path: ['id'],
        message: `no ${this.kind.name} with the id ${id} is visible to this key`,
        help: 'Copy the id from the service, or remove the line to create a new object.',
      });
    else if (owner !== undefined)
      this.fail(entry, {
        code: 'duplicate-name',
        path: ['id'],
        message: `${owner} is bound to the same id`,
        help: 'Bind each object to one entry only.',
      });
    else this.take(entry, found, 'id');
  }

  byInventory(entry: Desired, known: InventoryEntry): void {
    // A key that the service lists without an id is known by its name only.
    if (known.id === null) this.ownedByName.add(entry.address);
    const found = known.id === null ? undefined : this.observedById.get(known.id);
    if (found === undefined || !this.isFree(found)) return;
    // No list had shown it: whether its id is right is seen now.
    const intended = known.created === undefined ? null : this.inputs.records.intendedIdentity(entry.address);
    if (intended !== null && this.kind.identity.ofObserved(found) !== intended) return;
    if (this.inputs.records.describesFor(entry, known, found)) this.take(entry, found, 'inventory');
    else if (!isOtherService(this.inputs.basis))
      this.doubtful.set(entry.address, () => this.takeMisdescribed(entry, known, found));
  }

  /** Ids of objects that the inventory does not describe. They come last: the object may be that of another entry. */
  byDoubtfulId(): void {
    for (const take of this.doubtful.values()) take();
  }

  /** Its change is shown, and refused. */
  private takeMisdescribed(entry: Desired, known: InventoryEntry, found: Observed): void {
    if (!this.isFree(found) || found.manageable === false || found.spec === null)
      this.fail(entry, mismatchProblem(entry, known, found));
    else {
      this.misdescribed.add(entry.address);
      this.take(entry, found, 'inventory');
    }
  }

  /** Roster has kept the key of this object for this entry, which no inventory may know yet. */
  byKept(entry: Desired): void {
    const found = this.inputs.basis.kept.get(entry.address)?.observed;
    if (found !== undefined && this.observedById.get(found.id) === found && this.isFree(found))
      this.take(entry, found, 'inventory');
  }

  /** The object of a create that an interrupted run sent is ours, whatever the entry says now. */
  byIntent(entry: Desired, known: InventoryEntry | null): void {
    const { records } = this.inputs;
    const identity = records.intendedIdentity(entry.address);
    if (identity === null) return;
    // Computed when it is first needed: after most runs there is no such create.
    this.identities ??= groupBy(this.observed, (each) => this.kind.identity.ofObserved(each));
    const found = (this.identities.get(identity) ?? []).filter(
      (each) => each.manageable !== false && this.isFree(each) && !this.inputs.isOthers(each),
    );
    const made = createdAmong(this.kind, found, known);
    if (made !== null && records.isIntended(entry.address, made)) this.take(entry, made, 'inventory');
  }

  byNaturalKey(open: readonly Desired[]): void {
    const { identity } = this.kind;
    const free = groupBy(
      this.observed.filter((each) => this.isFree(each)),
      (each) => identity.ofObserved(each),
    );
    for (const [key, entries] of groupBy(open, (entry) => identity.of(entry.spec)))
      this.pairCandidates(entries, free.get(key) ?? []);
  }

  /** For `prune: all`: the object most similar to a new entry becomes that entry. */
  bySimilarity(open: readonly Desired[], kept: ReadonlySet<string | null>): void {
    const { kind } = this;
    if (kind.similarity === undefined) return;
    const { within } = kind.similarity;
    const commonOf = (spec: unknown) => canonical(within.map((field) => fieldValue(kind, spec, field)));
    const free = groupBy(
      this.observed.filter(
        (each) =>
          this.isFree(each) &&
          each.manageable === true &&
          each.spec !== null &&
          !kept.has(each.id) &&
          !this.inputs.isOthers(each),
      ),
      (each) => commonOf(each.spec),
    );
    for (const [common, entries] of groupBy(open, (entry) => commonOf(entry.spec)))
      for (const [entry, each] of closestPairs(this.inputs.values, entries, free.get(common) ?? []))
        this.take(entry, each, 'likeness');
  }

  checkManageable(entry: Desired): void {
    const found = this.pairs.get(entry.address)?.observed;
    if (found === undefined || found.manageable !== false || found.id === null) return;
    // What refers to it is not affected.
    this.report(entry, notManageable(this.kind, found));
  }

  /** Pairs entries and objects with one natural key, or reports that they cannot be told apart. */
  private pairCandidates(entries: readonly Desired[], candidates: readonly Observed[]): void {
    if (candidates.length === 0) return;
    const ours = candidates.filter((each) => each.manageable !== false || each.id === null);
    const manageable = ours.length > 0 ? ours : candidates;
    const free = manageable.filter((each) => !this.inputs.isOthers(each));
    // Another project's object is adopted only if there is no other.
    const pool = free.length >= entries.length ? [...free] : [...manageable];
    const inOrder = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
    const rest = this.kind.similarity === undefined ? inOrder : this.pairEqual(inOrder, pool);
    if (rest.length === 0) return;
    if (pool.length > rest.length)
      for (const entry of rest) this.fail(entry, ambiguousName(this.kind, entry, pool));
    else
      for (const [entry, each] of closestPairs(this.inputs.values, rest, pool))
        this.take(entry, each, this.ruleFor(entry));
  }

  /** Pairs what is equal in every field, removes it from the pool, and returns the other entries. */
  private pairEqual(entries: readonly Desired[], pool: Observed[]): Desired[] {
    const { values } = this.inputs;
    const bySpec = groupBy(pool, (each) => textOf(values.ofObject(each)));
    return entries.filter((entry) => {
      const text = textOf(values.ofEntry(entry));
      const equal = bySpec.get(text) ?? [];
      const [found] = equal;
      // Two equal objects for one entry: the caller reports that.
      if (found === undefined || equal.length > 1) return true;
      bySpec.delete(text);
      pool.splice(pool.indexOf(found), 1);
      this.take(entry, found, this.ruleFor(entry));
      return false;
    });
  }

  private isFree(object: Observed): boolean {
    return !this.takenBy.has(object);
  }

  private ruleFor(entry: Desired): MatchRule {
    return this.ownedByName.has(entry.address) ? 'inventory' : 'natural-key';
  }

  private take(entry: Desired, found: Observed, rule: MatchRule): void {
    this.takenBy.set(found, entry.address);
    this.pairs.set(entry.address, { observed: found, rule });
  }

  private fail(entry: Desired, problem: PairingProblem): void {
    this.broken.add(entry.address);
    this.report(entry, problem);
  }

  private report(entry: Desired, problem: PairingProblem): void {
    this.diagnostics.push(entryDiagnostic(entry, { severity: 'error', ...problem }));
  }
}

/** Why an entry cannot be paired with an object. */
export type PairingProblem = Omit<EntryProblem, 'severity'>;

function mismatchProblem(entry: Desired, known: InventoryEntry, found: Observed): PairingProblem {
  return {
    code: 'inventory-mismatch',
    path: [],
    message: mismatch(entry.address, known, found),
    help: `Restore the inventory. If it is the right object, bind the entry: \`id: ${found.id}\`.`,
  };
}

/** Several objects have the natural key of an entry. */
function ambiguousName(
  { section, identity }: Kind,
  entry: Desired,
  candidates: readonly Observed[],
): PairingProblem {
  const ids = candidates.map((each) => each.id ?? 'an object without an id').sort();
  const description = identity.describe(entry.spec);
  return {
    code: 'ambiguous-name',
    path: [],
    message: `the service has ${ids.length} ${section} ${description}: ${namedIds(ids)}`,
    help: `Bind the entry to one of them: \`id: ${ids[0]}\`.`,
  };
}

function notManageable({ name }: Kind, found: Observed): PairingProblem {
  return {
    code: 'not-manageable',
    path: [],
    message: `the ${name} ${nameAndId(found)} belongs to the operator or another user, and this API key cannot change it`,
    help: 'Declare it with `external: true` to refer to it, or give this entry another name.',
  };
}

/**
 * The object that an interrupted create may have made, of those with its natural key. Beside the key that it was to
 * replace, a new key is the newest of that name: a run does not create one where several have the name.
 */
function createdAmong(kind: Kind, named: readonly Observed[], known: InventoryEntry | null): Observed | null {
  const [only] = named;
  if (named.length === 1) return known === null ? (only ?? null) : null;
  const newest = kind.secret === undefined ? null : newestOf(named);
  return newest === null || newest.id === known?.id ? null : newest;
}

/** Null when two are equally new, or when it is not known how old one of them is. */
function newestOf(objects: readonly Observed[]): Observed | null {
  const dated = objects.flatMap((object) => {
    const created = Date.parse(String(object.facts['createdDate'] ?? ''));
    return Number.isNaN(created) ? [] : [{ object, created }];
  });
  const [first, second] = dated.sort((a, b) => b.created - a.created);
  if (first === undefined || dated.length < objects.length || first.created === second?.created) return null;
  return first.object;
}

/**
 * Pairs entries with objects, closest first: as many pairs as there can be. Equally close ones go by address and id, so
 * that the order of the lists has no effect.
 */
export function closestPairs(
  values: ComparedValues,
  entries: readonly Desired[],
  objects: readonly Observed[],
): (readonly [Desired, Observed])[] {
  const rows = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
  const columns = [...objects].sort((a, b) => byCodeUnit(a.id ?? '', b.id ?? ''));
  const desired = rows.map((entry) => compared(values.ofEntry(entry)));
  const observed = columns.map((each) => compared(values.ofObject(each)));
  // All of them at once, as numbers: there may be a thousand of each.
  const costs = Float64Array.from({ length: rows.length * columns.length }, (_, index) => {
    const [row, column] = [Math.floor(index / columns.length), index % columns.length];
    return distance(desired[row] ?? null, observed[column] ?? null);
  });
  const closestFirst = Uint32Array.from(costs.keys()).sort(
    (a, b) => (costs[a] ?? 0) - (costs[b] ?? 0) || a - b,
  );
  const taken = new Set<Desired | Observed>();
  const pairs: (readonly [Desired, Observed])[] = [];
  for (const index of closestFirst) {
    const entry = rows[Math.floor(index / columns.length)];
    const object = columns[index % columns.length];
    if (entry === undefined || object === undefined || taken.has(entry) || taken.has(object)) continue;
    taken.add(entry).add(object);
    pairs.push([entry, object]);
  }
  return pairs;
}

/** A field's canonical form, and what it consists of. */
interface ComparedValue {
  readonly text: string;
  readonly parts: ReadonlySet<string>;
}

/** Computed once for each object, because every object is compared with every entry. Null where the content is unknown. */
function compared(values: readonly Json[] | null): readonly ComparedValue[] | null {
  return values?.map((value) => ({ text: canonical(value), parts: partsOf(value) })) ?? null;
}

/** A field that differs costs this much, and the size of its difference costs less than this. */
const FIELD_COST = 1_000;

/** How much two objects differ: first by the number of fields, then by the size of the differences. */
function distance(before: readonly ComparedValue[] | null, after: readonly ComparedValue[] | null): number {
  if (before === null || after === null) return FIELD_COST * FIELD_COST;
  let sum = 0;
  before.forEach((value, index) => {
    const other = after[index];
    if (other !== undefined && other.text !== value.text) sum += difference(value, other);
  });
  return sum;
}

function difference({ parts: before }: ComparedValue, { parts: after }: ComparedValue): number {
  let parts = 0;
  for (const part of before) if (!after.has(part)) parts += 1;
  for (const part of after) if (!before.has(part)) parts += 1;
  return FIELD_COST + Math.min(FIELD_COST - 1, parts);
}

/** The items of a list or a map. Anything else is one item. */
function partsOf(value: Json): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set((value as readonly Json[]).map((each) => canonical(each)));
  if (!isJsonObject(value)) return new Set([canonical(value)]);
  return new Set(Object.entries(value).map((entry) => canonical(entry)));
}
