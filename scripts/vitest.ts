import { type StdioOptions, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './fresh.js';

interface VitestOptions {
  readonly cwd?: string;
  /** Variables in addition to those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** The Node binary; the one that runs this by default. */
  readonly node?: string;
  readonly stdio?: StdioOptions;
}

/** Runs the tests. Whether all of them passed. */
export function runVitest(parameters: readonly string[], options: VitestOptions = {}): boolean {
  const { cwd = root, env = {}, node = process.execPath, stdio = 'inherit' } = options;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, error } = spawnSync(node, [vitest, 'run', ...parameters], {
    cwd,
    env: { ...process.env, ...env },
    stdio,
  });
  if (error !== undefined) throw error;
  return status === 0;
}
