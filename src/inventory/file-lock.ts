import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { unwritable } from '../files/atomic.js';
import { errnoOf, reasonOf } from '../files/errno.js';
import {
  createFlushed,
  makeFolders,
  removeAbandoned,
  removeIfPossible,
  temporaryFor,
} from '../files/new-file.js';
import { type Problem, problem } from '../model/diagnostic.js';
import type { LockInfo } from '../model/inventory.js';
import {
  type Holder,
  isTime,
  Lease,
  type LeaseClock,
  type LockState,
  LockWatch,
  RENEWAL_MS,
  readLease,
  readLockFile,
} from './lock-state.js';
import { processName } from './run-history.js';

/** Tokens of the locks that this process holds: any other lock with our own pid belongs to a dead run. */
const held = new Set<string>();

/** The lock file next to an inventory. */
export class LockFile {
  private readonly watch: LockWatch;

  constructor(
    readonly path: string,
    private readonly clock: LeaseClock,
    private readonly leaseMs: number,
  ) {
    this.watch = new LockWatch(clock);
  }

  /** Null when another run has the lock. */
  take(): HeldLock | null {
    const holder: Holder = {
      token: randomUUID(),
      host: hostname(),
      processes: processNamespace(),
      pid: process.pid,
      since: this.clock.now().toISOString(),
      leaseMs: this.leaseMs,
    };
    const lease = new Lease(this.clock);
    const taken = this.create(holder) || (this.removeIfAbandoned() && this.create(holder));
    if (taken) removeAbandoned(dirname(this.path));
    return taken ? new HeldLock(this.path, holder.token, lease, this.clock) : null;
  }

  holder(): LockInfo | null {
    const found = readLockFile(this.path);
    if (found === null) return null;
    const { holder, token, renewed, fault } = found;
    const unknown = fault === null ? 'another run' : `another run (its lock file is ${fault})`;
    return {
      token,
      name: holder === null ? unknown : processName(holder.pid, holder.host),
      since: holder !== null && isTime(holder.since) ? holder.since : new Date(renewed).toISOString(),
      until: new Date(renewed + readLease(holder?.leaseMs)).toISOString(),
      takeOverMs: this.takeOverMs(found),
      alive: holder !== null && isLocal(holder) && isAlive(holder),
    };
  }

  /** Removes the lock with this token; false when it is another one. */
  remove(token: string): boolean {
    if (readLockFile(this.path)?.token !== token) return false;
    remove(this.path);
    return true;
  }

  /** The lock file appears with its content or not at all: a temporary file is linked into place. */
  private create(holder: Holder): boolean {
    const temporary = temporaryFor(this.path);
    try {
      makeFolders(dirname(this.path));
      createFlushed(temporary, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
      linkSync(temporary, this.path);
      return true;
    } catch (failure) {
      if (errnoOf(failure) === 'EEXIST') return false;
      throw unwritable(this.path, failure, 'The inventory needs a writable folder.');
    } finally {
      removeIfPossible(temporary);
    }
  }

  /** At once only if its process is known to have ended. */
  private takeOverMs({ holder, token, renewed }: LockState): number {
    if (holder !== null && isLocal(holder) && !isAlive(holder)) return 0;
    return this.watch.left(`${token} ${renewed}`, readLease(holder?.leaseMs));
  }

  /**
   * The lock is moved away and then checked again, so that of two runs that find it abandoned only one removes it, and
   * neither removes the other's new lock. False when it is not abandoned.
   */
  private removeIfAbandoned(): boolean {
    const found = readLockFile(this.path);
    if (found === null) return true;
    if (this.takeOverMs(found) > 0) return false;
    const moved = temporaryFor(this.path);
    try {
      renameSync(this.path, moved);
      const now = readLockFile(moved);
      if (now?.token !== found.token || now.renewed !== found.renewed) linkSync(moved, this.path);
    } catch (failure) {
      if (errnoOf(failure) === 'ENOENT') return true;
      throw irremovable(this.path, failure);
    }
    removeIfPossible(moved);
    return true;
  }
}

/** The lock while this run has it. */
export class HeldLock {
  private readonly renewal: NodeJS.Timeout;

  constructor(
    private readonly path: string,
    private readonly token: string,
    private readonly lease: Lease,
    private readonly clock: LeaseClock,
  ) {
    held.add(token);
    this.renewal = setInterval(() => this.renew(), RENEWAL_MS);
    this.renewal.unref();
  }

  lost(): boolean {
    return this.lease.isOver(this.lease.read()) || readLockFile(this.path)?.token !== this.token;
  }

  release(): void {
    clearInterval(this.renewal);
    held.delete(this.token);
    if (readLockFile(this.path)?.token === this.token) remove(this.path);
  }

  /** Once the lease is over, another run may be about to remove the file: then a renewal would come too late. */
  private renew(): void {
    const before = this.lease.read();
    if (this.lost()) return;
    try {
      utimesSync(this.path, this.clock.now(), this.clock.now());
      this.lease.renewedAt(before);
    } catch {
      // The next renewal may succeed. If none does, `lost` says so before another run takes over.
    }
  }
}

/** Only in the same process namespace can this process see whether another one is alive. */
function isLocal({ host, processes }: Holder): boolean {
  const own = processNamespace();
  // Linux without this information: two containers can have the same host name.
  if (own === '' && process.platform === 'linux') return false;
  return host === hostname() && processes === own;
}

function processNamespace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has these files.
    return '';
  }
}

function isAlive({ pid, token }: Holder): boolean {
  if (pid === process.pid) return held.has(token);
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    // EPERM: it is alive, and belongs to another user.
    return errnoOf(failure) === 'EPERM';
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (failure) {
    throw irremovable(path, failure);
  }
}

function irremovable(path: string, failure: unknown): Problem {
  const help = 'Remove it manually, or run `roster unlock`.';
  return problem('unwritable-file', `cannot remove ${path}: ${reasonOf(failure)}`, help);
}
