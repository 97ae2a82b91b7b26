import { basename, dirname, join, posix, resolve } from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { merged } from '../model/merged-diagnostics.js';
import { type Address, addressOf, type KindName, type Project, type Without } from '../model/resource.js';
import { findApiKeys, secretsIn } from '../redact/redactor.js';
import type { YamlUsage } from '../yaml/limits.js';
import { placeOf, Source, type Span } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import type { Entry, Node, ScalarNode } from '../yaml/tree.js';
import { build, Diagnostics, isMissingValue, type PartError } from './diagnostics.js';
import { type EntriesRead, readEntries } from './entries.js';
import { checkAddedVariables } from './environments.js';
import { findProjectFile, ProjectFiles } from './files.js';
import { sections, settingNames } from './generated/validators.js';
import type { IncludeItem } from './include.js';
import type { EntryRead } from './kind-reader.js';
import { PlaceTable } from './places.js';
import { type ProjectReading, type ReadFile, reading, yamlRules } from './reading.js';
import { checkBetween } from './references.js';
import {
  excuseDropped,
  type RemovedAddress,
  readSettings,
  type SettingsRead,
  type WrittenInventory,
} from './settings.js';
import { readTopLevel, reportEmpty, type TopLevel } from './top-level.js';
import { type WrittenProject, writtenProject } from './written.js';

export interface LoadOptions {
  /** `-f`: relative to `cwd`. Default: roster.yaml in `cwd` or the closest parent. */
  readonly file?: string | undefined;
  readonly cwd: string;
  /** The name of the environment to load for; null for the project's own settings. */
  readonly environment: string | null;
  /** The values of `${env.NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports a missing environment variable as a warning. */
  readonly allowMissingEnv?: boolean | undefined;
  /** What to go on without, if it has an error. Default: any error ends the reading. */
  readonly without?: Without | undefined;
  /** The values that `--var` gives variables, by name. Default: none. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  readonly kinds: readonly Kind[];
  /** The version of roster, for `requires`. Without it, every project is read. */
  readonly version?: string;
  /** In place of the project's own `inventory`. */
  readonly inventory?: WrittenInventory | undefined;
  /** The current time, for schedules that have passed; left out where the day must not matter. */
  readonly now?: Date;
  /** What runs for several environments share. Default: nothing. */
  readonly reading?: ProjectReading | undefined;
}

export interface Loaded {
  /** Null when there are errors that the command cannot go on without. The errors of entries are in it (`Project.unread`). */
  readonly project: Project | null;
  /** Everything else that is wrong, in the order of the files and their lines. */
  readonly diagnostics: readonly Diagnostic[];
  /** The same in the form of a manifest, made when it is asked for. Null when there are errors. */
  readonly written: (() => WrittenProject) | null;
  /** The files that could be read and parsed, in that order, with their paths as shown in messages. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
  /** What `policies` of roster.yaml names. The files are not read. */
  readonly policies: NamedPolicies;
  /** Absolute paths of all files of the project, including the inventory and those that could not be read. */
  readonly paths: readonly string[];
  /** False when a file of the project is missing among `files`: why is reported. */
  readonly allFiles: boolean;
}

/** The files with policies that a project names, and what they may refer to. */
export interface NamedPolicies {
  readonly items: readonly IncludeItem[];
  readonly root: string;
  readonly environments: ReadonlySet<string>;
}

/**
 * Reads a project offline: files, variables, schema, entries, and what must fit between them (contract §2). Reads
 * only regular files under the project's folder. Synchronous, because that is several times faster for many files.
 */
export function loadProject(options: LoadOptions): Loaded {
  const diagnostics = new Diagnostics();
  const cwd = resolve(options.cwd);
  const file = findProjectFile(options.file, cwd, diagnostics);
  const { project, written, ...rest } =
    file === null ? nothing([], cwd) : new ProjectLoader(file, { ...options, cwd }, diagnostics).load();
  const all = diagnostics.sorted();
  if (project === null && !diagnostics.failed) throw new Error('a project is refused without a reason');
  if (project === null) return { project, written: null, diagnostics: all, ...rest };
  return { project, written, diagnostics: all.filter(isNoError), ...rest };
}

