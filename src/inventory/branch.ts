import { setTimeout as wait } from 'node:timers/promises';
import { problem } from '../model/diagnostic.js';
import type { HistoryCommit } from '../model/inventory.js';
import { lookalikeOf, remoteRefs } from '../model/remote-refs.js';
import { type Git, GitFailure } from './git.js';
import { keepFetchHead, type WorkTree } from './work-tree.js';

/** The file that an inventory is, on its branch. */
export const inventoryFile = 'roster.inventory.json';

/** The result of a push: `moved` when another push came first. */
export type PushResult = 'done' | 'moved';

/**
 * A branch of a remote as a sequence of small folders of text files. Nothing is checked out: its commits are fetched to
 * `refs/roster/` of the local repository.
 */
export class Branch {
  private readonly git: Git;
  private readonly localRef: string;
  private readonly keepFetchHead: string;
  /** A ref of the remote to which git would push instead. */
  private lookalike: string | null = null;

  constructor(
    { git, gitVersion }: WorkTree,
    private readonly remote: string,
    private readonly ref: string,
  ) {
    this.git = git;
    this.keepFetchHead = keepFetchHead(gitVersion);
    this.localRef = `refs/roster/${ref.replace(/^refs\//, '')}`;
  }

  /** The newest commit, after fetching it; null when there is no such branch. */
  async tip(tries = 3, moves = 10): Promise<string | null> {
    const remote = await this.remoteTip();
    if (remote === null || (await this.has(remote))) return remote;
    try {
      await this.fetch();
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      // Another process that fetches the branch at the same time blocks this one for a moment, and may have fetched it.
      if (await this.has(remote)) return remote;
      if (tries <= 1) throw failure;
      await wait(50 + Math.random() * 200);
      return this.tip(tries - 1, moves);
    }
    if (await this.has(remote)) return remote;
    // The branch has moved meanwhile, or was deleted: then git has fetched another one whose name ends like it.
    if (moves > 0) return this.tip(tries, moves - 1);
    throw problem('inventory-unavailable', `the branch ${this.ref} of ${this.remote} changes all the time`);
  }

  /** The newest commit, where `ls-remote` has just listed this one. */
  async tipFrom(listed: string): Promise<string | null> {
    return (await this.has(listed)) ? listed : this.tip();
  }

  private async remoteTip(): Promise<string | null> {
    const listed = remoteRefs(await this.git.run(['ls-remote', this.remote, this.ref]));
    this.lookalike = lookalikeOf(this.ref, listed);
    return listed.get(this.ref) ?? null;
  }

  private async fetch(): Promise<void> {
    const flags = ['--quiet', '--no-tags', this.keepFetchHead, '--no-recurse-submodules', '--refmap='];
    await this.git.run(['fetch', ...flags, this.remote, `+${this.ref}:${this.localRef}`]);
  }

  async names(commit: string): Promise<readonly string[]> {
    const lines = (await this.git.run(['ls-tree', '--name-only', commit])).split('\n');
    return lines.filter((line) => line !== '');
  }

  /** The files of a commit, or only the one with that name: the others of an older commit may be anyone's. */
  async read(commit: string, only?: string): Promise<ReadonlyMap<string, string>> {
    const lines = (await this.git.run(['ls-tree', commit])).split('\n').filter((line) => line !== '');
    const files = lines.flatMap((line) => {
      const [, type, blob, name] = /^\d+ (\w+) (\w+)\t(.*)$/.exec(line) ?? [];
      if (type !== 'blob' || blob === undefined || name === undefined) return [];
      return only === undefined || name === only ? [{ name, blob }] : [];
    });
    const texts = files.map(
      async ({ name, blob }) => [name, await this.git.run(['cat-file', 'blob', blob])] as const,
    );
    return new Map(await Promise.all(texts));
  }

  /** The commits up to this one, the oldest first. Of a merge, only the first parent is followed. */
  async history(commit: string): Promise<readonly HistoryCommit[]> {
    // No text of a commit can hold a NUL.
    const format = ['', '%H', '%P', '%an', '%ae', '%ct', '%B', ''].join('%x00');
    const options = ['--first-parent', '--encoding=UTF-8', `--format=${format}`];
    const parts = (await this.git.run(['rev-list', ...options, commit])).split('\0');
    const commits: HistoryCommit[] = [];
    // Each is preceded by a line with its hash.
    for (let at = 1; at + 5 < parts.length; at += 7) {
      const [hash = '', parents = '', name = '', email = '', seconds = '', message = ''] = parts.slice(
        at,
        at + 6,
      );
      const parent = parents.split(' ')[0] || null;
      commits.push({ hash, parent, author: { name, email }, time: timeOf(seconds), message });
    }
    return commits.reverse();
  }

  /** Creates a commit that no ref points to yet. */
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
   * Moves the branch from `from` (null: it must not exist) to `to`, or leaves it unchanged. Throws GitFailure when the
   * remote refuses. A failed push is judged by where the branch is afterwards, because its answer can be lost.
   */
  async push(from: string | null, to: string, tries = 3): Promise<PushResult> {
    this.refuseLookalike();
    try {
      const lease = `--force-with-lease=${this.ref}:${from ?? ''}`;
      const flags = ['--quiet', '--no-verify', '--no-recurse-submodules', lease];
      await this.git.run(['push', ...flags, this.remote, `${to}:${this.ref}`]);
      return 'done';
    } catch (failure) {
      if (!(failure instanceof GitFailure)) throw failure;
      const now = await this.tip();
      if (now === to) return 'done';
      if (now !== from) return 'moved';
      // Another push in progress can lock the branch for a moment.
      if (tries <= 1) throw failure;
      await wait(200 + Math.random() * 300);
      return this.push(from, to, tries - 1);
    }
  }

  private refuseLookalike(): void {
    const { lookalike, remote, ref } = this;
    if (lookalike === null) return;
    const message = `the remote ${remote} has the ref ${lookalike}, which git takes for ${ref}`;
    throw problem('inventory-unavailable', message, `Delete it: \`git push ${remote} :${lookalike}\`.`);
  }

  /**
   * Whether a commit is here with all that it refers to. A fetch that runs now, or that was interrupted, writes a commit
   * before its files. Git checks what its refs point to, so only what comes after that is looked at.
   */
  private async has(commit: string): Promise<boolean> {
    const known = `--glob=${this.localRef}*`;
    return (await this.git.answer(['rev-list', '--objects', '--quiet', commit, '--not', known])) !== null;
  }
}

/** Null for a time that no calendar has: anyone may have written the commit. */
function timeOf(seconds: string): string | null {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
