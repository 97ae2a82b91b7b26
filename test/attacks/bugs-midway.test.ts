import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command } from '../support/command.js';
import { roster } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

const preload = fileURLToPath(new URL('./bug-after-write.cjs', import.meta.url));

const manifest = `project: bug
groups:
  a: { members: [acme-shop], active: false }
  b: { members: [globex] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;

async function applyWithBug(bug: Readonly<Record<string, string>>) {
  const sandbox = await startSandbox();
  const cwd = mkdtempSync(join(tmpdir(), 'roster-bug-'));
  try {
    writeFileSync(join(cwd, 'roster.yaml'), manifest);
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const ran = await roster(['apply', '--yes'], { cwd, env: { ...env, ...bug }, preload });
    const inventory = readFileSync(join(cwd, 'roster.inventory.json'), 'utf8');
    const { groups, schedules } = sandbox.world;
    const unknown = [...groups.values(), ...schedules.values()].filter(({ id }) => !inventory.includes(id));
    const locked = existsSync(join(cwd, 'roster.inventory.json.lock'));
    const again = await command(['apply', '--yes'], { cwd, env });
    const left = [groups.size, schedules.size];
    return { ran, inventory, unknown, locked, again, left };
  } finally {
    rmSync(cwd, { recursive: true });
    await sandbox.close();
  }
}

test('a bug while the progress is printed: the run is finished, recorded and reported, and ends with exit code 3', async () => {
  const { ran, unknown, locked, again, left } = await applyWithBug({ BUG: 'p' });
  expect(ran).toMatchObject({ exit: 3, stdout: expect.stringContaining('Apply incomplete') });
  expect(ran.stderr).toContain('a bug of the program');
  expect([unknown, locked]).toEqual([[], false]);
  expect([again.exit, left]).toEqual([0, [2, 1]]);
});

/** The first of them are in the check of new objects, the later ones in the verification and in what is printed. */
const places = Array.from({ length: 40 }, (_, index) => String(index));

test.each(sampleOf(places, 3, 3))(
  'a bug in how names are compared, after %s comparisons: what was done is recorded or looked for, with exit code 3',
  async (from) => {
    const { ran, locked, again, left } = await applyWithBug({ BUG: 'n', BUG_FROM: from });
    const isReached = (ran.stdout + ran.stderr).includes('a bug of the program');
    expect([ran.exit, locked]).toEqual([isReached ? 3 : 0, false]);
    expect(ran.stdout + ran.stderr).not.toContain('nothing was changed');
    expect([again.exit, left]).toEqual([0, [2, 1]]);
  },
);
