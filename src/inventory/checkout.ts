import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { errnoOf } from '../files/errno.js';
import { Problem } from '../model/diagnostic.js';
import { type Checkout, commitId } from '../model/inventory.js';
import { GitFailure } from './git.js';
import { NoRepository, realPath, type WorkTree } from './work-tree.js';

export interface CheckoutOptions {
  /** Finds the work tree of the project's folder. */
  readonly open: () => Promise<WorkTree>;
  /** Absolute paths of the manifests. Null if it does not matter whether they differ from the commit. */
  readonly files: readonly string[] | null;
  /** The absolute path of an inventory in a file. */
  readonly inventoryFile: string | null;
}

/**
 * The checkout of the project, compared with the commit last applied. An inventory file that git tracks is versioned with
 * the manifests next to it, so it cannot say what was applied since, and holds no commit: one would only conflict in
 * merges, and be lost in squashed ones.
 */
export async function readCheckout(options: CheckoutOptions, applied: string | null): Promise<Checkout> {
  const { open, files, inventoryFile } = options;
  try {
    const tree = await open();
    if (inventoryFile !== null && (await isTracked(tree, inventoryFile)))
      return { commit: null, applied: null, state: 'unknown' };
    const head = await tree.git.answer(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head === null) return unknown(applied, 'the repository has no commits');
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

/**
 * Files that belong to nobody's commit count as well: what they declare is applied. Git itself would run the filters
 * that `.gitattributes` chooses, so what those change counts as different, except line breaks.
 */
async function differs({ git, top, prefix }: WorkTree, files: readonly string[]): Promise<boolean> {
  const within = prefix === '' ? [] : [`:(literal)${prefix}`];
  const list = await git.run(['ls-tree', '-r', '-z', '--full-tree', 'HEAD', '--', ...within]);
  const blobs = new Map(
    list.split('\0').map((line) => [line.slice(line.indexOf('\t') + 1), / blob (\w+)\t/.exec(line)?.[1]]),
  );
  return files.some((file) => !isBlob(file, blobs.get(nameIn(top, file))));
}

function isBlob(file: string, id: string | undefined): boolean {
  const text = id === undefined ? null : textOf(file);
  if (id === undefined || text === null) return false;
  return [text, text.replaceAll('\r\n', '\n')].some((each) => blobId(each, id.length) === id);
}

/** Null if it has been removed since it was read. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    return null;
  }
}

/** As git names the content of a file. Of 64 digits where the repository uses SHA-256. */
function blobId(text: string, digits: number): string {
  const content = Buffer.from(text, 'latin1');
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Whether git tracks a file, as far as it can tell. */
export async function isTracked(tree: WorkTree, path: string): Promise<boolean> {
  const pattern = `:(literal)${nameIn(tree.top, path)}`;
  return (await tree.git.answer(['ls-files', '--error-unmatch', '--', pattern])) !== null;
}

function nameIn(top: string, path: string): string {
  return relative(top, join(realPath(dirname(path)), basename(path)))
    .split(sep)
    .join('/');
}
