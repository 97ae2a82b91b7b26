import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { command } from '../command.js';
import { jsonOf } from '../json.js';
import { git, type Remote } from '../repository.js';

/** A person with a clone, who writes manifests. */
export class Author {
  readonly folder: string;

  /** `inside` is the folder of the project in the repository. */
  constructor(
    remote: Remote,
    readonly inside = '.',
  ) {
    this.folder = remote.clone();
  }

  get project(): string {
    return join(this.folder, this.inside);
  }

  /**
   * Runs `roster init` and pushes to main. CI installs the tarball, or else a file that only a simulated npm takes for
   * roster.
   */
  async init(host: 'github' | 'gitlab', flags: readonly string[] = [], tarball?: string): Promise<void> {
    const vendored = join(this.folder, 'vendor/rosterctl.tgz');
    mkdirSync(dirname(vendored), { recursive: true });
    if (tarball === undefined) writeFileSync(vendored, 'a tarball');
    else copyFileSync(tarball, vendored);
    mkdirSync(this.project, { recursive: true });
    const args = ['init', '--ci', host, '--install', relative(this.project, vendored), ...flags];
    const { exit, stderr } = await command(args, { cwd: this.project });
    if (exit !== 0) throw new Error(stderr);
    this.publish('first project');
  }

  /** Pushes all changes to main. */
  publish(message: string): void {
    this.commit(message);
    git(this.folder, 'push', '--quiet', 'origin', 'HEAD:main');
  }

  /** Checks out a branch, which is created from main if it does not exist. */
  branch(name: string): void {
    git(this.folder, 'fetch', '--quiet', 'origin');
    const known = git(this.folder, 'branch', '--remotes', '--list', `origin/${name}`) !== '';
    git(this.folder, 'checkout', '--quiet', '-B', name, known ? `origin/${name}` : 'origin/main');
  }

  /** Pushes a commit on a branch after which the project declares only this. */
  propose(branch: string, declared: string): void {
    this.branch(branch);
    const file = join(this.project, 'roster.yaml');
    const settings = readFileSync(file, 'utf8').split('# declared\n')[0];
    writeFileSync(file, `${settings}# declared\n${declared}`);
    this.commit('change');
    git(this.folder, 'push', '--quiet', 'origin', branch);
  }

  commit(message: string): void {
    git(this.folder, 'add', '--all');
    git(this.folder, 'commit', '--quiet', '-m', message);
  }

  /** The digest of the plan of the files that are checked out. */
  async digest(env: Readonly<Record<string, string>>): Promise<string> {
    const { stdout } = await command(['plan', '--format', 'json'], { cwd: this.folder, env });
    return jsonOf<{ digest: string }>({ stdout }).digest;
  }

  /** Whether the service matches the manifests on main. */
  async planIsEmpty(env: Readonly<Record<string, string>>): Promise<boolean> {
    git(this.folder, 'fetch', '--quiet', 'origin');
    git(this.folder, 'checkout', '--quiet', '--detach', 'origin/main');
    return (await command(['plan', '--detailed-exitcode'], { cwd: this.folder, env })).exit === 0;
  }
}

/** The digest in the comment or the summary of a plan. */
export function digestIn(text: string | undefined): string | undefined {
  return /Digest `(sha256:[0-9a-f]{64})`/.exec(text ?? '')?.[1];
}
