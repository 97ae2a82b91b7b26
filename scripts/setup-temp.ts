import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the run a temp folder of its own, and removes it at the end: whatever a test leaves behind goes with it, also when
 * the test fails. The workers are started afterwards and inherit it.
 */
export function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'roster-tests-')));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
