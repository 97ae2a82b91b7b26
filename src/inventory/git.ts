import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { MAX_FILE_BYTES } from '../files/atomic.js';
import { errnoOf } from '../files/errno.js';
import { problem } from '../model/diagnostic.js';
import { GitReport } from './git-report.js';

/** A git command that failed or timed out. */
export class GitFailure extends Error {
  constructor(
    readonly command: string,
    /** The end of git's output, without addresses that could hold a password. */
    readonly output: string,
    /** The beginning and the end of all that git said, without such addresses. */
    readonly stderr = output,
  ) {
    super(`git ${command} failed: ${output}`);
    this.name = 'GitFailure';
  }
}

/**
 * The user's hooks are for the user's commits, and nobody can answer a prompt. Files of the project that look like a
 * bare repository are not treated as one: its configuration could name programs to run.
 */
const settings = [
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'credential.interactive=false',
].flatMap((setting) => ['-c', setting]);
/** Git sets these for hooks. They would point git to a repository other than the project's, or to other settings. */
const repositoryVariables = new Set(
  [
    'DIR',
    'WORK_TREE',
    'COMMON_DIR',
    'INDEX_FILE',
    'OBJECT_DIRECTORY',
    'ALTERNATE_OBJECT_DIRECTORIES',
    'NAMESPACE',
    'PREFIX',
    'QUARANTINE_PATH',
    'CONFIG',
    'GRAFT_FILE',
    'SHALLOW_FILE',
  ].map((name) => `GIT_${name}`),
);
const environment = { GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', LC_ALL: 'C' };
const TIMEOUT_MS = 120_000;

/** Windows looks for `git.exe` in the working directory first, which must not be a folder of the project. */
const workingDirectory = dirname(process.execPath);

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where git runs. Without `gitDir` it looks for the repository of the folder: only `openWorkTree` may let it. */
export interface GitPlace {
  readonly folder: string;
  /** Absolute. */
  readonly gitDir?: string;
}

/**
 * None changes the work tree or the index. None compares the two, as `status` and `diff` do: for that, git runs the
 * filters that `.gitattributes` chooses, a file that a pull request can change.
 */
type GitCommand =
  | 'cat-file'
  | 'check-ref-format'
  | 'commit-tree'
  | 'config'
  | 'fetch'
  | 'for-each-ref'
  | 'hash-object'
  | 'ls-files'
  | 'ls-remote'
  | 'ls-tree'
  | 'merge-base'
  | 'mktree'
  | 'push'
  | 'remote'
  | 'rev-list'
  | 'rev-parse'
  | 'symbolic-ref'
  | 'version';

/** A command and its arguments. */
export type GitWords = readonly [command: GitCommand, ...rest: string[]];

/** The user's own git with its remotes, credentials and proxies, in the repository of `openWorkTree`. */
export class Git {
  constructor(
    private readonly place: GitPlace,
    private readonly env: Environment,
  ) {}

  /** The output of the command; null when git fails. */
  async answer(args: GitWords): Promise<string | null> {
    try {
      return await this.run(args);
    } catch (failure) {
      if (failure instanceof GitFailure) return null;
      throw failure;
    }
  }

  /** The output of the command without its last line break. Throws GitFailure. */
  run(args: GitWords, input = '', more: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = Object.fromEntries(
      Object.entries(this.env).filter(
        ([name]) => name !== 'ROSTER_API_KEY' && !repositoryVariables.has(name),
      ),
    );
    const child = spawn('git', [...settings, ...this.repository(), ...args], {
      cwd: workingDirectory,
      env: { ...env, ...environment, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own process group: Ctrl-C is for roster, which completes what it has begun.
      detached: process.platform !== 'win32',
    });
    const [command] = args;
    let isLate = false;
    // Not the `timeout` option of `spawn`: its timer keeps the process alive if git cannot be started.
    const timer = setTimeout(() => {
      isLate = child.kill();
    }, TIMEOUT_MS);
    return new Promise((resolve, reject) => {
      let out = '';
      const report = new GitReport();
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        if (out.length <= MAX_FILE_BYTES) return;
        out = '';
        child.kill();
        reject(tooMuch(command));
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => report.add(text));
      // A command that does not read all of its input says why by its exit code.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('error', (failure) => {
        clearTimeout(timer);
        reject(startFailure(failure, this.place.folder));
      });
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        if (code === 0) resolve(out.replace(/\n$/, ''));
        else if (signal === null) reject(new GitFailure(command, report.summary, report.text));
        else {
          const late = isLate ? ` after ${TIMEOUT_MS / 1000} s` : '';
          reject(new GitFailure(command, `it was stopped${late} (${signal})`));
        }
      });
    });
  }

  private repository(): readonly string[] {
    const { folder, gitDir } = this.place;
    const explicit = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`];
    return ['-C', folder, ...explicit];
  }
}

function tooMuch(command: string): Error {
  const help = 'No inventory is this large: look at the files on its branch.';
  return problem('limit-exceeded', `git ${command} printed more than 256 MiB`, help);
}

function startFailure(failure: Error, folder: string): Error {
  if (errnoOf(failure) !== 'ENOENT') return failure;
  const help = 'The inventory is stored in git: install git, or use `inventory: { file: … }`.';
  return problem('missing-setting', `git cannot be started in ${folder}`, help);
}
