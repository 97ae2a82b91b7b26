import { existsSync, linkSync, lstatSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, reasonOf } from './errno.js';
import { createFlushed, flushFolder, makeFolders, removeIfPossible, temporaryFor } from './new-file.js';

/** What is at the path of a secret. `replace` allows only what the caller has looked at. */
type IfExists = 'refuse' | 'replace';

/**
 * Writes a secret and a line break: whole or not at all, readable by its owner alone, never through a link, and flushed
 * together with its folder and the folders that it creates. Throws the system's error. A run that is killed meanwhile may
 * leave the secret next to it, in a temporary file.
 */
export function writeSecret(path: string, secret: string, ifExists: IfExists = 'refuse'): void {
  makeFolders(dirname(path), 0o700);
  const temporary = temporaryFor(path);
  try {
    createFlushed(temporary, `${secret}\n`, { mode: 0o600 });
    put(temporary, path, ifExists);
  } catch (failure) {
    removeIfPossible(temporary);
    throw failure;
  }
}

/** The secret has left its file for `path`, but is not flushed there, and cannot be moved back. */
export class UnflushedSecret extends Error {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(`${path} is not flushed: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Moves a file that `writeSecret` wrote. The secret is never in a third place, unless the two folders are on different
 * disks. Throws the system's error: then the file is where it was. Or throws UnflushedSecret.
 */
export function moveSecret(from: string, path: string, ifExists: IfExists = 'refuse'): void {
  makeFolders(dirname(path), 0o700);
  try {
    put(from, path, ifExists);
  } catch (failure) {
    if (errnoOf(failure) !== 'EXDEV') throw failure;
    writeSecret(path, readFileSync(from, 'utf8').trimEnd(), ifExists);
    rmSync(from, { force: true });
  }
}

/** A larger file holds more than one secret. */
const LONGEST_SECRET_BYTES = 4096;

/** The text of a regular file that is not a link, without its line break; null for anything else. */
export function readSecret(path: string): string | null {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined || !file.isFile() || file.size > LONGEST_SECRET_BYTES) return null;
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

/** Whether only its owner can read a file. Windows has no such modes. */
export function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}

/** Unlike a rename, a link does not replace what has appeared at `path` meanwhile. */
function put(from: string, path: string, ifExists: IfExists): void {
  if (ifExists === 'replace') renameSync(from, path);
  else linkSync(from, path);
  try {
    if (ifExists === 'refuse') rmSync(from);
    flushFolder(dirname(path));
  } catch (failure) {
    undoPut(from, path);
    throw existsSync(from) ? failure : new UnflushedSecret(path, failure);
  }
}

function undoPut(from: string, path: string): void {
  try {
    // A rename does nothing where both names belong to one file.
    if (existsSync(from)) rmSync(path);
    else renameSync(path, from);
  } catch {
    // The first failure is reported.
  }
}
