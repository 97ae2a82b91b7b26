import { problem } from '../model/diagnostic.js';
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type Lock,
  type LockInfo,
  LockProblem,
  type RunFacts,
} from '../model/inventory.js';
import { Branch } from './branch.js';
import { checkOwner, lockLost, parse, print, staleInventory } from './format.js';
import { Git, GitFailure } from './git.js';
import { GitLock, type LockedBranch, type State } from './git-lock.js';
import { ciUser, processName, runAddress } from './run-identity.js';
import { ageOf, readLock, type StoredLock } from './stored-lock.js';

const inventoryFile = 'roster.inventory.json';
const lockFile = 'lock.json';

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

/**
 * The inventory as commits on a branch of its own (contract §3). A push that succeeds only from the commit that was
 * read is the lock: no server besides the remote is needed, and of two runners one is always first. An apply is two
 * commits, the intent with the lock and the outcome without, so that the branch's log tells who did what when.
 */
export function gitStore(options: GitStoreOptions): InventoryStore {
  return new GitStore(options);
}

class GitStore implements InventoryStore, LockedBranch {
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

  async holder(): Promise<LockInfo | null> {
    return (await this.state()).lock;
  }

  async lock(run: RunFacts, expected: Inventory): Promise<Lock> {
    const state = await this.state();
    this.refuseHeld(state);
    if (print(state.inventory) !== print(expected)) throw staleInventory();
    return new GitLock(this, state, run);
  }

  async unlock({ token }: LockInfo): Promise<void> {
    const { commit, inventory, lock } = await this.state();
    if (lock?.token !== token) throw lockLost(this.name);
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
