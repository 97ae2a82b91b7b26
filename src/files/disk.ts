import { closeSync, constants, fsyncSync, openSync, rmSync } from 'node:fs';

/** A new name in the folder survives a loss of power, too. Windows cannot be asked for it. */
export function flush(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For what was written aside and is of no use any more: it does no harm where it is. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that fails here has failed before, which is told, or will again.
  }
}
