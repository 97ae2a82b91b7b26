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
export function chooseHost(flag: string | undefined, repository: RepositoryFacts | null): HostChoice {
  if (flag !== undefined) return named(flag);
  const remote = repository?.remote ?? null;
  if (repository === null || remote === null) return unknown('There is no git remote');
  const { host } = readRemoteUrl(remote.url);
  for (const each of ['github', 'gitlab'] as const) {
    if (host.includes(each)) return { host: each, why: `The remote ${remote.name} is on ${host}.` };
  }
  if (existsSync(join(repository.root, '.gitlab-ci.yml')))
    return { host: 'gitlab', why: 'The repository has a .gitlab-ci.yml.' };
  if (existsSync(join(repository.root, '.github')))
    return { host: 'github', why: 'The repository has a folder .github.' };
  return unknown(`Nothing says what the remote ${remote.name} is`);
}

function named(flag: string): HostChoice {
  const why = 'As --ci says.';
  if (flag === 'github' || flag === 'gitlab') return { host: flag, why };
  if (flag === 'none') return { host: null, why };
  throw problem('usage', `--ci: "${flag}" is not known`, 'One of: github, gitlab, none.');
}

function unknown(reason: string): HostChoice {
  return { host: null, why: `${reason}: \`roster init --ci github\` or \`--ci gitlab\` adds the pipelines.` };
}
