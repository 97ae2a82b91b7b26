import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createFlushed, flushFolder, removeIfPossible } from './new-file.js';

/**
 * Writes a secret and a line break to a new file: whole or not at all, readable by its owner alone, never over an
 * existing file nor through a link, and flushed together with its folder. Throws the system's error. A run that is
 * killed meanwhile may leave the secret next to it, in a file whose name ends in that of `path`.
 */
export function writeSecret(path: string, secret: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${randomUUID()}.${basename(path)}`);
  const made = [temporary];
  try {
    createFlushed(temporary, `${secret}\n`, { mode: 0o600 });
    linkSync(temporary, path);
    made.push(path);
    rmSync(temporary);
    flushFolder(folder);
  } catch (failure) {
    for (const each of made) removeIfPossible(each);
    throw failure;
  }
}
