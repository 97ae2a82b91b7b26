import { Glob } from './glob.js';
import type { Inventory } from './inventory.js';
import type { Address, Project } from './resource.js';

type Removing = Pick<Project, 'removed' | 'entries' | 'elsewhere'>;

/** Whether an item of `removed:` is a glob, such as `schedule/old-*`. */
export function isGlob(item: string): boolean {
  return !new Glob(item).isLiteral;
}

/** Which addresses `removed:` of a project means. A glob means nothing that is still declared, in whatever environment. */
export function removalTest({
  removed = [],
  entries,
  elsewhere = [],
}: Removing): (address: Address) => boolean {
  const named = new Set(removed);
  const globs = removed.filter(isGlob).map((each) => new Glob(each));
  if (globs.length === 0) return (address) => named.has(address);
  const declared = new Set([...entries.map(({ address }) => address), ...elsewhere]);
  const matches = (address: Address) => globs.some((glob) => glob.matches(address));
  return (address) => named.has(address) || (!declared.has(address) && matches(address));
}

/** The addresses that `removed:` names, and those in the inventory that its globs match. */
export function removedAddresses(project: Removing, { entries, drafts }: Inventory): ReadonlySet<Address> {
  const { removed = [] } = project;
  if (removed.length === 0) return new Set();
  const isRemoved = removalTest(project);
  return new Set([...removed, ...[...entries.keys(), ...drafts.keys()].filter(isRemoved)]);
}
