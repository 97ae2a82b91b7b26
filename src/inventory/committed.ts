import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../model/diagnostic.js';
import type { CommittedInventory, Inventory } from '../model/inventory.js';
import { parse } from './format.js';
import { GitFailure } from './git.js';
import { isTracked, NoRepository, nameIn, openWorkTree, type WorkTree } from './work-tree.js';

export interface CommittedOptions {
  /** Finds the work tree of the project's folder. */
  readonly open: () => Promise<WorkTree>;
  /** The absolute path of the project file. */
  readonly manifest: string;
  /** The absolute path of the inventory, and how messages name it. */
  readonly path: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Versions that are read: an apply has usually written the first or the second. */
const MOST_VERSIONS = 50;

/**
 * The versions of an inventory file that git has. A commit that changes the file and nothing else of the project counts
 * as written by an apply, and so does the first version of a new project. In any other commit, and in the work tree, a
 * person may have changed the file together with the manifests. Of merges, only what they brought into the branch
 * counts, because the author of a pull request chooses its commits. Null where no pull request can have changed the
 * file: outside of a repository, or where git does not have it.
 */
export async function readCommitted(options: CommittedOptions): Promise<CommittedInventory | null> {
  const { open, path, name, env } = options;
  const unknown = (missing: string) => ({ file: name, versions: [], before: null, missing });
  try {
    const tree = await open();
    if (!(await isIn(tree, path, env))) return unknown('the file is in another repository than the project');
    // What git does not track comes with no checkout, unless it is the absence of the file that does.
    if (existsSync(path) && !(await isTracked(tree, path))) return null;
    const history = await readHistory(tree, options);
    return history && { file: name, ...history };
  } catch (failure) {
    if (failure instanceof NoRepository) return failure.outside ? null : unknown(failure.reason);
    if (failure instanceof GitFailure) return unknown(`git ${failure.command}: ${failure.output}`);
    if (!(failure instanceof Problem)) throw failure;
    return unknown(failure.diagnostics.map(({ message }) => message).join('; '));
  }
}

/** A submodule in the project has a history of its own, which is not that of the manifests. */
async function isIn({ top }: WorkTree, path: string, env: CommittedOptions['env']): Promise<boolean> {
  const folder = existsSync(dirname(path)) ? realpathSync.native(dirname(path)) : null;
  if (folder === null) return true;
  return (await openWorkTree(folder, env)).top === top;
}

type FileHistory = Pick<CommittedInventory, 'versions' | 'before' | 'missing'>;

/** Null if no commit has the file. */
async function readHistory(tree: WorkTree, options: CommittedOptions): Promise<FileHistory | null> {
  const { git, top, prefix } = tree;
  const head = await git.answer(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head === null) return null;
  const file = nameIn(top, options.path);
  const branch = (range: readonly string[], ...paths: readonly string[]) =>
    git.run(['rev-list', '--first-parent', ...range, '--', ...paths]).then(linesOf);
  const commits = await branch([`--max-count=${MOST_VERSIONS}`, head], `:(top,literal)${file}`);
  const oldest = commits.at(-1);
  if (oldest === undefined) return null;
  const parent = await git.answer(['rev-parse', '--verify', '--quiet', `${oldest}^1`]);
  const range = parent === null ? [head] : [`${parent}..${head}`];
  const rest = prefix === '' ? ':(top)' : `:(top,literal)${prefix}`;
  const mixed = new Set(await branch(range, rest, `:(top,exclude,literal)${file}`));
  const isShallow = (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true';
  const versions: Inventory[] = [];
  let isFound = false;
  for (const commit of commits) {
    const version = await versionAt(tree, commit, file);
    if (version !== null) versions.push(version);
    // The first commit of a shallow clone seems to add every file.
    const isCut = isShallow && parent === null && commit === oldest;
    isFound = version !== null && !mixed.has(commit) && !isCut;
    if (isFound) break;
  }
  const begin = { commit: oldest, parent, isShallow, file };
  const isNew = !isFound && (await isFirstVersion(tree, begin, nameIn(top, options.manifest)));
  return {
    versions,
    before: await versionAt(tree, parent === null && head === oldest ? head : `${head}^1`, file),
    missing: isFound || isNew ? null : reasonFor(isShallow),
  };
}

function reasonFor(isShallow: boolean): string {
  return isShallow ? 'this is a shallow clone' : 'each commit of it also changed other files of the project';
}

/**
 * The file was added with the project, or without a change of the project file, which could have named another
 * inventory before.
 */
async function isFirstVersion(
  { git }: WorkTree,
  begin: {
    readonly commit: string;
    readonly parent: string | null;
    readonly isShallow: boolean;
    readonly file: string;
  },
  manifest: string,
): Promise<boolean> {
  const { commit, parent, isShallow, file } = begin;
  if (parent === null) return !isShallow;
  const idAt = (at: string, name: string) =>
    git.answer(['rev-parse', '--verify', '--quiet', `${at}:${name}`]);
  const [former, current] = [await idAt(parent, manifest), await idAt(commit, manifest)];
  return (await idAt(parent, file)) === null && (former === null || former === current);
}

/** Null if the commit does not have the file, or has one that cannot be read. */
async function versionAt({ git }: WorkTree, commit: string, file: string): Promise<Inventory | null> {
  const text = await git.answer(['cat-file', 'blob', `${commit}:${file}`]);
  try {
    return text === null ? null : parse(text, file);
  } catch (failure) {
    if (failure instanceof Problem) return null;
    throw failure;
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
