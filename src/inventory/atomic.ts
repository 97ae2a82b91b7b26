import { accessSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { problem } from '../model/diagnostic.js';

/** Writes a whole file or leaves the old one, flushed to the disk. Refuses to write through a link. */
export async function writeAtomic(path: string, text: string, mode?: number): Promise<void> {
  refuseLink(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    await writeFileAtomic(path, text, mode === undefined ? {} : { mode });
  } catch (failure) {
    throw problem(
      'unreadable-file',
      `cannot write ${path}: ${reasonOf(failure)}`,
      'check the folder, its rights and the free space',
    );
  }
}

/** Finds before the work begins what would keep its result from being written. Throws a Problem. */
export function checkWritable(path: string): void {
  refuseLink(path);
  let folder = dirname(path);
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  const help = 'name a file in a folder that can be written';
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw problem('unreadable-file', `${path} is a folder`, help);
  try {
    accessSync(folder, constants.W_OK);
  } catch (failure) {
    throw problem('unreadable-file', `cannot write ${path}: ${reasonOf(failure)}`, help);
  }
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw problem('unreadable-file', `${path} is a link`, 'roster writes only to regular files');
  }
}

/** The system's short word for what went wrong, such as EACCES; never a whole message with a path of its own. */
export function reasonOf(failure: unknown): string {
  const code = (failure as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : failure instanceof Error ? failure.message : String(failure);
}
