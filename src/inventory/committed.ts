import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../model/diagnostic.js';
import type { CommittedInventory, Inventory } from '../model/inventory.js';
import { type Address, type KindName, objectKey } from '../model/resource.js';
import { parse } from './format.js';
import { GitFailure } from './git.js';
import { withPastFiles } from './past-files.js';
import { isTracked, manifestTest, NoRepository, nameIn, openWorkTree, type WorkTree } from './work-tree.js';

export interface CommittedOptions {
  /** Finds the work tree of the project's folder. */
  readonly open: () => Promise<WorkTree>;
  /** The absolute path of the project file. */
  readonly manifest: string;
  /** The absolute paths of all manifests. */
  readonly manifests: readonly string[];
  /** Reads the project in a folder that holds the manifests of an older commit. Null if they are not valid. */
  readonly declared: (folder: string) => DeclaredProtection | null;
  /** The absolute path of the inventory, and how messages name it. */
  readonly path: string;
  readonly name: string;
  /** What the branch was at before the push that a CI job is for. Ignored if the checkout does not contain it. */
  readonly former?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is read of the history: the newest versions, as far as both suffice. */
const MOST_VERSIONS = 50;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * What git says of an inventory file, from its versions. A commit that changes the file and nothing else of the project counts
 * as written by an apply, and so does the first version of a new project. In any other commit, and in the work tree, a
 * person may have changed the file together with the manifests. Of merges, only what they brought into the branch
 * counts, because the author of a pull request chooses its commits; so no commit of the push that a job is for counts as
 * written by an apply, either. Null where no pull request can have changed the
 * file: outside of a repository, or where git does not have it.
 */
export async function readCommitted(options: CommittedOptions): Promise<CommittedInventory | null> {
  const { open, path, name, env } = options;
  const unknown = (missing: string) => ({
    file: name,
    stillProtected: new Set<string>(),
    before: null,
    missing,
  });
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

type FileHistory = Pick<CommittedInventory, 'stillProtected' | 'before' | 'missing'>;

/** A commit that changes the file, and the file at that commit. */
interface Version {
  readonly commit: string;
  /** Null where the commit does not have the file, or has one that cannot be read. */
  readonly inventory: Inventory | null;
  /** The commit changes nothing else of the project, and was there before the push. */
  readonly isAlone: boolean;
}

/** Null if no commit has the file. */
async function readHistory(tree: WorkTree, options: CommittedOptions): Promise<FileHistory | null> {
  const { git, top, prefix } = tree;
  const head = await git.answer(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head === null) return null;
  const file = nameIn(top, options.path);
  const branch = (range: readonly string[], ...paths: readonly string[]) =>
    git.run(['rev-list', '--first-parent', ...range, '--', ...paths]).then(linesOf);
  const most = `--max-count=${MOST_VERSIONS}`;
  const former = await formerIn(tree, head, options.former);
  const pushed = former === null ? [] : await branch([most, `${former}..${head}`], `:(top,literal)${file}`);
  const commits = [...pushed, ...(await branch([most, former ?? head], `:(top,literal)${file}`))];
  const oldest = commits.at(-1);
  if (oldest === undefined) return null;
  const parent = await git.answer(['rev-parse', '--verify', '--quiet', `${oldest}^1`]);
  const range = parent === null ? [head] : [`${parent}..${former ?? head}`];
  const rest = prefix === '' ? ':(top)' : `:(top,literal)${prefix}`;
  const mixed = new Set([...pushed, ...(await branch(range, rest, `:(top,exclude,literal)${file}`))]);
  const isShallow = (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true';
  const previous = former ?? (parent === null && head === oldest ? head : `${head}^1`);
  const [before = null, ...inventories] = await versionsAt(tree, [previous, ...commits], file);
  const versions = inventories.map((inventory, index): Version => {
    const commit = commits[index] ?? head;
    // The first commit of a shallow clone seems to add every file.
    const isCut = isShallow && parent === null && commit === oldest;
    return { commit, inventory, isAlone: inventory !== null && !mixed.has(commit) && !isCut };
  });
  const isFound = versions.some(({ isAlone }) => isAlone);
  const begin = { commit: oldest, parent, isShallow, file };
  const isNew = !isFound && (await isFirstVersion(tree, begin, nameIn(top, options.manifest)));
  return {
    stillProtected: await protectedIn(versions, (commit) => declaredAt(tree, commit, options)),
    before,
    missing: isFound || isNew ? null : reasonFor(isShallow),
  };
}

/** Zeros stand for a new branch. A forced push does not contain what the branch was at. */
async function formerIn({ git }: WorkTree, head: string, commit: string | undefined): Promise<string | null> {
  if (commit === undefined || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) || commit === head) return null;
  return (await git.answer(['merge-base', '--is-ancestor', commit, head])) === null ? null : commit;
}

/**
 * The objects that a version protects, and that no apply has let go since. An apply does that where the manifests say
 * so: whoever can write a commit of the file alone can make it look like the record of an apply.
 */
async function protectedIn(
  versions: readonly Version[],
  declared: (commit: string) => Promise<DeclaredProtection | null>,
): Promise<ReadonlySet<string>> {
  const newestAlone = versions.findIndex(({ isAlone }) => isAlone);
  const seen = new Set<string>();
  const result = new Set<string>();
  const known = new Map<string, Promise<DeclaredProtection | null>>();
  for (const [index, { inventory }] of versions.entries()) {
    for (const [address, { kind, id, protect }] of inventory?.entries ?? []) {
      const key = objectKey(kind, id);
      if (!protect || id === null || seen.has(key)) continue;
      seen.add(key);
      const lifting = versions[index - 1];
      const isRecorded = lifting?.inventory != null && newestAlone >= 0 && newestAlone < index;
      const lifted = isRecorded ? addressesOf(lifting.inventory, kind, id) : [];
      if (lifting !== undefined && isRecorded) {
        const { commit } = lifting;
        const found = known.get(commit) ?? declared(commit);
        known.set(commit, found);
        if (isLetGo(await found, lifted.length === 0 ? [address] : lifted, lifted.length === 0)) continue;
      }
      result.add(key);
    }
  }
  return result;
}

/** What the manifests of a commit say of protection. */
export interface DeclaredProtection {
  /** Whether an entry protects its object, by address. */
  readonly entries: ReadonlyMap<Address, boolean>;
  /** What the project lets go without deleting it. */
  removes(address: Address): boolean;
}

function isLetGo(
  declared: DeclaredProtection | null,
  addresses: readonly Address[],
  isForgotten: boolean,
): boolean {
  if (declared === null) return false;
  return addresses.every((each) =>
    isForgotten ? declared.removes(each) : declared.entries.get(each) === false,
  );
}

function addressesOf({ entries }: Inventory, kind: KindName, id: string): Address[] {
  return [...entries].flatMap(([address, each]) => (each.kind === kind && each.id === id ? [address] : []));
}

/** Null where the manifests of the commit are not valid. */
function declaredAt(
  tree: WorkTree,
  commit: string,
  { manifests, declared }: CommittedOptions,
): Promise<DeclaredProtection | null> {
  return withPastFiles(tree, commit, manifestTest(tree.top, manifests), declared);
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

/** The file at each commit. Null for a commit that does not have it, or has one that cannot be read. */
async function versionsAt(
  { git }: WorkTree,
  commits: readonly string[],
  file: string,
): Promise<(Inventory | null)[]> {
  const names = commits.map((commit) => `${commit}:${file}\n`).join('');
  const lines = (await git.run(['cat-file', '--batch-check'], names)).split('\n');
  const blobs: (string | null)[] = [];
  let bytes = 0;
  for (const line of lines) {
    const [, blob, size] = /^(\w+) blob (\d+)$/.exec(line) ?? [];
    if (blob !== undefined && !blobs.includes(blob)) bytes += Number(size);
    // That of the commit before, and the newest one, are read whatever their size.
    blobs.push(blob !== undefined && (bytes <= MOST_BYTES || blobs.length < 2) ? blob : null);
  }
  const contents = await git.contents(blobs.filter((each) => each !== null));
  const versions = new Map(
    [...contents].map(([blob, content]) => [blob, versionIn(content.toString('utf8'), file)] as const),
  );
  return commits.map((_, index) => versions.get(blobs[index] ?? '') ?? null);
}

function versionIn(text: string, file: string): Inventory | null {
  try {
    return parse(text, file);
  } catch (failure) {
    if (failure instanceof Problem) return null;
    throw failure;
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
