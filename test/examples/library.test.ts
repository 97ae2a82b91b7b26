import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const library = fileURLToPath(new URL('../../examples/library/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'roster-library-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('examples/library applies a project with a lock and a read-back', async () => {
  cpSync(join(library, 'roster.yaml'), join(folder, 'roster.yaml'));
  const run = () => promisify(execFile)(process.execPath, [join(library, 'apply.mjs')], { cwd: folder });
  const { stdout } = await run();
  expect(stdout).toContain('done       + created   group/retail-prices');
  expect(stdout).toContain('Apply complete: 2 created');
  expect(existsSync(join(folder, 'roster.inventory.json'))).toBe(true);
  expect(existsSync(join(folder, 'roster.inventory.json.lock'))).toBe(false);
  expect((await run()).stdout).toContain('No changes.');
});
