import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'roster-tests-';

/**
 * Gives this process, and those that it starts, a temp folder of their own, and removes it at the end: whatever a test
 * leaves behind goes with it, also when the test fails or the run is stopped. What a killed run has left is removed by the
 * next one.
 */
export function useTempFolder(): void {
  const temp = realpathSync(tmpdir());
  // Vitest reads its configuration again when it changes.
  if (processOf(temp) === process.pid) return;
  for (const name of readdirSync(temp)) if (isLeft(name)) remove(join(temp, name));
  const folder = mkdtempSync(join(temp, `${PREFIX}${process.pid}-`));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => remove(folder));
  const stop = () => process.exit(1);
  process.once('SIGTERM', stop).once('SIGHUP', stop);
}

/** A folder of a run whose process no longer exists. */
function isLeft(name: string): boolean {
  const pid = processOf(name);
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function processOf(folder: string): number | null {
  const [, pid] = new RegExp(`${PREFIX}(\\d+)-\\w+$`).exec(folder) ?? [];
  return pid === undefined ? null : Number(pid);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
