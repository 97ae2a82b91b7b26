import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryHistory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
  type RunFacts,
  type RunResult,
} from '../model/inventory.js';
import { Branch, inventoryFile } from './branch.js';
import { checkOwner, lockLost, parse, print, staleInventory, takenOver } from './format.js';
import { type Git, GitFailure, remoteProblem } from './git.js';
import {
  ageOf,
  Lease,
  type LeaseClock,
  type LeaseOptions,
  LockWatch,
  leaseOf,
  RENEWAL_MS,
  readLock,
  type StoredLock,
  systemClock,
  untilOf,
} from './lock-state.js';
import { ciUser, personName } from './person.js';
import { holderName, NO_ADDRESSES, processName, runAddress } from './run-history.js';
import { checkRemote, NoRepository, unnamedRemote, type WorkTree, workTreeOpener } from './work-tree.js';

const lockFile = 'lock.json';

const OUTCOME_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000];

export interface GitStoreOptions extends LeaseOptions {
  /** The project's folder, in a git repository. */
  readonly folder: string;
  /** Finds the work tree of the folder. Default: each store finds it. */
  readonly open?: (() => Promise<WorkTree>) | undefined;
  readonly remote: string;
  readonly ref: string;
  readonly project: string;
  readonly environment: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Before the title of each commit. Default: nothing. */
  readonly messagePrefix?: string | undefined;
  /** The user named the remote, and not only the project. In a submodule nothing else is trusted. */
  readonly isNamed?: boolean;
  /** Milliseconds before each further attempt to save an outcome; more than a minute in total by default. */
  readonly waits?: readonly number[];
}

/**
 * The inventory as commits on its own branch (contract §3). The lock is a push that succeeds only from the commit that
 * was read: it needs no server but the remote, and only one of two runners can succeed. An apply makes two commits, the
 * intent with the lock and the outcome without it, so that the log of the branch shows who changed what, and when.
 */
export function gitStore(options: GitStoreOptions): InventoryStore {
  return new GitStore(options);
}

interface Repository {
  readonly git: Git;
  readonly branch: Branch;
}

class GitStore implements InventoryStore, LockedBranch {
  readonly name: string;
  private opened: Promise<Repository> | null = null;

  readonly waits: readonly number[];
  readonly clock: LeaseClock;
  readonly leaseMs: number;
  private readonly watch: LockWatch;

  constructor(private readonly options: GitStoreOptions) {
    this.waits = options.waits ?? OUTCOME_DELAYS_MS;
    this.clock = options.clock ?? systemClock;
    this.leaseMs = leaseOf(options);
    this.watch = new LockWatch(this.clock);
    this.name = `${options.ref.replace(/^refs\/heads\//, '')} of ${options.remote}`;
  }

  async load(): Promise<Inventory> {
    return (await this.state()).inventory;
  }

  async holder(): Promise<LockInfo | null> {
    const { lock, commit } = await this.state();
    return lock && { ...lock, takeOverMs: this.takeOverMs(lock, commit) };
  }

  async history(): Promise<InventoryHistory> {
    const { commit, lock } = await this.state();
    const commits = commit === null ? [] : await this.reach(({ branch }) => branch.history(commit));
    return { commits, lock, inventoryAt: (hash) => this.inventoryAt(hash) };
  }

  private async inventoryAt(hash: string): Promise<Inventory | null> {
    const files = await this.reach(({ branch }) => branch.read(hash, inventoryFile));
    try {
      return parse(files.get(inventoryFile) ?? '', this.name);
    } catch (failure) {
      if (failure instanceof Problem) return null;
      throw failure;
    }
  }

  async lock(run: RunFacts, expected: Inventory): Promise<Lock> {
    const state = await this.state();
    this.refuseHeld(state);
    if (print(state.inventory) !== print(expected)) throw staleInventory();
    const person = await personName(this.options.env, () => this.reach(async ({ git }) => git));
    return new GitLock(this, state, run, holderName(person, this.runName));
  }

  async unlock({ token }: StoredLock | LockInfo): Promise<void> {
    const { commit, inventory, lock } = await this.state();
    if (lock?.token !== token) throw lockLost(this.name);
    const message = `roster unlock: remove the lock of ${lock.name}\n\nRoster-Step: unlock\n`;
    // It may have been renewed meanwhile: then it is still the same lock.
    if ((await this.advance(commit, inventory, null, message)) === null) await this.unlock(lock);
  }

  refuseHeld({ lock, commit }: BranchState): void {
    if (lock !== null && this.takeOverMs(lock, commit) > 0) throw this.heldBy(lock);
  }

  /** Each renewal is a commit. */
  private takeOverMs({ leaseMs }: StoredLock, commit: string | null): number {
    return this.watch.left(commit ?? '', leaseMs);
  }

  async state(): Promise<BranchState> {
    const { project, environment } = this.options;
    const commit = await this.reach(({ branch }) => branch.tip());
    if (commit === null) return { commit, inventory: emptyInventory(project, environment), lock: null };
    await this.refuseOther(commit);
    const files = await this.reach(({ branch }) => branch.read(commit));
    const inventory = parse(files.get(inventoryFile) ?? '', this.name);
    checkOwner(inventory, this.name, project, environment);
    return { commit, inventory, lock: readLock(files.get(lockFile), this.clock.now()) };
  }

