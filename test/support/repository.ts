import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A bare remote and clones of it, as a team and its runners have them. */
export class Remote {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-git-'));
  readonly path = join(this.root, 'remote.git');
  private clones = 0;

  /** `files` is the content of its main branch. */
  constructor(files: Readonly<Record<string, string>> = { README: 'hello\n' }) {
    git(this.root, 'init', '--quiet', '--bare', '--initial-branch=main', this.path);
    const first = this.clone();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(first, name)), { recursive: true });
      writeFileSync(join(first, name), text);
    }
    git(first, 'add', '--all');
    git(first, 'commit', '--quiet', '-m', 'first');
    git(first, 'push', '--quiet', 'origin', 'HEAD:main');
  }

  /** The folder of a new clone. */
  clone(...options: string[]): string {
    this.clones += 1;
    const folder = join(this.root, `clone-${this.clones}`);
    git(this.root, 'clone', '--quiet', ...options, `file://${this.path}`, folder);
    return folder;
  }

  git(...words: string[]): string {
    return git(this.path, ...words);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

export function git(folder: string, ...words: string[]): string {
  return execFileSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...identity },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}
