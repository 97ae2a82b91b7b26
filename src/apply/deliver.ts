import { spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Delivery } from '../model/resource.js';

/**
 * Why a key could not be delivered, or null when it can. With `prove` a file is tried, and nothing is left behind;
 * without, its folder's rights are looked at. A command is found or not. `root` is the project's folder, absolute.
 */
export function undeliverable(
  delivery: Delivery,
  { root, prove, reserved }: { root: string; prove: boolean; reserved: readonly string[] },
): string | null {
  if (delivery.to === null) return 'the entry has no `deliver:`';
  return 'file' in delivery.to
    ? fileProblem(delivery.to.file, root, prove, reserved)
    : commandProblem(delivery.to.command, root);
}

/** Hands the key over and returns when it is safe there: flushed to the disk, or taken by a command that ended well. */
export async function deliver(delivery: Delivery, root: string, key: string): Promise<void> {
  if (delivery.to === null) throw new Error('there is nowhere to deliver the key');
  if ('file' in delivery.to) writeSecret(resolve(root, delivery.to.file), key);
  else await handToCommand(delivery.to.command, root, key);
}

/** Takes a delivered file back after its key was revoked. A command cannot be undone. */
export function withdraw(delivery: Delivery, root: string): void {
  if (delivery.to !== null && 'file' in delivery.to) rmSync(resolve(root, delivery.to.file), { force: true });
}

/** Exclusive, mode 0600, no link followed, flushed together with its folder. */
export function writeSecret(path: string, secret: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, flags, 0o600);
  try {
    writeSync(file, `${secret}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const folder = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function fileProblem(file: string, root: string, prove: boolean, reserved: readonly string[]): string | null {
  const path = resolve(root, file);
  if (reserved.includes(path) || /(^|\/)\.git(\/|$)/.test(file)) return `${file} is not a place for a key`;
  const fromRoot = relative(root, path);
  if (fromRoot === '' || fromRoot.startsWith('..') || isAbsolute(fromRoot))
    return `${file} is outside the project's folder`;
  if (isThere(path)) return `${file} exists already: move it away first`;
  const existing = nearestFolder(dirname(path));
  if (!statSync(existing).isDirectory()) return `${relative(root, existing)} is no folder`;
  const inside = relative(realpathSync(root), realpathSync(existing));
  if (inside.startsWith('..') || isAbsolute(inside))
    return `${file} leads outside the project's folder through a link`;
  return (prove ? isWritable(existing) : hasRights(existing))
    ? null
    : `the folder of ${file} cannot be written`;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (failure) {
    // A part of the path is a file: nothing can stand below it.
    if ((failure as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw failure;
  }
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!isThere(folder)) folder = dirname(folder);
  return folder;
}

function hasRights(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    // The answer is no, whatever the reason.
    return false;
  }
}

/** Rights alone do not tell of a full or read-only disk: an attempt does. */
function isWritable(folder: string): boolean {
  const probe = join(folder, `.roster-probe-${process.pid}`);
  try {
    const file = openSync(
      probe,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeSync(file, 'x'.repeat(64));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    // Whatever the reason, a key could not be kept there.
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

function commandProblem(command: readonly string[], root: string): string | null {
  const [program] = command;
  if (program === undefined || program === '') return 'the command is empty';
  const candidates = program.includes('/')
    ? [resolve(root, program)]
    : (process.env['PATH'] ?? '')
        .split(delimiter)
        .filter((each) => each !== '')
        .map((folder) => join(folder, program));
  return candidates.some(isExecutable) ? null : `the command "${program}" does not exist or cannot be run`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}

/** A command that hangs must not hold the key and the lock for ever. */
const commandMilliseconds = 60_000;

/** By argv, without a shell; the key goes to stdin only, and what the command prints is not shown: it may echo it. */
function handToCommand(command: readonly string[], root: string, key: string): Promise<void> {
  const [program = '', ...args] = command;
  const env = { ...process.env };
  // The command needs the new key only.
  delete env['ROSTER_API_KEY'];
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      timeout: commandMilliseconds,
      cwd: root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      shell: false,
    });
    child.on('error', (failure) =>
      failed(
        new Error(`the command could not be run: ${(failure as NodeJS.ErrnoException).code ?? 'unknown'}`),
      ),
    );
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else failed(new Error(`the command ended with ${signal ?? `exit code ${code}`}`));
    });
    // A command that reads nothing closes the pipe: its exit code is what counts.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${key}\n`);
  });
}
