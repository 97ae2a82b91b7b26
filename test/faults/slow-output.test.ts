import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { start } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** Longer than the sandbox keeps an idle connection open. */
const PAUSE_MS = 6500;

/** Loaded before the program: whatever reads its output takes that long for the plan, like a pager. */
const slowReader = `
const fs = require('node:fs');
const { writeSync } = fs;
fs.writeSync = (file, bytes, ...rest) => {
  if (file === 1 && String(bytes).includes('to create'))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${PAUSE_MS});
  return writeSync(file, bytes, ...rest);
};`;

test.runIf(isLong)(
  'creates: connections that the service closed while the plan was printed are not used',
  async () => {
    const sandbox = await startSandbox();
    const cwd = mkdtempSync(join(tmpdir(), 'roster-slow-'));
    const groups = Array.from({ length: 30 }, (_, n) => `  g${n}: { members: [acme-shop] }`);
    writeFileSync(join(cwd, 'roster.yaml'), ['project: slow', 'groups:', ...groups].join('\n'));
    const preload = join(cwd, 'slow-reader.cjs');
    writeFileSync(preload, slowReader);
    try {
      const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
      const { exit, stdout } = await start(['apply', '--yes'], { cwd, env, preload }).ended;
      expect(stdout).toContain('Apply complete: 30 created');
      expect(exit).toBe(0);
    } finally {
      await sandbox.close();
      rmSync(cwd, { recursive: true });
    }
  },
);
