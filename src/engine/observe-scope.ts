import { kinds } from '../kinds/index.js';
import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { type KindName, normalId, type Project } from '../model/resource.js';
import type { ObserveScope } from '../service/observe.js';
import { refersToAgents } from './part.js';

export interface ObserveChoice {
  /** With those that they refer to. Nothing of other kinds is read or planned. Default: all. */
  readonly kinds?: readonly Kind[];
  /** Reads every object, or all of some kinds, not only those that this plan rests on. */
  readonly everything?: boolean | readonly Kind[];
}

/** What a plan of this project rests on, so that nothing else is read one by one. */
export function observeScope(
  project: Project,
  inventory: Inventory,
  { everything = false, kinds: only = kinds }: ObserveChoice,
): ObserveScope {
  const ids = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  for (const { kind, id } of inventory.entries.values()) if (id !== null) ids.get(kind)?.add(id);
  for (const { kind, id } of project.entries) if (id !== null) ids.get(kind)?.add(normalId(id));
  const all = everything === true || project.prune === 'all';
  const complete = typeof everything === 'boolean' ? [] : everything.map(({ name }) => name);
  let identities: ReturnType<typeof identitiesOf> | null = null;
  return {
    ids,
    all,
    agents: only.some(refersToAgents),
    // Computed only if needed: the lists of most services show objects completely.
    declares(kind, identity) {
      if (complete.includes(kind)) return true;
      identities ??= identitiesOf(project, inventory);
      return identities.get(kind)?.has(identity) === true;
    },
  };
}

function identitiesOf(
  { entries }: Project,
  { drafts }: Inventory,
): ReadonlyMap<KindName, ReadonlySet<string>> {
  const identities = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  for (const { kind, identity } of drafts.values())
    if (identity !== null) identities.get(kind)?.add(identity);
  const byName = new Map<KindName, Kind>(kinds.map((kind) => [kind.name, kind]));
  for (const { kind, declared } of entries) {
    const identity = byName.get(kind)?.identity.ofDeclared(declared) ?? null;
    if (identity !== null) identities.get(kind)?.add(identity);
  }
  return identities;
}
