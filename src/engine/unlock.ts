import type { LockInfo } from '../model/inventory.js';
import { isReadOnly, readOnlyRefusal } from '../model/read-only.js';
import { openProject, type ProjectOptions } from './project.js';
import { openStore } from './session.js';

export interface Unlocked {
  /** The file or the branch of the inventory. */
  readonly inventory: string;
  /** Who held the lock; null when nobody did. */
  readonly holder: LockInfo | null;
  readonly removed: boolean;
}

/**
 * Takes the lock of the inventory from a run that is dead. Needs neither the service nor an API key.
 * @param confirm is asked whether that run is dead, if there is one.
 * @throws Problem when another run holds the lock by the time of the answer.
 */
export async function unlock(
  options: ProjectOptions,
  confirm: (holder: LockInfo, inventory: string) => Promise<boolean>,
): Promise<Unlocked> {
  if (isReadOnly(options.env)) throw readOnlyRefusal();
  const { project } = openProject({ ...options, without: 'settings' });
  const store = openStore(project, options);
  const holder = await store.holder();
  const removed = holder !== null && (await confirm(holder, store.name));
  if (removed) await store.unlock(holder);
  return { inventory: store.name, holder, removed };
}
