import { bugDiagnostic, bugText } from '../../apply/run-state.js';
import { LONGEST_LEASE_MS } from '../../inventory/lock-state.js';
import { type Diagnostic, diagnosticsOf } from '../../model/diagnostic.js';
import {
  type Inventory,
  type Lock,
  type LockInfo,
  LockProblem,
  type RunCommand,
  type RunFacts,
  type RunResult,
} from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import { summarise } from '../../model/plan-view.js';
import { differingServiceTime } from '../clock.js';
import type { Session } from '../session.js';

export interface LockedWork<T> {
  readonly session: Session;
  readonly plan: Plan;
  readonly command?: RunCommand | undefined;
  /** The inventory that the plan was made with. */
  readonly expected: Inventory;
  work(lock: Lock): Promise<T>;
  runResult(value: T, lock: Lock): RunResult;
}

const failed: RunResult = { result: 'incomplete', changes: [] };

/**
 * Holds the lock while `work` runs. Throws a Problem when the lock cannot be taken: then nothing was done. The diagnostics
 * say why it could not be released, which must not hide what was done.
 */
export async function withLock<T>(
  inputs: LockedWork<T>,
): Promise<{ readonly value: T; readonly diagnostics: readonly Diagnostic[] }> {
  const { session, plan, command = 'apply', expected, work, runResult } = inputs;
  const lock = await session.store.lock(factsOf(plan, command, session), expected);
  let value: T;
  try {
    value = await work(lock);
  } catch (failure) {
    await diagnosticsOf(lock.release(failed));
    throw failure;
  }
  return { value, diagnostics: await releaseWith(lock, () => runResult(value, lock)) };
}

/** Not even a bug may keep the lock, or hide what was done. */
async function releaseWith(lock: Lock, runResult: () => RunResult): Promise<readonly Diagnostic[]> {
  const bugs: Diagnostic[] = [];
  const onBug = (bug: unknown) => {
    const message = `recording the result failed: ${bugText(bug)}`;
    bugs.push(bugDiagnostic(message));
  };
  let result = failed;
  try {
    result = runResult();
  } catch (bug) {
    onBug(bug);
  }
  return [...(await diagnosticsOf(lock.release(result), onBug)), ...bugs];
}

function factsOf(plan: Plan, command: RunCommand, session: Pick<Session, 'clock' | 'serviceNow'>): RunFacts {
  const { unchanged: _, ...acting } = summarise(plan.changes);
  const counts = Object.entries(acting).filter(([, count]) => count > 0);
  const verb = (action: string) => (command === 'apply' ? action : command);
  const words = counts.map(([action, count]) => `${count} to ${verb(action)}`).join(', ');
  const { service, digest, checkout } = plan;
  const commit = checkout?.commit ?? null;
  return {
    ...{ command, service, digest, commit, plan: words === '' ? 'nothing to change' : words },
    serviceTime: () => differingServiceTime(session),
  };
}

type Waiting = Pick<Session, 'store' | 'clock'>;
type OnWait = (holder: LockInfo) => void;

/**
 * Runs `attempt` until it does not collide with another run, or the time is up. Every attempt plans again, because the
 * other run has changed what the plan is based on. `onWait` is called each time the lock is found to be held.
 */
export async function waitForLock<T>(
  session: Waiting,
  timeoutMilliseconds: number,
  onWait: OnWait,
  attempt: () => Promise<T>,
): Promise<T> {
  const { clock } = session;
  const deadline = clock.monotonic() + timeoutMilliseconds;
  const left = () => deadline - clock.monotonic();
  for (;;) {
    await untilFree(session, left, onWait);
    try {
      return await attempt();
    } catch (failure) {
      // Another run took the lock first, and this run has changed nothing.
      if (!(failure instanceof LockProblem) || left() <= 0) throw failure;
    }
  }
}

/**
 * Waits until the lock is free or may be taken over. A lock that looks expired is watched for a lease even without time
 * to wait: its run is probably dead. A single renewal shows that it is not, and that the clocks differ. Whatever the
 * store says of it, it is not watched for longer than the longest lease.
 */
async function untilFree({ store, clock }: Waiting, left: () => number, onWait: OnWait): Promise<void> {
  let first: LockInfo | null = null;
  let watchUntil = 0;
  for (;;) {
    const holder = await store.holder();
    if (holder === null || holder.takeOverMs <= 0) return;
    if (first === null) [first, watchUntil] = [holder, clock.monotonic() + LONGEST_LEASE_MS];
    const watches =
      clock.monotonic() <= watchUntil && hasExpired(first, clock.now()) && isUnchanged(first, holder);
    if (!watches && left() <= 0) return;
    onWait(holder);
    await clock.sleep(Math.min(watches ? holder.takeOverMs : left(), pollMilliseconds));
  }
}

function hasExpired({ until }: LockInfo, now: Date): boolean {
  return until !== null && Date.parse(until) <= now.getTime();
}

function isUnchanged(first: LockInfo, now: LockInfo): boolean {
  return first.token === now.token && first.until === now.until;
}

const pollMilliseconds = 2_000;
