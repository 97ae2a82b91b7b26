import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { kinds } from '../../../src/kinds/index.js';
import type { Loaded } from '../../../src/manifest/load.js';
import { type FileTree, inFolder, loadFrom } from '../manifest/project.js';
import { valueInEditor } from './editor.js';

const tests = join(import.meta.dirname, '../..');

/** One project of the case files as it stands at some point of its case. */
export interface Project {
  readonly name: string;
  readonly files: FileTree;
  /** Which of the files is the project's. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly environment: string | null;
}

/** What a case file may hold of interest here: see the tests that run them. */
interface Case {
  manifest?: string;
  before?: string;
  files?: FileTree;
  env?: Record<string, string | null>;
  run?: string;
  steps?: (string | { write?: FileTree })[];
}

export function load(project: Project): Loaded {
  const { environment, env } = project;
  return inFolder(project.files, (folder) =>
    loadFrom(join(folder, dirname(project.file)), { kinds, environment, env }),
  );
}

/** Every manifest of test/cases, test/cli and the examples. */
export function projectsOfCases(): Project[] {
  const cases = [...yamlUnder('cases'), ...yamlUnder('cli')].flatMap(([name, text]) =>
    projectsOf(name, parse(text) as Case),
  );
  return [...cases, ...examples()];
}

/**
 * The settings of a project with a single entry, for each of its entries: of several that are wrong, none hides behind
 * another.
 */
export function entriesAlone({ name, files, file, ...rest }: Project): Project[] {
  const { include, ...settings } = mapOf(files[file]);
  const own = Object.entries(settings).filter(([key]) => !key.startsWith('x-') && !sections.includes(key));
  return Object.entries(files)
    .filter(([path]) => path.endsWith('.yaml'))
    .flatMap(([path, text]) => entriesOf(mapOf(text)).map((entry) => ({ path, ...entry })))
    .map(({ path, section, key, entry }) => {
      // JSON is YAML, and writes every character so that it is read as what it was.
      const alone = JSON.stringify({ ...Object.fromEntries(own), [section]: { [key]: entry } });
      return {
        name: `${name}, ${path}, ${section} ${key}`,
        files: { 'roster.yaml': alone },
        file: 'roster.yaml',
        ...rest,
      };
    });
}

const sections = kinds.map((kind) => kind.section);

function entriesOf(map: Record<string, unknown>): { section: string; key: string; entry: unknown }[] {
  return sections.flatMap((section) => {
    const entries = map[section];
    if (typeof entries !== 'object' || entries === null) return [];
    return Object.entries(entries).map(([key, entry]: [string, unknown]) => ({ section, key, entry }));
  });
}

/** Nothing for a file that is no map, or no YAML. */
function mapOf(text: string | Uint8Array | undefined): Record<string, unknown> {
  const value = valueInEditor(String(text))?.value;
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function projectsOf(name: string, given: Case): Project[] {
  const env = Object.fromEntries(
    Object.entries(given.env ?? {}).map(([key, value]) => [key, value ?? undefined]),
  );
  const environment = /(?:^| )-e (\S+)/.exec(given.run ?? '')?.[1] ?? null;
  return statesOf(given).flatMap((files, index) =>
    Object.keys(files)
      .filter((path) => path.endsWith('roster.yaml'))
      .map((file) => ({ name: `${name} ${index} ${file}`, files, file, env, environment })),
  );
}

/** The files at the beginning of a case, before that, and after each time that it writes some. */
function statesOf({ manifest, before, files, steps = [] }: Case): FileTree[] {
  if (manifest !== undefined) {
    const texts = before === undefined ? [manifest] : [manifest, before];
    return texts.map((text) => ({ 'roster.yaml': `project: case\n${text}` }));
  }
  let state = files ?? {};
  const states = [state, ...(before === undefined ? [] : [{ ...state, 'roster.yaml': before }])];
  for (const step of steps) {
    if (typeof step === 'string' || step.write === undefined) continue;
    state = { ...state, ...step.write };
    states.push(state);
  }
  return states;
}

function examples(): Project[] {
  const folder = join(tests, '../examples');
  return readdirSync(folder).map((name) => {
    const files = Object.fromEntries(filesUnder(join(folder, name)));
    return { name: `examples/${name}`, files, file: 'roster.yaml', env: {}, environment: null };
  });
}

function yamlUnder(folder: string): [string, string][] {
  return filesUnder(join(tests, folder)).filter(([name]) => name.endsWith('.yaml'));
}

function filesUnder(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]);
}
