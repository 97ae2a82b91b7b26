import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isIn, NoRepository, realPath, type WorkTree } from './work-tree.js';

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
