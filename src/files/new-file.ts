import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from './errno.js';

export interface NewFileOptions {
  /** Such as `0o600`, from which the umask takes rights away. */
  readonly mode?: number | undefined;
  /** Called with the open file before it is written, to set its owner and rights. */
  readonly prepare?: (file: number) => void;
}

const { O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Windows has no such flag. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Creates a file and flushes it to the disk. Never writes over an existing file or through a link. Throws the system's
 * error, and may leave a part of the file behind: `removeIfPossible` it then.
 */
export function createFlushed(path: string, text: string, { mode, prepare }: NewFileOptions = {}): void {
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    prepare?.(file);
    // Unlike a single write, this does not take a part for the whole.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a folder, so that a new name in it survives a loss of power. Windows has no way to do that. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For a file that counts as written either way. */
export function flushIfPossible(folder: string): void {
  try {
    flushFolder(folder);
  } catch {
    // Some network file systems cannot flush a folder either.
  }
}

/**
 * Creates a folder with those above it, and flushes their names. Does nothing if it exists. One by one: with `recursive`,
 * Node never returns below `/proc`. Throws the system's error: `EEXIST` for a file of this name, `ENOTDIR` for a file
 * above it.
 */
export function makeFolders(folder: string, mode = 0o777): void {
  const above = dirname(folder);
  try {
    makeFolder(folder, mode);
  } catch (failure) {
    if (errnoOf(failure) !== 'ENOENT' || above === folder) throw failure;
    makeFolders(above, mode);
    makeFolder(folder, mode);
  }
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (failure) {
    // It may be a link to a folder. Some systems report another error than `EEXIST`, such as a read-only disk.
    if (existsSync(folder) && statSync(folder).isDirectory()) return;
    throw failure;
  }
  flushFolder(dirname(folder));
}

const suffix = '.roster-tmp';

/**
 * Where to prepare the content of a file: next to it. Hidden, so that no glob of `include` takes what a killed run left
 * behind for a manifest. The `.gitignore` of `roster init` covers it.
 */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}${suffix}`);
}

/** The name that a temporary file was to get; null for any other name. */
export function nameBehind(name: string): string | null {
  return /^\.(.+)\.[^.]+\.roster-tmp$/.exec(name)?.[1] ?? null;
}

/** No run needs a temporary file for longer than a moment. */
const ABANDONED_MS = 60 * 60_000;

/** Removes the temporary files that killed runs left in a folder. */
export function removeAbandoned(folder: string): void {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith('.') && name.endsWith(suffix));
    for (const path of names.map((name) => join(folder, name)))
      if (Date.now() - lstatSync(path).mtimeMs > ABANDONED_MS) removeIfPossible(path);
  } catch {
    // Another run may be doing the same. What is left does no harm.
  }
}

/** For a temporary file that is no longer needed: it does no harm where it is. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that fails here has failed before, which is reported, or will fail again.
  }
}