function isNoError({ severity }: Diagnostic): boolean {
  return severity !== 'error';
}

type LoadedProject = Omit<Loaded, 'diagnostics'>;

function nothing(paths: readonly string[], root: string): LoadedProject {
  const policies = { items: [], root, environments: new Set<string>() };
  return { project: null, written: null, files: [], policies, allFiles: false, paths };
}

interface ManifestFile extends TopLevel {
  readonly source: Source;
}

class ProjectLoader {
  private readonly usage: YamlUsage = { values: 0, collections: 0, expanded: 0 };
  private readonly root: string;
  private readonly name: string;
  private readonly disk: ProjectFiles;
  private readonly reading: ProjectReading;

  constructor(
    private readonly file: string,
    private readonly options: LoadOptions,
    private readonly diagnostics: Diagnostics,
  ) {
    this.root = dirname(file);
    this.name = basename(file);
    this.disk = new ProjectFiles(this.root, options.cwd, diagnostics);
    this.reading = options.reading ?? reading;
  }

  load(): LoadedProject {
    const top = this.manifest(this.name, null);
    if (top === null) return nothing([this.file], this.root);
    const partly = this.options.without !== undefined;
    const read = readSettings(top, { ...this.options, partly }, this.diagnostics);
    const included = this.ofSomeEntries(() =>
      this.reading.include(read.include, this.root, this.diagnostics),
    );
    const others = [...included.paths].filter(([path]) => path !== this.name);
    const manifests = [top, ...others.flatMap(([path, asked]) => this.manifest(path, asked) ?? [])];
    const allFiles =
      read.complete &&
      included.complete &&
      manifests.length === others.length + 1 &&
      top.dropped.every(({ key }) => key.text !== 'include');
    const names = new Set([this.name, ...included.paths.keys()].map((path) => posix.normalize(path)));
    const own = ownPaths(names, read);
    const entries = this.entries(manifests, read, own, allFiles);
    if (allFiles && this.diagnostics.partErrors('values') !== null)
      checkAddedVariables(read.added, top.settings.get('vars'), read.variables, this.diagnostics);
    this.checkInventory(read, names);
    const { written } = read;
    const errors = this.diagnostics.partErrors(this.options.without);
    const part = errors === null ? null : readable(entries, errors);
    return {
      project: part && this.project(top, read, part, manifests),
      written: part && written && writtenBy(written, read, part.list),
      files: manifests.map(({ source }) => ({ file: source.file, text: source.text })),
      policies: { items: read.policies, root: this.root, environments: read.environments.declared },
      allFiles,
      paths: [...own].map((path) => join(this.root, path)),
    };
  }

  /** Null when the file could not be read at all, which is reported. `asked` is what includes it. */
  private manifest(path: string, asked: Span | null): ManifestFile | null {
    const isProject = asked === null;
    const found = isProject
      ? this.disk.read(path, asked)
      : this.ofSomeEntries(() => this.disk.read(path, asked));
    if (found === null) return null;
    if (!isProject) return this.diagnostics.within([found], () => this.included(found));
    this.diagnostics.within([{ some: 'settings' }], () => reportPastedKeys(found, this.diagnostics));
    const { source, documents } = this.read(found, isProject);
    if (documents === null) return null;
    const { version } = this.options;
    if (version !== undefined && !supports(version, documents, this.diagnostics)) return null;
    const top = readTopLevel(documents, isProject, this.diagnostics);
    // That is reported, and missing settings only follow from it.
    if (documents.length > 0 && documents.every(({ type }) => type !== 'map')) return null;
    return { ...top, source };
  }

  /** A file that cannot be read may declare entries. */
  private ofSomeEntries<T>(work: () => T): T {
    return this.diagnostics.within([{ some: 'entries' }], work);
  }

  private included(found: Source): ManifestFile | null {
    reportPastedKeys(found, this.diagnostics);
    const { source, documents } = this.read(found, false);
    if (documents === null) return null;
    if (documents.length === 0) reportEmpty(source, this.diagnostics);
    return { ...readTopLevel(documents, false, this.diagnostics), source };
  }

