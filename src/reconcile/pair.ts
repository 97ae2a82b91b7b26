import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory, InventoryEntry } from '../model/inventory.js';
import { byCodeUnit, canonical } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import {
  type Address,
  type Declared,
  type Desired,
  normalId,
  type Observed,
  type Prune,
} from '../model/resource.js';
import type { Rule } from '../model/why.js';
import { entryDiagnostic } from './entry-diagnostic.js';
import { fieldTexts, fieldValue } from './fields.js';
import { closestPairs } from './similarity.js';

export interface Pair {
  readonly observed: Observed;
  readonly rule: Rule;
}

export interface Pairing {
  readonly pairs: ReadonlyMap<Address, Pair>;
  readonly diagnostics: readonly Diagnostic[];
  /** Entries that have an error: nothing may be planned for them. */
  readonly broken: ReadonlySet<Address>;
}

export interface PairingInputs {
  readonly kind: Kind;
  readonly desired: readonly Desired[];
  readonly observed: readonly Observed[];
  readonly inventory: Inventory;
  readonly prune: Prune;
  draftedIdentity(address: Address): string | null;
}

/** Pairs the declared entries of one kind with its remote objects. One object never serves two entries. */
export function pair({ kind, desired, observed, inventory, prune, draftedIdentity }: PairingInputs): Pairing {
  const state = new PairingState(kind, observed);
  for (const entry of desired) if (entry.id !== null) state.byId(entry, entry.id);
  for (const entry of desired) {
    if (entry.id !== null) continue;
    const known = inventoryEntry(entry, inventory);
    if (known === null) state.byDraft(entry, draftedIdentity(entry.address));
    else state.byInventory(entry, known);
  }
  state.byNaturalKey(desired.filter((entry) => state.isOpen(entry)));
  // What is not paired is deleted then: better changed into what is wanted.
  if (prune === 'all')
    state.byLikeness(
      desired.filter((entry) => state.isOpen(entry)),
      protectedIds(inventory),
    );
  for (const entry of desired) state.checkManageable(entry);
  return state;
}

/** What is protected is not made into something else when its entry is taken out: that is refused, as its delete is. */
function protectedIds({ entries }: Inventory): ReadonlySet<string | null> {
  return new Set([...entries.values()].filter(({ protect }) => protect).map(({ id }) => id));
}

export function inventoryEntry(
  entry: Pick<Declared, 'address' | 'formerly'>,
  inventory: Inventory,
): InventoryEntry | null {
  const former = entry.formerly === null ? undefined : inventory.entries.get(entry.formerly);
  return inventory.entries.get(entry.address) ?? former ?? null;
}

class PairingState implements Pairing {
  readonly pairs = new Map<Address, Pair>();
  readonly diagnostics: Diagnostic[] = [];
  readonly broken = new Set<Address>();
  private readonly takenBy = new Map<Observed, Address>();
  private readonly byIdMap: ReadonlyMap<string | null, Observed>;
  private readonly ownedByName = new Set<Address>();
  private identities: ReadonlyMap<string | null, readonly Observed[]> | null = null;

  constructor(
    private readonly kind: Kind,
    private readonly observed: readonly Observed[],
  ) {
    this.byIdMap = new Map(observed.map((each) => [each.id, each]));
  }

  isOpen(entry: Desired): boolean {
    return !this.pairs.has(entry.address) && !this.broken.has(entry.address);
  }

  byId(entry: Desired, id: string): void {
    const found = this.byIdMap.get(normalId(id));
    if (found === undefined) {
      const help = 'Take the line out to create a new one, or copy the id from the service.';
      this.fail(
        entry,
        ['id'],
        'unknown-id',
        `no ${this.kind.name} with the id ${id} is visible to this key`,
        help,
      );
    } else if (this.takenBy.has(found)) {
      const message = `${this.takenBy.get(found)} is bound to the same id`;
      this.fail(entry, ['id'], 'duplicate-name', message, 'one remote object belongs to one entry');
    } else this.take(entry, found, 'id');
  }

  byInventory(entry: Desired, known: InventoryEntry): void {
    // A key that the service lists without an id is known by its name alone.
    if (known.id === null) this.ownedByName.add(entry.address);
    const found = known.id === null ? undefined : this.byIdMap.get(known.id);
    if (found !== undefined && !this.takenBy.has(found)) this.take(entry, found, 'inventory');
  }

  /** A create that was begun by a run that ended too early: its object is ours, whatever the entry says now. */
  byDraft(entry: Desired, identity: string | null): void {
    if (identity === null) return;
    const found = (this.byIdentity().get(identity) ?? []).filter(
      (each) => each.manageable !== false && !this.takenBy.has(each),
    );
    const [only] = found;
    if (only !== undefined && found.length === 1) this.take(entry, only, 'inventory');
  }

