import { LONGEST_LEASE_MS } from '../inventory/lock-state.js';
import { Problem, problem } from '../model/diagnostic.js';
import { type LockInfo, LockProblem } from '../model/inventory.js';
import type { Session } from './session.js';

export type Confirmation = 'yes' | 'no' | 'interrupted';

/** A run that does only what its user has seen. `Made` is its plan, with what that was made from. */
export interface ReviewedRun<Made, Result> {
  readonly session: Session;
  readonly options: {
    /** How long to wait for another command to release the lock. Default: 0. */
    readonly lockTimeoutMilliseconds?: number;
  };
  readonly callbacks: {
    /** Called each time another run is found to hold the lock. */
    onWait?(holder: LockInfo): void;
  };
  make(): Promise<Made>;
  /** Shows it, and throws a Problem if it is not allowed. */
  show(made: Made): void;
  /** The result, if nothing has to be confirmed; else null. */
  nothingToDo(made: Made): Promise<Result | null>;
  /** Null when nobody is asked: then it counts as confirmed. */
  ask(made: Made): Promise<Confirmation | null>;
  declined(made: Made): Result;
  /**
   * The user may confirm hours later: makes it again, and throws a Problem if that is no longer what was confirmed.
   */
  makeAgain(confirmed: Made): Promise<Made>;
  /** Takes the lock, and throws a LockProblem if another run was faster. */
  carryOut(made: Made): Promise<Result>;
}

/**
 * Makes, shows, asks and carries out. All of it begins again when another run takes the lock first, because that run has
 * changed what the plan is based on.
 * @throws Problem when nothing was changed.
 */
export async function reviewedRun<Made, Result>(run: ReviewedRun<Made, Result>): Promise<Result> {
  const { session, options, callbacks } = run;
  const onWait = (holder: LockInfo) => {
    if (session.interrupted()) throw nothingChangedYet();
    callbacks.onWait?.(holder);
  };
  try {
    return await waitForLock(session, options.lockTimeoutMilliseconds ?? 0, onWait, () => attempt(run));
  } catch (failure) {
    // How the requests in flight ended is not the reason.
    if (failure instanceof Problem && session.interrupted()) throw nothingChangedYet();
    throw failure;
  }
}

async function attempt<Made, Result>(run: ReviewedRun<Made, Result>): Promise<Result> {
  const made = await run.make();
  run.show(made);
  if (run.session.interrupted()) throw nothingChangedYet();
  const ended = await run.nothingToDo(made);
  if (ended !== null) return ended;
  const answer = await run.ask(made);
  if (answer === 'interrupted' || run.session.interrupted()) throw nothingChangedYet();
  if (answer === 'no') return run.declined(made);
  return run.carryOut(answer === null ? made : await run.makeAgain(made));
}

/** The user has interrupted the run before its first change. */
export function nothingChangedYet(): Problem {
  return problem('interrupted', 'nothing was changed');
}

const POLL_MS = 2_000;

type OnWait = (holder: LockInfo) => void;

/**
 * Runs `attempt` until it does not collide with another run, or the time is up. Every attempt plans again, because the
 * other run has changed what the plan is based on. `onWait` is called each time the lock is found to be held.
 */
export async function waitForLock<T>(
  session: Session,
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
async function untilFree({ store, clock }: Session, left: () => number, onWait: OnWait): Promise<void> {
  let first: LockInfo | null = null;
  let watchUntil = 0;
  for (let hasWaited = false; ; hasWaited = true) {
    const holder = await store.holder();
    if (holder === null || holder.takeOverMs <= 0) return;
    if (first === null) [first, watchUntil] = [holder, clock.monotonic() + LONGEST_LEASE_MS];
    const watches =
      clock.monotonic() <= watchUntil && hasExpired(first, clock.now()) && isUnchanged(first, holder);
    if (!watches && left() <= 0) {
      // Without time to wait, the plan is still made and shown. After it, that would only take longer.
      if (hasWaited) throw await store.lockedBy(holder);
      return;
    }
    onWait(holder);
    await clock.sleep(Math.min(watches ? holder.takeOverMs : left(), POLL_MS));
  }
}

function hasExpired({ until }: LockInfo, now: Date): boolean {
  return until !== null && Date.parse(until) <= now.getTime();
}

function isUnchanged(first: LockInfo, now: LockInfo): boolean {
  return first.token === now.token && first.until === now.until;
}
