import { print } from '../inventory/format.js';
import type { Inventory, LockInfo } from '../model/inventory.js';
import type { ReadSession } from './session.js';

/** Another run, which may have changed the service without having recorded it yet. */
export interface ConcurrentRun {
  /** Such as `process 4711 on runner-7`. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** False if its lock has expired or its process is gone: it has probably died. */
  readonly isAlive: boolean;
}

/** The run that holds the lock; `ended` if a run has changed the inventory since `inventory` was read; null if neither. */
export async function concurrentRun(
  { store, clock }: Pick<ReadSession, 'store' | 'clock'>,
  inventory: Inventory,
): Promise<ConcurrentRun | 'ended' | null> {
  const holder = await store.holder();
  if (holder !== null)
    return { name: holder.name, since: holder.since, isAlive: isAlive(holder, clock.now()) };
  return print(await store.load()) === print(inventory) ? null : 'ended';
}

function isAlive({ alive, takeOverMs, until }: LockInfo, now: Date): boolean {
  if (alive === true) return true;
  return takeOverMs > 0 && (until === null || Date.parse(until) > now.getTime());
}