  /** Made when it is needed first: most runs find no drafts. */
  private byIdentity(): ReadonlyMap<string | null, readonly Observed[]> {
    this.identities ??= groupBy(this.observed, (each) => this.kind.observedIdentity(each));
    return this.identities;
  }

  byNaturalKey(open: readonly Desired[]): void {
    const free = groupBy(
      this.observed.filter((each) => !this.takenBy.has(each)),
      (each) => this.kind.observedIdentity(each),
    );
    const groups = groupBy(open, (entry) => this.kind.identity(entry.spec));
    for (const [identity, entries] of groups) {
      const candidates = identity === null ? [] : (free.get(identity) ?? []);
      this.settle(entries, candidates);
    }
  }

  checkManageable(entry: Desired): void {
    const found = this.pairs.get(entry.address)?.observed;
    if (found === undefined || found.manageable !== false || found.id === null) return;
    const message = `the ${this.kind.name} ${nameAndId(found)} was set up by the operator and cannot be changed`;
    const help = 'Declare it with `external: true` to refer to it, or give this entry another name.';
    this.fail(entry, [], 'not-manageable', message, help);
  }

  /** Pairs entries and candidates of one natural key, or tells that they cannot be told apart. */
  private settle(entries: readonly Desired[], candidates: readonly Observed[]): void {
    if (candidates.length === 0) return;
    const ours = candidates.filter((each) => each.manageable !== false || each.id === null);
    const pool = ours.length > 0 ? [...ours] : [...candidates];
    const inOrder = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
    const rest = this.kind.similarIn.length > 0 ? this.pairEqual(inOrder, pool) : inOrder;
    if (rest.length === 0) return;
    if (pool.length > rest.length) {
      for (const entry of rest) this.tellAmbiguous(entry, pool);
      return;
    }
    for (const [entry, each] of closestPairs(this.kind, rest, pool))
      this.take(entry, each, this.ruleFor(entry));
  }

  /** For `prune: all`: an object of the same target that is like a new entry becomes that entry. */
  byLikeness(open: readonly Desired[], kept: ReadonlySet<string | null>): void {
    if (this.kind.similarIn.length === 0) return;
    const anchorOf = (spec: unknown) =>
      canonical(this.kind.similarIn.map((field) => fieldValue(this.kind, spec, field)));
    const free = groupBy(
      this.observed.filter(
        (each) =>
          !this.takenBy.has(each) && each.manageable === true && each.spec !== null && !kept.has(each.id),
      ),
      (each) => anchorOf(each.spec),
    );
    for (const [anchor, entries] of groupBy(open, (entry) => anchorOf(entry.spec)))
      for (const [entry, each] of closestPairs(this.kind, entries, free.get(anchor) ?? []))
        this.take(entry, each, 'likeness');
  }

  /** Pairs what is equal in every field, removes it from the pool, and answers the entries that are left. */
  private pairEqual(entries: readonly Desired[], pool: Observed[]): Desired[] {
    const textOf = (spec: unknown) => fieldTexts(this.kind, spec)?.join('\n') ?? null;
    const bySpec = groupBy(pool, (each) => textOf(each.spec));
    return entries.filter((entry) => {
      const text = textOf(entry.spec);
      const equal = bySpec.get(text) ?? [];
      const [found] = equal;
      // Two that are alike in all are two objects for one entry: the caller tells it.
      if (found === undefined || equal.length > 1) return true;
      bySpec.delete(text);
      pool.splice(pool.indexOf(found), 1);
      this.take(entry, found, this.ruleFor(entry));
      return false;
    });
  }

  private ruleFor(entry: Desired): Rule {
    return this.ownedByName.has(entry.address) ? 'inventory' : 'natural-key';
  }

  private take(entry: Desired, found: Observed, rule: Rule): void {
    this.takenBy.set(found, entry.address);
    this.pairs.set(entry.address, { observed: found, rule });
  }

  private tellAmbiguous(entry: Desired, candidates: readonly Observed[]): void {
    const ids = candidates.map((each) => each.id ?? 'an object without an id').sort();
    const hidden = entry.sensitive.some((field) => this.kind.identityFields.includes(field));
    const alike = hidden ? 'what this entry describes' : this.kind.describe(entry.spec);
    const message = `${ids.length} remote ${this.kind.section} are ${alike}: ${ids.join(', ')}`;
    this.fail(
      entry,
      [],
      'ambiguous-name',
      message,
      `Bind the entry to the one that is meant: \`id: ${ids[0]}\`.`,
    );
  }

  private fail(
    entry: Desired,
    path: string[],
    code: Diagnostic['code'],
    message: string,
    help: string,
  ): void {
    this.broken.add(entry.address);
    this.diagnostics.push(entryDiagnostic(entry, 'error', code, path, message, help));
  }
}

function nameAndId(observed: Observed): string {
  return observed.name === null ? String(observed.id) : `"${observed.name}" (${observed.id})`;
}

function groupBy<T>(list: readonly T[], keyOf: (item: T) => string | null): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
