import { setTimeout as wait } from 'node:timers/promises';
import { type Git, GitFailure } from './git.js';

/** What a push came to: `moved` when somebody else was there first. */
export type Pushed = 'done' | 'moved';

/**
 * A branch of a remote as a sequence of small folders of text files. Nothing is checked out, and its commits come to
 * lie in the repository under `refs/roster/` alone.
 */
export class Branch {
  private readonly copy: string;

  constructor(
    private readonly git: Git,
    private readonly remote: string,
    private readonly ref: string,
  ) {
    this.copy = `refs/roster/${ref.replace(/^refs\//, '')}`;
  }

  /** The newest commit, with all that it needs in the repository; null when there is no such branch. */
  async tip(tries = 3): Promise<string | null> {
    const remote = await this.there();
    if (remote === null || (await this.has(remote))) return remote;
    try {
      await this.fetch();
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      // Another process that fetches the same at the same time is in the way for a moment, and may have done it.
      if (await this.has(remote)) return remote;
      if (tries <= 1) throw failure;
      await wait(50 + Math.random() * 200);
      return this.tip(tries - 1);
    }
    // It may have moved on meanwhile; what was fetched is at least as new.
    return (await this.has(remote)) ? remote : this.git.run(['rev-parse', '--verify', '--quiet', this.copy]);
  }

  /** `ls-remote` takes a name for the end of one: other names may come first. */
  private async there(): Promise<string | null> {
    const lines = (await this.git.run(['ls-remote', this.remote, this.ref])).split('\n');
    const line = lines.find((each) => each.split('\t')[1] === this.ref);
    return line?.split('\t')[0] ?? null;
  }

  private async fetch(): Promise<void> {
    const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='];
    await this.git.run(['fetch', ...flags, this.remote, `+${this.ref}:${this.copy}`]);
  }

  /** The names of all that a commit holds at its top. */
  async names(commit: string): Promise<readonly string[]> {
    const lines = (await this.git.run(['ls-tree', '--name-only', commit])).split('\n');
    return lines.filter((line) => line !== '');
  }

  /** The files of a commit by name. */
  async read(commit: string): Promise<ReadonlyMap<string, string>> {
    const lines = (await this.git.run(['ls-tree', commit])).split('\n').filter((line) => line !== '');
    const files = lines.flatMap((line) => {
      const [, type, blob, name] = /^\d+ (\w+) (\w+)\t(.*)$/.exec(line) ?? [];
      return type === 'blob' && blob !== undefined && name !== undefined ? [{ name, blob }] : [];
    });
    const texts = files.map(
      async ({ name, blob }) => [name, await this.git.run(['cat-file', 'blob', blob])] as const,
    );
    return new Map(await Promise.all(texts));
  }

  /** Makes a commit that nothing points to yet. */
  async commit(
    parent: string | null,
    files: ReadonlyMap<string, string>,
    message: string,
    identity: Readonly<Record<string, string>>,
  ): Promise<string> {
    const entries = await Promise.all(
      [...files].map(async ([name, text]) => {
        const blob = await this.git.run(['hash-object', '-w', '--stdin'], text);
        return `100644 blob ${blob}\t${name}\n`;
      }),
    );
    const tree = await this.git.run(['mktree'], entries.join(''));
    const parents = parent === null ? [] : ['-p', parent];
    return this.git.run(['commit-tree', tree, ...parents, '-F', '-'], message, identity);
  }

  /**
   * Moves the branch from `from` (null: it must not exist) to `to`, or leaves it as it is. Throws GitFailure when the
   * remote refuses. Judged by where the branch is afterwards: the answer to a push can be lost like any other.
   */
  async push(from: string | null, to: string, tries = 3): Promise<Pushed> {
    try {
      await this.git.run([
        'push',
        '--quiet',
        '--no-verify',
        `--force-with-lease=${this.ref}:${from ?? ''}`,
        this.remote,
        `${to}:${this.ref}`,
      ]);
      return 'done';
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      const now = await this.tip();
      if (now === to) return 'done';
      if (now !== from) return 'moved';
      // Another push that is under way can keep the branch locked for a moment.
      if (tries <= 1) throw failure;
      await wait(200 + Math.random() * 300);
      return this.push(from, to, tries - 1);
    }
  }

  private async has(commit: string): Promise<boolean> {
    try {
      await this.git.run(['cat-file', '-e', `${commit}^{commit}`]);
      return true;
    } catch (failure) {
      if (failure instanceof GitFailure) return false;
      throw failure;
    }
  }
}
