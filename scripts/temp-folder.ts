import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'roster-tests-';

/**
 * Gives this process, and those that it starts, a temp folder of their own, and removes it at the end: whatever a test
 * leaves behind goes with it, also when the test fails, or the run is stopped or killed. What is left all the same is removed
 * by the next run.
 */
export function useTempFolder(): void {
  const temp = realpathSync(tmpdir());
  // Vitest reads its configuration again when it changes.
  if (processOf(temp) === process.pid) return;
  for (const name of readdirSync(temp)) if (isLeft(name)) remove(join(temp, name));
  const folder = mkdtempSync(join(temp, `${PREFIX}${process.pid}-`));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => remove(folder));
  removeIfKilled(folder);
  const stop = () => process.exit(1);
  process.once('SIGTERM', stop).once('SIGHUP', stop);
}

/** Starts a process whose input ends with this one, however it ends. Where there is no shell, the next run removes the folder. */
function removeIfKilled(folder: string): void {
  const words = ['-c', 'cat; sleep 1; rm -rf "$0"', folder];
  const waiting = spawn('sh', words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  waiting.on('error', () => undefined).unref();
  (waiting.stdin as Socket).unref();
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

/** What the run has started may still write there: then the waiting process removes it, or the next run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}
