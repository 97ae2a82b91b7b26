import { spawn } from 'node:child_process';
import { problem } from '../model/diagnostic.js';

/** A git command that ended with another code than 0, or did not end in time. */
export class GitFailure extends Error {
  constructor(
    readonly command: string,
    /** What git said, without addresses that could hold a password. */
    readonly said: string,
  ) {
    super(`git ${command} failed: ${said}`);
    this.name = 'GitFailure';
  }
}

/** Hooks of the user's are for the user's commits; and nobody is there to answer a question. */
const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', '-c', 'credential.interactive=false'];
/** Set for the commands of hooks, they would lead to another repository than the one that the project is in. */
const elsewhere = new Set(
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
  ].map((name) => `GIT_${name}`),
);
const environment = { GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', LC_ALL: 'C' };
const longest = 120_000;

/**
 * The user's own git, in the repository that `folder` is in: with its remotes, credentials and proxies. Only plumbing
 * is used, which touches neither the work tree nor the index.
 */
export class Git {
  constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  /** What the command prints, without the line break at its end. Throws GitFailure. */
  run(args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = Object.fromEntries(
      Object.entries(this.env).filter(([name]) => name !== 'ROSTER_API_KEY' && !elsewhere.has(name)),
    );
    const child = spawn('git', [...settings, ...args], {
      cwd: this.folder,
      env: { ...env, ...environment, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: longest,
      // A group of its own: Ctrl-C is for roster, which ends what it has begun.
      detached: process.platform !== 'win32',
    });
    const begun = Date.now();
    const command = args[0] ?? '';
    return new Promise((resolve, reject) => {
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      // A command that ends without having read all of its input says why by its code.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('error', (failure: NodeJS.ErrnoException) => reject(startFailure(failure, this.folder)));
      child.on('close', (code, signal) => {
        if (code === 0) resolve(out.replace(/\n$/, ''));
        else if (signal === null) reject(new GitFailure(command, inWords(err)));
        else {
          const late = Date.now() - begun >= longest ? ` after ${longest / 1000} s` : '';
          reject(new GitFailure(command, `it was ended${late} (${signal})`));
        }
      });
    });
  }
}

function startFailure(failure: NodeJS.ErrnoException, folder: string): Error {
  if (failure.code !== 'ENOENT') return failure;
  return problem(
    'missing-setting',
    `git cannot be started in ${folder}`,
    'The inventory is set to be kept in git: install git, or use `inventory: { file: … }`.',
  );
}

/** What git adds to every failure of that sort. */
const advice =
  /^(Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/;

/** The last lines say what went wrong. An address may hold a password or a token. */
function inWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote): */, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:') && !advice.test(line));
  const said = lines
    .slice(-4)
    .join('; ')
    .replace(/(\w+:\/\/)?\S*@/g, '$1');
  return said === '' ? 'it said nothing' : said.slice(0, 500);
}
