import { dirname, join } from 'node:path';
import { readRegular, unwritable, writeAtomic } from '../../files/atomic.js';
import { errnoOf } from '../../files/errno.js';
import { makeFolders } from '../../files/new-file.js';
import { problem } from '../../model/diagnostic.js';
import type { Pulled, PulledFile } from '../../model/pull.js';
import { occupantOf } from '../init/new-files.js';

/** Writes each file whole, in order. Nothing is written when one of them has changed since it was read. */
export async function writePulled({ files, root }: Pulled): Promise<void> {
  for (const each of files) checkUnchanged(each, root);
  for (const { path, before, after } of files) {
    const absolute = join(root, path);
    makeFolder(dirname(absolute));
    // Between this look and the write nothing else happens: another program would have to be very quick.
    checkUnchanged({ path, before, after }, root);
    await writeAtomic(absolute, before === null ? after : `${byteOrderMark(absolute, path)}${after}`);
  }
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder, 0o777);
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    throw unwritable(folder, failure, 'Name another folder with `--out`.');
  }
}

function byteOrderMark(absolute: string, path: string): string {
  return readRegular(absolute, path)?.startsWith('\ufeff') === true ? '\ufeff' : '';
}

function checkUnchanged({ path, before, after }: PulledFile, root: string): void {
  const occupant = occupantOf(root, path);
  if (occupant === 'link' || occupant === 'other')
    throw problem(
      'unwritable-file',
      `${path} is not a regular file, or its folder is a link`,
      'Name another file.',
    );
  const found =
    occupant === 'nothing' ? null : (readRegular(join(root, path), path)?.replace(/^\ufeff/, '') ?? null);
  // An interrupted run may have written it.
  if (found === before || (before === null && found === after)) return;
  const message = `${path} was changed while the service was being read`;
  throw problem('unreadable-file', message, 'Nothing was written to it. Run `roster pull` again.');
}
