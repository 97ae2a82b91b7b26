import { randomUUID } from 'node:crypto';
import { problem } from '../model/diagnostic.js';
import {
  type Ending,
  emptyInventory,
  type Holder,
  type Inventory,
  type InventoryStore,
  type Lock,
  LockProblem,
  type RunFacts,
} from '../model/inventory.js';
import { Branch } from './branch.js';
import { checkOwner, parse, print, staleInventory } from './format.js';
import { Git, GitFailure } from './git.js';
import { ciUser, processName, runAddress } from './run-identity.js';

const inventoryFile = 'roster.inventory.json';
const lockFile = 'lock.json';

/** How long a lock holds after it was last renewed. Clocks of two machines may differ by a minute of it. */
const leaseMilliseconds = 10 * 60_000;
/** Before the lease is over nothing new is begun: what is in flight has to end within it. */
const margin = 60_000;

export interface GitStoreOptions {
  /** The folder of the project, in a git repository. */
  readonly folder: string;
  readonly remote: string;
  readonly ref: string;
  readonly project: string;
  readonly environment: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface State {
  readonly commit: string | null;
  readonly inventory: Inventory;
  readonly lock: StoredLock | null;
}

interface StoredLock {
  readonly token: string;
  readonly name: string;
  readonly since: string;
  readonly until: string;
}

/**
 * The inventory as commits on a branch of its own (contract §3). A push that succeeds only from the commit that was
 * read is the lock: no server besides the remote is needed, and of two runners one is always first. An apply is two
 * commits, the intent with the lock and the outcome without, so that the branch's log tells who did what when.
 */
export function gitStore(options: GitStoreOptions): InventoryStore {
  return new GitStore(options);
}

class GitStore implements InventoryStore {
  readonly name: string;
  private readonly git: Git;
  private readonly branch: Branch;

  constructor(private readonly options: GitStoreOptions) {
    this.name = `${options.ref.replace(/^refs\/heads\//, '')} of ${options.remote}`;
    this.git = new Git(options.folder, options.env);
    this.branch = new Branch(this.git, options.remote, options.ref);
  }

  async load(): Promise<Inventory> {
    return (await this.state()).inventory;
  }

  async holder(): Promise<Holder | null> {
    return (await this.state()).lock;
  }

  async lock(run: RunFacts, expected: Inventory): Promise<Lock> {
    const state = await this.state();
    this.refuseHeld(state);
    if (print(state.inventory) !== print(expected)) throw staleInventory();
    return new GitLock(this, state, run);
  }

  async unlock(): Promise<void> {
    const { commit, inventory, lock } = await this.state();
    if (lock === null) return;
    const message = `roster unlock: the lock of ${lock.name} is taken away\n`;
    await this.advance(commit, inventory, null, message);
  }

  refuseHeld({ lock }: State): void {
    if (lock !== null && Date.parse(lock.until) > Date.now()) throw this.lockedBy(lock);
  }

  async state(): Promise<State> {
    const { project, environment } = this.options;
    const commit = await this.reach(() => this.branch.tip());
    if (commit === null) return { commit, inventory: emptyInventory(project, environment), lock: null };
    const files = await this.reach(() => this.branch.read(commit));
    const text = files.get(inventoryFile);
    const inventory = text === undefined ? emptyInventory(project, environment) : parse(text, this.name);
    checkOwner(inventory, this.name, project, environment);
    return { commit, inventory, lock: readLock(files.get(lockFile)) };
  }

  /** Puts a commit on the branch; the new commit, or null when somebody else was there first. */
  async advance(
    from: string | null,
    inventory: Inventory,
    lock: StoredLock | null,
    message: string,
  ): Promise<string | null> {
    const files = new Map([[inventoryFile, print(inventory)]]);
    if (lock !== null) files.set(lockFile, `${JSON.stringify(lock)}\n`);
    return this.reach(async () => {
      const to = await this.branch.commit(from, files, message, await this.author());
      return (await this.branch.push(from, to)) === 'done' ? to : null;
    });
  }

