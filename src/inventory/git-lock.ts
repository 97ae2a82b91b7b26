import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
import type { Inventory, Lock, LockProblem, RunFacts, RunResult } from '../model/inventory.js';
import { staleInventory, takenOver } from './format.js';
import { Lease, type LeaseClock, RENEWAL_MS, type StoredLock, untilOf } from './lock-state.js';

export interface LockedBranch {
  readonly name: string;
  /** Identifies this run in the history. */
  readonly runName: string;
  /** Milliseconds before each further attempt to save an outcome. */
  readonly waits: readonly number[];
  readonly clock: LeaseClock;
  readonly leaseMs: number;
  state(): Promise<BranchState>;
  /** Pushes a commit to the branch. Returns it; null when another push came first. */
  advance(
    from: string | null,
    inventory: Inventory,
    lock: StoredLock | null,
    message: string,
  ): Promise<string | null>;
  heldBy(lock: StoredLock): LockProblem;
}

export interface BranchState {
  /** Null while the branch does not exist. */
  readonly commit: string | null;
  readonly inventory: Inventory;
  readonly lock: StoredLock | null;
}

/** The two commits of an apply: the intent with the lock, the outcome without it. */
export class GitLock implements Lock {
  /** Null until the first save takes the lock. */
  private held: StoredLock | null = null;
  private lease: Lease;
  private renewal: NodeJS.Timeout | null = null;
  private commit: string | null;
  /** The inventory on the branch until the outcome is known. */
  private intent: Inventory;
  private inventory: Inventory;
  /** Pushes run one after the other: each begins at the commit of the one before. */
  private lastPush: Promise<unknown> = Promise.resolve();
  private takenOver = false;

  constructor(
    private readonly store: LockedBranch,
    private readonly before: BranchState,
    private readonly run: RunFacts,
  ) {
    this.commit = before.commit;
    this.inventory = before.inventory;
    this.intent = before.inventory;
    this.lease = new Lease(store.clock);
  }

  current(): Inventory {
    return this.inventory;
  }

  async save(inventory: Inventory): Promise<void> {
    if (this.takenOver) throw takenOver(this.store.name);
    if (this.held !== null) {
      // `release` pushes it: the intent is already on the branch.
      this.inventory = inventory;
      return;
    }
    const lock = this.newLock();
    this.lease = new Lease(this.store.clock);
    const pushed = await this.store.advance(this.commit, inventory, lock, this.intentMessage());
    const commit = pushed ?? (await this.commitOf(lock));
    if (commit === null) throw await this.whyRefused();
    this.held = lock;
    this.commit = commit;
    this.intent = inventory;
    this.inventory = inventory;
    this.renewal = setInterval(() => void this.renew(), RENEWAL_MS);
    this.renewal.unref();
  }

  async release(result: RunResult): Promise<void> {
    if (this.renewal !== null) clearInterval(this.renewal);
    if (this.held === null) return;
    await this.lastPush;
    await this.pushOutcome(this.outcomeMessage(result), this.held, this.store.waits);
  }

  /** A short network failure must not lose the outcome. */
  private async pushOutcome(message: string, held: StoredLock, waits: readonly number[]): Promise<void> {
    if (this.takenOver) throw takenOver(this.store.name);
    try {
      const commit = await this.store.advance(this.commit, this.inventory, null, message);
      if (commit !== null) return;
      const own = await this.commitOf(held);
      if (own === null) throw takenOver(this.store.name);
      this.commit = own;
    } catch (failure) {
      if (!isUnavailable(failure)) throw failure;
      const [next, ...later] = waits;
      if (next === undefined) throw notRecorded(failure, held);
      await wait(next);
      return this.pushOutcome(message, held, later);
    }
    return this.pushOutcome(message, held, waits);
  }

  lost(): boolean {
    return this.takenOver || (this.held !== null && this.lease.isOver());
  }

  private renew(): Promise<unknown> {
    this.lastPush = this.lastPush.then(() => this.renewNow());
    return this.lastPush;
  }

  private async renewNow(): Promise<void> {
    if (this.held === null || this.takenOver) return;
    const before = this.lease.read();
    const lock = { ...this.held, until: this.until() };
    try {
      const commit = await this.store.advance(this.commit, this.intent, lock, this.renewalMessage());
      if (commit !== null) {
        [this.commit, this.held] = [commit, lock];
        this.lease.renewedAt(before);
        return;
      }
      // An earlier push whose response was lost may have arrived. Its age is unknown, so it renews nothing.
      const own = await this.commitOf(lock);
      if (own === null) this.takenOver = true;
      else this.commit = own;
    } catch {
      // The next renewal may succeed. If none does, `lost` says so before the lease expires.
    }
  }

  /** The newest commit of the branch if it holds this lock: then the answer to our push was lost. */
  private async commitOf({ token }: StoredLock): Promise<string | null> {
    const { commit, lock } = await this.store.state();
    return lock?.token === token ? commit : null;
  }

  private async whyRefused(): Promise<Error> {
    const { lock } = await this.store.state();
    if (lock !== null) return this.store.heldBy(lock);
    return staleInventory();
  }

  private newLock(): StoredLock {
    const { clock, leaseMs, runName: name } = this.store;
    const since = clock.now().toISOString();
    return { token: randomUUID(), name, since, until: this.until(), leaseMs };
  }

  private until(): string {
    return untilOf(this.store.clock.now(), this.store.leaseMs);
  }

  private intentMessage(): string {
    const former = this.before.lock;
    const over =
      former === null ? '' : `\nTakes over the lock of ${former.name}, which expired at ${former.until}.\n`;
    return `${this.title}: ${this.run.plan}\n${over}\n${this.trailers('intent')}`;
  }

  private renewalMessage(): string {
    return `${this.title}: in progress\n\n${this.trailers('renewal')}`;
  }

  private outcomeMessage({ result, changes }: RunResult): string {
    const list = changes.map((each) => `  ${each}\n`).join('');
    return `${this.title}: ${result}\n\n${list}${list === '' ? '' : '\n'}${this.trailers('outcome')}`;
  }

  private get title(): string {
    return `roster ${this.run.command ?? 'apply'}`;
  }

  private trailers(step: string): string {
    const { service, digest, commit = null } = this.run;
    const serviceTime = this.run.serviceTime?.() ?? null;
    // The commit has the time of this machine.
    const time = serviceTime === null ? '' : `Roster-Time: ${serviceTime}\n`;
    const manifests = commit === null ? '' : `Roster-Commit: ${commit}\n`;
    return `Roster-Step: ${step}\nRoster-Plan: ${digest}\nRoster-Service: ${service}\n${manifests}${time}Roster-Run: ${this.store.runName}\n`;
  }
}

function isUnavailable(failure: unknown): failure is Problem {
  return (
    failure instanceof Problem && failure.diagnostics.some((each) => each.code === 'inventory-unavailable')
  );
}

function notRecorded(failure: Problem, { until }: StoredLock): Error {
  const why = failure.diagnostics.map((each) => each.message).join('; ');
  const help = `The lock expires at ${until}; \`roster unlock\` removes it now. Then run \`roster plan\`, which finds the objects by their names.`;
  return problem('inventory-unavailable', `the changes of this run are not recorded: ${why}`, help);
}
