import { basename, dirname, join, posix, resolve } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Kind } from '../model/kind.js';
import type { Project } from '../model/resource.js';
import { parseYaml } from '../yaml/read.js';
import type { Span } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import type { Entry, Spent } from '../yaml/tree.js';
import { Diagnostics } from './diagnostics.js';
import { type EntriesRead, EntryReader } from './entries.js';
import { Files, locate } from './files.js';
import { sections, settingNames } from './generated/validators.js';
import { expand } from './include.js';
import { checkBetween } from './references.js';
import { checkAdded, excuseDropped, readSettings, type SettingsRead } from './settings.js';
import { Targets } from './targets.js';
import { readTop, type Top, tellEmpty } from './top-level.js';

export interface LoadOptions {
  /** `-f`: relative to `cwd`. Else roster.yaml in `cwd` or the nearest parent. */
  readonly file?: string;
  readonly cwd: string;
  /** The name of the environment to load for; null for the project's own settings. */
  readonly environment: string | null;
  /** What `${env.NAME}` stands for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly kinds: readonly Kind[];
  /** What day it is, for what has passed; left out where it shall not matter. */
  readonly now?: Date;
}

export interface Loaded {
  /** Null when there are errors. */
  readonly project: Project | null;
  /** Everything that is wrong, in the order of the files and their lines. */
  readonly diagnostics: readonly Diagnostic[];
  /** Values from the environment that were used, errors or not: whatever is printed must not hold them. */
  readonly secrets: readonly string[];
  /** The files that could be read and parsed, in that order: their paths as messages name them. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
  /** Absolute paths of all files that belong to the project, those that could not be read and the inventory among them. */
  readonly paths: readonly string[];
  /** False when a file of the project is missing among them: why is told. */
  readonly allFiles: boolean;
}

/**
 * Reads a project offline: files, variables, schema, entries, and what must fit between them (contract §2). Reads
 * only regular files under the project's folder. Synchronous, because that is several times faster for many files.
 */
export function loadProject(options: LoadOptions): Loaded {
  const told = new Diagnostics();
  const cwd = resolve(options.cwd);
  const file = locate(options.file, cwd, told);
  const { project, ...rest } = file === null ? nothing([]) : load(file, cwd, options, told);
  if (project === null && !told.failed) throw new Error('a project is refused without a word');
  return { project: told.failed ? null : project, diagnostics: told.sorted(), ...rest };
}

function nothing(paths: readonly string[]): Omit<Loaded, 'diagnostics'> {
  return { project: null, secrets: [], files: [], allFiles: false, paths };
}

function load(
  file: string,
  cwd: string,
  options: LoadOptions,
  told: Diagnostics,
): Omit<Loaded, 'diagnostics'> {
  const root = dirname(file);
  const disk = new Files(root, cwd, told);
  const reader = new ManifestReader(disk, told);
  const top = reader.read(basename(file), null, true);
  if (top === null) return nothing([file]);
  const read = readSettings(top, options, told);
  const tops = [top];
  const included = expand(read.include, root, told);
  for (const [path, asked] of included.paths) {
    if (path === basename(file)) continue;
    const other = reader.read(path, asked, false);
    if (other !== null) tops.push(other);
  }
  const dropped = tops.flatMap((each) => each.dropped);
  const wanted = [...included.paths.keys()].filter((path) => path !== basename(file)).length;
  const noInclude = top.dropped.every(({ key }) => key.text !== 'include');
  const allFiles = read.complete && included.complete && tops.length === wanted + 1 && noInclude;
  const manifests = new Set([basename(file), ...included.paths.keys()].map((path) => posix.normalize(path)));
  const own = ownPaths(manifests, read);
  const entries = readEntries(tops, read, dropped, own, options, told);
  checkBetween(entries, allFiles && !dropped.some(mayHoldEntries), told);
  if (allFiles && !told.failed) checkAdded(read, top.settings.get('vars'), told);
  const { secrets } = read.variables;
  const files = tops.map(({ source }) => ({ file: source.file, text: source.text }));
  const paths = [...own].map((path) => join(root, path));
  if (read.settings === null) return { project: null, secrets, files, allFiles, paths };
  const { inventory } = read.settings;
  if ('file' in inventory && manifests.has(posix.normalize(inventory.file)))
    tellManifest(inventory.file, read.inventory, told);
  else if ('file' in inventory) disk.checkInventory(inventory.file, read.inventory);
  const project: Project = {
    file: top.source.file,
    root,
    environment: options.environment,
    ...read.settings,
    scopes: read.scopes,
    entries: entries.list.map((each) => each.declared),
    secrets,
  };
  return { project, secrets, files, allFiles, paths };
}

/** Relative to the project's folder: the manifests, and what the inventories of all environments are kept in. */
function ownPaths(manifests: ReadonlySet<string>, { inventories }: SettingsRead): Set<string> {
  const state = inventories.flatMap((path) => [path, `${path}.lock`]);
  return new Set([...manifests, ...state.map((path) => posix.normalize(path))]);
}

function tellManifest(path: string, asked: Span, told: Diagnostics): void {
  told.error('schema', asked, `${quoted(path)} is a manifest of this project, and cannot be its inventory`, {
    help: 'Name another file: `inventory: { file: roster.inventory.json }`.',
  });
}

function readEntries(
  tops: readonly Top[],
  read: SettingsRead,
  dropped: readonly Entry[],
  own: ReadonlySet<string>,
  { kinds, now = null }: { readonly kinds: readonly Kind[]; readonly now?: Date | null },
  told: Diagnostics,
): EntriesRead {
  excuseDropped(dropped, read.variables);
  const complete = read.scopesComplete && dropped.every(({ key }) => key.text !== 'scopes');
  const scopes = { names: read.scopes, complete };
  const parts = tops.flatMap((top) => top.sections);
  const reader = new EntryReader(kinds, scopes, read.variables, new Targets(parts, told), own, now, told);
  for (const section of parts) reader.section(section);
  return reader.result;
}

const noEntries = new Set(settingNames.filter((name) => name !== 'include'));

/** A section that cannot be read or has a name that nobody knows, or files that were not looked for. */
function mayHoldEntries({ key, value }: Entry): boolean {
  const isSection = Object.hasOwn(sections, key.text);
  return isSection || key.text === 'include' || (value.type === 'map' && !noEntries.has(key.text));
}

class ManifestReader {
  private readonly spent: Spent = { values: 0, collections: 0, expanded: 0 };

  constructor(
    private readonly files: Files,
    private readonly told: Diagnostics,
  ) {}

  /** Null when the file could not be read at all, which is told. */
  read(path: string, asked: Span | null, isProject: boolean): (Top & { source: Span['source'] }) | null {
    const source = this.files.read(path, asked);
    if (source === null) return null;
    const documents = parseYaml(source, this.spent, this.told);
    if (documents === null) {
      if (isProject && /^include[ \t]*:/m.test(source.text))
        this.told.addHelp('Included files are read once this file can be.');
      return null;
    }
    if (documents.length === 0 && !isProject) tellEmpty(source, this.told);
    const top = readTop(documents, isProject, this.told);
    // That is told, and settings that are missing only follow from it.
    if (isProject && documents.length > 0 && documents.every(({ type }) => type !== 'map')) return null;
    return { ...top, source };
  }
}
