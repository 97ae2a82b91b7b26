import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const library = fileURLToPath(new URL('../../examples/library/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'roster-library-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('examples/library applies a project with a lock and a read-back', async () => {
  cpSync(join(library, 'roster.yaml'), join(folder, 'roster.yaml'));
  const env = { ...process.env, PORT: String(await freePort()) };
  const run = () => promisify(execFile)(process.execPath, [join(library, 'apply.mjs')], { cwd: folder, env });
  const { stdout } = await run();
  expect(stdout).toContain('Plan: 2 to create, ');
  expect(stdout).toContain('done       + created   1 group');
  expect(stdout).toContain('Apply complete: 2 created');
  expect(existsSync(join(folder, 'roster.inventory.json'))).toBe(true);
  expect(existsSync(join(folder, 'roster.inventory.json.lock'))).toBe(false);
  expect((await run()).stdout).toContain('No changes.');
});
