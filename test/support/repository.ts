import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A bare remote and clones of it, as a team and its runners have them. */
export class Remote {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-git-'));
  readonly path = join(this.root, 'remote.git');
  private clones = 0;

  /** `files` is the content of its main branch. */
  constructor(files: Readonly<Record<string, string>> = { README: 'hello\n' }) {
    cpSync(templateOf(files), this.path, { recursive: true });
  }

  /** The folder of a new clone. */
  clone(...options: string[]): string {
    this.clones += 1;
    const folder = join(this.root, `clone-${this.clones}`);
    git(this.root, 'clone', '--quiet', ...options, `file://${this.path}`, folder);
    return folder;
  }

  /** The folder of a new work tree of the remote itself, in which its host merges. */
  workTree(commit: string): string {
    this.clones += 1;
    const folder = join(this.root, `work-tree-${this.clones}`);
    this.git('worktree', 'add', '--quiet', '--detach', folder, commit);
    return folder;
  }

  git(...words: string[]): string {
    return git(this.path, ...words);
  }

  /** Saves it as it is. The function that is returned restores it, as often as it is called. */
  save(): () => void {
    const saved = join(mkdtempSync(join(this.root, 'saved-')), 'remote.git');
    cpSync(this.path, saved, { recursive: true });
    return () => {
      rmSync(this.path, { recursive: true });
      cpSync(saved, this.path, { recursive: true });
    };
  }

  /** Another remote with the same branches. */
  copy(): Remote {
    const made = new Remote();
    rmSync(made.path, { recursive: true });
    cpSync(this.path, made.path, { recursive: true });
    return made;
  }

  /** The temp folder of the run is removed at its end: only for tests that make very many. */
  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const cache = fileURLToPath(new URL('../../node_modules/.cache/roster/repositories/', import.meta.url));

/** A bare repository with these files, kept from run to run. Copying it is much faster than making one. */
function templateOf(files: Readonly<Record<string, string>>): string {
  const name = createHash('sha256')
    .update(JSON.stringify([files, identity, 'with a folder for hooks']))
    .digest('hex')
    .slice(0, 16);
  const template = join(cache, name);
  if (existsSync(template)) return template;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'new-'));
  makeRepository(folder, files);
  mkdirSync(join(folder, 'bare.git', 'hooks'));
  try {
    renameSync(join(folder, 'bare.git'), template);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return template;
}

function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
  const [bare, work] = [join(folder, 'bare.git'), join(folder, 'work')];
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  git(folder, 'init', '--quiet', '--initial-branch=main', work);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '-m', 'first');
  git(work, 'push', '--quiet', bare, 'HEAD:main');
}

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  // No sample hooks, which are most files of a new repository, and no second process that looks for something to pack.
  GIT_TEMPLATE_DIR: '',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'gc.auto',
  GIT_CONFIG_VALUE_0: '0',
  GIT_CONFIG_KEY_1: 'maintenance.auto',
  GIT_CONFIG_VALUE_1: 'false',
};

export function git(folder: string, ...words: string[]): string {
  return execFileSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...identity },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

/** Makes the folder a repository without a commit, as `git init` and `git remote add` do, but starts no process. */
export function initRepository(folder: string, origin: string | null = null, branch = 'main'): void {
  for (const part of ['objects', 'refs']) mkdirSync(join(folder, '.git', part), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`);
  const core = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';
  const remote = `[remote "origin"]\n\turl = ${origin}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  writeFileSync(join(folder, '.git', 'config'), origin === null ? core : core + remote);
}

/** Makes the folder a repository with a remote `origin`. */
export function initWithOrigin(folder: string): void {
  initRepository(folder, `file://${new Remote().path}`);
}