  /** A branch with other files is someone's work, which a commit of the inventory would replace. */
  private async refuseOther(commit: string): Promise<void> {
    const names = await this.reach(({ branch }) => branch.names(commit));
    const others = names.filter((each) => each !== inventoryFile && each !== lockFile);
    if (others.length === 0 && names.includes(inventoryFile)) return;
    const content =
      others.length === 0
        ? `does not contain ${inventoryFile}`
        : `contains other files, such as ${others[0]}`;
    const help =
      'The inventory needs its own branch: set `inventory: { git: { ref: … } }` to one that does not exist.';
    throw problem('invalid-inventory', `the branch ${this.name} is not an inventory: it ${content}`, help);
  }

  async advance(
    from: string | null,
    inventory: Inventory,
    lock: StoredLock | null,
    message: string,
  ): Promise<string | null> {
    const files = new Map([[inventoryFile, print(inventory)]]);
    if (lock !== null) files.set(lockFile, `${JSON.stringify(lock)}\n`);
    const { messagePrefix } = this.options;
    const titled = messagePrefix === undefined ? message : `${messagePrefix} ${message}`;
    return this.reach(async ({ git, branch }) => {
      const to = await branch.commit(from, files, titled, await this.author(git));
      return (await branch.push(from, to)) === 'done' ? to : null;
    });
  }

  async lockedBy(holder: LockInfo): Promise<LockProblem> {
    return this.heldBy(holder);
  }

  heldBy({ name, since, until }: StoredLock | LockInfo): LockProblem {
    const message = `the inventory ${this.name} is locked by ${name} since ${since} (${ageOf(since, this.clock.now())})`;
    const help = `Wait for it with \`--lock-timeout 5m\`. The lock expires at ${until} unless it is renewed; \`roster unlock\` removes it now.`;
    return new LockProblem('locked', message, help);
  }

  get runName(): string {
    const address = runAddress(this.options.env);
    return address === null ? processName() : `${address} (${processName()})`;
  }

  /** Git refuses to commit without a user, as CI often is. The user's own settings win. */
  private async author(git: Git): Promise<Readonly<Record<string, string>>> {
    const { env } = this.options;
    const { name, email } = ciUser(env);
    const isSet = async (setting: string) => Boolean(await git.answer(['config', setting]));
    const [hasName, hasEmail] = await Promise.all([isSet('user.name'), isSet('user.email')]);
    const variables: Record<string, string> = {};
    for (const role of ['AUTHOR', 'COMMITTER']) {
      if (!hasName && !env[`GIT_${role}_NAME`]) variables[`GIT_${role}_NAME`] = name;
      if (!hasEmail && !env[`GIT_${role}_EMAIL`]) variables[`GIT_${role}_EMAIL`] = email;
    }
    return variables;
  }

  private async reach<T>(work: (repository: Repository) => Promise<T>): Promise<T> {
    try {
      this.opened ??= this.open();
      return await work(await this.opened);
    } catch (failure) {
      if (failure instanceof NoRepository) throw this.unreachable(failure.reason, failure.help);
      if (!(failure instanceof GitFailure)) throw failure;
      throw remoteProblem(this.name, failure);
    }
  }

  private async open(): Promise<Repository> {
    const { folder, env, remote, ref, isNamed } = this.options;
    const { open = workTreeOpener(folder, env) } = this.options;
    const workTree = await open();
    await checkRemote(workTree, { remote, ref, home: env['HOME'] });
    if (workTree.outer.length > 0 && isNamed !== true) throw unnamedRemote(remote);
    return { git: workTree.git, branch: new Branch(workTree, remote, ref) };
  }

  private unreachable(reason: string, help: string): Problem {
    return problem('inventory-unavailable', `the inventory ${this.name} cannot be reached: ${reason}`, help);
  }
}

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
class GitLock implements Lock {
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
    private readonly holder: string,
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
    const { clock, leaseMs } = this.store;
    const since = clock.now().toISOString();
    return { token: randomUUID(), name: this.holder, since, until: this.until(), leaseMs };
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

  private outcomeMessage({ result, changes, unsent }: RunResult): string {
    const list = changes.map((each) => `  ${each}\n`).join('');
    const not = unsent === undefined ? '' : `Roster-Unsent: ${unsent.join(' ') || NO_ADDRESSES}\n`;
    return `${this.title}: ${result}\n\n${list}${list === '' ? '' : '\n'}${this.trailers('outcome')}${not}`;
  }

  private get title(): string {
    return `roster ${this.run.command ?? 'apply'}`;
  }

  private trailers(step: string): string {
    const { service, digest, commit = null, reason } = this.run;
    const serviceTime = this.run.serviceTime?.() ?? null;
    // The commit has the time of this machine.
    const time = serviceTime === null ? '' : `Roster-Time: ${serviceTime}\n`;
    const manifests = commit === null ? '' : `Roster-Commit: ${commit}\n`;
    const why = reason === undefined ? '' : `Roster-Reason: ${reason}\n`;
    return `Roster-Step: ${step}\nRoster-Plan: ${digest}\nRoster-Service: ${service}\n${manifests}${why}${time}Roster-Run: ${this.store.runName}\n`;
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
  return problem('inventory-unavailable', `the changes of this command are not recorded: ${why}`, help);
}
