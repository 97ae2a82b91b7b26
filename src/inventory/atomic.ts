import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { flush, removeIfPossible } from '../files/disk.js';
import { type Problem, problem } from '../model/diagnostic.js';

/** No inventory and no plan is larger; what is, is something else. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Writes a whole file or leaves the old one, flushed to the disk together with its folder. Only regular files are
 * replaced. The packages that do this take a write that the disk took half of for a whole one.
 */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  const old = regularAt(path);
  // Hidden, so that no glob of `include` takes what a killed run left for a manifest.
  const aside = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    writeNew(aside, text, old, mode);
    renameSync(aside, path);
    flush(dirname(path));
  } catch (failure) {
    removeIfPossible(aside);
    throw unwritable(path, failure, 'Check the folder, its rights and the free space.');
  }
}

function writeNew(path: string, text: string, old: Stats | undefined, mode: number | undefined): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    if (old !== undefined) keepOwner(file, old);
    const rights = mode ?? old?.mode;
    if (rights !== undefined) fchmodSync(file, rights & 0o777);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For the administrator who works in somebody else's folder; others may not, and need not. */
function keepOwner(file: number, { uid, gid }: Stats): void {
  if (process.getuid?.() === 0) fchownSync(file, uid, gid);
}

/** Finds before the work begins what would keep its result from being written. Throws a Problem. */
export function checkWritable(path: string): void {
  regularAt(path);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (failure) {
    throw unwritable(path, failure, 'Name a file in a folder that exists and can be written.');
  }
}

/** The text of a regular file; null when there is none. Throws a Problem for anything else: a pipe could hang for ever. */
export function readRegular(path: string, name: string): string | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return null;
    if (!file.isFile()) throw problem('unreadable-file', `${name} is not a regular file`);
    if (file.size > mostBytes) throw problem('limit-exceeded', `${name} is larger than 256 MiB`);
    return readFileSync(path, 'utf8');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === undefined) throw failure;
    throw problem('unreadable-file', `cannot read ${name}: ${reasonOf(failure)}`, 'Check its rights.');
  }
}

/** What is to be replaced. A link could lead anywhere, and a device would be replaced by a file: throws a Problem. */
function regularAt(path: string): Stats | undefined {
  const existing = lookAt(path);
  if (existing === undefined || existing.isFile()) return existing;
  const what = existing.isSymbolicLink() ? 'a link' : existing.isDirectory() ? 'a folder' : 'no regular file';
  throw problem(
    'unreadable-file',
    `${path} is ${what}`,
    'Name a regular file: roster writes to nothing else.',
  );
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (failure) {
    throw unwritable(path, failure, 'Name a file in a folder that exists and can be written.');
  }
}

function unwritable(path: string, failure: unknown, help: string): Problem {
  return problem('unreadable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
}

/** The system's short word for what went wrong, such as EACCES; never a whole message with a path of its own. */
export function reasonOf(failure: unknown): string {
  const code = (failure as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : failure instanceof Error ? failure.message : String(failure);
}
