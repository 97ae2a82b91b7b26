import { basename, join } from 'node:path';
import { readRegular } from '../../files/atomic.js';
import { type CiFacts, type CiHost, ciFileOf, otherFolderIn } from '../../init/ci-facts.js';
import type { NewFile } from '../../init/project-files.js';
import { readOutline } from '../../manifest/outline.js';
import { type Problem, problem } from '../../model/diagnostic.js';
import { occupantOf } from './new-files.js';
import { type RepositoryFacts, readRemoteUrl } from './repository-facts.js';

export interface ProjectFacts {
  readonly name: string;
  readonly environments: readonly string[];
  /** The environments to apply in this order. */
  readonly promote: readonly string[];
  /** Whether roster.yaml keeps the inventory in git; null if there is no roster.yaml yet. */
  readonly usesGit: boolean | null;
}

const ENVIRONMENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const PROJECT = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Facts from the roster.yaml in the folder, or from the one that will be written. */
export function projectFacts(
  cwd: string,
  repository: RepositoryFacts | null,
  flag: string | undefined,
): ProjectFacts {
  const promote = promoteOf(flag);
  const newName = projectName(repository, cwd);
  if (occupantOf(cwd, 'roster.yaml') === 'nothing')
    return { name: newName, environments: promote, promote, usesGit: null };
  const { project, environments, usesGit } = readOutline('roster.yaml', cwd);
  const invalid = environments.find((each) => !ENVIRONMENT.test(each));
  if (invalid !== undefined)
    throw problem(
      'schema',
      `roster.yaml: ${JSON.stringify(invalid)} is not a valid name of an environment`,
      seeErrors,
    );
  const unknown = promote.find((each) => !environments.includes(each));
  if (unknown !== undefined)
    throw problem('unknown-environment', `--promote: roster.yaml declares no environment "${unknown}"`);
  const name = PROJECT.test(project ?? '') ? (project ?? '') : newName;
  return { name, environments, promote, usesGit };
}

const seeErrors = 'Run `roster validate` to see all errors.';

function promoteOf(flag: string | undefined): readonly string[] {
  if (flag === undefined) return [];
  const names = flag.split(',');
  if (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every((each) => ENVIRONMENT.test(each))
  )
    return names;
  const help = 'Separate two or more environments with commas: `--promote staging,production`.';
  throw problem('usage', `--promote: "${flag}" is not a list of environments`, help);
}

/** The repository name at the root, else the folder name, reduced to characters that a project name may have. */
function projectName(repository: RepositoryFacts | null, cwd: string): string {
  const { remote = null, folder } = repository ?? { folder: '.' };
  const name = remote !== null && folder === '.' ? readRemoteUrl(remote.url).name : basename(cwd);
  const usable = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-|-$/g, '');
  return usable === '' ? 'project' : usable;
}

/**
 * The project's name if the names of its CI files must include it, because another project uses the names without it,
 * or may use them later.
 */
export function nameInFiles(
  name: string,
  host: CiHost,
  repository: RepositoryFacts | null,
): CiFacts['project'] {
  if (repository === null) return null;
  const path = ciFileOf(host);
  if (occupantOf(repository.root, path) === 'nothing') return repository.hasOtherProject ? name : null;
  const other = otherFolderOf(path, repository);
  if (other === null) return null;
  if (nameOf(other, repository) === name) throw nameIsTaken(name, other);
  return name;
}

/** Throws a Problem if a file is that of another project, such as that of the workflow `roster-plan` for a project `plan`. */
export function checkOwner(path: NewFile['path'], name: string, repository: RepositoryFacts): void {
  const other = otherFolderOf(path, repository);
  if (other === null) return;
  if (nameOf(other, repository) === name) throw nameIsTaken(name, other);
  throw problem('usage', `${path} is a file of the project in the folder "${other}"`, otherName);
}

/** Null for a folder that no longer has a project. */
function nameOf(folder: string, { root }: RepositoryFacts): string | null {
  const path = join(root, folder);
  return occupantOf(path, 'roster.yaml') === 'file' ? readOutline('roster.yaml', path).project : null;
}

function otherFolderOf(path: string, { root, folder }: RepositoryFacts): string | null {
  if (occupantOf(root, path) !== 'file') return null;
  return otherFolderIn(readRegular(join(root, path), path) ?? '', folder);
}

function nameIsTaken(name: string, folder: string): Problem {
  return problem(
    'usage',
    `the project in the folder "${folder}" of this repository has the name "${name}", too`,
    otherName,
  );
}

const otherName = 'Set another `project:` in roster.yaml, then run `roster init` again.';
