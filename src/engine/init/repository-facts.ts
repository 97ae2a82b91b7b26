import { type Git, GitFailure } from '../../inventory/git.js';
import { NoRepository, openWorkTree, type WorkTree } from '../../inventory/work-tree.js';
import { Problem, problem } from '../../model/diagnostic.js';
import type { ProjectOptions } from '../project.js';

export interface RepositoryFacts {
  readonly root: string;
  /** The working directory, from the root; `.` for the root itself. */
  readonly folder: string;
  readonly remote: { readonly name: string; readonly url: string } | null;
  /** The branch that pull requests are merged into, as far as the repository knows. */
  readonly defaultBranch: string;
  /** Another folder holds a roster.yaml. */
  readonly hasOtherProject: boolean;
}

/** What git knows about the repository of the working directory; null outside of a repository. */
export async function repositoryFacts({ cwd, env }: ProjectOptions): Promise<RepositoryFacts | null> {
  const found = await workTreeOf(cwd, env);
  if (found === null) return null;
  const { git, top, prefix } = found;
  const remote = await remoteOf(git);
  return {
    root: top,
    folder: prefix.replace(/\/$/, '') || '.',
    remote,
    defaultBranch: await defaultBranchOf(git, remote?.name ?? 'origin'),
    hasOtherProject: (await projectFiles(git)).some((file) => file !== `${prefix}roster.yaml`),
  };
}

/** Throws a Problem for any other failure of git: the files would not fit the repository. */
async function workTreeOf(cwd: string, env: ProjectOptions['env']): Promise<WorkTree | null> {
  try {
    return await openWorkTree(cwd, env);
  } catch (failure) {
    // git is not installed.
    if (failure instanceof Problem) return null;
    if (failure instanceof GitFailure)
      throw problem('missing-setting', `git cannot read its settings: ${failure.output}`);
    if (!(failure instanceof NoRepository)) throw failure;
    if (failure.outside) return null;
    throw problem('missing-setting', `git cannot find the repository: ${failure.reason}`, failure.help);
  }
}

async function projectFiles(git: Git): Promise<readonly string[]> {
  const flags = ['-z', '--cached', '--others', '--exclude-standard'];
  const list = await git.run(['ls-files', ...flags, '--', ':(top,glob)**/roster.yaml']);
  return list.split('\0').filter((file) => file !== '');
}

/** `origin`, else the first one whose name the inventory setting accepts. */
async function remoteOf(git: Git): Promise<RepositoryFacts['remote']> {
  // Each line is `NAME<tab>URL (fetch)`. The filter of a partial clone, such as `[blob:none]`, follows.
  const lines = (await git.run(['remote', '-v'])).matchAll(/^(\w[\w.-]*)\t(.+) \(fetch\)/gm);
  const remotes = [...lines].map(([, name = '', url = '']) => ({ name, url }));
  return remotes.find(({ name }) => name === 'origin') ?? remotes[0] ?? null;
}

/** That of the remote if it is known, else `main` or `master` if either exists, else the current branch. */
async function defaultBranchOf(git: Git, remote: string): Promise<string> {
  const tracked = `refs/remotes/${remote}/`;
  const known = await git.answer(['symbolic-ref', `${tracked}HEAD`]);
  if (known?.startsWith(tracked) === true) return known.slice(tracked.length);
  const names = ['main', 'master'];
  const refsOf = (name: string) => [`refs/heads/${name}`, `refs/remotes/${remote}/${name}`];
  const list = await git.run(['for-each-ref', '--format=%(refname)', ...names.flatMap(refsOf)]);
  const refs = new Set(list.split('\n'));
  const found = names.find((name) => refsOf(name).some((ref) => refs.has(ref)));
  const current = await git.answer(['symbolic-ref', 'HEAD']);
  return found ?? current?.replace(/^refs\/heads\//, '') ?? 'main';
}

/**
 * Reads `https://host/team/name.git`, `ssh://git@host:22/team/name`, `git@host:team/name.git`, or a path: the host, empty
 * for a path on this machine, and the last part of its path without `.git`.
 */
export function readRemoteUrl(url: string): { readonly host: string; readonly name: string } {
  const name = (
    url
      .split(/[/\\:]/)
      .filter(Boolean)
      .at(-1) ?? ''
  ).replace(/\.git$/, '');
  const [, host = ''] = /^(?:(?:https?|ssh|git):\/\/)?(?:[^@/]*@)?([^:/@]+)[:/]/.exec(url) ?? [];
  return { host: /^file:|^[./\\]|^[A-Za-z]:[\\/]/.test(url) ? '' : host.toLowerCase(), name };
}
