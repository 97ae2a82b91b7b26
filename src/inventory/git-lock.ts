import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
import type { Inventory, Lock, LockProblem, RunFacts, RunResult } from '../model/inventory.js';
import { staleInventory, takenOver } from './format.js';
import { leaseMilliseconds, type StoredLock, untilOf } from './stored-lock.js';

/** Before the lease is over nothing new is begun: what is in flight, with its retries, has to end within it. */
const margin = 4 * 60_000;

/** The inventory's branch, as the lock needs it. */
export interface LockedBranch {
  readonly name: string;
  /** Who this run is, for whoever reads the history. */
  readonly runName: string;
  /** Milliseconds before each further try to write an outcome down. */
  readonly waits: readonly number[];
  state(): Promise<State>;
  /** Puts a commit on the branch; the new commit, or null when somebody else was there first. */
  advance(
    from: string | null,
    inventory: Inventory,
    lock: StoredLock | null,
    message: string,
  ): Promise<string | null>;
  lockedBy(lock: StoredLock): LockProblem;
}

/** What the branch holds at one of its commits. */
export interface State {
  /** Null while there is no branch. */
  readonly commit: string | null;
  readonly inventory: Inventory;
  readonly lock: StoredLock | null;
}

/** One apply's two commits on the branch: the intent with the lock, the outcome without it. */
export class GitLock implements Lock {
  /** Null until the lock is taken by the first save. */
  private held: StoredLock | null = null;
  private renewal: NodeJS.Timeout | null = null;
  private commit: string | null;
  /** What the branch says until the outcome is known. */
  private intent: Inventory;
  private inventory: Inventory;
  /** One push after the other: each begins where the one before ended. */
  private last: Promise<unknown> = Promise.resolve();
  private taken = false;

  constructor(
    private readonly store: LockedBranch,
    private readonly before: State,
    private readonly run: RunFacts,
  ) {
    this.commit = before.commit;
    this.inventory = before.inventory;
    this.intent = before.inventory;
  }

  current(): Inventory {
    return this.inventory;
  }

  async save(inventory: Inventory): Promise<void> {
    if (this.taken) throw takenOver(this.store.name);
    if (this.held !== null) {
      // Written by `release`: what was about to be done is on the branch already.
      this.inventory = inventory;
      return;
    }
    const lock = this.newLock();
    const pushed = await this.store.advance(this.commit, inventory, lock, this.intentMessage());
    const commit = pushed ?? (await this.commitOf(lock));
    if (commit === null) throw await this.beaten();
    this.held = lock;
    this.commit = commit;
    this.intent = inventory;
    this.inventory = inventory;
    this.renewal = setInterval(() => void this.renew(), leaseMilliseconds / 4);
    this.renewal.unref();
  }

  async release(ending: RunResult): Promise<void> {
    if (this.renewal !== null) clearInterval(this.renewal);
    if (this.held === null) return;
    await this.last;
    await this.writeDown(this.outcomeMessage(ending), this.held, this.store.waits);
  }

  /** What was done must not be lost to a network that is away for a moment. */
  private async writeDown(message: string, held: StoredLock, waits: readonly number[]): Promise<void> {
    if (this.taken) throw takenOver(this.store.name);
    try {
      const commit = await this.store.advance(this.commit, this.inventory, null, message);
      if (commit !== null) return;
      const own = await this.commitOf(held);
      if (own === null) throw takenOver(this.store.name);
      this.commit = own;
    } catch (failure) {
      if (!isUnavailable(failure)) throw failure;
      const [next, ...later] = waits;
      if (next === undefined) throw notWritten(failure, held);
      await wait(next);
      return this.writeDown(message, held, later);
    }
    return this.writeDown(message, held, waits);
  }

  lost(): boolean {
    return this.taken || (this.held !== null && Date.parse(this.held.until) - margin <= Date.now());
  }

  private renew(): Promise<unknown> {
    this.last = this.last.then(() => this.renewNow());
    return this.last;
  }

  private async renewNow(): Promise<void> {
    if (this.held === null || this.taken) return;
    const lock = { ...this.held, until: untilOf(new Date()) };
    try {
      const commit = await this.store.advance(this.commit, this.intent, lock, this.renewalMessage());
      const own = commit ?? (await this.commitOf(lock));
      if (own === null) this.taken = true;
      else [this.commit, this.held] = [own, lock];
    } catch {
      // The next renewal may succeed; if none does, `lost` says so before the lease is over.
    }
  }

  /** The branch's newest commit if it holds this very lock: the answer to a push of ours was lost. */
  private async commitOf({ token }: StoredLock): Promise<string | null> {
    const { commit, lock } = await this.store.state();
    return lock?.token === token ? commit : null;
  }

  private async beaten(): Promise<Error> {
    const { lock } = await this.store.state();
    if (lock !== null) return this.store.lockedBy(lock);
    return staleInventory();
  }

  private newLock(): StoredLock {
    const now = new Date();
    return {
      token: randomUUID(),
      name: this.store.runName,
      since: now.toISOString(),
      until: untilOf(now),
    };
  }

  private intentMessage(): string {
    const former = this.before.lock;
    const over =
      former === null ? '' : `\nTakes over the lock of ${former.name}, which ended at ${former.until}.\n`;
    return `roster apply: ${this.run.plan}\n${over}\n${this.trailers('intent')}`;
  }

  private renewalMessage(): string {
    return `roster apply: still at work\n\n${this.trailers('renewal')}`;
  }

  private outcomeMessage({ result, changes }: RunResult): string {
    const list = changes.map((each) => `  ${each}\n`).join('');
    return `roster apply: ${result}\n\n${list}${list === '' ? '' : '\n'}${this.trailers('outcome')}`;
  }

  private trailers(step: string): string {
    const { service, digest } = this.run;
    return `Roster-Step: ${step}\nRoster-Plan: ${digest}\nRoster-Service: ${service}\nRoster-Run: ${this.store.runName}\n`;
  }
}

function isUnavailable(failure: unknown): failure is Problem {
  return (
    failure instanceof Problem && failure.diagnostics.some((each) => each.code === 'inventory-unavailable')
  );
}

function notWritten(failure: Problem, { until }: StoredLock): Error {
  const why = failure.diagnostics.map((each) => each.message).join('; ');
  const help = `The lock stays until ${until}, or until \`roster unlock\`. Then run \`roster plan\`: it finds the objects again by their names.`;
  return problem('inventory-unavailable', `what this run did is not written down: ${why}`, help);
}
