import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { errnoOf, reasonOf } from '../files/errno.js';
import { decode, Source, type Span } from '../yaml/source.js';
import { findControl, quoted } from '../yaml/text.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import type { Suggestions } from './suggest.js';

const projectFile = 'roster.yaml';

/** The given roster.yaml, or that in the folder or the closest parent; null when there is none, which is reported. */
export function findProjectFile(
  file: string | undefined,
  cwd: string,
  diagnostics: Diagnostics,
): string | null {
  if (file === '') {
    const help = `For example: \`-f ${projectFile}\`.`;
    diagnostics.error('usage', null, '`-f` requires a file name', { help });
    return null;
  }
  if (file !== undefined) return resolve(cwd, file);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const candidate = join(folder, projectFile);
    if (statOf(candidate) !== null) return candidate;
    if (folder === dirname(folder)) break;
  }
  const other = ['roster.yml', 'roster.json'].find((name) => statOf(join(cwd, name)) !== null);
  const help =
    other === undefined
      ? 'Create one with `roster init`, or select a file with `-f`.'
      : `Rename \`${other}\` to \`${projectFile}\`, or select it with \`-f\`.`;
  const message = `there is no ${projectFile} in this folder or a parent folder`;
  diagnostics.error('missing-setting', null, message, { help });
  return null;
}

/** Reads the files of one project: only regular files, reached without a link, within the limits. */
export class ProjectFiles {
  private bytes = 0;
  private count = 0;
  /** Folders that are known to be real, not links. */
  private readonly folders = new Set<string>();
  private readonly suggestions: PathSuggestions;

  constructor(
    private readonly root: string,
    private readonly cwd: string,
    private readonly diagnostics: Diagnostics,
  ) {
    this.suggestions = new PathSuggestions(root, diagnostics.suggestions);
  }

  /** `path` is relative to the project's folder. `asked` is where the file is named: problems with it are reported there. */
  read(path: string, asked: Span | null): Source | null {
    const absolute = join(this.root, path);
    const name = this.display(absolute);
    const seen = this.look(path);
    if ('message' in seen) return this.refuse(asked, name, seen);
    const many = this.tooMany();
    if (many !== null) return this.refuse(asked, name, many);
    const bytes = this.bytesOf(absolute, name, asked, seen);
    return bytes === null ? null : this.text(bytes, name);
  }

  /** A path as shown in messages: relative to the working directory unless that is longer, with `/`. */
  display(absolute: string): string {
    const fromHere = relative(this.cwd, absolute);
    const path = fromHere.length > absolute.length ? absolute : fromHere;
    return sep === '/' ? path : path.replaceAll(sep, '/');
  }

  /** Reports a path that the inventory must not have: it is never read or written through a link. */
  checkInventory(path: string, asked: Span): void {
    const names = path.split('/');
    const places = names.map((_, index) => join(this.root, ...names.slice(0, index + 1)));
    for (const [index, place] of places.entries()) {
      const last = index === places.length - 1;
      const stats = statOf(place);
      if (stats === null) return;
      if (last ? stats.isFile() : stats.isDirectory()) continue;
      const { message } = refusal(stats, last);
      this.diagnostics.error(
        'unreadable-file',
        asked,
        `the inventory cannot be ${quoted(path)}: ${message}`,
        {
          help: "Use a regular file inside the project's folder: `inventory: { file: … }`.",
        },
      );
      return;
    }
  }

  /** The file at a path, followed from the project's folder one name at a time; or why it is not read. */
  private look(path: string): Stats | UnreadableFile {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder = this.root;
    if (names.includes('..')) return { message: "it is outside the project's folder" };
    for (const name of names) {
      folder = join(folder, name);
      if (this.folders.has(folder)) continue;
      const stats = statOf(folder);
      if (stats === null) return this.nothing(path, 'its folder does not exist');
      if (!stats.isDirectory()) return refusal(stats, false);
      this.folders.add(folder);
    }
    const stats = statOf(join(folder, last));
    if (stats === null) return this.nothing(path, 'it does not exist');
    return stats.isFile() ? stats : refusal(stats, true);
  }

  private nothing(path: string, message: string): UnreadableFile {
    const near = this.suggestions.find(path);
    return near === null ? { message } : { message, help: `Did you mean ${quoted(near)}?` };
  }

  private tooMany(): UnreadableFile | null {
    this.count += 1;
    if (this.count <= limits.files) return null;
    return { code: 'limit-exceeded', message: `the project has more than ${limits.files} files` };
  }

