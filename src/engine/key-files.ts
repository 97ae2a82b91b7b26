import { resolve } from 'node:path';
import { type Environment, GitFailure } from '../inventory/git.js';
import { NoRepository, type WorkTree, workTreeOpener } from '../inventory/work-tree.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { Address, Declared, Project } from '../model/resource.js';
import { exposedKeyWarning } from '../reconcile/rules/secrets.js';

/** The entries whose new keys are delivered to files that git does not ignore, with these files. */
export async function exposedKeys(
  { root, entries }: Project,
  open: () => Promise<WorkTree>,
): Promise<ReadonlyMap<Address, string>> {
  const found = new Map<Address, string>();
  const files = entries.flatMap((entry) => {
    const file = keyFileOf(entry);
    return file === null ? [] : [[entry.address, file] as const];
  });
  if (files.length === 0) return found;
  try {
    const tree = await open();
    for (const [address, file] of files)
      if (await isExposed(tree, resolve(root, file))) found.set(address, file);
  } catch (failure) {
    // Where git cannot be used, nothing is known. What else uses it says why.
    const isKnown =
      failure instanceof NoRepository || failure instanceof GitFailure || failure instanceof Problem;
    if (!isKnown) throw failure;
  }
  return found;
}

/** For runs that make no plan: each once, although a project is read for several environments. */
export async function exposedKeyWarnings(
  projects: readonly Project[],
  env: Environment,
): Promise<Diagnostic[]> {
  const found = new Map<string, Diagnostic>();
  for (const project of projects) {
    const exposed = await exposedKeys(project, workTreeOpener(project.root, env));
    for (const entry of project.entries) {
      const file = exposed.get(entry.address);
      if (file !== undefined) found.set(`${entry.address} ${file}`, exposedKeyWarning(entry, file));
    }
  }
  return [...found.values()];
}

/** The file that a new key of the entry is delivered to. Null for any other entry. */
export function keyFileOf({ kind, declared, external }: Declared): string | null {
  const secret = external ? undefined : kinds.find(({ name }) => name === kind)?.secret;
  const to = secret?.deliverTo(declared) ?? null;
  return to !== null && 'file' in to ? to.file : null;
}

/** Git says nothing of a path that it does not ignore, and why it cannot tell of any other. */
async function isExposed({ git }: WorkTree, path: string): Promise<boolean> {
  try {
    await git.run(['check-ignore', '--quiet', '--', path]);
    return false;
  } catch (failure) {
    if (!(failure instanceof GitFailure)) throw failure;
    return failure.stderr === '';
  }
}
