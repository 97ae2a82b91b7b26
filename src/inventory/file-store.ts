import { dirname } from 'node:path';
import { readRegular, writeAtomic } from '../files/atomic.js';
import { Problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
} from '../model/inventory.js';
import { isTracked } from './checkout.js';
import { type HeldLock, LockFile } from './file-lock.js';
import { checkOwner, lockLost, parse, print, staleInventory, takenOver } from './format.js';
import { GitFailure } from './git.js';
import { type LeaseOptions, leaseOf, systemClock } from './lock-state.js';
import { NoRepository, openWorkTree } from './work-tree.js';

export interface FileStoreOptions extends LeaseOptions {
  /** Absolute. */
  readonly path: string;
  /** As messages show it. */
  readonly name: string;
  readonly project: string;
  readonly environment: string | null;
  /** For git, which is asked only whether a lock in the way is committed. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The inventory as a JSON file in the repository, with a lock file next to it. The lock keeps two runs on one machine
 * apart; runners on several machines need the store in git.
 */
export function fileStore(options: FileStoreOptions): InventoryStore {
  const { path, name, project, environment, clock = systemClock } = options;
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
      const held = lockFile.take();
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
  const who = holder === null ? 'another run' : `${holder.name} since ${holder.since}`;
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
    'Wait for it with `--lock-timeout 5m`. If that run has died, remove its lock with `roster unlock`.';
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
