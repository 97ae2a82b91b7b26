import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../files/errno.js';
import { problem } from '../model/diagnostic.js';

export interface OutputFile {
  /** What names it, for messages: `--out`. */
  readonly flag: string;
  /** Relative to the working directory. */
  readonly file: string;
}

/** Refuses to overwrite a file of the project, and to write two results to one file. `own` are absolute paths. */
export function checkOutputs(outputs: readonly OutputFile[], own: readonly string[], cwd: string): void {
  if (outputs.length === 0) return;
  const reserved = new Set(own.flatMap((path) => [identityOf(path), identityOf(`${path}.lock`)]));
  const named = new Map<string, string>();
  for (const { flag, file } of outputs) {
    const identity = identityOf(resolve(cwd, file));
    const other = named.get(identity);
    if (reserved.has(identity))
      throw problem('usage', `${flag}: "${file}" is a file of the project itself`, 'Name another file.');
    if (other !== undefined)
      throw problem('usage', `${flag}: "${file}" is already written by ${other}`, 'Name another file.');
    named.set(identity, flag);
  }
}

/**
 * The same for every name of one file. Links and file systems that ignore case give a file several names.
 * What cannot be looked at has its path only: the write will say why.
 */
function identityOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? inItsFolder(path) : `${stats.dev}:${stats.ino}`;
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    return path;
  }
}

function inItsFolder(path: string): string {
  const folder = dirname(path);
  const exists = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return exists ? join(realpathSync(folder), basename(path)) : path;
}
