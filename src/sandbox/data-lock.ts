import { createHash } from 'node:crypto';
import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { DataFileError } from './data-file.js';

/** Keeps two sandboxes of a machine from using one data file: each would overwrite what the other has saved. */

/** Throws DataFileError while another process that runs has the file. Returns what releases it. */
export async function lockDataFile(file: string): Promise<() => Promise<void>> {
  const lock = await lockPath(file);
  for (const isRetry of [false, true]) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rm(lock, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (isRetry || isRunning(holder)) throw inUse(file, holder, lock);
      await rm(lock, { force: true }); // of a process that was killed
    }
  }
  throw new Error('unreachable');
}

/** After a crash, the number of the process may be that of another program. */
function inUse(file: string, holder: number, lock: string): DataFileError {
  const help = `Stop that one first. If it is not a sandbox, delete ${lock}.`;
  return new DataFileError(file, `is used by another sandbox (process ${holder})`, help);
}

/** Outside the folder of the file, which may be watched or under version control. */
async function lockPath(file: string): Promise<string> {
  const folder = await realpath(dirname(resolve(file)));
  const name = createHash('sha256')
    .update(join(folder, basename(file)))
    .digest('hex')
    .slice(0, 24);
  return join(tmpdir(), `roster-sandbox-${name}.lock`);
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
