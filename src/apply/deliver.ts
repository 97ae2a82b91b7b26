import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, lstatSync, realpathSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errnoOf, reasonOf } from '../files/errno.js';
import { removeIfPossible } from '../files/new-file.js';
import { writeSecret } from '../files/secret-file.js';
import type { Delivery } from '../model/resource.js';

/** What a key file must not be, and how thoroughly to check that it can be written. */
export interface DeliveryChecks {
  /** The project's folder, absolute. */
  readonly root: string;
  /** True to write a file as a test and remove it; false to check the permissions of its folder only. */
  readonly prove: boolean;
  /** Absolute paths of files that a key must not replace. */
  readonly reserved: readonly string[];
}

/** Why a key could not be delivered; null when it can. A command is found or not: it is not run. */
export function undeliverable({ to }: Delivery, checks: DeliveryChecks): string | null {
  if (to === null) return 'the entry has no `deliver:`';
  return 'file' in to ? fileFault(to.file, checks) : commandFault(to.command, checks.root);
}

/** Delivers the key, and returns when it is safe: flushed to the disk, or read by a command that ended with 0. */
export async function deliver(delivery: Delivery, root: string, key: string): Promise<void> {
  if (delivery.to === null) throw new Error('there is nowhere to deliver the key');
  if ('file' in delivery.to) writeSecret(resolve(root, delivery.to.file), key);
  else await passToCommand(delivery.to.command, root, key);
}

/** Removes a delivered file after its key was revoked. A command cannot be undone. */
export function removeDelivered(delivery: Delivery, root: string): void {
  if (delivery.to !== null && 'file' in delivery.to) rmSync(resolve(root, delivery.to.file), { force: true });
}

function fileFault(file: string, { root, prove, reserved }: DeliveryChecks): string | null {
  const path = resolve(root, file);
  if (reserved.includes(path) || /(^|\/)\.git(\/|$)/.test(file))
    return `a key must not be written to ${file}`;
  if (isOutside(relative(root, path)) || path === resolve(root))
    return `${file} is outside the project's folder`;
  if (exists(path)) return `${file} already exists: move it first`;
  const existing = nearestFolder(dirname(path));
  if (!statSync(existing).isDirectory()) return `${relative(root, existing)} is not a folder`;
  if (isOutside(relative(realpathSync(root), realpathSync(existing))))
    return `${file} leads outside the project's folder through a symbolic link`;
  const fault = prove ? writeFault(existing) : permissionFault(existing);
  return fault === null ? null : `the folder of ${file} cannot be written: ${fault}`;
}

function isOutside(pathFromRoot: string): boolean {
  return pathFromRoot.startsWith('..') || isAbsolute(pathFromRoot);
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (failure) {
    // A part of the path is a file: nothing exists below it.
    if (errnoOf(failure) === 'ENOTDIR') return false;
    throw failure;
  }
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!exists(folder)) folder = dirname(folder);
  return folder;
}

function permissionFault(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (failure) {
    return reasonOf(failure);
  }
}

/** Permissions do not show a full or read-only disk: this does with other content what will be done with the key. */
function writeFault(folder: string): string | null {
  const probe = join(folder, `.roster-probe-${randomUUID()}`);
  try {
    writeSecret(probe, 'x'.repeat(64));
    rmSync(probe);
    return null;
  } catch (failure) {
    removeIfPossible(probe);
    return reasonOf(failure);
  }
}

function commandFault(command: readonly string[], root: string): string | null {
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
    // It does not exist, or this user may not run it.
    return false;
  }
}

/** A command that hangs must not hold the key and the lock forever. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Runs it without a shell. The key goes to its stdin only; its output is not shown, because it may echo the key. */
function passToCommand(command: readonly string[], root: string, key: string): Promise<void> {
  const [program = '', ...args] = command;
  const env = { ...process.env };
  // The command needs the new key only.
  delete env['ROSTER_API_KEY'];
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
      else if (code === 0) failed(new Error('the command ended without reading the key'));
      else failed(new Error(`the command ended with ${signal ?? `exit code ${code}`}`));
    });
    child.stdin.on('error', () => {
      unread = true;
    });
    child.stdin.end(`${key}\n`);
  });
}
