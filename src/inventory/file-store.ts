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
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { readRegular, unwritable, writeAtomic } from '../files/atomic.js';
import { errnoOf, reasonOf } from '../files/errno.js';
import { createFlushed, removeAbandoned, removeIfPossible, temporaryFor } from '../files/new-file.js';
import { type Problem, problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
} from '../model/inventory.js';
import { checkOwner, lockLost, parse, print, staleInventory, takenOver } from './format.js';

interface FileLock {
  readonly token: string;
  readonly host: string;
  /** The namespace of `pid`: containers with the same host name have their own processes. */
  readonly processes?: string;
  readonly pid: number;
  readonly since: string;
}

/**
 * The inventory as a JSON file in the repository, with a lock file next to it. The lock keeps two runs on one machine
 * apart; runners on several machines need the store in git.
 *
 * @param path absolute; @param name as messages show it
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
 * A lock that was not renewed for this long has expired: its run is dead, on another machine or under a process id that
 * was reused. The modification time of the file says when it was renewed.
 */
const LEASE_MS = 10 * 60_000;

const nothingDone = { result: 'nothing was changed', changes: [] };

/** Tokens of the locks that this process holds: any other lock with our own pid belongs to a dead run. */
const held = new Set<string>();

function takeLock(path: string, name: string, expected: Inventory): Lock {
  const lockPath = `${path}.lock`;
  const holder: FileLock = {
    token: randomUUID(),
    host: hostname(),
    processes: processNamespace(),
    pid: process.pid,
    since: new Date().toISOString(),
  };
  if (!tryCreate(lockPath, holder)) {
    removeIfDead(lockPath, name);
    if (!tryCreate(lockPath, holder)) throw lockedBy(readHolder(lockPath), name);
  }
  held.add(holder.token);
  removeAbandoned(dirname(path));
  const renewal = setInterval(() => renew(lockPath, holder), LEASE_MS / 10);
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

/** The lock file appears with its content or not at all: a temporary file is linked into place. */
function tryCreate(lockPath: string, holder: FileLock): boolean {
  const temporary = temporaryFor(lockPath);
  try {
    mkdirSync(dirname(lockPath), { recursive: true });
    createFlushed(temporary, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    linkSync(temporary, lockPath);
    return true;
  } catch (failure) {
    if (errnoOf(failure) === 'EEXIST') return false;
    throw unwritable(lockPath, failure, 'The inventory needs a writable folder.');
  } finally {
    removeIfPossible(temporary);
  }
}

/**
 * A lock whose process ended on this machine is dead. It is moved away and then checked again, so that of two runs that
 * find it dead only one removes it, and neither removes the other's new lock.
 */
function removeIfDead(lockPath: string, name: string): void {
  const holder = readHolder(lockPath);
  const dead = holder !== null && isLocal(holder) && !isAlive(holder);
  if (!dead && !isExpired(lockPath)) throw lockedBy(holder, name);
  const moved = temporaryFor(lockPath);
  try {
    renameSync(lockPath, moved);
    if (readHolder(moved)?.token !== holder?.token) linkSync(moved, lockPath);
  } catch (failure) {
    if (errnoOf(failure) === 'ENOENT') return;
    throw irremovable(lockPath, failure);
  }
  removeIfPossible(moved);
}

function remove(lockPath: string): void {
  try {
    rmSync(lockPath, { force: true });
  } catch (failure) {
    throw irremovable(lockPath, failure);
  }
}

function irremovable(lockPath: string, failure: unknown): Problem {
  const help = 'Remove it manually, or run `roster unlock`.';
  return problem('unwritable-file', `cannot remove ${lockPath}: ${reasonOf(failure)}`, help);
}

function renew(lockPath: string, holder: FileLock): void {
  try {
    if (readHolder(lockPath)?.token === holder.token) utimesSync(lockPath, new Date(), new Date());
  } catch {
    // The next renewal may succeed. Whether the lock is still ours is checked before each request.
  }
}

function isExpired(lockPath: string): boolean {
  const changed = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined || Date.now() - changed > LEASE_MS;
}

/** Only in the same process namespace can this process see whether another one is alive. */
function isLocal({ host, processes }: FileLock): boolean {
  return host === hostname() && processes === processNamespace();
}

function processNamespace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has these files.
    return '';
  }
}

function isAlive({ pid, token }: FileLock): boolean {
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

function readHolder(lockPath: string): FileLock | null {
  try {
    const value: unknown = JSON.parse(readFileSync(lockPath, 'utf8'));
    const holder = value as Partial<FileLock> | null;
    return typeof holder?.token === 'string' && typeof holder.pid === 'number' ? (holder as FileLock) : null;
  } catch {
    // Removed meanwhile, or half written by a killed run: the holder is not known.
    return null;
  }
}

const unreadable = 'an unreadable lock';

/** Null when there is no lock. */
function tokenOf(lockPath: string): string | null {
  const token = readHolder(lockPath)?.token;
  if (token !== undefined) return token;
  try {
    return statSync(lockPath, { throwIfNoEntry: false }) === undefined ? null : unreadable;
  } catch {
    // It is not known whose it is.
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
    until: new Date(renewed + LEASE_MS).toISOString(),
    alive: lock !== null && isLocal(lock) && isAlive(lock),
  };
}

function lockedBy(holder: FileLock | null, name: string): Error {
  const who =
    holder === null ? 'another run' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const help =
    'Wait for it with `--lock-timeout 5m`. If that run has died, remove its lock with `roster unlock`.';
  return new LockProblem('locked', `the inventory ${name} is locked by ${who}`, help);
}
