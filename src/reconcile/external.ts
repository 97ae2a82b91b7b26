import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { type Address, type Declared, normalId, type Observed, type Suggest } from '../model/resource.js';
import { namedIds } from '../model/words.js';
import { inventoryEntry } from './recorded.js';
import { entryDiagnostic } from './references.js';

export interface ExternalInputs {
  readonly objects: readonly Observed[];
  readonly names: readonly string[];
  /** Entries of the same kind that are not external. */
  readonly managed: readonly Declared[];
  readonly inventory: Inventory;
  readonly suggest: Suggest;
}

export interface ExternalFound {
  readonly found: { readonly observed: Observed; readonly id: string } | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The object that an `external: true` entry refers to by id or by name. There must be exactly one. */
export function findExternal(kind: Kind, entry: Declared, inputs: ExternalInputs): ExternalFound {
  const identity = kind.identity.ofDeclared(entry.declared);
  const found = inputs.objects.filter((each) =>
    entry.id === null ? kind.identity.ofObserved(each) === identity : each.id === normalId(entry.id),
  );
  const [only] = found;
  if (only === undefined) return { found: null, diagnostics: [notFound(kind, entry, inputs)] };
  if (only.id === null || found.length > 1)
    return { found: null, diagnostics: [notUnique(kind, entry, found)] };
  const owner = ownerOf(kind, only, inputs);
  const diagnostics = owner === null ? [] : [managedHere(kind, entry, owner)];
  return { found: { observed: only, id: only.id }, diagnostics };
}

/** The entry that manages the object, or would be matched with it by name: an external object has no such entry. */
function ownerOf(kind: Kind, object: Observed, { managed, inventory }: ExternalInputs): Address | null {
  const identity = kind.identity.ofObserved(object);
  const owns = (each: Declared) => {
    if (each.id !== null) return normalId(each.id) === object.id;
    const known = inventoryEntry(each, inventory);
    if (known !== null) return known.id === object.id;
    return identity !== null && kind.identity.ofDeclared(each.declared) === identity;
  };
  return managed.find(owns)?.address ?? null;
}

function managedHere(kind: Kind, entry: Declared, owner: Address): Diagnostic {
  const message = `the external ${kind.name} ${criterion(kind, entry)} is managed by ${owner}`;
  const help = `Refer to ${owner}, and remove the external entry.`;
  const path = entry.id === null ? 'name' : 'id';
  return entryDiagnostic(entry, { severity: 'error', code: 'duplicate-name', path: [path], message, help });
}

function notFound(kind: Kind, entry: Declared, { names, suggest }: ExternalInputs): Diagnostic {
  const [code, path] =
    entry.id === null ? (['unknown-reference', 'name'] as const) : (['unknown-id', 'id'] as const);
  const message = `no ${kind.name} ${criterion(kind, entry)} is visible to this key`;
  const name = entry.id === null ? kind.identity.ofDeclared(entry.declared) : null;
  const closest = name === null ? null : suggest(name, names);
  const help =
    closest === null
      ? 'An external object must exist: check the spelling, and that all its agents are assigned to you.'
      : `Did you mean "${closest}"?`;
  return entryDiagnostic(entry, { severity: 'error', code, path: [path], message, help });
}

function notUnique(kind: Kind, entry: Declared, found: readonly Observed[]): Diagnostic {
  const ids = namedIds(found.map((each) => each.id));
  const message = `${found.length} ${kind.section} are ${criterion(kind, entry)}: ${ids}`;
  const help = `Use \`id: ${found[0]?.id}\`.`;
  return entryDiagnostic(entry, { severity: 'error', code: 'ambiguous-name', path: ['name'], message, help });
}

function criterion(kind: Kind, entry: Declared): string {
  return entry.id === null
    ? `named "${kind.identity.ofDeclared(entry.declared)}"`
    : `with the id ${entry.id}`;
}
