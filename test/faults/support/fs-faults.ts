import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A fault in the file system calls of a process (fs-faults.cjs). */
export interface FsFault {
  /** `kill` is SIGKILL; anything else is the code of an error. */
  readonly act: 'kill' | 'ENOSPC' | 'EIO' | 'EROFS' | 'EACCES';
  /** Counts the calls that change files, from 1. */
  readonly nth: number;
  /** Every later call fails, too. */
  readonly lasting?: boolean;
  /** A write is done halfway before it fails; other calls are not affected. */
  readonly half?: boolean;
  /** Only calls with this in their paths are counted. */
  readonly path?: string;
}

export const preload = fileURLToPath(new URL('./fs-faults.cjs', import.meta.url));

/** Environment variables for a process with a fault in the files below a folder. */
export const fsFaults = (under: string, fault: FsFault): Record<string, string> => ({
  FS_FAULTS: JSON.stringify({ under, ...fault }),
});

/** A call that changes files. */
export interface FsChange {
  readonly call: string;
  readonly path: string;
}

/** The calls that change files below a folder, in a process that `run` starts with the variables and the preload. */
export async function changesOf(
  under: string,
  run: (env: Record<string, string>) => Promise<unknown>,
  path?: string,
): Promise<FsChange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-calls-'));
  const log = join(folder, 'log');
  try {
    await run({ FS_FAULTS: JSON.stringify({ under, log, nth: 0, path }) });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    return lines.map((line) => {
      const [call = '', ...rest] = line.split(' ');
      return { call, path: rest.join(' ') };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names of those calls. */
export async function callsOf(...args: Parameters<typeof changesOf>): Promise<string[]> {
  return (await changesOf(...args)).map(({ call }) => call);
}
