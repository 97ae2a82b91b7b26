import type { InventoryEntry } from '../../model/inventory.js';
import type { Kind } from '../../model/kind.js';
import type { Address, Observed } from '../../model/resource.js';

/** The objects whose keys earlier runs have kept, by entry. */
export type KeptObjects = ReadonlyMap<Address, { readonly observed: Observed }>;

/**
 * The object that an interrupted create may have made, of those with its natural key. Beside the key that it was to
 * replace, a new key is the newest of that name: a run does not create one where several have the name.
 */
export function createdAmong(
  kind: Kind,
  named: readonly Observed[],
  known: InventoryEntry | null,
): Observed | null {
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
