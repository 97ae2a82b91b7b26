import { lstatSync, readFileSync, type Stats } from 'node:fs';

/** What the lock file says. */
export interface Holder {
  readonly token: string;
  readonly host: string;
  /** The namespace of `pid`: containers with the same host name have their own processes. */
  readonly processes?: string;
  readonly pid: number;
  readonly since: string;
  readonly leaseMs?: number;
}

/** A lock file when it was read. Its modification time says when it was renewed, by the clock of its holder. */
export interface LockState {
  /** Null when it cannot be read: half written by a killed run, for example. */
  readonly holder: Holder | null;
  readonly token: string;
  readonly renewed: number;
  /** What is in place of a lock file, such as `a symbolic link`: a pull request can bring anything. Null if nothing. */
  readonly fault: string | null;
}

/** Many times what a lock file needs. */
const MAX_LOCK_BYTES = 4096;
const unreadable = 'an unreadable lock';

/** Null when there is no lock. Reads only small regular files: a link or a pipe could lead to data without end. */
export function readLockFile(path: string): LockState | null {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file === undefined) return null;
    const fault = faultOf(file);
    const holder = fault === null ? readHolder(path) : null;
    return { holder, token: holder?.token ?? unreadable, renewed: file.mtimeMs, fault };
  } catch {
    // It is not known whose it is.
    return { holder: null, token: unreadable, renewed: 0, fault: null };
  }
}

function faultOf(file: Stats): string | null {
  if (file.isSymbolicLink()) return 'a symbolic link';
  if (file.isDirectory()) return 'a folder';
  if (!file.isFile()) return 'not a regular file';
  return file.size > MAX_LOCK_BYTES ? 'larger than 4 KiB' : null;
}

function readHolder(path: string): Holder | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const holder = value as Partial<Holder> | null;
    return typeof holder?.token === 'string' && typeof holder.pid === 'number' ? (holder as Holder) : null;
  } catch {
    return null;
  }
}
