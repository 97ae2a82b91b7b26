import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { errnoOf, reasonOf } from '../files/errno.js';
import { problem } from '../model/diagnostic.js';
import { remoteRefs } from '../model/remote-refs.js';
import { Branch, inventoryFile } from './branch.js';
import { checkRemote, isRealPath, unnamedRemote, type WorkTree } from './work-tree.js';

/** Inventories of other projects of the work tree, which are only read. Their names come from files that anyone may have changed. */

/** The text of an inventory file; null where there is none. Throws a Problem for anything but a regular file of the work tree. */
export function readInventoryFile(path: string, name: string): string | null {
  const file = statsOf(path, name);
  if (file === undefined) return null;
  if (!file.isFile() || !isRealPath(dirname(path)))
    throw problem('unreadable-file', `${name} is not a regular file of the work tree`);
  return readRegular(path, name);
}

function statsOf(path: string, name: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    throw problem('unreadable-file', `${name} cannot be read: ${reasonOf(failure)}`);
  }
}

interface OtherBranches {
  readonly remote: string;
  readonly refs: readonly string[];
  /** The remote of the project's own inventory: the user has named it, or it is checked elsewhere. Null without one. */
  readonly ownRemote: string | null;
  /** The folder that `~` is in a URL. */
  readonly home: string | undefined;
}

/** The text of the inventory on each branch; null for a branch that does not exist. Throws as `checkRemote` and git do. */
export async function readInventoryBranches(
  tree: WorkTree,
  { remote, refs, ownRemote, home }: OtherBranches,
): Promise<ReadonlyMap<string, string | null>> {
  for (const ref of refs) await checkRemote(tree, { remote, ref, home });
  if (tree.outer.length > 0 && remote !== ownRemote) throw unnamedRemote(remote);
  const listed = remoteRefs(await tree.git.run(['ls-remote', remote, ...refs]));
  const texts = new Map<string, string | null>();
  for (const ref of refs) {
    const commit = listed.get(ref);
    texts.set(ref, commit === undefined ? null : await textOf(new Branch(tree, remote, ref), commit));
  }
  return texts;
}

/** Empty where the branch has no such file: that is no inventory. */
async function textOf(branch: Branch, listed: string): Promise<string | null> {
  const commit = await branch.tipFrom(listed);
  if (commit === null) return null;
  return (await branch.read(commit, inventoryFile)).get(inventoryFile) ?? '';
}
