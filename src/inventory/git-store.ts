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
} from '../model/inventory.js';
import { Branch } from './branch.js';
import { checkOwner, lockLost, parse, print, staleInventory } from './format.js';
import { type Git, GitFailure } from './git.js';
import { type BranchState, GitLock, type LockedBranch } from './git-lock.js';
import { type LeaseClock, type LeaseOptions, LockWatch, leaseOf, systemClock } from './lease.js';
import { checkRemote, unnamedRemote } from './remote.js';
import { remoteProblem } from './remote-failure.js';
import { ciUser, processName, runAddress } from './run-identity.js';
import { ageOf, readLock, type StoredLock } from './stored-lock.js';
import { NoRepository, type WorkTree, workTreeOpener } from './work-tree.js';

const inventoryFile = 'roster.inventory.json';
const lockFile = 'lock.json';

/** Milliseconds before each further attempt to save an outcome. */
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
    return new GitLock(this, state, run);
  }

  async unlock({ token }: Pick<LockInfo, 'token'>): Promise<void> {
    const { commit, inventory, lock } = await this.state();
    if (lock?.token !== token) throw lockLost(this.name);
    const message = `roster unlock: remove the lock of ${lock.name}\n`;
    // It may have been renewed meanwhile: then it is still the same lock.
    if ((await this.advance(commit, inventory, null, message)) === null) await this.unlock(lock);
  }

  refuseHeld({ lock, commit }: BranchState): void {
    if (lock !== null && this.takeOverMs(lock, commit) > 0) throw this.lockedBy(lock);
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
    return this.reach(async ({ git, branch }) => {
      const to = await branch.commit(from, files, message, await this.author(git));
      return (await branch.push(from, to)) === 'done' ? to : null;
    });
  }

  lockedBy({ name, since, until }: StoredLock): LockProblem {
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
    const missing = { ...(hasName ? {} : { NAME: name }), ...(hasEmail ? {} : { EMAIL: email }) };
    const variables = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(missing).map(([part, value]) => [`GIT_${role}_${part}`, value] as const),
    );
    return Object.fromEntries(variables.filter(([variable]) => !env[variable]));
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