  private bytesOf(absolute: string, name: string, asked: Span | null, seen: Stats): Buffer | null {
    let descriptor: number | undefined;
    try {
      // A link or a pipe that has replaced the file since it was checked is neither followed nor waited for.
      descriptor = openSync(
        absolute,
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      );
      const stats = fstatSync(descriptor);
      const why = this.otherThan(seen, stats) ?? this.tooLarge(stats.size);
      return why === null ? readFileSync(descriptor) : this.refuse(asked, name, why);
    } catch (error) {
      return this.refuse(asked, name, systemRefusal(error));
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** A folder on the way may have become a link since it was checked: then another file was opened. */
  private otherThan(seen: Stats, opened: Stats): UnreadableFile | null {
    if (!opened.isFile()) return refusal(opened, true);
    if (opened.dev === seen.dev && opened.ino === seen.ino) return null;
    return { message: 'it was replaced while it was read' };
  }

  private tooLarge(size: number): UnreadableFile | null {
    this.bytes += size;
    if (size > limits.fileBytes)
      return { code: 'limit-exceeded', message: `the file is larger than ${limits.fileBytes} bytes` };
    const message = `the project's files are larger than ${limits.projectBytes} bytes`;
    return this.bytes > limits.projectBytes ? { code: 'limit-exceeded', message } : null;
  }

  private text(bytes: Buffer, name: string): Source | null {
    const decoded = decode(bytes);
    if ('problem' in decoded) {
      const { problem, offset, before } = decoded;
      const span = { source: new Source(name, before, this.count), start: before.length, end: before.length };
      const message = `${problem} (byte ${offset})`;
      return this.refuse(span, name, { message, help: 'Save the file as UTF-8.' });
    }
    const source = new Source(name, decoded.text, this.count);
    const control = findControl(decoded.text);
    if (control === null) return source;
    const span = { source, start: control.at, end: control.at + 1 };
    this.diagnostics.error('unsafe-text', span, `the file contains ${control.name}, a control character`, {
      help: 'Remove it, or write it as an escape sequence in double quotes.',
    });
    return null;
  }

  private refuse(asked: Span | null, name: string, why: UnreadableFile): null {
    const { code = 'unreadable-file', message, help } = why;
    this.diagnostics.error(code, asked, `${quoted(name)} cannot be read: ${message}`, { help });
    return null;
  }
}

interface UnreadableFile {
  readonly code?: 'limit-exceeded';
  readonly message: string;
  readonly help?: string;
}

function refusal(stats: Stats, last: boolean): UnreadableFile {
  const help = "Only regular files inside the project's folder are read.";
  if (stats.isSymbolicLink())
    return { message: last ? 'it is a symbolic link' : 'its path contains a symbolic link', help };
  if (!last) return { message: 'its parent is not a folder' };
  return { message: stats.isDirectory() ? 'it is a folder' : 'it is not a regular file', help };
}

/** What these mean for a file that is opened without following links; anything but an errno is a bug. */
const openErrors: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ELOOP: 'it is a symbolic link',
  ENXIO: 'it is not a regular file',
};

function systemRefusal(error: unknown): UnreadableFile {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return { message: openErrors[errno] ?? reasonOf(error) };
}

/** Finds the file that was most likely meant by a path that does not exist. */
export class PathSuggestions {
  /** By folder: many paths may be wrong in the same one. */
  private readonly names = new Map<string, readonly string[]>();

  constructor(
    private readonly root: string,
    private readonly suggestions: Suggestions,
  ) {}

  /** The path of a regular file, followed from the root one name at a time and never through a link; null for none. */
  find(path: string): string | null {
    let folder = this.root;
    const found: string[] = [];
    for (const name of path.split('/')) {
      const names = this.namesIn(folder);
      const next = names.includes(name) ? name : this.suggestions.of(name, names, names.length);
      if (next === null) return null;
      found.push(next);
      folder = join(folder, next);
    }
    return statOf(folder)?.isFile() ? found.join('/') : null;
  }

  private namesIn(folder: string): readonly string[] {
    const known = this.names.get(folder);
    if (known !== undefined) return known;
    const names = statOf(folder)?.isDirectory() ? list(folder) : [];
    this.names.set(folder, names);
    return names;
  }
}

/** Sorted, because the order of the disk differs between machines. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    // A hint is not a reason to fail: a folder that cannot be listed has no suggestions.
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** What is at a path, without following links; null when nothing there can be read. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}
