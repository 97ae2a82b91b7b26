import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { createFlushed, flushFolder, makeFolders, removeIfPossible, temporaryFor } from './new-file.js';

/** The folder of roster's own files in a project. Git ignores all of it, by the `.gitignore` in it. */
const OWN_FOLDER = '.roster';

/** The folder of keys that could not be delivered, relative to the project's. */
export const RESCUED_FOLDER = `${OWN_FOLDER}/rescued`;

const ignoreAll = '*\n';

/** Why the folder of kept keys cannot be trusted; null when it can. A pull request may have brought anything. */
export function rescuedFolderFault(root: string): string | null {
  const expected = [
    { name: OWN_FOLDER, is: (file: Stats) => file.isDirectory(), kind: 'folder' },
    { name: `${OWN_FOLDER}/.gitignore`, is: (file: Stats) => file.isFile(), kind: 'file' },
    { name: RESCUED_FOLDER, is: (file: Stats) => file.isDirectory(), kind: 'folder' },
  ];
  for (const { name, is, kind } of expected) {
    const file = lstatSync(join(root, name), { throwIfNoEntry: false });
    if (file === undefined || is(file)) continue;
    if (file.isSymbolicLink()) return `${name} is a symbolic link`;
    return `${name} is not a ${kind}`;
  }
  return null;
}

/** Creates the folder of kept keys, for its owner alone. Returns its path. Throws when it cannot be trusted or written. */
export function prepareRescuedFolder(root: string): string {
  const fault = rescuedFolderFault(root);
  if (fault !== null) throw new Error(fault);
  const [own, rescued] = [join(root, OWN_FOLDER), join(root, RESCUED_FOLDER)];
  makeFolders(own, 0o700);
  // Before anything else is in it.
  writeGitignore(own);
  makeFolders(rescued, 0o700);
  if ((lstatSync(rescued).mode & 0o777) !== 0o700) chmodSync(rescued, 0o700);
  return rescued;
}

/** A folder above a nested `.gitignore` decides: what it ignores cannot be included again below. */
function writeGitignore(own: string): void {
  const path = join(own, '.gitignore');
  const existing = lstatSync(path, { throwIfNoEntry: false });
  if (existing?.size === ignoreAll.length && readFileSync(path, 'utf8') === ignoreAll) return;
  const temporary = temporaryFor(path);
  try {
    createFlushed(temporary, ignoreAll, { mode: 0o644 });
    renameSync(temporary, path);
    flushFolder(own);
  } catch (failure) {
    removeIfPossible(temporary);
    throw failure;
  }
}

/** The names of the kept keys; none if the folder cannot be trusted. */
export function rescuedFiles(root: string): readonly string[] {
  try {
    return rescuedFolderFault(root) === null ? readdirSync(join(root, RESCUED_FOLDER)).sort() : [];
  } catch {
    // A folder that does not exist or cannot be read holds no key of ours.
    return [];
  }
}
