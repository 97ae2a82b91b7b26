import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errnoOf } from '../files/errno.js';
import { Problem } from '../model/diagnostic.js';
import { type AppliedBy, type Checkout, commitId } from '../model/inventory.js';
import { containsChanges } from './contained.js';
import { type Environment, Git, GitFailure, gitVersion, isOlder, OLDEST_GIT } from './git.js';

/** The files of a repository that are checked out, and git in it. */
export interface WorkTree {
  readonly git: Git;
  /** Null where git does not name it. */
  readonly gitVersion: string | null;
  /** Its first folder: absolute, without symbolic links. */
  readonly top: string;
  /** The folder that it was found from, from the top: `shop/prices/`, empty for the top itself. */
  readonly prefix: string;
  /** The work trees that it is a submodule of, innermost first. Their files are no more trusted than its own. */
  readonly outer: readonly string[];
}

/** There is no repository that is safe to use. */
export class NoRepository extends Error {
  constructor(
    readonly reason: string,
    readonly help: string,
    /** Git finds none at all. */
    readonly outside = false,
  ) {
    super(reason);
    this.name = 'NoRepository';
  }
}

/**
 * Finds the work tree of a folder as git does, once: all further commands name its repository. The author of a pull
 * request can write any file in the work tree, and git runs programs that its configuration names. So neither the
 * repository nor a file with settings may be among these files. Throws a NoRepository.
 */
export async function openWorkTree(folder: string, env: Environment): Promise<WorkTree> {
  if (!hasRepository(realPath(folder))) throw new NoRepository(noRepository, needsRepository, true);
  const { gitDir, top, prefix } = await locate(folder, env);
  const version = await gitVersion(new Git({ folder }, env));
  if (isOlder(version, OLDEST_GIT)) throw tooOld(version);
  if (await isFileOfWorkTree(gitDir, top, env)) throw amongFiles(gitDir);
  const outer = await superprojects(top, env);
  const git = new Git({ folder: top, gitDir }, env);
  await refuseSettingsIn([top, ...outer], git);
  return { git, gitVersion: version, top, prefix, outer };
}

/** Whether git could find a work tree: many projects are in none, and no process is started to learn that. */
function hasRepository(folder: string): boolean {
  if (existsSync(resolve(folder, '.git'))) return true;
  return dirname(folder) !== folder && hasRepository(dirname(folder));
}

/** Finds the work tree once, when it is asked for first. */
export function workTreeOpener(folder: string, env: Environment): () => Promise<WorkTree> {
  let opened: Promise<WorkTree> | null = null;
  return () => {
    opened ??= openWorkTree(folder, env);
    return opened;
  };
}

/** Whether a path leads to what git checks out. Git never checks out anything below a name `.git`. */
function isIn(top: string, path: string): boolean {
  const inside = relative(top, path);
  return !isAbsolute(inside) && !['..', '.git'].some((name) => inside.split(sep).includes(name));
}

/** A path without symbolic links, if it exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** Whether a path has no symbolic link in it. */
export function isRealPath(path: string): boolean {
  return realPath(path) === path;
}

const noRepository = 'not a git repository (or any of the parent directories)';
const needsRepository =
  'To store the inventory in git, the project must be in a git repository that the current user owns.';

/** `rev-parse` and `ls-files` alone let git look for a repository: they check the owner, and run nothing. */
async function locate(
  folder: string,
  env: Environment,
): Promise<Pick<WorkTree, 'top' | 'prefix'> & { gitDir: string }> {
  const facts = [
    'is-bare-repository',
    'is-inside-work-tree',
    'show-toplevel',
    'absolute-git-dir',
    'show-prefix',
  ];
  const lines = (await ask(folder, env, facts)).split('\n');
  const [isBare, isInside, top, gitDir, prefix] = lines;
  // Before version 2.38, git does not know `safe.bareRepository`.
  if (isBare !== 'false' || isInside !== 'true' || !top || !gitDir || lines.length !== facts.length)
    throw new NoRepository('git finds no work tree', needsRepository);
  return { top: realPath(top), gitDir: realPath(gitDir), prefix: prefix ?? '' };
}

