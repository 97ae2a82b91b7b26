import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { isJsonObject, parseJson } from '../model/json.js';

export interface Holder {
  readonly token: string;
  /** Missing where git and CI know nobody. */
  readonly person?: string | undefined;
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

export interface LeaseClock {
  now(): Date;
  /** Milliseconds since any moment: a clock that nobody sets. */
  monotonic(): number;
}

export interface LeaseOptions {
  readonly clock?: LeaseClock;
  /** The longest time from asking `lost` to the end of the request that follows. Default: 30,000. */
  readonly longestRequestMs?: number;
}

export const systemClock: LeaseClock = { now: () => new Date(), monotonic: () => performance.now() };

export const RENEWAL_MS = 60_000;
/** A run starts no request this long after the last renewal that succeeded: two may fail. */
const HOLD_MS = 150_000;
/** A margin for the time that a request takes to reach the service, and for clocks that run slightly fast. */
const MARGIN_MS = 20_000;
/** The lease of a lock that does not say a valid one. */
const UNKNOWN_LEASE_MS = 600_000;

/** A lock that was not renewed for this long belongs to a run that has ended, or that sends nothing more. */
export function leaseOf({ longestRequestMs = 30_000 }: LeaseOptions): number {
  return HOLD_MS + longestRequestMs + MARGIN_MS;
}

/** No `--timeout` is longer than an hour: a longer lease in a lock is not believed. */
export const LONGEST_LEASE_MS = leaseOf({ longestRequestMs: 3_600_000 });

export function readLease(value: unknown): number {
  return typeof value === 'number' && value >= HOLD_MS ? Math.min(value, LONGEST_LEASE_MS) : UNKNOWN_LEASE_MS;
}

export interface Reading {
  readonly monotonic: number;
  readonly wall: number;
}

/** The larger of both: one clock may stand still while the machine sleeps, the other may be set back. */
function passed(from: Reading, to: Reading): number {
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall);
}

/**
 * The lock that this run holds: whether it may still be relied on. Two machines never agree on the time, so each side measures with its own clock only: the holder
 * stops before its lease can end for anyone, and another run takes over what it has itself seen unchanged for a lease.
 */
export class Lease {
  private renewed: Reading;

  /** Create it before the request that takes the lock. */
  constructor(private readonly clock: LeaseClock) {
    this.renewed = this.read();
  }

  read(): Reading {
    return { monotonic: this.clock.monotonic(), wall: this.clock.now().getTime() };
  }

  /** @param before a reading from before the renewal was sent: others may have seen it since. */
  renewedAt(before: Reading): void {
    this.renewed = before;
  }

  isOver(now = this.read()): boolean {
    return passed(this.renewed, now) >= HOLD_MS;
  }
}

/** Watches a lock that another run holds, to take it over once it is not renewed. */
export class LockWatch {
  private seen: { readonly version: string; readonly since: number } | null = null;

  constructor(private readonly clock: LeaseClock) {}

  /**
   * For how many milliseconds the lock must still be seen unchanged before it may be taken over; 0 for now.
   * @param version differs after each renewal; it was read just before.
   */
  left(version: string, leaseMs: number): number {
    const now = this.clock.monotonic();
    if (this.seen?.version !== version) this.seen = { version, since: now };
    return Math.max(0, this.seen.since + leaseMs - now);
  }
}

/** The lock next to the inventory on its branch while a run is in progress. */
export interface StoredLock {
  readonly token: string;
  readonly name: string;
  readonly since: string;
  /** By the clock of the holder: for messages. */
  readonly until: string;
  readonly leaseMs: number;
}

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

export function ageOf(since: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(since)) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}

export function untilOf(now: Date, leaseMs: number): string {
  return new Date(now.getTime() + leaseMs).toISOString();
}

/** A lock that cannot be read counts as one that has just been taken. */
export function readLock(text: string | undefined, now: Date): StoredLock | null {
  if (text === undefined) return null;
  const value = parseJson(text);
  const { token, name, since, until, leaseMs: written } = isJsonObject(value) ? value : {};
  const leaseMs = readLease(written);
  if (typeof token === 'string' && typeof name === 'string' && isTime(since) && isTime(until))
    return { token, name, since, until, leaseMs };
  return {
    token: '',
    name: 'an unknown command',
    since: now.toISOString(),
    until: untilOf(now, leaseMs),
    leaseMs,
  };
}
