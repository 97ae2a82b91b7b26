import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
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
import { changedHands, checkOwner, parse, print, staleInventory, takenOver } from './format.js';
import { Git, GitFailure } from './git.js';
import { ciUser, processName, runAddress } from './run-identity.js';

const inventoryFile = 'roster.inventory.json';
const lockFile = 'lock.json';

/** How long a lock holds after it was last renewed. Clocks of two machines may differ by a minute of it. */
const leaseMilliseconds = 10 * 60_000;
/** Before the lease is over nothing new is begun: what is in flight, with its retries, has to end within it. */
const margin = 4 * 60_000;
/** Before each further try to write an outcome down. */
const outcomeWaits = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000];

export interface GitStoreOptions {
  /** The folder of the project, in a git repository. */
  readonly folder: string;
  readonly remote: string;
  readonly ref: string;
  readonly project: string;
  readonly environment: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds before each further try to write an outcome down; more than a minute in all unless given. */
  readonly waits?: readonly number[];
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

  readonly waits: readonly number[];

  constructor(private readonly options: GitStoreOptions) {
    this.waits = options.waits ?? outcomeWaits;
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

  async unlock({ token }: Holder): Promise<void> {
    const { commit, inventory, lock } = await this.state();
    if (lock?.token !== token) throw changedHands(this.name);
    const message = `roster unlock: the lock of ${lock.name} is taken away\n`;
    // It may have been renewed at this very moment: then it is still the same lock.
    if ((await this.advance(commit, inventory, null, message)) === null) await this.unlock(lock);
  }

  refuseHeld({ lock }: State): void {
    if (lock !== null && Date.parse(lock.until) > Date.now()) throw this.lockedBy(lock);
  }

  async state(): Promise<State> {
    const { project, environment } = this.options;
    const commit = await this.reach(() => this.branch.tip());
    if (commit === null) return { commit, inventory: emptyInventory(project, environment), lock: null };
    await this.refuseOther(commit);
    const files = await this.reach(() => this.branch.read(commit));
    const inventory = parse(files.get(inventoryFile) ?? '', this.name);
    checkOwner(inventory, this.name, project, environment);
    return { commit, inventory, lock: readLock(files.get(lockFile)) };
  }

  /** A branch that holds anything else is somebody's work: each commit here replaces the whole of it. */
  private async refuseOther(commit: string): Promise<void> {
    const names = await this.reach(() => this.branch.names(commit));
    const others = names.filter((each) => each !== inventoryFile && each !== lockFile);
    if (others.length === 0 && names.includes(inventoryFile)) return;
    const holds =
      others.length === 0 ? `does not hold ${inventoryFile}` : `holds other files, such as ${others[0]}`;
    const help =
      'The inventory needs a branch of its own: name one that does not exist with `inventory: { git: { ref: … } }`.';
    throw problem('inventory-mismatch', `the branch ${this.name} is no inventory: it ${holds}`, help);
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

  /** Git refuses to commit for nobody, which is who CI often is. What the user has set stays. */
  private async author(): Promise<Readonly<Record<string, string>>> {
    const { env } = this.options;
    const { name, email } = ciUser(env);
    const [hasName, hasEmail] = await Promise.all([this.isSet('user.name'), this.isSet('user.email')]);
    const missing = (variable: string, value: string, isSet: boolean) =>
      isSet || (env[variable] ?? '') !== '' ? {} : { [variable]: value };
    return {
      ...missing('GIT_AUTHOR_NAME', name, hasName),
      ...missing('GIT_AUTHOR_EMAIL', email, hasEmail),
      ...missing('GIT_COMMITTER_NAME', name, hasName),
      ...missing('GIT_COMMITTER_EMAIL', email, hasEmail),
    };
  }

  private async isSet(setting: string): Promise<boolean> {
    try {
      return (await this.git.run(['config', setting])) !== '';
    } catch (failure) {
      if (failure instanceof GitFailure) return false;
      throw failure;
    }
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      const { command, said } = (await this.withoutRepository()) ?? failure;
      const message = `the inventory ${this.name} cannot be reached: git ${command}: ${said}`;
      const help =
        said === failure.said
          ? 'Check the remote and the rights on it: roster has to fetch and push this branch.'
          : 'An inventory in git needs the project to be in a git repository of this user.';
      throw problem('inventory-unavailable', message, help);
    }
  }

  /** Outside of a repository git takes the name of a remote for a path, and its words lead astray. */
  private async withoutRepository(): Promise<GitFailure | null> {
    try {
      await this.git.run(['rev-parse', '--git-dir']);
      return null;
    } catch (failure) {
      if (failure instanceof GitFailure) return failure;
      throw failure;
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

  async release(ending: Ending): Promise<void> {
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

  private outcomeMessage({ result, changes }: Ending): string {
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
      typeof until === 'string' &&
      !Number.isNaN(Date.parse(until))
    )
      return { token, name, since, until };
  } catch {
    // Told below: not JSON is as unclear as JSON of another shape.
  }
  const now = new Date();
  return { token: '', name: 'a run that cannot be named', since: now.toISOString(), until: untilOf(now) };
}
