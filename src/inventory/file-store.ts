import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { readRegular, unwritable, writeAtomic } from '../files/atomic.js';
import { errnoOf, reasonOf } from '../files/errno.js';
import {
  createFlushed,
  makeFolders,
  removeAbandoned,
  removeIfPossible,
  temporaryFor,
} from '../files/new-file.js';
import { Problem, problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
} from '../model/inventory.js';
import { checkOwner, lockLost, parse, print, staleInventory, takenOver } from './format.js';
import { GitFailure } from './git.js';
import {
  type Holder,
  isTime,
  Lease,
  type LeaseClock,
  type LeaseOptions,
  type LockState,
  LockWatch,
  leaseOf,
  RENEWAL_MS,
  readLease,
  readLockFile,
  systemClock,
} from './lock-state.js';
import { personName } from './person.js';
import { holderName, processName } from './run-history.js';
import { isTracked, NoRepository, openWorkTree, type WorkTree, workTreeOpener } from './work-tree.js';

export interface FileStoreOptions extends LeaseOptions {
  /** Absolute. */
  readonly path: string;
  /** As messages show it. */
  readonly name: string;
  readonly project: string;
  readonly environment: string | null;
  /** For git, which is asked whose lock it is, and whether one in the way is committed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Finds the work tree of the project's folder. Default: the store finds that of the file. */
  readonly open?: (() => Promise<WorkTree>) | undefined;
}

/**
 * The inventory as a JSON file in the repository, with a lock file next to it. The lock keeps two runs on one machine
 * apart; runners on several machines need the store in git.
 */
export function fileStore(options: FileStoreOptions): InventoryStore {
  const { path, name, project, environment, env, clock = systemClock } = options;
  const { open = workTreeOpener(dirname(path), env) } = options;
  const lockFile = new LockFile(`${path}.lock`, clock, leaseOf(options));
  const load = async (): Promise<Inventory> => {
    const text = readRegular(path, `the inventory ${name}`);
    const inventory = text === null ? emptyInventory(project, environment) : parse(text, name);
    checkOwner(inventory, name, project, environment);
    return inventory;
  };
  return {
    name,
    load,
    async lock(_run, expected) {
      const held = lockFile.take(await personName(env, async () => (await open()).git));
      if (held === null) throw await lockedBy(lockFile.holder(), lockFile.path, options);
      try {
        if (print(await load()) !== print(expected)) throw staleInventory();
        return lockOf(held, options, expected);
      } catch (failure) {
        held.release();
        throw failure;
      }
    },
    holder: async () => lockFile.holder(),
    lockedBy: (holder) => lockedBy(holder, lockFile.path, options),
    async unlock({ token }) {
      if (!lockFile.remove(token)) throw lockLost(name);
    },
  };
}

function lockOf(held: HeldLock, { path, name }: FileStoreOptions, expected: Inventory): Lock {
  let current = expected;
  return {
    async save(inventory) {
      if (held.lost()) throw takenOver(name);
      await writeAtomic(path, print(inventory));
      current = inventory;
    },
    current: () => current,
    release: async () => held.release(),
    lost: () => held.lost(),
  };
}

async function lockedBy(
  holder: LockInfo | null,
  lockFile: string,
  { name, env }: FileStoreOptions,
): Promise<LockProblem> {
  const who = holder === null ? 'another command' : `${holder.name} since ${holder.since}`;
  const message = `the inventory ${name} is locked by ${who}`;
  if (await isCommitted(lockFile, env)) {
    const help = `Remove it with \`git rm ${name}.lock\`, commit that, and add it to \`.gitignore\`.`;
    return new LockProblem(
      'locked',
      `${message}: its lock is committed to git, and each checkout restores it`,
      help,
    );
  }
  const help =
    'Wait for it with `--lock-timeout 5m`. If that command was killed, remove its lock with `roster unlock`.';
  return new LockProblem('locked', message, help);
}

/** Also false where git is not available. */
async function isCommitted(path: string, env: FileStoreOptions['env']): Promise<boolean> {
  try {
    return await isTracked(await openWorkTree(dirname(path), env), path);
  } catch (failure) {
    if (failure instanceof NoRepository || failure instanceof GitFailure || failure instanceof Problem)
      return false;
    throw failure;
  }
}

/** Tokens of the locks that this process holds: any other lock with our own pid belongs to a dead run. */
const held = new Set<string>();

/** The lock file next to an inventory. */
class LockFile {
  private readonly watch: LockWatch;

  constructor(
    readonly path: string,
    private readonly clock: LeaseClock,
    private readonly leaseMs: number,
  ) {
    this.watch = new LockWatch(clock);
  }

  /** Null when another run has the lock. */
  take(person: string | null): HeldLock | null {
    const holder: Holder = {
      token: randomUUID(),
      person: person ?? undefined,
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
    const unknown = fault === null ? 'another command' : `another command (its lock file is ${fault})`;
    return {
      token,
      name: holder === null ? unknown : nameOf(holder),
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

class HeldLock {
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

function nameOf({ person, pid, host }: Holder): string {
  return holderName(typeof person === 'string' ? person : null, processName(pid, host));
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
