import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../inventory/atomic.js';
import { type Problem, problem } from '../model/diagnostic.js';

/** What is where a file shall be: nothing, a file, or something that is not written to or through. */
export type Occupant = 'nothing' | 'file' | 'link' | 'other';

/** Goes down from the root one name at a time: a link on the way could lead anywhere. */
export function occupantOf(root: string, path: string): Occupant {
  const names = path.split('/');
  for (const [index] of names.entries()) {
    const found = lookAt(join(root, ...names.slice(0, index + 1)));
    if (found === undefined) return 'nothing';
    if (found.isSymbolicLink()) return 'link';
    const asWanted = index === names.length - 1 ? found.isFile() : found.isDirectory();
    if (!asWanted) return 'other';
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

/** Writes all of the files, or none: what was written before one fails is taken away again. Never over an existing one. */
export function createAll(files: readonly { readonly path: string; readonly text: string }[]): void {
  const undo: (() => void)[] = [];
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path), undo);
      create(path, text, undo);
    } catch (failure) {
      for (const each of undo.reverse()) each();
      throw unwritable(path, failure);
    }
  }
}

function makeFolder(path: string, undo: (() => void)[]): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path), undo);
  mkdirSync(path);
  undo.push(() => rmdirSync(path));
}

function create(path: string, text: string, undo: (() => void)[]): void {
  const file = openSync(path, 'wx');
  undo.push(() => rmSync(path));
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function unwritable(path: string, failure: unknown): Problem {
  const help = 'Nothing was written. Check the folder, its rights and the free space.';
  return problem('unreadable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
}
