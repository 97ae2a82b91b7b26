import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { removeIfPossible } from '../files/disk.js';
import { type Problem, problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
} from '../model/inventory.js';
import { readRegular, reasonOf, writeAtomic } from './atomic.js';
import { checkOwner, lockLost, parse, print, staleInventory, takenOver } from './format.js';

interface StoredLock {
  readonly token: string;
  readonly host: string;
  /** What `pid` is a number of: containers of one host name have processes of their own. */
  readonly processes?: string;
  readonly pid: number;
  readonly since: string;
}

/**
 * The inventory as a JSON file in the repository, with a lock file beside it. The lock keeps two runs on one machine
 * apart; runners on several machines need the store in git.
 *
 * @param path absolute; @param name as shown to people
 */
export function fileStore(
  path: string,
  name: string,
  project: string,
  environment: string | null,
): InventoryStore {
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
      const lock = takeLock(path, name, expected);
      try {
        if (print(await load()) !== print(expected)) throw staleInventory();
        return lock;
      } catch (failure) {
        await lock.release(nothingDone);
        throw failure;
      }
    },
    holder: async () => holderOf(`${path}.lock`),
    unlock: async ({ token }) => {
      if (tokenOf(`${path}.lock`) !== token) throw lockLost(name);
      remove(`${path}.lock`);
    },
  };
}

/**
 * A lock that was not renewed for this long is nobody's: its run is dead, on another machine or behind a process id
 * that was given out again. Its file's time of change says when it was renewed.
 */
const leaseMilliseconds = 10 * 60_000;

const nothingDone = { result: 'nothing was changed', changes: [] };

/** Tokens of the locks that this very process holds: a lock of our own pid that is not among them is a dead run's. */
const held = new Set<string>();

function takeLock(path: string, name: string, expected: Inventory): Lock {
  const lockPath = `${path}.lock`;
  const holder: StoredLock = {
    token: randomUUID(),
    host: hostname(),
    processes: processesHere(),
    pid: process.pid,
    since: new Date().toISOString(),
  };
  if (!tryCreate(lockPath, holder)) {
    removeIfDead(lockPath, name);
    if (!tryCreate(lockPath, holder)) throw lockedBy(readHolder(lockPath), name);
  }
  held.add(holder.token);
  const renewal = setInterval(() => renew(lockPath, holder), leaseMilliseconds / 10);
  renewal.unref();
  const lost = () => tokenOf(lockPath) !== holder.token;
  let current = expected;
  return {
    async save(inventory) {
      if (lost()) throw takenOver(name);
      await writeAtomic(path, print(inventory));
      current = inventory;
    },
    current: () => current,
    release: async () => {
      clearInterval(renewal);
      held.delete(holder.token);
      if (!lost()) remove(lockPath);
    },
    lost,
  };
}

/** The lock file appears with its content or not at all: it is written aside and linked into place. */
function tryCreate(lockPath: string, holder: StoredLock): boolean {
  const aside = `${lockPath}.${holder.token}`;
  try {
    mkdirSync(dirname(lockPath), { recursive: true });
    writeFileSync(aside, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 });
    linkSync(aside, lockPath);
    return true;
  } catch (failure) {
    if (reasonOf(failure) === 'EEXIST') return false;
    const help = 'The inventory needs a folder that can be written.';
    throw problem('unreadable-file', `cannot write ${lockPath}: ${reasonOf(failure)}`, help);
  } finally {
    removeIfPossible(aside);
  }
}

/**
 * A lock whose process is gone on this very machine is nobody's. It is moved away before it is judged once more, so
 * that of two runs that find it dead only one removes it, and neither removes the other's new one.
 */
function removeIfDead(lockPath: string, name: string): void {
  const holder = readHolder(lockPath);
  const gone = holder !== null && isOfHere(holder) && !isAlive(holder);
  if (!gone && !isOver(lockPath)) throw lockedBy(holder, name);
  const aside = `${lockPath}.${randomUUID()}`;
  try {
    renameSync(lockPath, aside);
    if (readHolder(aside)?.token !== holder?.token) linkSync(aside, lockPath);
  } catch (failure) {
    if (reasonOf(failure) === 'ENOENT') return;
    throw irremovable(lockPath, failure);
  }
  removeIfPossible(aside);
}

function remove(lockPath: string): void {
  try {
    rmSync(lockPath, { force: true });
  } catch (failure) {
    throw irremovable(lockPath, failure);
  }
}

function irremovable(lockPath: string, failure: unknown): Problem {
  const help = 'Remove it by hand, or with `roster unlock`.';
  return problem('unreadable-file', `cannot remove ${lockPath}: ${reasonOf(failure)}`, help);
}

function renew(lockPath: string, holder: StoredLock): void {
  try {
    if (readHolder(lockPath)?.token === holder.token) utimesSync(lockPath, new Date(), new Date());
  } catch {
    // The next renewal may succeed; whether the lock is still ours is asked before each request.
  }
}

function isOver(lockPath: string): boolean {
  const changed = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined || Date.now() - changed > leaseMilliseconds;
}

/** Only where process numbers mean the same can it be told from here that a process is gone. */
function isOfHere({ host, processes }: StoredLock): boolean {
  return host === hostname() && processes === processesHere();
}

function processesHere(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has them.
    return '';
  }
}

function isAlive({ pid, token }: StoredLock): boolean {
  if (pid === process.pid) return held.has(token);
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    // EPERM: it lives, and belongs to somebody else.
    return reasonOf(failure) === 'EPERM';
  }
}

function readHolder(lockPath: string): StoredLock | null {
  try {
    const value: unknown = JSON.parse(readFileSync(lockPath, 'utf8'));
    const holder = value as Partial<StoredLock> | null;
    return typeof holder?.token === 'string' && typeof holder.pid === 'number'
      ? (holder as StoredLock)
      : null;
  } catch {
    // Gone meanwhile, or half written by a run that died: no holder can be named.
    return null;
  }
}

const unreadable = 'a lock that cannot be read';

/** Null when there is no lock. */
function tokenOf(lockPath: string): string | null {
  const token = readHolder(lockPath)?.token;
  if (token !== undefined) return token;
  try {
    return statSync(lockPath, { throwIfNoEntry: false }) === undefined ? null : unreadable;
  } catch {
    // Nobody can tell whose it is.
    return unreadable;
  }
}

function holderOf(lockPath: string): LockInfo | null {
  const renewed = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs;
  if (renewed === undefined) return null;
  const lock = readHolder(lockPath);
  const since = lock?.since ?? new Date(renewed).toISOString();
  const name = lock === null ? 'another run' : `process ${lock.pid} on ${lock.host}`;
  return {
    token: lock?.token ?? unreadable,
    name,
    since,
    until: new Date(renewed + leaseMilliseconds).toISOString(),
    alive: lock !== null && isOfHere(lock) && isAlive(lock),
  };
}

function lockedBy(holder: StoredLock | null, name: string): Error {
  const who =
    holder === null ? 'another run' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const help = 'Wait for it (--lock-timeout 5m); if that run is dead, `roster unlock` ends its lock.';
  return new LockProblem('locked', `the inventory ${name} is locked by ${who}`, help);
}
