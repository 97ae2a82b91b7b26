import { readdirSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { readRegular } from '../../files/atomic.js';
import { errnoOf } from '../../files/errno.js';
import { kinds } from '../../kinds/index.js';
import { includes } from '../../manifest/include.js';
import { Problem, problem } from '../../model/diagnostic.js';
import type { Kind } from '../../model/kind.js';
import type { PulledFile } from '../../model/pull.js';
import {
  entriesLines,
  type ImportEntry,
  manifestText,
  type SplitBy,
  splitIntoFiles,
} from '../../pull/import-entries.js';
import { EditableFile } from '../../yaml/edit.js';
import { applyEdits, isObstacle } from '../../yaml/editable.js';
import { refusePastedKey } from '../api-key.js';
import { occupantOf } from '../init/new-files.js';
import { type CheckContext, check, noOverlay, type Overlay } from './check.js';

export interface NewFilesOptions {
  /** The folder of new files. Default: `imported`. */
  readonly out?: string | undefined;
  /** One file for all new entries. */
  readonly into?: string | undefined;
  /** What new files are split by. Default: `kind`. */
  readonly by?: SplitBy | undefined;
}

/** The files of a project as they will be. `texts` are its files by their names as shown, `changed` those with remote values. */
export class FileMaker {
  constructor(
    private readonly wanted: NewFilesOptions,
    private readonly context: CheckContext,
    private readonly texts: ReadonlyMap<string, string>,
  ) {}

  files(entries: readonly ImportEntry[], changed: ReadonlyMap<string, string>) {
    const { root, file } = this.context.session.project;
    const { cwd } = this.context.options;
    const { out, into, by = 'kind' } = this.wanted;
    const paths = new Map([...this.texts.keys()].map((each) => [each, this.pathOf(each)]));
    const now = (each: string) => changed.get(each) ?? this.texts.get(each) ?? '';
    const texts = new Map([...paths].map(([shown, path]) => [path, now(shown)]));
    const destination = { root, cwd, out, into, by };
    const added = layOut(entries, kinds, destination, texts);
    const { patterns } = check(this.context, noOverlay);
    const include = missingIncludes(added, patterns, new Set(paths.values()), destination);
    const result = new Map<string, FileWithEntries>();
    for (const [shown, after] of changed) {
      const path = this.pathOf(shown);
      result.set(path, { path, before: this.texts.get(shown) ?? '', after, entries: [] });
    }
    for (const { path, before, after, entries: own } of added) {
      const original = before === null ? null : (this.original(path) ?? before);
      result.set(path, { path, before: original, after, entries: own });
    }
    if (include.length > 0) {
      const path = this.pathOf(file);
      const last = result.get(path);
      const text = this.withIncludes(last?.after ?? this.texts.get(file) ?? '', include);
      result.delete(path);
      result.set(path, {
        path,
        before: this.texts.get(file) ?? '',
        after: text,
        entries: last?.entries ?? [],
      });
    }
    return { files: [...result.values()], include, overlay: this.overlayOf(result, include) };
  }

  /** The same, to read the project as it will be. */
  private overlayOf(files: ReadonlyMap<string, FileWithEntries>, include: readonly string[]): Overlay {
    const changed = [...this.texts.keys()].flatMap((shown) => {
      const file = files.get(this.pathOf(shown));
      return file === undefined ? [] : [[shown, file.after] as const];
    });
    const added = [...files.values()].filter(({ before }) => before === null);
    return {
      changed: new Map(changed),
      added: added.map(({ path, after }) => ({ file: path, text: after })),
      ahead: new Set(include),
    };
  }

  private original(path: string): string | undefined {
    return [...this.texts].find(([shown]) => this.pathOf(shown) === path)?.[1];
  }

  private withIncludes(before: string, patterns: readonly string[]): string {
    let text = before;
    for (const pattern of patterns) {
      const edited = new EditableFile(text, (each) => each.includes('${')).addToList(
        'include',
        pattern,
        'project',
      );
      if (isObstacle(edited)) {
        const help = `Add \`${pattern}\` to \`include\` yourself, or use \`--into\` with a file of the project.`;
        throw problem('usage', '`include` is written in a form that cannot be extended', help);
      }
      text = applyEdits(text, edited);
    }
    this.checkIncludes(text, patterns);
    return text;
  }

  private checkIncludes(text: string, patterns: readonly string[]): void {
    const { file } = this.context.session.project;
    const checked = check(this.context, {
      changed: new Map([[file, text]]),
      added: [],
      ahead: new Set(patterns),
    });
    if (checked.errors.length > 0) throw new Problem(checked.errors);
    if (patterns.every((each) => checked.patterns.includes(each))) return;
    throw problem(
      'usage',
      '`include` cannot be extended',
      `Add \`${patterns.join('`, `')}\` to \`include\` yourself.`,
    );
  }

  /** The path of a file that is shown relative to the project's folder. */
  private pathOf(shown: string): string {
    const { session, options } = this.context;
    return relative(session.project.root, resolve(options.cwd, shown)).split(sep).join('/');
  }
}

export interface ImportDestination {
  /** Absolute. */
  readonly root: string;
  readonly cwd: string;
  /** As the user named them. */
  readonly out?: string | undefined;
  readonly into?: string | undefined;
  readonly by: SplitBy;
}

/** A new manifest, or one that gets further entries. Paths are relative to the project's folder, with `/`. */
interface FileWithEntries extends PulledFile {
  /** Those that are new in it. */
  readonly entries: readonly ImportEntry[];
}

const DEFAULT_FOLDER = 'imported';

/** `texts` are the files of the project by their paths. */
function layOut(
  entries: readonly ImportEntry[],
  kinds: readonly Kind[],
  to: ImportDestination,
  texts: ReadonlyMap<string, string>,
): readonly FileWithEntries[] {
  if (entries.length === 0) return [];
  if (to.into !== undefined) return [inOneFile(entries, kinds, to, texts)];
  const folder = pathInProject(to.out, DEFAULT_FOLDER, '--out', to);
  const taken = new Set(texts.keys());
  return splitIntoFiles(entries, to.by).map(({ name, entries: own }) => {
    const after = manifestText(own, kinds);
    const path = freePath(posix.join(folder, name), after, to.root, taken);
    taken.add(path);
    return { path, before: null, after, entries: own };
  });
}

function inOneFile(
  entries: readonly ImportEntry[],
  kinds: readonly Kind[],
  to: ImportDestination,
  texts: ReadonlyMap<string, string>,
): FileWithEntries {
  const path = pathInProject(to.into, '', '--into', to);
  if (!/\.ya?ml$/.test(path))
    throw problem(
      'usage',
      `--into: "${path}" is not the name of a manifest`,
      'It must end in `.yaml` or `.yml`.',
    );
  const before = texts.get(path) ?? null;
  const after = before === null ? manifestText(entries, kinds) : appended(before, entries, kinds);
  if (before === null && occupantOf(to.root, path) !== 'nothing' && !isWritten(path, after, to.root))
    throw problem(
      'usage',
      `--into: "${path}" exists and is not a file of this project`,
      'Add it to `include` first, or name another file.',
    );
  return { path, before, after, entries };
}

function appended(before: string, entries: readonly ImportEntry[], kinds: readonly Kind[]): string {
  let text = before;
  for (const kind of kinds) {
    const own = entries.filter((each) => each.kind === kind);
    if (own.length === 0) continue;
    const file = new EditableFile(text, () => false);
    const edited = file.addToSection(kind.section, (indent) => entriesLines(own, indent));
    if (isObstacle(edited)) throw new Error(`entries cannot be added to ${kind.section}`);
    text = applyEdits(text, edited);
  }
  return text;
}

/** Never a file that exists, except one that an interrupted run has written. */
function freePath(path: string, text: string, root: string, taken: ReadonlySet<string>): string {
  const base = path.replace(/\.yaml$/, '');
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${base}-${number}.yaml`;
    if (taken.has(candidate)) continue;
    const occupant = occupantOf(root, candidate);
    if (occupant === 'nothing' || (occupant === 'file' && isWritten(candidate, text, root))) return candidate;
    const folder = posix.dirname(candidate);
    if (
      folder !== '.' &&
      ['file', 'link', 'other'].includes(occupantOf(root, folder)) &&
      !isFolder(root, folder)
    )
      throw problem(
        'unwritable-file',
        `${folder} is not a folder of this project`,
        'Name another folder with `--out`.',
      );
  }
}

function isFolder(root: string, path: string): boolean {
  return occupantOf(root, posix.join(path, '.roster-none')) === 'nothing';
}

function isWritten(path: string, text: string, root: string): boolean {
  return occupantOf(root, path) === 'file' && readRegular(join(root, path), path) === text;
}

/** Only plain names: `include` names the files, and reads nothing hidden. */
function pathInProject(
  named: string | undefined,
  standard: string,
  flag: string,
  { root, cwd }: ImportDestination,
): string {
  refusePastedKey(flag, named);
  const path = named === undefined ? standard : relative(root, resolve(cwd, named)).split(sep).join('/');
  const isPlain = path.split('/').every((name) => /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(name));
  if (path === '' || isPlain) return path;
  const help = 'Name a path in the project folder, of letters, digits and `. _ -`, without hidden names.';
  throw problem('usage', `${flag}: "${named}" cannot be used`, help);
}

/** What `include` must list in addition, so that the new files belong to the project. */
function missingIncludes(
  files: readonly FileWithEntries[],
  patterns: readonly string[],
  own: ReadonlySet<string>,
  { root, into }: ImportDestination,
): readonly string[] {
  const missing = files.filter(
    ({ path, before }) => before === null && !patterns.some((each) => includes(each, path)),
  );
  const folders = new Set(missing.map(({ path }) => posix.dirname(path)));
  const written = new Set(files.map(({ path }) => path));
  return [...folders].flatMap((folder) => {
    const here = missing.filter(({ path }) => posix.dirname(path) === folder).map(({ path }) => path);
    const isOurs = manifestsIn(root, folder).every((each) => own.has(each) || written.has(each));
    return into === undefined && folder !== '.' && isOurs ? [`${folder}/*.yaml`] : here;
  });
}

function manifestsIn(root: string, folder: string): string[] {
  try {
    const names = readdirSync(join(root, folder)).filter((name) => /^[^.].*\.yaml$/.test(name));
    return names.map((name) => posix.join(folder, name));
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    return [];
  }
}
