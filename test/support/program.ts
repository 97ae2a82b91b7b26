import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { mustHide, secretsOf } from './secrets.js';

/** The built command, as installed. */
export const program = fileURLToPath(new URL('../../dist/roster.cjs', import.meta.url));

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** A shell command line, instead of the command and its arguments. */
  readonly shell?: string;
  /** A module to load before the command. */
  readonly preload?: string;
}

/** Runs the command as a process, with only the given variables, in the temp folder of the run, and without a terminal. */
export function roster(args: readonly string[], options: RunOptions): Promise<Ended> {
  return start(args, options).ended;
}

export interface Started {
  readonly ended: Promise<Ended>;
  readonly pid: number | null;
  /** What it has printed on stderr so far. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Like `roster`, but returns at once, so that a test can interrupt the process. */
export function start(args: readonly string[], options: RunOptions): Started {
  const { cwd, env = {}, input, shell, preload } = options;
  let kill: Started['kill'] = () => undefined;
  let pid: number | null = null;
  let [stdout, stderr] = ['', ''];
  const ended = new Promise<Ended>((resolve, reject) => {
    const child = spawn(
      shell === undefined ? process.execPath : 'sh',
      shell === undefined
        ? [...(preload === undefined ? [] : ['-r', preload]), program, ...args]
        : ['-c', shell],
      {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(), ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    kill = (signal) => void child.kill(signal);
    pid = child.pid ?? null;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('error', reject);
    child.on('close', (exit, signal) => {
      try {
        // In every test: no command prints the key or a value from the environment.
        mustHide('stdout', stdout, secretsOf(env));
        mustHide('stderr', stderr, secretsOf(env));
        resolve({ exit, signal, stdout, stderr });
      } catch (shown) {
        reject(shown);
      }
    });
  });
  return { ended, pid, stderr: () => stderr, kill: (signal) => kill(signal) };
}
