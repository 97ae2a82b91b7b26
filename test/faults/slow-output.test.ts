import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { start } from '../support/program.js';
import { startProxy } from '../support/proxy.js';
import { startSandbox } from '../support/sandbox.js';

/**
 * Loaded before the program: whatever reads its output takes that long for the plan, like a pager, that the service has
 * closed idle connections meanwhile.
 */
const slowReader = `
const fs = require('node:fs');
const { writeSync } = fs;
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
fs.writeSync = (file, bytes, ...rest) => {
  if (file === 1 && String(bytes).includes('to create') && !fs.existsSync('printing')) {
    fs.writeFileSync('printing', '');
    while (!fs.existsSync('closed')) sleep(10);
    sleep(50);
  }
  return writeSync(file, bytes, ...rest);
};`;

test('creates: connections that the service closed while the plan was printed are not used', async () => {
  const sandbox = await startSandbox();
  const proxy = await startProxy(sandbox.url);
  const cwd = mkdtempSync(join(tmpdir(), 'roster-slow-'));
  const groups = Array.from({ length: 30 }, (_, n) => `  g${n}: { members: [acme-shop] }`);
  writeFileSync(join(cwd, 'roster.yaml'), ['project: slow', 'groups:', ...groups].join('\n'));
  const preload = join(cwd, 'slow-reader.cjs');
  writeFileSync(preload, slowReader);
  try {
    const env = { ROSTER_URL: proxy.url, ROSTER_API_KEY: sandbox.apiKey };
    const { ended } = start(['apply', '--yes'], { cwd, env, preload });
    const isOver = ended.then(() => true);
    while (!existsSync(join(cwd, 'printing')) && !(await Promise.race([isOver, wait(10, false)])));
    proxy.disconnect();
    writeFileSync(join(cwd, 'closed'), '');
    const { exit, stdout } = await ended;
    expect(stdout).toContain('Apply complete: 30 created');
    expect(exit).toBe(0);
    expect(existsSync(join(cwd, 'printing'))).toBe(true);
  } finally {
    await proxy.close();
    await sandbox.close();
    rmSync(cwd, { recursive: true });
  }
});
