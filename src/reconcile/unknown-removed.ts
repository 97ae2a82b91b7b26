import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Address, Project } from '../model/resource.js';
import type { Suggest } from '../model/suggest.js';

export interface RemovedInputs {
  readonly inventory: Inventory;
  readonly project: Pick<Project, 'entries' | 'elsewhere' | 'removed' | 'removedPlaces'>;
  readonly suggest: Suggest;
}

/**
 * Addresses under `removed` that the inventory does not know, while it knows a similar one that nothing declares: that one
 * would be deleted. Without a similar one, it was forgotten by an earlier apply, or belongs to another environment.
 */
export function unknownRemoved({ inventory, project, suggest }: RemovedInputs): Diagnostic[] {
  const { entries, elsewhere = [], removed = [], removedPlaces } = project;
  const spokenFor = new Set([...entries.map(({ address }) => address), ...elsewhere, ...removed]);
  const left = [...inventory.entries.keys()].filter((address) => !spokenFor.has(address));
  return removed.flatMap((address): Diagnostic[] => {
    if (inventory.entries.has(address) || inventory.drafts.has(address)) return [];
    const closest = sameKey(address, left) ?? suggest(address, left);
    if (closest === null) return [];
    const message = `${address} is not in the inventory, so listing it under \`removed\` has no effect`;
    const place = removedPlaces?.get(address);
    const help = `Did you mean \`${closest}\`?`;
    const warning = { severity: 'warning', code: 'unknown-removed', message, help } as const;
    return [place === undefined ? warning : { ...warning, place }];
  });
}

/** The same key of another kind. */
function sameKey(address: Address, known: readonly Address[]): Address | null {
  const key = address.slice(address.indexOf('/'));
  return known.find((each) => each.slice(each.indexOf('/')) === key) ?? null;
}
