import { lstatSync } from 'node:fs';
import { type LockState, readLockFile } from './lock-state.js';

/** How long a change may take to show in the times of a file: FAT and some network drives count seconds. */
const COARSEST_MS = 2_000;

/**
 * Reads the token of a lock file again and again: an apply does so before every request. The file is not read again
 * while nothing about it has changed: another lock is another file, or has other times.
 */
export class TokenReader {
  private known: { readonly token: string | undefined; readonly version: string } | null = null;
  /** The version that was seen last, and since when. */
  private seen: { readonly version: string | null; readonly since: number } | null = null;

  constructor(
    private readonly path: string,
    /** Milliseconds since any moment. */
    private readonly monotonic: () => number,
    private readonly readFile: (path: string) => LockState | null = readLockFile,
  ) {}

  /** Undefined when there is no lock. */
  read(): string | undefined {
    const version = versionOf(this.path);
    if (version !== null && version === this.known?.version) return this.known.token;
    const now = this.monotonic();
    if (this.seen === null || this.seen.version !== version) this.seen = { version, since: now };
    const token = this.readFile(this.path)?.token;
    // Two changes in quick succession may leave the same times: what was read right after one is not relied on.
    const isSettled = version !== null && now - this.seen.since > COARSEST_MS;
    this.known = isSettled ? { token, version } : null;
    return token;
  }
}

/** Null when there is no file, or nothing is known about it. */
function versionOf(path: string): string | null {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    return file === undefined ? null : `${file.dev} ${file.ino} ${file.size} ${file.mtimeMs} ${file.ctimeMs}`;
  } catch {
    return null;
  }
}