  lockedBy({ name, since, until }: StoredLock): LockProblem {
    const message = `the inventory ${this.name} is locked by ${name} since ${since} (${ageOf(since)})`;
    const help = `Wait for it (--lock-timeout 5m). Unless it is renewed, the lock ends at ${until}; \`roster unlock\` ends it at once.`;
    return new LockProblem('locked', message, help);
  }

  get runName(): string {
    const address = runAddress(this.options.env);
    return address === null ? processName() : `${address} (${processName()})`;
  }

  /** Git refuses to commit for nobody, which is who CI often is. */
  private async author(): Promise<Readonly<Record<string, string>>> {
    try {
      await this.git.run(['config', 'user.email']);
      return {};
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      const { name, email } = ciUser(this.options.env);
      return {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
      };
    }
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      const message = `the inventory ${this.name} cannot be reached: git ${failure.command}: ${failure.said}`;
      const help = 'Check the remote and the rights on it: roster has to fetch and push this branch.';
      throw problem('inventory-unavailable', message, help);
    }
  }
}

class GitLock implements Lock {
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
    private readonly store: GitStore,
    private readonly before: State,
    private readonly run: RunFacts,
  ) {
    this.commit = before.commit;
    this.inventory = before.inventory;
    this.intent = before.inventory;
  }

  async save(inventory: Inventory): Promise<void> {
    if (this.held !== null) {
      // Written by `release`: what was about to be done is on the branch already.
      this.inventory = inventory;
      return;
    }
    const lock = this.newLock();
    const commit = await this.store.advance(this.commit, inventory, lock, this.intentMessage());
    if (commit === null) throw await this.beaten();
    this.held = lock;
    this.commit = commit;
    this.intent = inventory;
    this.inventory = inventory;
    this.renewal = setInterval(() => void this.renew(), leaseMilliseconds / 4);
    this.renewal.unref();
  }

  async release(ending: Ending): Promise<void> {
    if (this.renewal !== null) clearInterval(this.renewal);
    if (this.held === null) return;
    await this.last;
    const message = this.outcomeMessage(ending);
    const commit = this.taken ? null : await this.store.advance(this.commit, this.inventory, null, message);
    if (commit !== null) return;
    throw problem(
      'locked',
      `the lock on the inventory ${this.store.name} was taken over while this run was at work: what it did is not written there`,
      'Run `roster plan`: it finds the objects again by their names.',
    );
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
      if (commit === null) this.taken = true;
      else [this.commit, this.held] = [commit, lock];
    } catch {
      // The next renewal may succeed; if none does, `lost` says so before the lease is over.
    }
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

  private outcomeMessage({ result, changes }: Ending): string {
    const list = changes.map((each) => `  ${each}\n`).join('');
    return `roster apply: ${result}\n\n${list}${list === '' ? '' : '\n'}${this.trailers('outcome')}`;
  }

  private trailers(step: string): string {
    const { service, digest } = this.run;
    return `Roster-Step: ${step}\nRoster-Plan: ${digest}\nRoster-Service: ${service}\nRoster-Run: ${this.store.runName}\n`;
  }
}

function ageOf(since: string): string {
  const minutes = Math.floor((Date.now() - Date.parse(since)) / 60_000);
  return minutes < 1 ? 'just now' : `${minutes} min ago`;
}

function untilOf(now: Date): string {
  return new Date(now.getTime() + leaseMilliseconds).toISOString();
}

/** A lock that cannot be understood is none that has an end: it is treated as one that has just been taken. */
function readLock(text: string | undefined): StoredLock | null {
  if (text === undefined) return null;
  try {
    const value = JSON.parse(text) as Partial<StoredLock> | null;
    const { token, name, since, until } = value ?? {};
    if (
      typeof token === 'string' &&
      typeof name === 'string' &&
      typeof since === 'string' &&
      typeof until === 'string'
    )
      return { token, name, since, until };
  } catch {
    // Told below: not JSON is as unclear as JSON of another shape.
  }
  const now = new Date();
  return { token: '', name: 'a run that cannot be named', since: now.toISOString(), until: untilOf(now) };
}
