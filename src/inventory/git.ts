import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { MAX_FILE_BYTES } from '../files/atomic.js';
import { errnoOf } from '../files/errno.js';
import { type Problem, problem } from '../model/diagnostic.js';

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
 * filters that `.gitattributes` chooses, a file that a pull request can change. `diff-tree` compares what is committed.
 */
type GitCommand =
  | 'cat-file'
  | 'check-ignore'
  | 'check-ref-format'
  | 'commit-tree'
  | 'config'
  | 'diff-tree'
  | 'fetch'
  | 'for-each-ref'
  | 'hash-object'
  | 'ls-files'
  | 'ls-remote'
  | 'ls-tree'
  | 'merge-base'
  | 'merge-file'
  | 'mktree'
  | 'push'
  | 'remote'
  | 'rev-list'
  | 'rev-parse'
  | 'symbolic-ref'
  | 'version';

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
    return this.output(args, { input, more, encoding: 'utf8' });
  }

  /** The contents of objects, by their names, in one process. Throws GitFailure. */
  async contents(objects: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const names = [...new Set(objects)];
    if (names.length === 0) return new Map();
    const input = `${names.join('\n')}\n`;
    // One character is one byte: the sizes that git prints are in bytes.
    const text = await this.output(['cat-file', '--batch'], { input, more: {}, encoding: 'latin1' });
    const contents = new Map<string, Buffer>();
    let at = 0;
    for (const name of names) {
      const end = text.indexOf('\n', at);
      const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(text.slice(at, end)) ?? [];
      if (size === undefined) throw new GitFailure('cat-file', `it does not print the blob ${name}`);
      const start = end + 1;
      at = start + Number(size);
      contents.set(name, Buffer.from(text.slice(start, at), 'latin1'));
      at += 1;
    }
    return contents;
  }

  private output(
    args: GitWords,
    {
      input,
      more,
      encoding,
    }: {
      readonly input: string;
      readonly more: Readonly<Record<string, string>>;
      readonly encoding: 'utf8' | 'latin1';
    },
  ): Promise<string> {
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
      child.stdout.setEncoding(encoding).on('data', (text: string) => {
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

export const OLDEST_GIT = '2.20';

/** The version that git names, such as `2.39.5`; null where it names none. */
export async function gitVersion(git: Git): Promise<string | null> {
  const [, version] = /^git version (\d+(?:\.\d+)+)/.exec((await git.answer(['version'])) ?? '') ?? [];
  return version ?? null;
}

/** An unknown version counts as a new one. */
export function isOlder(version: string | null, than: string): boolean {
  if (version === null) return false;
  const [a = [], b = []] = [version, than].map((each) => each.split('.').map(Number));
  const at = b.findIndex((part, index) => (a[index] ?? 0) !== part);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

/** How many characters are kept from the beginning, and from the end, of what git prints about a failure. */
const MOST_CHARACTERS = 4_096;

/** What git prints about a failure: a host may say first why it refuses a push, and git says last that it was refused. */
class GitReport {
  private first = '';
  private last = '';
  private length = 0;

  add(text: string): void {
    const room = MOST_CHARACTERS - this.first.length;
    this.first += text.slice(0, room);
    this.last = (this.last + text.slice(room)).slice(-MOST_CHARACTERS);
    this.length += text.length;
  }

  /** Without addresses that could hold a password, and without lines that are cut: half of an address could be one. */
  get text(): string {
    const { first, last, length } = this;
    if (length === first.length + last.length) return withoutUsers(first + last);
    const end = last.indexOf('\n');
    return withoutUsers(first.slice(0, first.lastIndexOf('\n') + 1) + (end < 0 ? '' : last.slice(end + 1)));
  }

  /** The last lines, which say what went wrong. */
  get summary(): string {
    const lines = this.text
      .split('\n')
      .map((line) => line.replace(/^(fatal|error|remote): */, '').trim())
      .filter((line) => line !== '' && !line.startsWith('hint:') && !advice.test(line));
    const summary = lines.slice(-4).join('; ');
    return summary === '' ? 'it printed nothing' : summary.slice(0, 500);
  }
}

/** Lines that git adds to every failure to reach a remote. */
const advice =
  /^(Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/;

/** Git takes a part of the credentials of a proxy for its host if they contain a `/` or `#`. */
const torn = /(Unsupported proxy syntax in|Could not resolve proxy:) .*/;

/** The user of an address may be a token, or have a password. Git shortens URLs; a host may name people and teams. */
function withoutUsers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(torn, '$1 (not shown)'))
    .map((line) => line.replace(/\S+/g, (word) => withoutUser(word, line.startsWith('remote: '))))
    .join('\n');
}

function withoutUser(word: string, isOfHost: boolean): string {
  const [scheme, at] = [word.indexOf('://'), word.lastIndexOf('@')];
  if (at < 0) return word;
  if (scheme >= 0 && scheme < at) return word.slice(0, scheme + 3) + word.slice(at + 1);
  return isOfHost ? word : word.slice(at + 1);
}

/** A host that refuses a push may explain it at length. */
const MOST_LINES = 6;
const MOST_FAILURE_CHARACTERS = 600;

interface Cause {
  /** What git prints, in English. */
  readonly pattern: RegExp;
  /** After "the inventory NAME". */
  readonly what: string;
  readonly help: string;
}

/** The first match wins. Git has the same exit code for all of them. */
const causes: readonly Cause[] = [
  {
    pattern: /could not read (?:Username|Password)|terminal prompts disabled/i,
    what: 'cannot be read or written: its host asks for a user name or token',
    help: 'Configure git credentials for this remote, for example with `git config credential.helper`. In CI, use the job token.',
  },
  {
    pattern: /Authentication failed|Invalid username or|Access denied|Permission denied \(|error: 401/i,
    what: 'cannot be read or written: its host does not accept the credentials that git uses',
    help: 'Check that the token or SSH key is valid, and belongs to a user with access to this repository.',
  },
  {
    pattern: /error: 403|Permission to .* denied|not allowed to/i,
    what: 'cannot be read or written: its host denies access to this user',
    help: 'Allow the user or the CI job to fetch and push this branch.',
  },
  {
    pattern: /repository .*not found|does not appear to be a git repository|error: 404/i,
    what: 'cannot be read or written: its host finds no repository at this URL, or does not show it to this user',
    help: 'Check the URL that `git remote get-url` prints, and the permissions of the user.',
  },
  {
    pattern:
      /Could not resolve|Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset|closed)|No route to host|unreachable|timed out/i,
    what: 'cannot be reached',
    help: 'Check the network, the proxy settings, and the URL that `git remote get-url` prints.',
  },
];

const other = {
  what: 'cannot be read or written',
  help: 'Check the remote and your permissions: roster must be able to fetch and push this branch.',
};

/** `name` is that of the inventory. */
export function remoteProblem(name: string, failure: GitFailure): Problem {
  const { command, output, stderr } = failure;
  const [, refusal] = /\[remote rejected\].*\((.*)\)/.exec(stderr) ?? [];
  if (refusal !== undefined) return refused(name, refusal, stderr);
  const { what, help } = causes.find(({ pattern }) => pattern.test(stderr)) ?? other;
  return problem('inventory-unavailable', `the inventory ${name} ${what}: git ${command}: ${output}`, help);
}

/** The host's own lines come before those of git, which only repeat that it failed. */
function refused(name: string, refusal: string, stderr: string): Problem {
  const lines = stderr.split('\n').flatMap((line) => /^remote: ?(.*\S)/.exec(line)?.[1]?.trim() ?? []);
  const said = [refusal, ...lines.slice(0, MOST_LINES)].join('; ');
  const rest = lines.length > MOST_LINES || said.length > MOST_FAILURE_CHARACTERS ? ' …' : '';
  const message = `the remote refused the push to the inventory ${name}: ${said.slice(0, MOST_FAILURE_CHARACTERS)}${rest}`;
  const help =
    'A rule on the host, such as a protected branch or a hook, blocks the push: allow the user or CI job that runs roster to push to this branch.';
  return problem('inventory-unavailable', message, help);
}
