import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { reasonOf } from '../files/errno.js';
import type { DeliveryCommand } from '../model/resource.js';
import type { DeliveryChecks } from './deliver-file.js';

/** Why a command could not be run; null when it can. */
export function commandFault(
  { command, env = [] }: DeliveryCommand,
  { root, prove }: Pick<DeliveryChecks, 'root' | 'prove'>,
): string | null {
  const [program] = command;
  if (program === undefined || program === '') return 'the command is empty';
  if (!pathsOf(program, root).some(isExecutable))
    return `the command "${program}" does not exist or cannot be run`;
  // A job that only plans need not have the secrets of the one that applies.
  const unset = prove ? env.filter((name) => process.env[name] === undefined) : [];
  return unset.length === 0 ? null : `not set, but listed in \`deliver.env\`: ${unset.join(', ')}`;
}

function pathsOf(program: string, root: string): readonly string[] {
  if (program.includes('/')) return [resolve(root, program)];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  return folders.map((folder) => join(folder, program));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // It does not exist, or this user may not run it.
    return false;
  }
}

/** A command that hangs must not hold the key and the lock forever. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Runs it without a shell. The key goes to its stdin only; its output is not shown, because it may echo the key. */
export function passToCommand(delivery: DeliveryCommand, root: string, key: string): Promise<void> {
  const [program = '', ...args] = delivery.command;
  const env = environmentFor(delivery);
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      timeout: COMMAND_TIMEOUT_MS,
      // It may ignore SIGTERM.
      killSignal: 'SIGKILL',
      // Ctrl-C goes to the terminal's whole process group, and would end the delivery.
      detached: process.platform !== 'win32',
      cwd: root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      shell: false,
    });
    child.on('error', (failure) => failed(new Error(`the command cannot be run: ${reasonOf(failure)}`)));
    let unread = false;
    child.on('close', (code, signal) => {
      if (code === 0 && !unread) done();
      else if (code === 0) failed(new Error('the command exited without reading the key'));
      else failed(new Error(`the command exited with ${signal ?? `exit code ${code}`}${withheldNote(env)}`));
    });
    child.stdin.on('error', () => {
      unread = true;
    });
    child.stdin.end(`${key}\n`);
  });
}

/** What a program needs to find itself, its settings and the user's language. None of them is a secret. */
const passed = new Set(
  (process.platform === 'win32'
    ? 'PATH PATHEXT SYSTEMROOT COMSPEC USERNAME USERPROFILE APPDATA LOCALAPPDATA TEMP TMP'
    : 'PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR XDG_CONFIG_HOME'
  ).split(' '),
);

/**
 * A manifest names the command, and the environment of CI holds the secrets of other programs: the command gets only what
 * reviewers have seen in the plan.
 */
function environmentFor({ env = [] }: DeliveryCommand): NodeJS.ProcessEnv {
  const isPassed = (name: string) =>
    passed.has(process.platform === 'win32' ? name.toUpperCase() : name) ||
    name.startsWith('LC_') ||
    env.includes(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassed(name)));
}

const mostNamed = 10;

/** Names of variables that such commands often need: a command that lacks one of them rarely says so. */
const likelyNeeded = /TOKEN|SECRET|PASSW|CREDENTIAL|_KEY|_ADDR|PROFILE|AUTH_SOCK|PROXY/i;

function withheldNote(given: NodeJS.ProcessEnv): string {
  const names = Object.keys(process.env)
    .filter((name) => likelyNeeded.test(name) && !/^ROSTER_/i.test(name) && !(name in given))
    .sort();
  if (names.length === 0) return '';
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `; because they are not listed in \`deliver.env\`, the command did not receive ${names.slice(0, mostNamed).join(', ')}${more}`;
}
