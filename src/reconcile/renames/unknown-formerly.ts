import type { Diagnostic } from '../../model/diagnostic.js';
import type { Inventory } from '../../model/inventory.js';
import { type Address, addressOf, type Declared, type KindName } from '../../model/resource.js';
import type { Suggest } from '../../model/suggest.js';
import type { ResourceDiff } from '../diff.js';
import { entryDiagnostic } from '../references.js';

export interface FormerInputs {
  readonly inventory: Inventory;
  readonly project: { readonly entries: readonly Declared[] };
  readonly suggest: Suggest;
}

/** Entries that are created although they name a former key: the inventory knows nothing under it. */
export function unknownFormerly(
  diffs: readonly ResourceDiff[],
  { inventory, project, suggest }: FormerInputs,
): Diagnostic[] {
  const keysOf = undeclaredKeys(inventory, new Set(project.entries.map(({ address }) => address)));
  return diffs.flatMap(({ change, match: { entry, kind } }) => {
    if (entry === null || entry.formerly === null || change.action !== 'create') return [];
    if (inventory.entries.has(entry.formerly)) return [];
    const message = `the inventory knows no ${entry.formerly}, so this entry is created as a new ${kind.name}`;
    const closest = suggest(keyOf(kind.name, entry.formerly), keysOf(kind.name));
    const help = inventory.entries.has(entry.address)
      ? 'Remove `formerly`: the inventory knows this entry by its own key. To keep another object, use `id:`.'
      : closest === null
        ? `Use the key that it had at the last apply. If the ${kind.name} is new, remove \`formerly\`.`
        : `Did you mean \`${closest}\`?`;
    const problem = { severity: 'warning', code: 'unknown-formerly', message, help } as const;
    return [entryDiagnostic(entry, { ...problem, path: ['formerly'] })];
  });
}

/** What `formerly` could name, by kind. Computed once for each kind: there may be many mistakes. */
function undeclaredKeys(
  inventory: Inventory,
  declared: ReadonlySet<Address>,
): (kind: KindName) => readonly string[] {
  const keys = new Map<KindName, readonly string[]>();
  const find = (kind: KindName) =>
    [...inventory.entries].flatMap(([address, entry]) =>
      entry.kind === kind && !declared.has(address) ? [keyOf(kind, address)] : [],
    );
  return (kind) => {
    const found = keys.get(kind) ?? find(kind);
    keys.set(kind, found);
    return found;
  };
}

function keyOf(kind: KindName, address: Address): string {
  return address.slice(addressOf(kind, '').length);
}
