import { type Diagnostic, Problem } from '../model/diagnostic.js';
import {
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
  type RunFacts,
  type RunResult,
} from '../model/inventory.js';
import { type Plan, summarise } from '../model/plan.js';
import type { Session } from './session.js';

export interface Locking<T> {
  readonly session: Session;
  readonly plan: Plan;
  /** The inventory that the plan was made with. */
  readonly expected: Inventory;
  work(lock: Lock): Promise<T>;
  runResult(value: T, lock: Lock): RunResult;
}

export interface Locked<T> {
  readonly value: T;
  /** That the lock could not be given back must not hide what was done. */
  readonly diagnostics: readonly Diagnostic[];
}

const failed: RunResult = { result: 'incomplete', changes: [] };

/** Holds the lock for as long as `work` takes. Throws a Problem when it cannot be had: nothing was done then. */
export async function withLock<T>({
  session,
  plan,
  expected,
  work,
  runResult,
}: Locking<T>): Promise<Locked<T>> {
  const lock = await session.store.lock(factsOf(plan), expected);
  let value: T;
  try {
    value = await work(lock);
  } catch (failure) {
    await releaseLock(lock, failed);
    throw failure;
  }
  return { value, diagnostics: await releaseLock(lock, runResult(value, lock)) };
}

async function releaseLock(lock: Lock, ending: RunResult): Promise<readonly Diagnostic[]> {
  try {
    await lock.release(ending);
    return [];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

function factsOf(plan: Plan): RunFacts {
  const { unchanged: _, ...acting } = summarise(plan.changes);
  const counts = Object.entries(acting).filter(([, count]) => count > 0);
  const words = counts.map(([action, count]) => `${count} to ${action}`).join(', ');
  return { service: plan.service, digest: plan.digest, plan: words === '' ? 'nothing to change' : words };
}

/**
 * Runs `once`, which throws while another run holds the lock or came in between, until it goes through or the time is
 * over. Each time everything is planned afresh: the other run has changed what this one rests on.
 */
export async function waitForLock<T>(
  store: InventoryStore,
  patience: number,
  once: () => Promise<T>,
  onWait: (holder: LockInfo) => void,
): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    if (patience > 0) await untilFree(store, deadline, onWait);
    try {
      return await once();
    } catch (failure) {
      if (!isCrossed(failure) || Date.now() >= deadline) throw failure;
    }
  }
}

async function untilFree(
  store: InventoryStore,
  deadline: number,
  onWait: (holder: LockInfo) => void,
): Promise<void> {
  for (;;) {
    const holder = await store.holder();
    const left = deadline - Date.now();
    if (holder === null || isOver(holder) || left <= 0) return;
    onWait(holder);
    await new Promise((done) => setTimeout(done, Math.min(left, betweenLooks)));
  }
}

const betweenLooks = 2_000;

/** Another run was quicker; nothing was done here. */
function isCrossed(failure: unknown): boolean {
  return failure instanceof LockProblem;
}

function isOver({ until }: LockInfo): boolean {
  return until !== null && Date.parse(until) <= Date.now();
}