  private read(source: Source, isProject: boolean): ReadFile {
    const { usage, diagnostics } = this;
    const suggest = diagnostics.suggestions.of;
    const read = this.reading.yaml(source, { usage, suggest, rules: yamlRules });
    const { documents, problems, omitted } = read;
    const last = problems.at(-1);
    const hasIncludes = documents === null && isProject && /^include[ \t]*:/m.test(source.text);
    if (!hasIncludes || last === undefined) diagnostics.yaml(problems, omitted);
    else {
      const help = [last.help, 'Included files are not checked until this file is valid.'].filter(Boolean);
      diagnostics.yaml([...problems.slice(0, -1), { ...last, help: help.join(' ') }], omitted);
    }
    return read;
  }

  private entries(
    manifests: readonly ManifestFile[],
    read: SettingsRead,
    ownPaths: ReadonlySet<string>,
    allFiles: boolean,
  ): EntriesRead {
    const { kinds, now = null, without } = this.options;
    const { variables, scopes: names, scopesComplete, defaults, environments } = read;
    const dropped = manifests.flatMap((each) => each.dropped);
    excuseDropped(dropped, variables);
    const complete = scopesComplete && dropped.every(({ key }) => key.text !== 'scopes');
    const scopes = { names, complete };
    const places = new PlaceTable();
    const more = { ownPaths, now, defaults, environments, places, partly: without !== undefined };
    const context = { kinds, scopes, variables, ...more };
    const parts = manifests.flatMap((each) => each.sections);
    const entries = readEntries(parts, context, this.diagnostics);
    this.diagnostics.within([{ some: 'settings' }], () =>
      checkRemoved(read.removed, entries, this.diagnostics),
    );
    checkBetween(entries, allFiles && !dropped.some(mayContainEntries), this.diagnostics);
    return entries;
  }

  private checkInventory(
    { settings, isValid, inventory: asked }: SettingsRead,
    names: ReadonlySet<string>,
  ): void {
    const isKnown = isValid || this.options.without === 'settings';
    if (settings === null || !isKnown || !('file' in settings.inventory)) return;
    const { file } = settings.inventory;
    if (!names.has(posix.normalize(file))) {
      this.disk.checkInventory(file, asked);
      return;
    }
    const message = `${quoted(file)} is a manifest of this project, and cannot be its inventory`;
    const help = 'Use another file: `inventory: { file: roster.inventory.json }`.';
    this.diagnostics.error('schema', asked, message, { help });
  }

  private project(
    top: ManifestFile,
    read: SettingsRead,
    { list, defaults, elsewhere, existsIn, unread, unreadSettings }: ReadPart,
    manifests: readonly ManifestFile[],
  ): Project | null {
    if (read.settings === null) return null;
    const { removed } = read;
    const { bySection } = defaults;
    return {
      file: top.source.file,
      root: this.root,
      environment: this.options.environment,
      ...read.settings,
      scopes: read.scopes,
      removed: removed.length > 0 ? removed.map(({ address }) => address) : undefined,
      removedPlaces: new Map(removed.map(({ address, span }) => [address, placeOf(span)])),
      defaults: Object.keys(bySection).length > 0 ? bySection : undefined,
      elsewhere: elsewhere.size > 0 ? [...elsewhere.keys()] : undefined,
      existsIn: elsewhere.size > 0 ? existsIn : undefined,
      entries: list.map((each) => each.declared),
      unread,
      unreadSettings,
      secrets: unwritten(read.variables.environment.secrets, manifests, list),
    };
  }
}

/** The entries that can be used, and the errors of the others (`unread` of the project). */
interface ReadPart extends Pick<EntriesRead, 'list' | 'defaults' | 'elsewhere' | 'existsIn'> {
  readonly unread?: readonly Diagnostic[] | undefined;
  readonly unreadSettings?: readonly Diagnostic[] | undefined;
}

