import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { flush, removeIfPossible } from '../files/disk.js';
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

/**
 * Whole or not at all, readable by its owner alone, never over what is there nor through a link, flushed together with
 * its folder. A run that is killed meanwhile may leave the key beside, under a name that ends in that of the file.
 */
export function writeSecret(path: string, secret: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `${randomUUID()}.${basename(path)}`);
  const made = [aside];
  try {
    writeNew(aside, `${secret}\n`);
    linkSync(aside, path);
    made.push(path);
    rmSync(aside);
    flush(folder);
  } catch (failure) {
    for (const each of made) removeIfPossible(each);
    throw failure;
  }
}

function writeNew(path: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // Unlike one write, it does not take a part for the whole.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
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
  const fault = prove ? writeFault(existing) : rightsFault(existing);
  return fault === null ? null : `the folder of ${file} cannot be written (${fault})`;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (failure) {
    // A part of the path is a file: nothing can stand below it.
    if (codeOf(failure) === 'ENOTDIR') return false;
    throw failure;
  }
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!isThere(folder)) folder = dirname(folder);
  return folder;
}

function rightsFault(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (failure) {
    return codeOf(failure);
  }
}

/** Rights alone do not tell of a full or read-only disk: what will be done with the key is done with something else. */
function writeFault(folder: string): string | null {
  const probe = join(folder, `.roster-probe-${randomUUID()}`);
  try {
    writeSecret(probe, 'x'.repeat(64));
    rmSync(probe);
    return null;
  } catch (failure) {
    removeIfPossible(probe);
    return codeOf(failure);
  }
}

const codeOf = (failure: unknown): string => (failure as NodeJS.ErrnoException).code ?? 'unknown';

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
      // It may not heed a friendlier one.
      killSignal: 'SIGKILL',
      // An interrupt from the keyboard goes to all of a terminal's group, and would end the delivery.
      detached: process.platform !== 'win32',
      cwd: root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      shell: false,
    });
    child.on('error', (failure) => failed(new Error(`the command could not be run: ${codeOf(failure)}`)));
    let unread = false;
    child.on('close', (code, signal) => {
      if (code === 0 && !unread) done();
      else if (code === 0) failed(new Error('the command ended without reading the key'));
      else failed(new Error(`the command ended with ${signal ?? `exit code ${code}`}`));
    });
    child.stdin.on('error', () => {
      unread = true;
    });
    child.stdin.end(`${key}\n`);
  });
}
