import { accessSync, constants, lstatSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errnoOf, reasonOf } from '../files/errno.js';
import { flushFolder } from '../files/new-file.js';
import { proveWritable } from '../files/probe.js';
import { moveSecret, readSecret, writeSecret } from '../files/secret-file.js';
import { isApiKey } from '../model/key-prefix.js';
import type { HeldKey } from './writer.js';

/** Whether a new key may replace the one that its file holds. */
export type MayReplace = (key: string) => boolean;

/** What a key file must not be, and how thoroughly to check that it can be written. */
export interface DeliveryChecks {
  /** The project's folder, absolute. */
  readonly root: string;
  /** True to write files as a test and remove them; false to check permissions and names only. */
  readonly prove: boolean;
  /** Absolute paths of files that a key must not replace. */
  readonly reserved: readonly string[];
  readonly mayReplace: MayReplace;
}

/** Why a key could not be written to a file of the project; null when it can. */
export function fileFault(
  file: string,
  { root, prove, reserved, mayReplace }: DeliveryChecks,
): string | null {
  const path = resolve(root, file);
  if (reserved.includes(path) || /(^|\/)\.(git|roster)(\/|$)/i.test(file))
    return `a key must not be written to ${file}`;
  if (isOutside(relative(root, path)) || path === resolve(root))
    return `${file} is outside the project's folder`;
  const fault = linkFault(file, root) ?? existingFault(file, path, mayReplace);
  if (fault !== null) return fault;
  const existing = nearestFolder(dirname(path));
  if (!statSync(existing).isDirectory()) return `${relative(root, existing)} is not a folder`;
  const unwritable = prove ? writeFault(existing) : permissionFault(existing);
  return unwritable === null ? null : `the folder of ${file} cannot be written: ${unwritable}`;
}

/** Where a key is delivered: a file of this project, and what may be in it. */
export type Destination = Pick<DeliveryChecks, 'root' | 'mayReplace'>;

/** The checks of `fileFault` may be minutes old. */
export function deliverToFile(
  file: string,
  { root, mayReplace }: Destination,
  { key, path: from }: HeldKey,
): void {
  const path = resolve(root, file);
  const isFormer: MayReplace = (existing) => existing === key || mayReplace(existing);
  const fault = linkFault(file, root) ?? existingFault(file, path, isFormer);
  if (fault !== null) throw new Error(fault);
  const ifExists = exists(path) ? 'replace' : 'refuse';
  if (from === null) writeSecret(path, key, ifExists);
  else if (ifExists === 'replace' && readSecret(path) === key) finishDelivery(path, from);
  else moveSecret(from, path, ifExists);
}

/** A run was killed before it removed the kept file. A rename leaves two names of one file alone. */
function finishDelivery(path: string, from: string): void {
  flushFolder(dirname(path));
  rmSync(from, { force: true });
}

export function removeFile(file: string, root: string, key: string): void {
  const path = resolve(root, file);
  if (exists(path) && readSecret(path) === key) rmSync(path, { force: true });
}

/** Only the file of a previous key is replaced: what else is there would be lost. */
function existingFault(file: string, path: string, mayReplace: MayReplace): string | null {
  if (!exists(path)) return null;
  const text = readSecret(path);
  if (text === null || !isApiKey(text))
    return `${file} already exists, and holds something other than one API key: move it first`;
  if (mayReplace(text)) return null;
  return `${file} holds an API key that is not a former key of this entry, and may be the only copy: move it first, or use another file for each environment`;
}

/** Where a link leads can change at any time, and may be outside the project. */
function linkFault(file: string, root: string): string | null {
  let folder = root;
  for (const name of relative(root, dirname(resolve(root, file))).split(sep)) {
    folder = join(folder, name);
    if (isLink(folder)) return `${file} leads through the symbolic link ${relative(root, folder)}`;
  }
  return isOutside(relative(realpathSync(root), realpathSync(nearestFolder(folder))))
    ? `${file} is outside the project's folder`
    : null;
}

function isLink(path: string): boolean {
  return exists(path) && lstatSync(path).isSymbolicLink();
}

function isOutside(pathFromRoot: string): boolean {
  return pathFromRoot.startsWith('..') || isAbsolute(pathFromRoot);
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (failure) {
    // A part of the path is a file: nothing exists below it.
    if (errnoOf(failure) === 'ENOTDIR') return false;
    throw failure;
  }
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!exists(folder)) folder = dirname(folder);
  return folder;
}

function permissionFault(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (failure) {
    return reasonOf(failure);
  }
}

function writeFault(folder: string): string | null {
  try {
    proveWritable(folder);
    return null;
  } catch (failure) {
    return reasonOf(failure);
  }
}
