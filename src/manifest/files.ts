import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { decode } from '../yaml/decode.js';
import { Source, type Span } from '../yaml/source.js';
import { findControl, quoted } from '../yaml/text.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { NearPaths } from './near-path.js';
import { codeOf, statOf } from './stat.js';

const projectFile = 'roster.yaml';

/** roster.yaml as named, or in the folder or the nearest parent; null when there is none, which is told. */
export function locate(file: string | undefined, cwd: string, told: Diagnostics): string | null {
  if (file === '') {
    told.error('usage', null, '-f: "" names no file', { help: `For example: -f ${projectFile}` });
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
      ? 'Write a first one there (examples/quickstart shows how), or name a file with -f.'
      : `There is a ${other}: rename it to ${projectFile}, or name it with -f.`;
  told.error('missing-setting', null, `there is no ${projectFile} here or in a folder above`, { help });
  return null;
}

/** Reads the files of one project: regular files alone, reached without a link, within the limits. */
export class Files {
  private bytes = 0;
  private count = 0;
  /** Folders that are known to be real ones. */
  private readonly folders = new Set<string>();
  private readonly near: NearPaths;

  constructor(
    private readonly root: string,
    private readonly cwd: string,
    private readonly told: Diagnostics,
  ) {
    this.near = new NearPaths(root, told);
  }

  /** `path` is relative to the project's folder. `asked` is what wants the file, for what is wrong with it. */
  read(path: string, asked: Span | null): Source | null {
    const absolute = join(this.root, path);
    const name = this.display(absolute);
    const seen = this.look(path);
    if ('code' in seen) return this.refuse(asked, name, seen);
    const many = this.tooMany();
    if (many !== null) return this.refuse(asked, name, many);
    const bytes = this.bytesOf(absolute, name, asked, seen);
    return bytes === null ? null : this.text(bytes, name);
  }

  /** As messages name a file: relative to the working directory, with `/`. */
  display(absolute: string): string {
    const path = relative(this.cwd, absolute);
    return sep === '/' ? path : path.replaceAll(sep, '/');
  }

  /** Tells why the inventory may not stand at a path: it is written where it is read, and never through a link. */
  checkInventory(path: string, asked: Span): void {
    const names = path.split('/');
    const places = names.map((_, index) => join(this.root, ...names.slice(0, index + 1)));
    for (const [index, place] of places.entries()) {
      const last = index === places.length - 1;
      const stats = statOf(place);
      if (stats === null) return;
      if (last ? stats.isFile() : stats.isDirectory()) continue;
      const { code, message } = refusal(stats, last);
      this.told.error(code, asked, `the inventory cannot be ${quoted(path)}: ${message}`, {
        help: "Name a regular file inside the project's folder with `inventory: { file: … }`.",
      });
      return;
    }
  }

  /** The file that a path leads to, going down from the project's folder one name at a time; or why it is not read. */
  private look(path: string): Stats | Refusal {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder = this.root;
    if (names.includes('..'))
      return { code: 'unreadable-file', message: "it is outside the project's folder" };
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

  private nothing(path: string, message: string): Refusal {
    const near = this.near.find(path);
    const help = near === null ? {} : { help: `Did you mean ${quoted(near)}?` };
    return { code: 'unreadable-file', message, ...help };
  }

  private tooMany(): Refusal | null {
    this.count += 1;
    if (this.count <= limits.files) return null;
    return { code: 'limit-exceeded', message: `the project has more than ${limits.files} files` };
  }

  private bytesOf(absolute: string, name: string, asked: Span | null, seen: Stats): Buffer | null {
    let descriptor: number | undefined;
    try {
      // A link or a pipe that took the file's place since it was looked at is neither followed nor waited for.
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

  /** A folder on the way may have become a link since it was looked at: then another file was opened. */
  private otherThan(seen: Stats, opened: Stats): Refusal | null {
    if (!opened.isFile()) return refusal(opened, true);
    if (opened.dev === seen.dev && opened.ino === seen.ino) return null;
    return { code: 'unreadable-file', message: 'another file took its place while it was read' };
  }

  private tooLarge(size: number): Refusal | null {
    this.bytes += size;
    if (size > limits.fileBytes)
      return { code: 'limit-exceeded', message: `the file is larger than ${limits.fileBytes} bytes` };
    if (this.bytes > limits.projectBytes)
      return {
        code: 'limit-exceeded',
        message: `the project's files are larger than ${limits.projectBytes} bytes`,
      };
    return null;
  }

  private text(bytes: Buffer, name: string): Source | null {
    const decoded = decode(bytes);
    if ('problem' in decoded) {
      const { problem, offset, before } = decoded;
      const span = { source: new Source(name, before, this.count), start: before.length, end: before.length };
      const why = `${problem} (byte ${offset})`;
      return this.refuse(span, name, {
        code: 'unreadable-file',
        message: why,
        help: 'Save the file as UTF-8.',
      });
    }
    const source = new Source(name, decoded.text, this.count);
    const control = findControl(decoded.text);
    if (control === null) return source;
    const span = { source, start: control.at, end: control.at + 1 };
    this.told.error('unsafe-text', span, `${control.name}, a control character, stands here`, {
      help: 'Take it out, or write it as an escape in double quotes where it is meant.',
    });
    return null;
  }

  private refuse(asked: Span | null, name: string, why: Refusal): null {
    this.told.error(why.code, asked, `${quoted(name)} cannot be read: ${why.message}`, { help: why.help });
    return null;
  }
}

interface Refusal {
  readonly code: 'unreadable-file' | 'limit-exceeded';
  readonly message: string;
  readonly help?: string;
}

function refusal(stats: Stats, last: boolean): Refusal {
  const code = 'unreadable-file';
  const help = "Only regular files inside the project's folder are read.";
  if (stats.isSymbolicLink())
    return { code, message: last ? 'it is a symbolic link' : 'a symbolic link is on the way to it', help };
  if (!last) return { code, message: 'what should be its folder is none' };
  return { code, message: stats.isDirectory() ? 'it is a folder' : 'it is not a regular file', help };
}

/** Trouble that the file system names, in words; anything else is a bug. */
function systemRefusal(error: unknown): Refusal {
  const code = codeOf(error);
  if (code === undefined) throw error;
  const words: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOENT: 'it does not exist',
    ELOOP: 'it is a symbolic link',
    ENXIO: 'it is not a regular file',
    ENAMETOOLONG: 'its path is too long',
  };
  return { code: 'unreadable-file', message: words[code] ?? `the system says ${code}` };
}
