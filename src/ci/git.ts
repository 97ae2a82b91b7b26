import { type ExecFileException, type ExecFileOptionsWithStringEncoding, execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, problem } from '../model/diagnostic.js';
import { lookalikeOf, remoteRefs } from '../model/remote-refs.js';

export type JobEnvironment = Readonly<Record<string, string | undefined>>;

const ATTEMPTS = 5;

/** The credentials of the job, as settings of git in environment variables: they are never written to disk. */
export interface GitCredentials {
  /** The URL that they are for; null to leave the credentials to the settings of the repository. */
  readonly server: string | null;
  readonly user: string;
  /** The variable with the password. */
  readonly variable: string;
}

/** The variables of a git that works in the checkout of the job, with the token of the job, and of no other. */
export function gitEnvironment(
  env: JobEnvironment,
  root: string,
  credentials: GitCredentials,
): JobEnvironment {
  const { server, user, variable } = credentials;
  const helper = `!f() { echo username=${user}; echo "password=$${variable}"; }; f`;
  const settings = [
    ...(server === null ? [] : [[`credential.${server}.helper`, helper] as const]),
    // The runner, which checks out, and a container can be different users.
    ['safe.directory', root],
  ];
  const given = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  return {
    ...env,
    GIT_CONFIG_COUNT: String(given + settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${given + index}`, name],
        [`GIT_CONFIG_VALUE_${given + index}`, value],
      ]),
    ),
  };
}

/** Tells roster what the branch was at before the push that the job is for. Other events are for no push. */
export function withFormerCommit(env: JobEnvironment, former: string | undefined): JobEnvironment {
  return { ...env, ROSTER_FORMER_COMMIT: former };
}

/** git exited with another code than 0. */
export class GitExit extends Problem {
  constructor(
    readonly status: number,
    readonly words: readonly string[],
    said: string,
  ) {
    const reason = lastLineOf(said);
    const message = `git ${words[0]} failed with exit code ${status}${reason === '' ? '' : `: ${reason}`}`;
    super({ severity: 'error', code: 'ci-host-error', message });
    this.name = 'GitExit';
  }
}

/** The reason that git gives, in the last line of what it says. A URL in it may have a token. */
function lastLineOf(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const last = lines.findLast((line) => /^(?:fatal|error|remote): ?\S/.test(line)) ?? lines.at(-1) ?? '';
  return last.replace(/:\/\/[^@/\s]*@/g, '://').slice(0, 300);
}

/** Only the repository that was checked out: a folder of it can look like another one, with programs to run. */
const SETTINGS = ['safe.bareRepository=explicit', 'core.hooksPath=/dev/null', 'core.fsmonitor=false'];

/** git in the checkout of the job. Nothing that a commit contains is run, and no file is fetched for a link of it. */
export class JobGit {
  constructor(
    readonly root: string,
    private readonly env: JobEnvironment,
    private readonly log: (text: string) => void,
    /** Ends git, too. */
    private readonly signal?: AbortSignal,
  ) {}

  /**
   * Returns what git prints. If the network fails, it is tried again: the same fetch or push cannot be done twice. What the
   * remote refuses is not.
   */
  async run(words: readonly string[], input?: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const { error, stdout, stderr } = await this.started(words, input);
      this.log(stderr);
      if (error === null) return stdout.replace(/\n$/, '');
      if (this.signal?.aborted === true) throw interrupted(words);
      const status = typeof error.code === 'number' ? error.code : null;
      // A git that a signal has ended has neither.
      if (status === null && error.code != null) throw unstarted(words, error);
      if (attempt === ATTEMPTS || !isNetworkFailure(stderr)) throw new GitExit(status ?? -1, words, stderr);
      const wait = Math.random() * 2 ** attempt;
      this.log(`git: the network failed. Trying again in ${Math.ceil(wait)} s.\n`);
      await sleep(wait * 1000, undefined, this.signal === undefined ? {} : { signal: this.signal }).catch(
        () => {
          throw interrupted(words);
        },
      );
    }
  }

  /** Runs git once. Signals are handled meanwhile. */
  private started(words: readonly string[], input = ''): Promise<GitRun> {
    const options: ExecFileOptionsWithStringEncoding = {
      encoding: 'utf8',
      cwd: this.root,
      maxBuffer: 256 * 1024 * 1024,
      // Messages are recognized in English.
      env: { ...this.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' },
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    };
    return new Promise((resolve) => {
      const all = [...SETTINGS.flatMap((each) => ['-c', each]), ...words];
      const child = execFile('git', all, options, (error, stdout, stderr) =>
        resolve({ error, stdout, stderr }),
      );
      // It may end without reading it.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }

  /** The output; null if git exits with 1, which is its answer "no". */
  async answer(words: readonly string[]): Promise<string | null> {
    try {
      return await this.run(words);
    } catch (failure) {
      if (failure instanceof GitExit && failure.status === 1) return null;
      throw failure;
    }
  }

  /** The commits of refs of the remote by their full names: those that the pattern stands for, and others that end like them. */
  async remoteRefs(remote: string, pattern: string): Promise<ReadonlyMap<string, string>> {
    return remoteRefs(await this.run(['ls-remote', remote, pattern]));
  }

  /** The commit of a ref of the remote, given by its full name, which is then here; null if there is no such ref. */
  async fetched(remote: string, ref: string, ...options: readonly string[]): Promise<string | null> {
    for (let attempt = 1; ; attempt += 1) {
      const tip = (await this.remoteRefs(remote, ref)).get(ref);
      if (tip === undefined) return null;
      await this.run(['fetch', '--quiet', '--no-tags', ...options, remote, ref]);
      // If the ref was deleted meanwhile, git has fetched another one whose name ends like it.
      if ((await this.run(['rev-parse', 'FETCH_HEAD'])) === tip) return tip;
      if (attempt === ATTEMPTS)
        throw problem('ci-host-error', `git fetch: ${ref} of ${remote} changes all the time`);
    }
  }

  /** Moves a ref of the remote, given by its full name, to a commit that follows it. */
  async push(remote: string, commit: string, ref: string, ...options: readonly string[]): Promise<void> {
    const other = lookalikeOf(ref, await this.remoteRefs(remote, ref));
    if (other !== null)
      throw problem(
        'ci-host-error',
        `git push: ${remote} has the ref ${other}, which git takes for ${ref}`,
        `Delete it: \`git push ${remote} :${other}\`.`,
      );
    await this.run(['push', '--quiet', ...options, remote, `${commit}:${ref}`]);
  }

  /** A commit by roster. */
  commit(tree: string, parents: readonly string[], message: string): Promise<string> {
    const author = ['-c', 'user.name=roster', '-c', 'user.email=roster@localhost'];
    return this.run([
      ...author,
      'commit-tree',
      tree,
      ...parents.flatMap((each) => ['-p', each]),
      '-m',
      message,
    ]);
  }
}

interface GitRun {
  readonly error: ExecFileException | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without git, a setting of the job is missing. Anything else is about this repository, as output that is too long. */
export function unstarted(words: readonly string[], { code, message }: ExecFileException): Problem {
  if (code === 'ENOENT' || code === 'EACCES')
    return problem('missing-setting', `git cannot be started: ${message}`);
  return problem('ci-host-error', `git ${words[0]} failed: ${message}`);
}

function interrupted(words: readonly string[]): Problem {
  return problem('interrupted', `interrupted during git ${words[0]}`);
}

function isNetworkFailure(stderr: string): boolean {
  const isRefused = /rejected\]|Authentication failed|Permission denied|denied to/.test(stderr);
  return !isRefused && networkFailures.test(stderr);
}

const networkFailures =
  /Could not resolve|Failed to connect|Couldn't connect|Connection (refused|timed out|reset|closed)|No route to host|unreachable|timed out|hung up unexpectedly|early EOF|RPC failed|Empty reply|gnutls_handshake|SSL_ERROR_SYSCALL|returned error: (429|5\d\d)/i;
