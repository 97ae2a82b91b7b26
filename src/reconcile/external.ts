import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { type Address, type Declared, normalId, type Observed } from '../model/resource.js';
import { entryDiagnostic } from './entry-diagnostic.js';
import { inventoryEntry } from './pair.js';

export interface ExternalInputs {
  readonly objects: readonly Observed[];
  /** Of the objects. */
  readonly names: readonly string[];
  /** Entries of the same kind that are not external. */
  readonly managed: readonly Declared[];
  readonly inventory: Inventory;
  nearest(word: string, known: readonly string[]): string | null;
}

export interface ExternalFound {
  readonly found: { readonly observed: Observed; readonly id: string } | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The object that an `external: true` entry refers to, by its id or its name: there must be exactly one. */
export function findExternal(kind: Kind, entry: Declared, inputs: ExternalInputs): ExternalFound {
  const identity = kind.declaredIdentity(entry.declared);
  const found = inputs.objects.filter((each) =>
    entry.id === null ? kind.observedIdentity(each) === identity : each.id === normalId(entry.id),
  );
  const [only] = found;
  if (only === undefined) return { found: null, diagnostics: [notFound(kind, entry, inputs)] };
  if (only.id === null || found.length > 1)
    return { found: null, diagnostics: [notUnique(kind, entry, found)] };
  const owner = ownerOf(kind, only, inputs);
  const diagnostics = owner === null ? [] : [alreadyOurs(kind, entry, owner)];
  return { found: { observed: only, id: only.id }, diagnostics };
}

/** An entry that manages the object, or would pair with it by its name: it cannot be somebody else's as well. */
function ownerOf(kind: Kind, object: Observed, { managed, inventory }: ExternalInputs): Address | null {
  const identity = kind.observedIdentity(object);
  const owns = (each: Declared) => {
    if (each.id !== null) return normalId(each.id) === object.id;
    const known = inventoryEntry(each, inventory);
    if (known !== null) return known.id === object.id;
    return identity !== null && kind.declaredIdentity(each.declared) === identity;
  };
  return managed.find(owns)?.address ?? null;
}

function alreadyOurs(kind: Kind, entry: Declared, owner: Address): Diagnostic {
  const message = `the external ${kind.name} ${wanted(kind, entry)} is the one that ${owner} manages`;
  const help = `Refer to ${owner}, and take the external entry out.`;
  const path = entry.id === null ? 'name' : 'id';
  return entryDiagnostic(entry, 'error', 'duplicate-name', [path], message, help);
}

function notFound(kind: Kind, entry: Declared, { names, nearest }: ExternalInputs): Diagnostic {
  const [code, path] =
    entry.id === null ? (['unknown-reference', 'name'] as const) : (['unknown-id', 'id'] as const);
  const message = `no ${kind.name} ${wanted(kind, entry)} is visible to this key`;
  const name = entry.id === null ? kind.declaredIdentity(entry.declared) : null;
  const near = name === null ? null : nearest(name, names);
  const help =
    near === null
      ? 'An external entry must exist: check its spelling, or whether all its agents are assigned to you.'
      : `Did you mean "${near}"?`;
  return entryDiagnostic(entry, 'error', code, [path], message, help);
}

function notUnique(kind: Kind, entry: Declared, found: readonly Observed[]): Diagnostic {
  const ids = found.map((each) => each.id).join(', ');
  const message = `${found.length} ${kind.section} are ${wanted(kind, entry)}: ${ids}`;
  return entryDiagnostic(entry, 'error', 'ambiguous-name', ['name'], message, `Use \`id: ${found[0]?.id}\`.`);
}

function wanted(kind: Kind, entry: Declared): string {
  return entry.id === null ? `named "${kind.declaredIdentity(entry.declared)}"` : `with the id ${entry.id}`;
}
