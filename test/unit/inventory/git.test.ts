import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Git } from '../../../src/inventory/git.js';
import { isLong } from '../../support/size.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** In place of git. */
function program(script: string): Git {
  const path = join(folder, 'git');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return new Git({ folder }, { PATH: `${folder}:${process.env['PATH']}` });
}

test.runIf(isLong)('a git that prints without end is stopped, and that is reported', async () => {
  const endless = program('exec cat /dev/zero');
  await expect(endless.run(['cat-file'])).rejects.toMatchObject({
    diagnostics: [expect.objectContaining({ code: 'limit-exceeded' })],
  });
});
