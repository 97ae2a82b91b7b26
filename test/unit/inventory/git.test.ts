import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Git, GitFailure } from '../../../src/inventory/git.js';
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

describe('what git says about a failure', () => {
  async function stderrOf(script: string): Promise<string> {
    const failure: unknown = await program(`${script}\nexit 1`)
      .run(['push'])
      .catch((error: unknown) => error);
    if (!(failure instanceof GitFailure)) throw failure;
    return failure.stderr;
  }

  test('keeps addresses of people and names of teams', async () => {
    const said = await stderrOf("echo 'remote: Ask platform-team@example.com or @octo/platform' >&2");
    expect(said).toBe('remote: Ask platform-team@example.com or @octo/platform\n');
  });

  test.each([
    [
      "fatal: no access to 'https://me:canary/x@canary@host/a.git'",
      "fatal: no access to 'https://host/a.git'",
    ],
    ['fatal: unable to look up me:canary@host (port 9418)', 'fatal: unable to look up host (port 9418)'],
    ['remote: use https://me:canary@host/a.git', 'remote: use https://host/a.git'],
    [
      "fatal: no access to 'https://host/a.git/': Unsupported proxy syntax in 'me:canary'",
      "fatal: no access to 'https://host/a.git/': Unsupported proxy syntax in (not shown)",
    ],
    ['fatal: Could not resolve proxy: canary', 'fatal: Could not resolve proxy: (not shown)'],
  ])('does not contain the user and password of an address: %s', async (line, shown) =>
    expect(await stderrOf(`echo "${line}" >&2`)).toBe(`${shown}\n`),
  );

  test('has its first and its last lines, however long it is', async () => {
    const said = await stderrOf('for each in $(seq 2000); do echo "line $each" >&2; done');
    expect(said).toMatch(/^line 1\nline 2\n/);
    expect(said).toMatch(/\nline 1999\nline 2000\n$/);
    expect(said.length).toBeLessThan(10_000);
    expect(said.split('\n').filter((line) => !/^(line \d+)?$/.test(line))).toEqual([]);
  });

  test('has no line that was cut, which could hold a password without its URL', async () => {
    const said = await stderrOf("printf '%09000d' 0 >&2; printf ':canary@host %09000d\\nend\\n' 0 >&2");
    expect(said).toBe('end\n');
  });
});

test.runIf(isLong)('a git that prints without end is stopped, and that is reported', async () => {
  const endless = program('exec cat /dev/zero');
  await expect(endless.run(['cat-file'])).rejects.toMatchObject({
    diagnostics: [expect.objectContaining({ code: 'limit-exceeded' })],
  });
});
