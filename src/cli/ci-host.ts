import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CiHost } from '../init/ci-files.js';
import { problem } from '../model/diagnostic.js';
import { type RepositoryFacts, readRemoteUrl } from './repository-facts.js';

export interface HostChoice {
  readonly host: CiHost | null;
  /** A sentence. */
  readonly why: string;
}

/** Where pipelines run: what the flag says, else what the git remote is on, else what the repository has files for. */
export function chooseHost(
  flag: string | undefined,
  repository: RepositoryFacts | null,
  root: string,
): HostChoice {
  if (flag !== undefined) return named(flag);
  const remote = repository?.remote ?? null;
  const host = remote === null ? '' : readRemoteUrl(remote.url).host;
  for (const each of ['github', 'gitlab'] as const) {
    if (host.includes(each)) return { host: each, why: `The remote ${remote?.name} is on ${host}.` };
  }
  if (existsSync(join(root, '.gitlab-ci.yml')))
    return { host: 'gitlab', why: 'The repository has a .gitlab-ci.yml.' };
  if (existsSync(join(root, '.github')))
    return { host: 'github', why: 'The repository has a folder .github.' };
  if (remote === null) return { host: 'github', why: noRemote };
  const help = '`roster init --ci github` or `--ci gitlab` adds the pipelines.';
  return { host: null, why: `Nothing says what the remote ${remote.name} is: ${help}` };
}

const noRemote =
  'There is no git remote that would say otherwise: if it is to be GitLab, remove .github and run `roster init --ci gitlab`.';

function named(flag: string): HostChoice {
  const why = 'As --ci says.';
  if (flag === 'github' || flag === 'gitlab') return { host: flag, why };
  if (flag === 'none') return { host: null, why };
  throw problem('usage', `--ci: "${flag}" is not known`, 'One of: github, gitlab, none.');
}
