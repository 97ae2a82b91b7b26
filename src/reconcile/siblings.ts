import { type Hold, isLasting } from '../model/hold.js';
import type { InventoryEntry } from '../model/inventory.js';
import { referencesOf } from '../model/kind.js';
import { removedAddresses } from '../model/removed.js';
import { type Address, isPending, type Observed, objectKey } from '../model/resource.js';
import { noSiblings, type Sibling, siblingName } from '../model/sibling.js';
import type { Elsewhere, HeldElsewhere, Match, MatchBasis, Matched, ObjectElsewhere } from './world.js';

/** The strongest claim counts where several projects have one. */
const CLAIMS: readonly Elsewhere['claim'][] = ['managed', 'declared', 'kept', 'owned', 'dropped'];

/**
 * What other projects of the repository have to do with objects. An inventory alone proves nothing, and neither does a
 * manifest: a pull request may change either. So a project manages an object only if both say so.
 */
export class OtherOwners {
  private readonly byId = new Map<string, Elsewhere>();
  /** Of objects that no list shows an id of, too. */
  private readonly byObject = new Map<Observed, Elsewhere>();
  /** The one that lasts, where several projects have a hold of an object. */
  private readonly holds = new Map<string, HeldElsewhere>();

  /** `match` is passed because it needs this. */
  constructor(basis: MatchBasis, match: (basis: MatchBasis) => Matched) {
    for (const sibling of basis.siblings.known) this.addHolds(sibling, basis.now);
    for (const sibling of basis.siblings.known) this.addOwned(sibling);
    for (const sibling of basis.siblings.known)
      if (sibling.declares !== null) this.addDeclared(sibling, basis, match);
  }

  of(observed: Observed): Elsewhere | undefined {
    const { kind, id } = observed;
    return this.byObject.get(observed) ?? (id === null ? undefined : this.byId.get(objectKey(kind, id)));
  }

  /** The hold that another project has of the object, whatever that project declares by now. */
  holdOf({ kind, id }: Observed): HeldElsewhere | undefined {
    return id === null ? undefined : this.holds.get(objectKey(kind, id));
  }

  private addHolds(sibling: Sibling, now: Date): void {
    for (const [address, { kind, id, hold }] of sibling.inventory.entries) {
      if (id === null || hold === undefined) continue;
      const key = objectKey(kind, id);
      const found = { ...objectOf(sibling, address), hold };
      if (!isLasting(this.holds.get(key)?.hold, now)) this.holds.set(key, found);
    }
  }

  private addOwned(sibling: Sibling): void {
    // With its manifests, it is known more exactly.
    if (sibling.declares !== null) return;
    for (const [address, { kind, id, hold }] of sibling.inventory.entries) {
      if (id === null) continue;
      const key = objectKey(kind, id);
      this.byId.set(key, claimOf(sibling, 'owned', { address, hold }));
    }
  }

  /** Matched as a plan of that project would match them. */
  private addDeclared(sibling: Sibling, basis: MatchBasis, match: (basis: MatchBasis) => Matched): void {
    const { declares, inventory } = sibling;
    if (declares === null) return;
    const owned = ownedObjects(inventory.entries);
    const { matches } = match({
      ...basis,
      objects: concerned(basis, owned),
      project: declares,
      inventory,
      prune: declares.prune,
      kept: new Map(),
      siblings: noSiblings,
    });
    const removed = removedAddresses(declares, inventory);
    for (const each of matches) {
      const { observed } = each;
      if (observed === null) continue;
      const key = objectKey(observed.kind, observed.id);
      const isOwned = each.ours && owned.has(key);
      const claim = claimIn(each, isOwned, removed, declares.prune);
      if (claim === null) continue;
      const former = this.of(observed);
      const isStronger = former === undefined || CLAIMS.indexOf(claim) < CLAIMS.indexOf(former.claim);
      const known = { address: each.address, hold: owned.get(key)?.hold };
      if (isStronger) this.byObject.set(observed, claimOf(sibling, claim, known));
    }
  }
}

/** What may be deleted here, what the sibling owns, and what these refer to: on most services, other objects exist, too. */
function concerned(
  { kinds, objects, inventory, prune }: MatchBasis,
  owned: ReadonlyMap<string, InventoryEntry>,
): MatchBasis['objects'] {
  if (prune === 'all') return objects;
  const own = ownedObjects(inventory.entries);
  const isConcerned = ({ kind, id }: Observed) => {
    const key = objectKey(kind, id);
    return id === null || own.has(key) || owned.has(key);
  };
  const referred = new Set<string>();
  for (const kind of kinds) {
    if (kind.references === undefined) continue;
    for (const each of objects.get(kind.name) ?? [])
      if (each.spec !== null && isConcerned(each))
        for (const { kind: to, id } of referencesOf(kind, each.spec))
          if (!isPending(id)) referred.add(objectKey(to, id));
  }
  const isReferred = ({ kind, id }: Observed) => id !== null && referred.has(objectKey(kind, id));
  const part = (list: readonly Observed[]) => list.filter((each) => isConcerned(each) || isReferred(each));
  return new Map([...objects].map(([kind, list]) => [kind, part(list)]));
}

function ownedObjects(entries: ReadonlyMap<Address, InventoryEntry>): ReadonlyMap<string, InventoryEntry> {
  const owned = new Map<string, InventoryEntry>();
  for (const entry of entries.values())
    if (entry.id !== null) owned.set(objectKey(entry.kind, entry.id), entry);
  return owned;
}

/** Null where that project has nothing to do with the object. */
function claimIn(
  match: Match,
  isOwned: boolean,
  removed: ReadonlySet<Address>,
  prune: MatchBasis['prune'],
): Elsewhere['claim'] | null {
  const { entry, broken, ours, wasProtected, address } = match;
  if (entry !== null) return isOwned && isNamed(match) ? 'managed' : 'declared';
  // What an entry with an error means is not certain.
  if (broken !== undefined) return ours ? 'kept' : 'declared';
  if (!isOwned) return null;
  return prune === 'never' || wasProtected || removed.has(address) ? 'kept' : 'dropped';
}

/** The manifest itself means this object: the inventory alone may lead an entry to any object. */
function isNamed({ kind, entry, observed, rule, misdescribed }: Match): boolean {
  if (entry === null || observed === null || misdescribed) return false;
  return rule === 'id' || kind.identity.of(entry.spec) === kind.identity.ofObserved(observed);
}

function claimOf(
  sibling: Sibling,
  claim: Elsewhere['claim'],
  { address, hold }: { readonly address: Address; readonly hold: Hold | undefined },
): Elsewhere {
  const found = { ...objectOf(sibling, address), claim };
  return hold === undefined ? found : { ...found, hold };
}

function objectOf(sibling: Sibling, address: Address): ObjectElsewhere {
  const { environment, file } = sibling;
  return { project: siblingName(sibling), environment, file, address };
}