async function ask(folder: string, env: Environment, facts: readonly string[]): Promise<string> {
  try {
    return await new Git({ folder }, env).run(['rev-parse', ...facts.map((each) => `--${each}`)]);
  } catch (failure) {
    if (!(failure instanceof GitFailure)) throw failure;
    const outside = failure.output.includes('not a git repository (or any');
    throw new NoRepository(`git rev-parse: ${failure.output}`, needsRepository, outside);
  }
}

async function superprojects(top: string, env: Environment): Promise<readonly string[]> {
  const path = await ask(top, env, ['show-superproject-working-tree']);
  if (path === '') return [];
  const outer = realPath(path);
  return [outer, ...(await superprojects(outer, env))];
}

async function isFileOfWorkTree(gitDir: string, top: string, env: Environment): Promise<boolean> {
  if (gitDir.split(sep).includes('.git')) return false;
  if (isIn(top, gitDir)) return true;
  const others = foldersAbove(gitDir).filter((folder) => isOtherWorkTree(folder, gitDir));
  return (await Promise.all(others.map((folder) => hasFilesIn(folder, gitDir, env)))).includes(true);
}

/** Many keep their home folder in git, and clones in it that git does not know. True if git cannot tell. */
async function hasFilesIn(folder: string, path: string, env: Environment): Promise<boolean> {
  // The repository itself, if `path` belongs to one of its further work trees.
  const repository = path.replace(/[\\/]worktrees[\\/][^\\/]+$/, '');
  const files = await new Git({ folder }, env).answer(['ls-files', '-z', '--', `:(literal)${repository}`]);
  return files !== '';
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

/** A folder whose `.git` only leads to this repository holds it, which is a usual layout for several work trees. */
function isOtherWorkTree(folder: string, gitDir: string): boolean {
  const path = resolve(folder, '.git');
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry?.isFile()) return entry !== undefined;
  const [, target] = /^gitdir: (.*)\n?$/.exec(readFileSync(path, 'utf8')) ?? [];
  return target === undefined || !isIn(realPath(resolve(folder, target)), gitDir);
}

function tooOld(version: string | null): NoRepository {
  const help = `roster needs git ${OLDEST_GIT} or later. Update git, or keep the inventory in a file.`;
  return new NoRepository(`git ${version ?? ''} is too old`, help);
}

function amongFiles(gitDir: string): NoRepository {
  const reason = `the repository ${gitDir} is among the files of a work tree`;
  return new NoRepository(reason, 'Remove its files, or run roster in a clone of your own.');
}

async function refuseSettingsIn(tops: readonly string[], git: Git): Promise<void> {
  const list = await git.run(['config', '--list', '--show-origin', '--name-only', '-z']);
  const origins = new Set(list.split('\0').filter((_, index) => index % 2 === 0));
  for (const origin of origins) {
    const [, path] = /^file:(.+)$/s.exec(origin) ?? [];
    if (path === undefined) continue;
    const real = realPath(resolve(tops[0] ?? '', path));
    if (tops.some((top) => isIn(top, real))) throw settingsAmongFiles(path);
  }
}

function settingsAmongFiles(path: string): NoRepository {
  const reason = `git reads settings from ${path}, a file of the work tree that a pull request can change`;
  const help =
    'Settings can name programs to run: move the file out of the work tree, or remove the setting `include.path` that leads to it.';
  return new NoRepository(reason, help);
}

export interface RemoteNames {
  readonly remote: string;
  readonly ref: string;
  /** The folder that `~` is in a URL. */
  readonly home?: string | undefined;
}

/**
 * Checks the remote and the ref of the inventory before any other command uses them. Git takes the name of an
 * unknown remote for a path, and runs the hooks of a local repository, which must not be among the files of the
 * project. Throws a NoRepository.
 */
