import type { Diagnostic } from '../../model/diagnostic.js';
import { groupBy } from '../../model/group-by.js';
import type { Inventory, InventoryDraft, InventoryEntry } from '../../model/inventory.js';
import { canonical } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import { type Address, addressOf, type Observed } from '../../model/resource.js';
import { fieldValue } from '../fields.js';
import type { ReferenceResolver } from './reference-resolver.js';

/** A resource that no manifest declares. */
export interface Undeclared {
  readonly address: Address;
  /** Null when it no longer exists. */
  readonly observed: Observed | null;
  readonly known: InventoryEntry | null;
  /** False for what the inventory does not know: only `prune: all` may change it. */
  readonly ours: boolean;
}

export interface UndeclaredInputs {
  readonly kind: Kind;
  readonly inventory: Inventory;
  /** Addresses of the declared entries, except external ones. */
  readonly declared: ReadonlySet<Address>;
  /** Ids of objects that are matched with an entry. */
  readonly takenIds: ReadonlySet<string | null>;
  readonly free: readonly Observed[];
  readonly resolver: ReferenceResolver;
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
      if (!declared.has(address)) this.add(address, this.objectOf(known), known);
      else {
        // The entry with this address is bound to another object now. Its former object is ours, and undeclared.
        const former = known.id === null ? undefined : this.byId.get(known.id);
        if (former !== undefined) this.add(addressOf(kind.name, known.id ?? ''), former, known);
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
      const candidates = this.candidatesFor(draft);
      const [only] = candidates.filter((each) => this.isAsIntended(draft, each));
      const created = candidates.length === 1 ? only : undefined;
      if (created === undefined && candidates.length > 0)
        this.diagnostics.push(possibleOrphan(address, candidates));
      const known = { ...draft, id: created?.id ?? null, protect: false, applied: {}, sensitive: [] };
      this.add(address, created, known);
    }
  }

  addForeign(): void {
    for (const each of this.free) {
      const address = addressOf(this.inputs.kind.name, each.id ?? each.name ?? 'unknown');
      this.list.push({ address, observed: each, known: null, ours: false });
    }
  }

  private add(address: Address, observed: Observed | undefined, known: InventoryEntry): void {
    if (observed !== undefined) this.free.delete(observed);
    this.list.push({ address, observed: observed ?? null, known, ours: true });
  }

  /** By its id; without one, by a name that only one object has. */
  private objectOf({ id, name }: InventoryEntry): Observed | undefined {
    if (id !== null) return this.byId.get(id);
    const named = [...this.free].filter((each) => each.name === name);
    return named.length === 1 ? named[0] : undefined;
  }

  private candidatesFor({ identity }: InventoryDraft): Observed[] {
    if (identity === null) return [];
    const { kind, resolver } = this.inputs;
    this.byIdentity ??= groupBy(this.free, (each) => kind.identity.ofObserved(each));
    const candidates = this.byIdentity.get(resolver.identity(kind, identity)) ?? [];
    return candidates.filter((each) => this.free.has(each));
  }

  private isAsIntended({ applied }: InventoryDraft, { spec }: Observed): boolean {
    const { kind, resolver } = this.inputs;
    if (applied === undefined || spec === null) return false;
    return Object.entries(resolver.values(kind, applied)).every(
      ([field, value]) =>
        kind.notSettableOnCreate?.includes(field) === true ||
        canonical(fieldValue(kind, spec, field)) === canonical(value),
    );
  }
}

function possibleOrphan(address: Address, candidates: readonly Observed[]): Diagnostic {
  const ids = candidates.map((each) => each.id).join(', ');
  return {
    severity: 'warning',
    code: 'possible-orphan',
    message: `an interrupted run was about to create ${address}, which is no longer declared; it may have created ${ids}`,
    help: 'It may belong to someone else, so roster leaves it unchanged. If nobody needs it, delete it in the dashboard.',
  };
}
