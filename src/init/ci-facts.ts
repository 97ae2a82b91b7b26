import { createHash } from 'node:crypto';
import { type NewFile, yamlWord } from './project-files.js';

export type CiHost = 'github' | 'gitlab';

export interface CiFacts {
  readonly install: Install;
  /** What pull requests are planned with: a snapshot, or the API key. */
  readonly planWith: 'snapshot' | 'key';
  /** CI checks the health of what it has applied; with `start`, it starts it first. Null: neither. */
  readonly verify: 'status' | 'start' | null;
  /** The name of the project if the repository has several. It is then part of all names. */
  readonly project: string | null;
  readonly environments: readonly string[];
  /** The environments to apply in this order, each only if the previous one has nothing left to apply. */
  readonly promote: readonly string[];
  readonly branch: string;
  /** The folder of roster.yaml, relative to the root of the repository; `.` for the root itself. */
  readonly folder: string;
  /** The URL of the service, if the project has one. */
  readonly url: string | null;
}

/**
 * The suffix of file, artifact, branch and job names, such as `-prices_staging`. Project names have no `_`, so
 * all suffixes are distinct.
 */
export function ending({ project }: Pick<CiFacts, 'project'>, environment: string | null = null): string {
  return `${project === null ? '' : `-${project}`}${environment === null ? '' : `_${environment}`}`;
}

/** The name of the workflow of GitHub that applies. Those of the others begin with it. */
export function workflowOf(facts: Pick<CiFacts, 'project'>): string {
  return `roster${ending(facts)}`;
}

/** The deployment environment of the host for jobs that only read the service. */
function readEnvironment(facts: Pick<CiFacts, 'project'>, environment: string | null): string {
  return `roster-plan${ending(facts, environment)}`;
}

/** The deployment environment of the host for jobs that apply. */
function applyEnvironment({ project }: Pick<CiFacts, 'project'>, environment: string | null): string {
  return `${project === null ? '' : `${project}_`}${environment ?? 'production'}`;
}

/** As a word of bash on a line of YAML, where `: ` and ` #` have a meaning of their own. */
export function shellFile(folder: string): string {
  const file = folder === '.' ? 'roster.yaml' : `${folder}/roster.yaml`;
  if (/^[\w./-]+$/.test(file)) return file;
  const code = (character: string) => `\\x${character.charCodeAt(0).toString(16)}`;
  if (/[:#]/.test(file)) return `$'${file.replace(/[\\':#]/g, code)}'`;
  return `'${file.replaceAll("'", `'\\''`)}'`;
}

/** Null stands for the settings of the project itself. */
function environmentsOf({ environments }: Pick<CiFacts, 'environments'>): readonly (string | null)[] {
  return environments.length === 0 ? [null] : environments;
}

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

const ROOT = 'the root of this repository';

/** Part of all files, as a comment. */
export function about({ folder, environments }: Pick<CiFacts, 'folder' | 'environments'>): string {
  const place = folder === '.' ? ROOT : `the folder ${yamlWord(folder)} of the repository`;
  const project = `# The project is in ${place}. Other projects need their own files.`;
  if (environments.length === 0) return project;
  return `${project}
# Its environments are ${environments.join(', ')}. If they change, remove these files and run \`roster init\` again.`;
}

/** The folder of the project that a file is for, as its comment says, if that is another one. */
export function otherFolderIn(text: string, folder: string): string | null {
  const [, place] = /^# The project is in (.+)\. Other projects need their own files\.$/m.exec(text) ?? [];
  const named = place === ROOT ? '.' : place?.replace(/^the folder (.+) of the repository$/, '$1');
  return named === undefined || named === yamlWord(folder) ? null : named.replace(/^"(.*)"$/, '$1');
}

/** A file whose name has no project in it. */
export function ciFileOf(host: CiHost): string {
  return host === 'github' ? '.github/workflows/roster.yml' : '.gitlab/roster.yml';
}

export function listed(names: readonly string[]): string {
  const quoted = names.map((each) => `\`${each}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}

export const PACKAGE = 'rosterctl';

/** What pipelines install, and the hash that it must have. */
export type Install =
  | { readonly from: 'nowhere' }
  /** `path` is relative to the root of the repository. */
  | { readonly from: 'file'; readonly path: string; readonly version: string; readonly integrity: string }
  | { readonly from: 'url'; readonly url: string; readonly version: string; readonly integrity: string }
  | { readonly from: 'npm'; readonly version: string; readonly integrity: string }
  /** Already installed in an image, which is named by its digest. */
  | { readonly from: 'image'; readonly image: string };

export type Values = Readonly<Record<string, string>>;

/**
 * Replaces each `__NAME__`. Alone on its line, as a comment or not, it stands for whole lines, which get its indentation;
 * an empty value removes the line. Values can contain further names.
 */
export function fillTemplate(template: string, values: Values): string {
  const blocks = template.replace(
    /^( *)(?:# )?__([A-Z_]+)__\n/gm,
    (line: string, indent: string, name: string) => {
      const value = values[name];
      if (value === undefined) return line;
      return fillTemplate(value === '' ? '' : `${value.trimEnd()}\n`, values).replace(/^(?=.)/gm, indent);
    },
  );
  return blocks.replace(/__([A-Z]+(?:_[A-Z]+)*)__/g, (name, key: string) => values[key] ?? name);
}

/** The comment at the end of a generated file by which `roster init` knows that nobody has changed it. */
const SEAL = /\n# Written by roster init; its hash is ([0-9a-f]{16})\.\n$/;

export function generatedFile(path: string, text: string): NewFile {
  const isData = path.endsWith('.json');
  const sealed = isData
    ? text
    : `${text.trimEnd()}\n# Written by roster init; its hash is ${hashOf(text)}.\n`;
  return {
    path,
    at: 'repository',
    text: sealed,
    isOwn: (existing) => (isData ? isInstall(existing) : isSealed(existing)),
    missingFrom: (existing) =>
      existing === sealed
        ? null
        : 'it was changed after `roster init` wrote it. To replace it, move it away and run `roster init` again',
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text.trimEnd()).digest('hex').slice(0, 16);
}

function isSealed(text: string): boolean {
  const [, hash] = SEAL.exec(text) ?? [];
  return hash !== undefined && hash === hashOf(text.replace(SEAL, ''));
}

/** A package.json or lockfile that installs roster and nothing else. */
function isInstall(text: string): boolean {
  try {
    const { name, dependencies, packages } = JSON.parse(text) as Record<string, object | undefined>;
    const names = Object.keys(dependencies ?? packages ?? {}).filter((each) => each !== '');
    return String(name) === INSTALL_NAME && names.every((each) => each.endsWith(PACKAGE));
  } catch {
    return false;
  }
}

/** The name in the package.json that jobs install from. */
export const INSTALL_NAME = 'roster-in-ci';

/** For `roster ci apply`. */
export function verifyFlag(verify: CiFacts['verify']): string {
  if (verify === null) return '';
  return verify === 'start' ? ' --verify=start' : ' --verify';
}
