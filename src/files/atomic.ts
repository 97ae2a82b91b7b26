import {
  accessSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Problem, problem } from '../model/diagnostic.js';
import { errnoOf, reasonOf } from './errno.js';
import { createFlushed, flushFolder, removeIfPossible, temporaryFor } from './new-file.js';
import { writeSecret } from './secret-file.js';

/** No inventory and no plan is larger. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Writes a whole file, or keeps the old one: flushed to the disk together with its folder. Only regular files are
 * replaced; their owner and, unless `mode` is given, their rights stay. Throws a Problem `unwritable-file`.
 * Packages for this take a write that the disk accepted only half of for a complete one.
 */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  const old = regularFileAt(path);
  const temporary = temporaryFor(path);
  try {
    const prepare = (file: number) => {
      if (old !== undefined) keepOwner(file, old);
      const rights = mode ?? old?.mode;
      if (rights !== undefined) fchmodSync(file, rights & 0o777);
    };
    createFlushed(temporary, text, { mode, prepare });
    renameSync(temporary, path);
    flushFolder(dirname(path));
  } catch (failure) {
    removeIfPossible(temporary);
    throw unwritable(path, failure, 'Check the folder, its permissions and the free space.');
  }
}

/** For an administrator who works in another user's folder. Other users may not do this, and need not. */
function keepOwner(file: number, { uid, gid }: Stats): void {
  if (process.getuid?.() === 0) fchownSync(file, uid, gid);
}

/** Checks before the work begins that its result can be written. Throws a Problem `unwritable-file`. */
export function checkWritable(path: string): void {
  regularFileAt(path);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (failure) {
    throw unwritable(path, failure, nameAnother);
  }
}

/**
 * The text of a regular file; null when there is none. Throws a Problem for anything else: reading a pipe could hang
 * forever. `name` is how messages name the file, such as `the plan plan.json`.
 */
export function readRegular(path: string, name: string): string | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return null;
    if (!file.isFile()) throw problem('unreadable-file', `${name} is not a regular file`);
    if (file.size > MAX_FILE_BYTES) throw problem('limit-exceeded', `${name} is larger than 256 MiB`);
    return readFileSync(path, 'utf8');
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    throw problem('unreadable-file', `cannot read ${name}: ${reasonOf(failure)}`, 'Check its permissions.');
  }
}

/** A Problem `unwritable-file` about a path that cannot be written. */
export function unwritable(path: string, failure: unknown, help: string): Problem {
  return problem('unwritable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
}

const nameAnother = 'Name a file in a folder that exists and is writable.';

/** The file to replace. A link could lead anywhere, and a device would turn into a file: throws a Problem for those. */
function regularFileAt(path: string): Stats | undefined {
  const existing = lstatOf(path);
  if (existing === undefined || existing.isFile()) return existing;
  const what = existing.isSymbolicLink()
    ? 'a symbolic link'
    : existing.isDirectory()
      ? 'a folder'
      : 'not a regular file';
  const help = 'Name a regular file: roster writes to nothing else.';
  throw problem('unwritable-file', `${path} is ${what}`, help);
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (failure) {
    throw unwritable(path, failure, nameAnother);
  }
}

/**
 * Permissions do not reveal a full or read-only disk, so this writes a dummy secret in the same way. Throws
 * the system's error.
 */
export function proveWritable(folder: string): void {
  const probe = temporaryFor(join(folder, 'probe'));
  try {
    writeSecret(probe, 'x'.repeat(64));
    rmSync(probe);
  } catch (failure) {
    removeIfPossible(probe);
    throw failure;
  }
}
