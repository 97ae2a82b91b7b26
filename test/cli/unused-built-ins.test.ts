import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.js';
import { start } from '../support/program.js';

const cwd = mkdtempSync(join(tmpdir(), 'roster-loaded-'));
afterAll(() => rmSync(cwd, { recursive: true }));

test('a plan does not load HTTP/2 or child_process', async () => {
  const [probe, loaded] = [join(cwd, 'probe.cjs'), join(cwd, 'loaded')];
  const write = `require('node:fs').writeFileSync(${JSON.stringify(loaded)}, process.moduleLoadList.join('\\n'))`;
  writeFileSync(probe, `process.on('exit', () => ${write});`);
  writeFileSync(join(cwd, 'roster.yaml'), 'project: p\ngroups: { g: { members: [acme-shop] } }\n');
  const sandbox = await startSandbox();
  try {
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    expect((await start(['plan'], { cwd, env, preload: probe }).ended).exit).toBe(0);
  } finally {
    await sandbox.close();
  }
  const modules = readFileSync(loaded, 'utf8').split('\n');
  expect(modules).toContain('NativeModule http');
  expect(modules).not.toContain('NativeModule http2');
  expect(modules).not.toContain('NativeModule child_process');
});
