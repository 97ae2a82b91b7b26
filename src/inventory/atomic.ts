import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { problem } from '../model/diagnostic.js';

/** No inventory and no plan is larger; what is, is something else. */
const mostBytes = 256 * 1024 * 1024;

/** Writes a whole file or leaves the old one, flushed to the disk. Only regular files are replaced. */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  refuseOther(path);
  try {
    await writeFileAtomic(path, text, mode === undefined ? {} : { mode });
  } catch (failure) {
    const help = 'Check the folder, its rights and the free space.';
    throw problem('unreadable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
  }
}

/** Finds before the work begins what would keep its result from being written. Throws a Problem. */
export function checkWritable(path: string): void {
  refuseOther(path);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (failure) {
    const help = 'Name a file in a folder that exists and can be written.';
    throw problem('unreadable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
  }
}

/** The text of a regular file; null when there is none. Throws a Problem for anything else: a pipe could hang for ever. */
export function readRegular(path: string, name: string): string | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return null;
    if (!file.isFile()) throw problem('unreadable-file', `${name} is not a regular file`);
    if (file.size > mostBytes) throw problem('limit-exceeded', `${name} is larger than 256 MiB`);
    return readFileSync(path, 'utf8');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === undefined) throw failure;
    throw problem('unreadable-file', `cannot read ${name}: ${reasonOf(failure)}`, 'Check its rights.');
  }
}

/** A link could lead anywhere, and a device would be replaced by a file. */
function refuseOther(path: string): void {
  const existing = lstatSync(path, { throwIfNoEntry: false });
  if (existing === undefined || existing.isFile()) return;
  const what = existing.isSymbolicLink() ? 'a link' : existing.isDirectory() ? 'a folder' : 'no regular file';
  throw problem(
    'unreadable-file',
    `${path} is ${what}`,
    'Name a regular file: roster writes to nothing else.',
  );
}

/** The system's short word for what went wrong, such as EACCES; never a whole message with a path of its own. */
export function reasonOf(failure: unknown): string {
  const code = (failure as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : failure instanceof Error ? failure.message : String(failure);
}
