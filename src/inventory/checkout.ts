import { basename, dirname, join, relative, sep } from 'node:path';
import { type Checkout, commitId } from '../model/checkout.js';
import { Problem } from '../model/diagnostic.js';
import { type Environment, GitFailure } from './git.js';
import { NoRepository, openWorkTree, realPath, type WorkTree } from './work-tree.js';

export interface CheckoutOptions {
  /** The project's folder. */
  readonly folder: string;
  readonly env: Environment;
  /** Absolute paths of the manifests. Null if it does not matter whether they differ from the commit. */
  readonly files: readonly string[] | null;
  /** The absolute path of an inventory in a file. */
  readonly inventoryFile: string | null;
}

/**
 * The checkout of the project, compared with the commit last applied. An inventory file that git tracks is as old as
 * the manifests next to it, so it needs no commit: one would only conflict in merges, and be lost in squashed ones.
 */
export async function readCheckout(options: CheckoutOptions, applied: string | null): Promise<Checkout> {
  const { folder, env, files, inventoryFile } = options;
  try {
    const tree = await openWorkTree(folder, env);
    if (inventoryFile !== null && (await isTracked(tree, inventoryFile)))
      return { commit: null, applied: null, state: 'current' };
    const head = await tree.git.answer(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head === null) return unknown(applied, 'the repository has no commit');
    const commit = files !== null && (await differs(tree, files)) ? `${head}-dirty` : head;
    return { commit, applied, ...(await compare(tree, head, applied)) };
  } catch (failure) {
    if (failure instanceof NoRepository)
      return unknown(applied, failure.outside ? 'the project is not in a git repository' : failure.reason);
    if (failure instanceof GitFailure) return unknown(applied, `git ${failure.command}: ${failure.output}`);
    if (!(failure instanceof Problem)) throw failure;
    return unknown(applied, failure.diagnostics.map(({ message }) => message).join('; '));
  }
}

function unknown(applied: string | null, reason: string): Checkout {
  return applied === null
    ? { commit: null, applied, state: 'current' }
    : { commit: null, applied, state: 'unknown', reason };
}

/** In a shallow clone, git knows only some of the commits before this one. */
async function compare(
  { git }: WorkTree,
  head: string,
  applied: string | null,
): Promise<Pick<Checkout, 'state' | 'reason'>> {
  if (applied === null || commitId(applied) === head) return { state: 'current' };
  const isAncestor = await git.answer(['merge-base', '--is-ancestor', commitId(applied), head]);
  if (isAncestor !== null) return { state: 'current' };
  const isShallow = (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true';
  return isShallow ? { state: 'unknown', reason: 'this is a shallow clone' } : { state: 'stale' };
}

/** Files that belong to nobody's commit count as well: what they declare is applied. */
async function differs(tree: WorkTree, files: readonly string[]): Promise<boolean> {
  const flags = ['--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
  const within = tree.prefix === '' ? [] : ['--', `:(top,literal)${tree.prefix}`];
  // Reading the status must not lock the index: a command of the user may need it.
  const list = await tree.git.run(['status', ...flags, ...within], '', { GIT_OPTIONAL_LOCKS: '0' });
  const changed = new Set(list.split('\0').map((line) => line.slice(3)));
  return files.some((file) => changed.has(nameIn(tree, file)));
}

/** Whether git tracks a file, as far as it can tell. */
export async function isTracked(tree: WorkTree, path: string): Promise<boolean> {
  const words = ['ls-files', '--error-unmatch', '--', `:(literal)${nameIn(tree, path)}`];
  return (await tree.git.answer(words)) !== null;
}

function nameIn({ top }: WorkTree, path: string): string {
  return relative(top, join(realPath(dirname(path)), basename(path)))
    .split(sep)
    .join('/');
}
