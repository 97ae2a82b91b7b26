import { spawn } from 'node:child_process';
import { accessSync, constants, lstatSync, realpathSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { proveWritable } from '../files/atomic.js';
import { errnoOf, reasonOf } from '../files/errno.js';
import { flushFolder } from '../files/new-file.js';
import { prepareRescuedFolder, RESCUED_FOLDER, rescuedFolderFault } from '../files/own-folder.js';
import { moveSecret, readSecret, writeSecret } from '../files/secret-file.js';
import { isApiKey } from '../model/connection.js';
import type { Delivery, DeliveryCommand } from '../model/resource.js';
import type { HeldKey } from './run-state.js';

/** Whether a new key may replace the one that its file holds. */
export type MayReplace = (key: string) => boolean;

/** Where keys are delivered, and what may be replaced there. */
interface Destination {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly mayReplace: MayReplace;
}

/** What a key file must not be, and how thoroughly to check that it can be written. */
interface DeliveryChecks extends Destination {
  /** True to write files as a test and remove them; false to check permissions and names only. */
  readonly prove: boolean;
  /** Absolute paths of files that a key must not replace. */
  readonly reserved: readonly string[];
}

/** Why a key could not be delivered; null when it can. A command is found or not: it is not run. */
export function undeliverable({ to }: Delivery, checks: DeliveryChecks): string | null {
  if (to === null) return 'the entry has no `deliver:`';
  const fault = 'file' in to ? fileFault(to.file, checks) : commandFault(to, checks);
  return fault ?? keepingFault(checks);
}

/**
 * Delivers the key, and returns when it is safe: flushed to the disk, or read by a command that ended with 0. A file
 * that holds the key is moved to its destination; for a command, it stays.
 */
export async function deliver({ to }: Delivery, into: Destination, held: HeldKey): Promise<void> {
  if (to === null) throw new Error('the entry has no `deliver:`');
  if ('file' in to) deliverToFile(to.file, into, held);
  else await passToCommand(to, into.root, held.key);
}

/** Removes a delivered file after its key was revoked. A command cannot be undone. */
export function removeDelivered({ to }: Delivery, root: string, key: string): void {
  if (to !== null && 'file' in to) removeFile(to.file, root, key);
}

/** A new key is kept until it is delivered: that must be possible before the key exists. */
function keepingFault({ root, prove }: DeliveryChecks): string | null {
  try {
    if (!prove) return rescuedFolderFault(root);
    proveWritable(prepareRescuedFolder(root));
    return null;
  } catch (failure) {
    return `the key could not be kept in ${RESCUED_FOLDER} until it is delivered: ${reasonOf(failure)}`;
  }
}

/** Why a key could not be written to a file of the project; null when it can. */
function fileFault(file: string, { root, prove, reserved, mayReplace }: DeliveryChecks): string | null {
  const path = resolve(root, file);
  if (reserved.includes(path) || /(^|\/)\.(git|roster)(\/|$)/i.test(file))
    return `a key must not be written to ${file}`;
  if (isOutside(relative(root, path)) || path === resolve(root))
    return `${file} is outside the project's folder`;
  const fault = linkFault(file, root) ?? existingFault(file, path, mayReplace);
  if (fault !== null) return fault;
  const existing = nearestFolder(dirname(path));
  if (!statSync(existing).isDirectory()) return `${relative(root, existing)} is not a folder`;
  const unwritable = prove ? writeFault(existing) : permissionFault(existing);
  return unwritable === null ? null : `the folder of ${file} cannot be written: ${unwritable}`;
}

/** The checks of `fileFault` may be minutes old. */
function deliverToFile(file: string, { root, mayReplace }: Destination, { key, path: from }: HeldKey): void {
  const path = resolve(root, file);
  const isFormer: MayReplace = (existing) => existing === key || mayReplace(existing);
  const fault = linkFault(file, root) ?? existingFault(file, path, isFormer);
  if (fault !== null) throw new Error(fault);
  const ifExists = exists(path) ? 'replace' : 'refuse';
  if (from === null) writeSecret(path, key, ifExists);
  else if (ifExists === 'replace' && readSecret(path) === key) finishDelivery(path, from);
  else moveSecret(from, path, ifExists);
}

/** A run was killed before it removed the kept file. A rename leaves two names of one file alone. */
function finishDelivery(path: string, from: string): void {
  flushFolder(dirname(path));
  rmSync(from, { force: true });
}

function removeFile(file: string, root: string, key: string): void {
  const path = resolve(root, file);
  if (exists(path) && readSecret(path) === key) rmSync(path, { force: true });
}

/** Only the file of a previous key is replaced: what else is there would be lost. */
function existingFault(file: string, path: string, mayReplace: MayReplace): string | null {
  if (!exists(path)) return null;
  const text = readSecret(path);
  if (text === null || !isApiKey(text))
    return `${file} already exists, and holds something other than one API key: move it first`;
  if (mayReplace(text)) return null;
  return `${file} holds an API key that is not a former key of this entry, and may be the only copy: move it first, or use another file for each environment`;
}

/** Where a link leads can change at any time, and may be outside the project. */
function linkFault(file: string, root: string): string | null {
  let folder = root;
  for (const name of relative(root, dirname(resolve(root, file))).split(sep)) {
    folder = join(folder, name);
    if (isLink(folder)) return `${file} leads through the symbolic link ${relative(root, folder)}`;
  }
  return isOutside(relative(realpathSync(root), realpathSync(nearestFolder(folder))))
    ? `${file} is outside the project's folder`
    : null;
}

function isLink(path: string): boolean {
  return exists(path) && lstatSync(path).isSymbolicLink();
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

function writeFault(folder: string): string | null {
  try {
    proveWritable(folder);
    return null;
  } catch (failure) {
    return reasonOf(failure);
  }
}

/** Why a command could not be run; null when it can. */
function commandFault(
  { command, env = [] }: DeliveryCommand,
  { root, prove }: DeliveryChecks,
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
function passToCommand(delivery: DeliveryCommand, root: string, key: string): Promise<void> {
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
const PASSED = new Set(
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
    PASSED.has(process.platform === 'win32' ? name.toUpperCase() : name) ||
    name.startsWith('LC_') ||
    env.includes(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassed(name)));
}

const MOST_NAMED = 10;

/** Names of variables that such commands often need: a command that lacks one of them rarely says so. */
const LIKELY_NEEDED = /TOKEN|SECRET|PASSW|CREDENTIAL|_KEY|_ADDR|PROFILE|AUTH_SOCK|PROXY/i;

function withheldNote(given: NodeJS.ProcessEnv): string {
  const names = Object.keys(process.env)
    .filter((name) => LIKELY_NEEDED.test(name) && !/^ROSTER_/i.test(name) && !(name in given))
    .sort();
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `; because they are not listed in \`deliver.env\`, the command did not receive ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
