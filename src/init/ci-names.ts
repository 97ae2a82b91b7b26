import type { CiFacts, CiHost } from './ci-facts.js';
import { yamlWord } from './project-files.js';

/**
 * The suffix of file, artifact, branch and job names, such as `-prices_staging`. Project names have no `_`, so
 * all suffixes are distinct.
 */
export function ending({ project }: Pick<CiFacts, 'project'>, environment: string | null = null): string {
  return `${project === null ? '' : `-${project}`}${environment === null ? '' : `_${environment}`}`;
}

/** The deployment environment of the host for jobs that only read the service. */
export function readEnvironment(facts: Pick<CiFacts, 'project'>, environment: string | null): string {
  return `roster-plan${ending(facts, environment)}`;
}

/** The deployment environment of the host for jobs that apply. */
export function applyEnvironment({ project }: Pick<CiFacts, 'project'>, environment: string | null): string {
  return `${project === null ? '' : `${project}_`}${environment ?? 'production'}`;
}

/** The environment that has to be applied before this one. */
export function promotedFrom(
  { promote }: Pick<CiFacts, 'promote'>,
  environment: string | null,
): string | null {
  const at = environment === null ? -1 : promote.indexOf(environment);
  return promote[at - 1] ?? null;
}

/** Null stands for the settings of the project itself. */
export function environmentsOf({ environments }: Pick<CiFacts, 'environments'>): readonly (string | null)[] {
  return environments.length === 0 ? [null] : environments;
}

/** The deployment environments of all jobs. */
export function deploymentsOf(facts: Pick<CiFacts, 'project' | 'environments'>): {
  readonly reading: readonly string[];
  readonly applying: readonly string[];
} {
  const all = environmentsOf(facts);
  return {
    reading: all.map((each) => readEnvironment(facts, each)),
    applying: all.map((each) => applyEnvironment(facts, each)),
  };
}

/** Part of all files, as a comment. */
export function about({ folder, environments }: Pick<CiFacts, 'folder' | 'environments'>): string {
  const project = `# The project is in the folder ${yamlWord(folder)} of the repository. Other projects need their own files.`;
  if (environments.length === 0) return project;
  return `${project}
# Its environments are ${environments.join(', ')}. If they change, remove these files and run \`roster init\` again.`;
}

/** The folder of the project that a file is for, as its comment says, if that is another one. */
export function otherFolderIn(text: string, folder: string): string | null {
  const [, named] = /^# The project is in the folder (.+) of the repository\./m.exec(text) ?? [];
  return named === undefined || named === yamlWord(folder) ? null : named.replace(/^"(.*)"$/, '$1');
}

/** A file whose name has no project in it. */
export function ciFileOf(host: CiHost): string {
  return host === 'github' ? '.github/workflows/roster-validate.yml' : '.gitlab/roster.yml';
}

export function listed(names: readonly string[]): string {
  const quoted = names.map((each) => `\`${each}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}