export async function checkRemote(
  { git, top, outer }: WorkTree,
  { remote, ref, home }: RemoteNames,
): Promise<void> {
  if (remote.startsWith('-')) throw unknownRemote(remote);
  if (!ref.startsWith('refs/')) throw invalidRef(ref);
  // `get-url` knows only the remotes in the configuration of this repository.
  const [isRef, ...urls] = await Promise.all([
    git.answer(['check-ref-format', ref]),
    git.answer(['remote', 'get-url', '--all', remote]),
    git.answer(['remote', 'get-url', '--push', '--all', remote]),
  ]);
  if (isRef === null) throw invalidRef(ref);
  for (const url of urls.flatMap((each) => each?.split('\n') ?? null)) {
    if (url === null) throw unknownRemote(remote);
    const path = localPath(url, top, home);
    const isAmongFiles = (each: string) => path !== null && (isIn(each, path) || isIn(each, realPath(path)));
    if ([top, ...outer].some(isAmongFiles)) throw remoteAmongFiles(remote);
  }
}

/** The path that git takes a URL for; null for a repository that it reaches over the network or by a helper. */
function localPath(url: string, top: string, home: string | undefined): string | null {
  const [, path] = /^file:\/\/[^/]*(\/.*)$/i.exec(url) ?? [];
  if (path !== undefined) return resolve(top, decoded(path).replace(/^\/(?=[A-Za-z]:)/, ''));
  if (/^[A-Za-z]:[\\/]/.test(url)) return resolve(url);
  // Git reads a bundle of this name in the work tree first.
  if (home && url.startsWith('~/') && !existsSync(resolve(top, url))) return resolve(home, url.slice(2));
  // `host:path`, `https://…` and `ext::…` have a colon before the first slash.
  return /^[^/]*:/.test(url) ? null : resolve(top, url);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Git leaves a `%` alone that no two digits follow.
    return path.replace(/%[0-9a-f]{2}/gi, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
  }
}

function unknownRemote(remote: string): NoRepository {
  const help = 'Set `inventory: { git: { remote: … } }` to one of the names that `git remote` prints.';
  return new NoRepository(`this repository has no remote "${remote}"`, help);
}

/** The `.gitmodules` of a superproject choose the URLs in a submodule. */
export function unnamedRemote(remote: string): NoRepository {
  const reason = `the project is in a submodule, where a file of the superproject chooses the URL of the remote "${remote}"`;
  const help = `Check \`git remote get-url ${remote}\`, then name the inventory with \`--inventory\` or \`ROSTER_INVENTORY\`: \`git:REF@${remote}\`.`;
  return new NoRepository(reason, help);
}

function remoteAmongFiles(remote: string): NoRepository {
  const reason = `the URL of the remote "${remote}" points into the work tree, where git would run hooks`;
  return new NoRepository(reason, 'Use a repository outside the work tree.');
}

function invalidRef(ref: string): NoRepository {
  const help = 'Set `inventory: { git: { ref: … } }` to a full name, such as `refs/heads/roster-inventory`.';
  return new NoRepository(`"${ref}" is not a full ref name`, help);
}

export interface CheckoutOptions {
  /** Finds the work tree of the project's folder. */
  readonly open: () => Promise<WorkTree>;
  /** Absolute paths of the manifests. */
  readonly files: readonly string[];
  /** Whether it matters that they differ from the commit. */
  readonly records: boolean;
  /** Where a commit is fetched from that is not here: its branch may be gone. Null where nothing is fetched. */
  readonly remote: string | null;
  /** Who applied what was applied last. Asked only if the checkout does not contain it. */
  readonly appliedBy: (commit: string) => Promise<AppliedBy | null>;
  /** The absolute path of an inventory in a file. */
  readonly inventoryFile: string | null;
}

/**
 * The checkout of the project, compared with the commit last applied. An inventory file that git tracks is versioned with
 * the manifests next to it, so it cannot say what was applied since, and holds no commit: one would only conflict in
 * merges, and be lost in squashed ones.
 */
