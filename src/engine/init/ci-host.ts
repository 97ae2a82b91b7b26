import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CiHost } from '../../init/ci-facts.js';
import { problem } from '../../model/diagnostic.js';
import { type RepositoryFacts, readRemoteUrl } from './repository-facts.js';

export type { CiHost } from '../../init/ci-facts.js';

export interface HostChoice {
  readonly host: CiHost | null;
  /** The reason, as a sentence. */
  readonly why: string;
}

/** Where pipelines run: the flag decides, else the git remote, else the files of the repository. */
export function chooseHost(
  flag: string | undefined,
  repository: RepositoryFacts | null,
  root: string,
  installs: boolean,
): HostChoice {
  if (flag !== undefined) return named(flag);
  const remote = repository?.remote ?? null;
  const host = remote === null ? '' : readRemoteUrl(remote.url).host;
  for (const each of ['github', 'gitlab'] as const) {
    if (host.includes(each)) return { host: each, why: `The remote ${remote?.name} is on ${host}.` };
  }
  if (existsSync(join(root, '.gitlab-ci.yml')))
    return { host: 'gitlab', why: 'The repository has a file .gitlab-ci.yml.' };
  if (existsSync(join(root, '.github')))
    return { host: 'github', why: 'The repository has a folder .github.' };
  if (remote === null) return { host: 'github', why: installs ? writtenWithoutRemote : withoutRemote };
  const help = 'For CI files, run `roster init` again with `--ci github` or `--ci gitlab`.';
  return { host: null, why: `The host of the remote ${remote.name} is unknown. ${help}` };
}

const noRemote = 'GitHub is the default, because there is no git remote.';
const withoutRemote = `${noRemote} For GitLab, pass \`--ci gitlab\`.`;
const writtenWithoutRemote = `${noRemote} For GitLab, remove .github and run \`roster init\` again with \`--ci gitlab\`.`;

function named(flag: string): HostChoice {
  const why = 'Set by `--ci`.';
  if (flag === 'github' || flag === 'gitlab') return { host: flag, why };
  if (flag === 'none') return { host: null, why };
  throw problem('usage', `--ci: unknown value "${flag}"`, 'One of: github, gitlab, none.');
}