/** The only place that decides how each entry is used: as a whole, without a missing value, or not at all. */
function readable(entries: EntriesRead, errors: readonly PartError[]): ReadPart {
  const { defaults, elsewhere, existsIn } = entries;
  const known = { defaults, elsewhere, existsIn };
  if (errors.length === 0) return { ...known, list: entries.list };
  const doubts = new Doubts(errors);
  const list = entries.list.flatMap((each): EntryRead[] => {
    const { address } = each.declared;
    if (!each.sound || doubts.isAbout(address, each.places.key)) return [];
    const lacking = doubts.lacking.get(address);
    return [lacking === undefined ? each : { ...each, declared: { ...each.declared, lacking } }];
  });
  const unread = [...doubts.reported(entries), ...unreported(entries, list, doubts)];
  const settings = merged(errors.flatMap(ofSettings));
  return {
    ...known,
    list,
    unread: unread.length > 0 ? unread : undefined,
    unreadSettings: settings.length > 0 ? settings : undefined,
  };
}

/** The entries that errors put in doubt. */
class Doubts {
  /** The errors of entries that lack nothing but values. */
  readonly lacking = new Map<Address, Diagnostic[]>();
  private readonly addresses = new Set<Address>();
  private readonly files = new Set<string>();
  private readonly kinds = new Set<KindName>();
  private readonly errors: readonly PartError[];

  constructor(errors: readonly PartError[]) {
    this.errors = errors.filter((each) => !isMissingValue(each));
    for (const { about } of this.errors)
      if (typeof about === 'string') this.addresses.add(about);
      else if (about instanceof Source) this.files.add(about.file);
      else if ('kind' in about) this.kinds.add(about.kind);
    for (const each of errors) {
      const { about, finding } = each;
      if (!isMissingValue(each) || typeof about !== 'string' || finding === null) continue;
      this.lacking.set(about, [...(this.lacking.get(about) ?? []), { ...build(finding), address: about }]);
    }
  }

  /** Whether an error of the entry, its file or its kind is reported. */
  isAbout(address: Address, { source }: Span): boolean {
    return this.addresses.has(address) || this.files.has(source.file) || this.isOfKind(address);
  }

  /** Whether it is reported why some entries of a file are not known. */
  isOfSomeIn({ file }: Source): boolean {
    return this.errors.some(
      ({ about, finding }) =>
        typeof about === 'object' && 'some' in about && finding?.span?.source.file === file,
    );
  }

  private isOfKind(address: Address): boolean {
    return [...this.kinds].some((kind) => address.startsWith(addressOf(kind, '')));
  }

  /** Errors of known entries have an address. Errors of unknown entries have none. */
  reported({ addresses, elsewhere }: EntriesRead): Diagnostic[] {
    const here = [...addresses.keys()].filter((address) => !elsewhere.has(address));
    return this.errors.flatMap(({ about, finding }): Diagnostic[] => {
      if (finding === null) return typeof about === 'string' ? [notShown(addresses.get(about), about)] : [];
      const found = build(finding);
      if (typeof about === 'string') return [{ ...found, address: about }];
      if (about instanceof Source) return [found];
      if ('some' in about) return about.some === 'entries' ? [found] : [];
      const own = here.filter((address) => address.startsWith(addressOf(about.kind, '')));
      return own.map((address) => ({ ...found, address }));
    });
  }
}

/** A mistake that many entries have, such as a variable that cannot be resolved, is reported once. */
function unreported(
  { addresses, elsewhere, partial }: EntriesRead,
  list: readonly EntryRead[],
  doubts: Doubts,
): Diagnostic[] {
  const sound = new Set(list.map(({ declared }) => declared.address));
  const found: Diagnostic[] = [];
  for (const [address, key] of addresses)
    if (!sound.has(address) && !elsewhere.has(address) && !doubts.isAbout(address, key))
      found.push(notShown(key, address));
  for (const key of partial.keys())
    if (!doubts.isOfSomeIn(key.source))
      found.push(unreadAt(key, `some entries of \`${key.text}\` cannot be read`));
  return found;
}

/** As warnings: a command that goes on without these settings does not need them. */
function ofSettings({ about, finding }: PartError): Diagnostic[] {
  const isSetting = typeof about === 'object' && 'some' in about && about.some !== 'entries';
  return isSetting && finding !== null ? [{ ...build(finding), severity: 'warning' }] : [];
}

