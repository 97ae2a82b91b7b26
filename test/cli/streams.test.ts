import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { program, roster } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { many } from '../support/size.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const count = many(40, 400);

async function arrange() {
  const sandbox = await startSandbox();
  const cwd = mkdtempSync(join(tmpdir(), 'roster-streams-'));
  const groups = Array.from({ length: count }, (_, n) => `  g${n}: { members: [acme-shop] }`);
  writeFileSync(join(cwd, 'roster.yaml'), `project: streams\ngroups:\n${groups.join('\n')}\n`);
  cleanups.push(() => rmSync(cwd, { recursive: true }));
  return { sandbox, cwd, env: { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey } };
}

/** Runs a line of shell beside this process, in which the sandbox lives. */
function shell(line: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return roster([], { cwd, env, shell: line.replaceAll('roster', `"${process.execPath}" "${program}"`) });
}

const full = existsSync('/dev/full') && spawnSync('sh', ['-c', 'echo > /dev/full']).status !== 0;

test.skipIf(!full).each(['text', 'json'])('a full disk behind stdout is an error, in %s', async (format) => {
  const scene = await arrange();
  const planned = await shell(`roster plan --format ${format} > /dev/full`, scene);
  expect([planned.exit, planned.stderr.match(/error\[.*\]/g)]).toEqual([1, ['error[unwritable-file]']]);
  const applied = await shell(`roster apply --yes --format ${format} > /dev/full`, scene);
  expect(applied.stderr).toContain('error[unwritable-file]');
  // In JSON nothing is written before the end: by then all was done. In text the plan comes first.
  expect([applied.exit, scene.sandbox.world.groups.size]).toEqual(format === 'json' ? [3, count] : [1, 0]);
});

test('a reader that closes stdout early is not an error, and the apply completes', async () => {
  const scene = await arrange();
  const applied = await shell('roster apply --yes 2> /dev/null | head -1', scene);
  expect([applied.stdout, applied.stderr, scene.sandbox.world.groups.size]).toEqual([
    `${count} to create\n`,
    '',
    count,
  ]);
});

test('a closed stderr changes nothing', async () => {
  const scene = await arrange();
  const applied = await shell('roster apply --yes 2>&-', scene);
  expect([applied.exit, scene.sandbox.world.groups.size]).toEqual([0, count]);
});
