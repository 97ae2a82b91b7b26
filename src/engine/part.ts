import { kinds } from '../kinds/index.js';
import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Project } from '../model/resource.js';

/** The kinds, and those that they refer to: in the order of all kinds. */
export function withReferred(only: readonly Kind[]): readonly Kind[] {
  const names = new Set(only.flatMap((kind) => [kind.name, ...(kind.references?.kinds ?? [])]));
  return kinds.filter(({ name }) => names.has(name));
}

/** What a project declares and owns of some kinds; undefined for all. */
export function partOf(only: readonly Kind[] | undefined, project: Project, inventory: Inventory) {
  if (only === undefined) return { project, inventory };
  const names = new Set(only.map(({ name }) => name));
  const isPart = ({ kind }: { readonly kind: string }) => names.has(kind);
  const part = <T extends { readonly kind: string }>(all: ReadonlyMap<string, T>) =>
    new Map([...all].filter(([, each]) => isPart(each)));
  const { entries, drafts } = inventory;
  return {
    project: { ...project, entries: project.entries.filter(isPart) },
    inventory: { ...inventory, entries: part(entries), drafts: part(drafts) },
  };
}

/** Whether entries of the kind name agents. */
export function refersToAgents({ links }: Kind): boolean {
  return links !== undefined;
}
