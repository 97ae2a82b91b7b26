import { closeSync, constants, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

export interface NewFileOptions {
  /** Such as `0o600`, from which the umask takes rights away. */
  readonly mode?: number | undefined;
  /** Called with the open file before it is written, to set its owner and rights. */
  readonly prepare?: (file: number) => void;
}

const { O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Windows has no such flag. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Creates a file and flushes it to the disk. Never writes over an existing file or through a link. Throws the system's
 * error, and may leave a part of the file behind: `removeIfPossible` it then.
 */
export function createFlushed(path: string, text: string, { mode, prepare }: NewFileOptions = {}): void {
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    prepare?.(file);
    // Unlike a single write, this does not take a part for the whole.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a folder, so that a new name in it survives a loss of power. Windows has no way to do that. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For a temporary file that is no longer needed: it does no harm where it is. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A disk that fails here has failed before, which is reported, or will fail again.
  }
}
