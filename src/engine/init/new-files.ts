import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../files/errno.js';
import { createFlushed } from '../../files/new-file.js';
import { type Problem, problem } from '../../model/diagnostic.js';

/** What exists where a new file should go: nothing, a file, or something that is never written to. */
export type Occupant = 'nothing' | 'file' | 'link' | 'other';

/** Follows the path from the root one name at a time: a link on the way could lead anywhere. */
export function occupantOf(root: string, path: string): Occupant {
  const names = path.split('/');
  for (const [index] of names.entries()) {
    const found = lookAt(join(root, ...names.slice(0, index + 1)));
    if (found === undefined) return 'nothing';
    if (found.isSymbolicLink()) return 'link';
    const asExpected = index === names.length - 1 ? found.isFile() : found.isDirectory();
    if (!asExpected) return 'other';
  }
  return 'file';
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (failure) {
    throw unwritable(path, failure);
  }
}

/** Writes a file in place of another, whole or not at all. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.roster-tmp`;
  try {
    createFlushed(temporary, text, {});
    renameSync(temporary, path);
  } catch (failure) {
    throw unwritable(path, failure);
  }
}

interface NewPath {
  readonly path: string;
  remove(): void;
}

/** Writes all files or none: when one fails, those that were written before are removed. Never overwrites a file. */
export function createAll(files: readonly { readonly path: string; readonly text: string }[]): void {
  const made: NewPath[] = [];
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path), made);
      const prepare = () => void made.push({ path, remove: () => rmSync(path) });
      createFlushed(path, text, { prepare });
    } catch (failure) {
      throw unwritable(path, failure, removeAll(made));
    }
  }
}

/** In reverse order. Returns what could not be removed. */
function removeAll(made: readonly NewPath[]): readonly string[] {
  return made.toReversed().flatMap(({ path, remove }) => {
    try {
      remove();
      return [];
    } catch {
      return [path];
    }
  });
}

function makeFolder(path: string, made: NewPath[]): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push({ path, remove: () => rmdirSync(path) });
}

function unwritable(path: string, failure: unknown, left: readonly string[] = []): Problem {
  const outcome = left.length === 0 ? 'Nothing was written.' : `Left behind: ${left.join(', ')}.`;
  const help = `${outcome} Check the folder, its permissions and the free space.`;
  return problem('unwritable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
}
