import { readdirSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { readRegular } from '../../files/atomic.js';
import { errnoOf } from '../../files/errno.js';
import { problem } from '../../model/diagnostic.js';
import type { Kind } from '../../model/kind.js';
import type { ImportEntry } from '../../pull/import-entries.js';
import { entriesLines, manifestText, type SplitBy, splitIntoFiles } from '../../pull/import-files.js';
import { EditableFile } from '../../yaml/edit/edit-file.js';
import { applyEdits, isObstacle } from '../../yaml/edit/text-edits.js';
import { occupantOf } from '../init/new-files.js';
import { refusePastedKey } from '../pasted-key.js';
import { includes } from '../selectors.js';

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
export interface NewText {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
  readonly entries: readonly ImportEntry[];
}

const DEFAULT_FOLDER = 'imported';

/** `texts` are the files of the project by their paths. */
export function layOut(
  entries: readonly ImportEntry[],
  kinds: readonly Kind[],
  to: ImportDestination,
  texts: ReadonlyMap<string, string>,
): readonly NewText[] {
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
): NewText {
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
export function missingIncludes(
  files: readonly NewText[],
  patterns: readonly string[],
  own: ReadonlySet<string>,
  { root, into }: Pick<ImportDestination, 'root' | 'into'>,
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