export async function readCheckout(options: CheckoutOptions, applied: string | null): Promise<Checkout> {
  const { open, files, records, inventoryFile } = options;
  try {
    const tree = await open();
    if (inventoryFile !== null && (await isTracked(tree, inventoryFile)))
      return { commit: null, applied: null, state: 'unknown' };
    const head = await tree.git.answer(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head === null) return unknown(applied, 'the repository has no commits');
    const commit = records && (await differs(tree, files)) ? `${head}-dirty` : head;
    return { commit, applied, ...(await compare(tree, head, applied, options)) };
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
  tree: WorkTree,
  head: string,
  applied: string | null,
  { files, remote, appliedBy }: CheckoutOptions,
): Promise<Pick<Checkout, 'state' | 'reason' | 'by'>> {
  const { git, top } = tree;
  if (applied === null || commitId(applied) === head) return { state: 'current' };
  const commit = commitId(applied);
  const isAncestor = await git.answer(['merge-base', '--is-ancestor', commit, head]);
  if (isAncestor !== null) return { state: 'current' };
  const isShallow = (await git.run(['rev-parse', '--is-shallow-repository'])) === 'true';
  if (isShallow) return { state: 'unknown', reason: 'this is a shallow clone' };
  if (remote !== null) await fetchCommit(tree, remote, commit);
  const isManifest = manifestTest(top, files);
  if (await containsChanges(tree, { head, applied: commit, isManifest })) return { state: 'current' };
  const by = await known(appliedBy(applied));
  return by === null ? { state: 'stale' } : { state: 'stale', by };
}

/** The checkout is stale, whether or not it can be read who applied the commit. */
async function known<T>(asked: Promise<T | null>): Promise<T | null> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof GitFailure || failure instanceof Problem || failure instanceof NoRepository)
      return null;
    throw failure;
  }
}

/** Hosts keep the commits of a branch that was deleted after it was merged. If it cannot be fetched, it stays unknown. */
async function fetchCommit(
  { git, gitVersion: version }: WorkTree,
  remote: string,
  commit: string,
): Promise<void> {
  if ((await git.answer(['cat-file', '-e', `${commit}^{commit}`])) !== null) return;
  const flags = ['--quiet', '--no-tags', keepFetchHead(version), '--no-recurse-submodules', '--refmap='];
  await git.answer(['fetch', ...flags, remote, commit]);
}

/** FETCH_HEAD belongs to the user. Before version 2.29, git can only append to it, which keeps its first line. */
export function keepFetchHead(version: string | null): string {
  return isOlder(version, '2.29') ? '--append' : '--no-write-fetch-head';
}

/** Whether a file may be a manifest, by its path from the top: those of older commits have other names. */
export function manifestTest(top: string, manifests: readonly string[]): (path: string) => boolean {
  const names = new Set(manifests.map((path) => nameIn(top, path)));
  return (path) => names.has(path) || /\.ya?ml$/i.test(path);
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

/** As git names a file of the work tree. */
export function nameIn(top: string, path: string): string {
  return relative(top, join(realPath(dirname(path)), basename(path)))
    .split(sep)
    .join('/');
}

/** A file that git tracks: its path from the top. */
export interface TrackedFile {
  readonly path: string;
  /** False for links and submodules. */
  readonly isRegular: boolean;
}

/** The tracked files that match, in the order of git. Nothing is compared with the work tree. */
export async function trackedFiles({ git }: WorkTree, patterns: readonly string[]): Promise<TrackedFile[]> {
  const list = await git.run(['ls-files', '-z', '--stage', '--', ...patterns]);
  const files = list.split('\0').flatMap((line) => {
    const [, mode = '', path = ''] = /^(\d+) \w+ \d\t(.*)$/s.exec(line) ?? [];
    return path === '' ? [] : [{ path, isRegular: mode.startsWith('100') }];
  });
  // A file with a merge conflict is listed once for each side.
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/** A pattern of git for files with this name in any folder, or in this one only. */
export function namePattern(name: string, folder: string | null = null): string {
  return `:(top,glob)${folder === null ? '**/' : literal(folder)}${name}`;
}

/** A name in a pattern, for the name alone. */
export function literal(name: string): string {
  return name.replace(/[\\*?[\]]/g, '\\$&');
}