function notShown(key: Span | undefined, address: Address): Diagnostic {
  return { ...unreadAt(key ?? null, `${address} has an error that is reported at another place`), address };
}

function unreadAt(span: Span | null, message: string): Diagnostic {
  const help = 'To see all errors, run `roster validate`.';
  return build({ severity: 'error', code: 'schema', span, message, help });
}

function writtenBy(settings: JsonObject, { environments }: SettingsRead, list: readonly EntryRead[]) {
  return () => writtenProject(settings, environments.declared, list);
}

/** Relative to the project's folder: the manifests, and what the inventories of all environments are kept in. */
function ownPaths(manifests: ReadonlySet<string>, { inventories }: SettingsRead): Set<string> {
  const state = inventories.flatMap((path) => [path, `${path}.lock`]);
  return new Set([...manifests, ...state.map((path) => posix.normalize(path))]);
}

/**
 * An author who writes a secret into a manifest, in whatever spelling, has guessed it. To mask it where the service
 * quotes it would tell that the guess is right.
 */
function unwritten(
  secrets: readonly string[],
  manifests: readonly ManifestFile[],
  entries: readonly EntryRead[],
): string[] {
  if (secrets.length === 0) return [];
  const values = entries.map((each) => JSON.stringify([each.declared.address, each.written]));
  const written = secretsIn([...manifests.map(({ source }) => source.text), ...values], secrets);
  return secrets.filter((secret) => !written.has(secret));
}

const withoutEntries = new Set(settingNames.filter((name) => name !== 'include'));

/** A section that cannot be read or has an unknown name, or files that were not searched for. */
function mayContainEntries({ key, value }: Entry): boolean {
  const isSection = Object.hasOwn(sections, key.text);
  return isSection || key.text === 'include' || (value.type === 'map' && !withoutEntries.has(key.text));
}

/**
 * False, and reported, when the project requires another version of roster. That is found out before anything else: what
 * this version does not know in such a project is not a mistake.
 */
function supports(version: string, documents: readonly Node[], diagnostics: Diagnostics): boolean {
  const node = requiredBy(documents);
  if (node === null || typeof node.value !== 'string') return true;
  const range = node.value;
  if (validRange(range) === null) {
    const message = `\`requires\` must be a semver range, such as \`>=0.2\`, not ${quoted(range)}`;
    diagnostics.error('schema', node, message);
    return true;
  }
  if (satisfies(version, range, { includePrerelease: true })) return true;
  const message = `this project requires roster ${range}, and this is roster ${version}`;
  const help = 'Install a version that the project supports, or change `requires`.';
  diagnostics.error('unsupported-version', node, message, { help });
  return false;
}

function requiredBy(documents: readonly Node[]): ScalarNode | null {
  for (const document of documents) {
    const found = document.type === 'map' ? document.entries.get('requires')?.value : undefined;
    if (found?.type === 'scalar') return found;
  }
  return null;
}

/** Reports API keys anywhere in a file: in values, names and comments, they are in the history of the repository as well. */
function reportPastedKeys(source: Source, diagnostics: Diagnostics): void {
  for (const found of findApiKeys(source.text))
    diagnostics.error(
      'unsafe-text',
      { source, ...found },
      'this looks like an API key, which must not be in a manifest',
      {
        help: 'Remove it, and revoke the key if it is real: it stays in the git history. roster reads its key from `ROSTER_API_KEY`.',
      },
    );
}

/** What is declared, in whatever environment, cannot be removed. */
function checkRemoved(
  removed: readonly RemovedAddress[],
  { addresses }: EntriesRead,
  diagnostics: Diagnostics,
): void {
  for (const { address, span } of removed) {
    const declared = addresses.get(address);
    if (declared === undefined) continue;
    const message = `\`${address}\` is listed under \`removed\`, but is still declared`;
    diagnostics.error('duplicate-entry', span, message, {
      help: 'Remove the entry, or remove its address from `removed`.',
      related: [{ message: 'it is declared here', span: declared }],
    });
  }
}
