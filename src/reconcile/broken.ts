import type { Inventory } from '../model/inventory.js';
import { groupBy } from '../model/json.js';
import { type Kind, rawValue } from '../model/kind.js';
import {
  type Address,
  type Declared,
  type Desired,
  normalId,
  type ObjectRef,
  type Observed,
} from '../model/resource.js';
import { inventoryEntry, type RecordedObjects, type Records } from './recorded.js';
import type { ReferenceResolver } from './references.js';

/** An object that is, or may be, that of an entry with an error. */
export interface BrokenObject {
  readonly entry: Declared;
  readonly observed: Observed;
  /** The entry or the inventory names it by its id. Otherwise it only looks like what the entry declares. */
  readonly isNamed: boolean;
}

export interface BrokenObjects {
  readonly objects: readonly BrokenObject[];
  /** Entries that are new, or whose object is not visible: the inventory may know it under another address. */
  readonly unknown: readonly Declared[];
}

export interface BrokenInputs {
  readonly kind: Kind;
  /** Those with an error. One that has a spec has a natural key, too. */
  readonly entries: readonly (Declared | Desired)[];
  /** The others of this kind. What is theirs is nobody else's. */
  readonly sound: readonly Desired[];
  readonly observed: readonly Observed[];
  readonly inventory: Inventory;
  readonly records: Records;
  readonly recorded: RecordedObjects;
  readonly resolver: ReferenceResolver;
  /** Objects whose keys earlier runs kept, by entry. */
  readonly kept: ReadonlyMap<Address, { readonly observed: Observed }>;
}

/**
 * The objects of entries with an error. While nobody knows which object an entry means, none that it may mean is
 * undeclared: it must not be deleted, forgotten, or given to another entry.
 */
export function objectsOfBroken(inputs: BrokenInputs): BrokenObjects {
  if (inputs.entries.length === 0) return { objects: [], unknown: [] };
  const { entries, observed, inventory } = inputs;
  const byId = new Map(observed.map((each) => [each.id, each]));
  const found = new Map<Observed, BrokenObject>();
  const open: (Declared | Desired)[] = [];
  for (const entry of entries) {
    const named = namedBy(entry, inventory, byId, observed);
    if (named.length === 0) open.push(entry);
    for (const each of named) if (!found.has(each)) found.set(each, { entry, observed: each, isNamed: true });
  }
  for (const [each, entry] of similarTo(open, inputs))
    if (!found.has(each)) found.set(each, { entry, observed: each, isNamed: false });
  const objects = [...found.values()];
  const have = new Set(objects.map(({ entry }) => entry));
  const unknown = open.filter((entry) => !have.has(entry) && inventoryEntry(entry, inventory) === null);
  return { objects, unknown };
}

function namedBy(
  entry: Declared,
  inventory: Inventory,
  byId: ReadonlyMap<string | null, Observed>,
  observed: readonly Observed[],
): readonly Observed[] {
  const known = inventoryEntry(entry, inventory);
  const former = entry.formerly === null ? undefined : inventory.entries.get(entry.formerly);
  const ids = [entry.id === null ? null : normalId(entry.id), known?.id ?? null, former?.id ?? null];
  const found = ids.flatMap((id) => (id === null ? [] : (byId.get(id) ?? [])));
  // The list of this kind shows no ids.
  const alike = known?.id === null ? observed.filter(({ name }) => name !== null && name === known.name) : [];
  return [...new Set([...found, ...alike])];
}

/** Each object with one entry that it may belong to. */
function similarTo(
  open: readonly (Declared | Desired)[],
  inputs: BrokenInputs,
): ReadonlyMap<Observed, Declared> {
  const found = new Map<Observed, Declared>();
  const [first] = open;
  if (first === undefined) return found;
  const { kind, records } = inputs;
  const { ofDeclared, ofObserved } = kind.identity.withoutReferences ?? kind.identity;
  const free = unclaimed(inputs);
  const alike = groupBy(free, (each) => ofObserved(each));
  const same = groupBy(free, (each) => kind.identity.ofObserved(each));
  const take = (list: readonly Observed[] | undefined, entry: Declared) => {
    for (const each of list ?? []) found.set(each, entry);
  };
  // What the service does not show enough of may be anything.
  take(alike.get(null), first);
  for (const entry of open) {
    const intended = records.intendedIdentity(entry.address);
    if (intended !== null) take(same.get(intended), entry);
    if ('spec' in entry) take(same.get(kind.identity.of(entry.spec)), entry);
    else {
      const key = ofDeclared(entry.declared);
      const list = key === null ? undefined : alike.get(key);
      if (list === undefined) continue;
      const others = new Set(list.filter((each) => isKnownAsOther(entry, each, inputs)));
      take(
        list.filter((each) => !others.has(each)),
        entry,
      );
      // Once is enough: there may be many entries with one key.
      alike.set(key, [...others]);
    }
  }
  return found;
}

/**
 * The object has an address of its own in the inventory, and refers to something else than the entry: it was that of an
 * entry that was removed.
 */
function isKnownAsOther(
  { declared, address, formerly }: Declared,
  observed: Observed,
  { kind, recorded, resolver }: BrokenInputs,
): boolean {
  const known = recorded.of(observed)?.address;
  if (known === undefined || known === address || known === formerly || observed.spec === null) return false;
  const field = kind.references?.field;
  if (field === undefined || kind.links === undefined) return false;
  const reference = rawValue(observed.spec, field) as ObjectRef;
  return resolver.isOther(reference, kind.links(declared).to);
}

/** Without what belongs to another entry by its id, the inventory, its natural key or an interrupted create. */
function unclaimed(inputs: BrokenInputs): readonly Observed[] {
  const { kind, entries, sound, observed, inventory, records, kept } = inputs;
  const identities = new Set(sound.map(({ spec }) => kind.identity.of(spec)));
  const ids = new Set<string | null>(
    [...sound, ...entries].flatMap((entry) => [
      entry.id === null ? null : normalId(entry.id),
      inventoryEntry(entry, inventory)?.id ?? null,
    ]),
  );
  const keptObjects = new Set(sound.flatMap(({ address }) => kept.get(address)?.observed ?? []));
  const intending = groupBy(sound, ({ address }) => records.intendedIdentity(address));
  return observed.filter((each) => {
    if ((each.id !== null && ids.has(each.id)) || keptObjects.has(each)) return false;
    const identity = kind.identity.ofObserved(each);
    if (identity === null) return true;
    const isIntended = ({ address }: Desired) => records.isIntended(address, each);
    return !identities.has(identity) && intending.get(identity)?.some(isIntended) !== true;
  });
}
