import type { Diagnostic } from '../../model/diagnostic.js';
import { groupBy } from '../../model/group-by.js';
import type { Inventory, InventoryEntry } from '../../model/inventory.js';
import type { Kind } from '../../model/kind.js';
import { namedIds } from '../../model/named-ids.js';
import { type Address, addressOf, type Observed } from '../../model/resource.js';
import type { Records } from './recorded.js';

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
