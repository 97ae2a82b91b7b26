import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What goes wrong with the files of a process (fs-faults.cjs). */
export interface FsFault {
  /** `kill` is SIGKILL; anything else is the code of an error. */
  readonly act: 'kill' | 'ENOSPC' | 'EIO' | 'EROFS' | 'EACCES';
  /** Which of the calls that change files, from 1. */
  readonly nth: number;
  /** So does every call after it. */
  readonly lasting?: boolean;
  /** A write goes half way before; other calls go wrong as they do without. */
  readonly half?: boolean;
  /** Only calls with this in their paths are counted. */
  readonly path?: string;
}

export const preload = fileURLToPath(new URL('./fs-faults.cjs', import.meta.url));

/** The variables for a process that is to meet a fault with the files below a folder. */
export const fsFaults = (under: string, fault: FsFault): Record<string, string> => ({
  FS_FAULTS: JSON.stringify({ under, ...fault }),
});

/** The calls that change files below a folder, by name, of a process that is started with the variables given. */
export async function callsOf(
  under: string,
  run: (env: Record<string, string>) => Promise<unknown>,
  path?: string,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-calls-'));
  const log = join(folder, 'log');
  try {
    await run({ FS_FAULTS: JSON.stringify({ under, log, nth: 0, path }) });
    return readFileSync(log, 'utf8').trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
