import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Sandbox, World } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { roster } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const at = 'startTime: 2099-01-01T06:00:00';
const before = `groups:
  kept: { members: [acme-shop] }
  gone: { members: [globex] }
schedules:
  kept: { target: group/kept, every: 6 hours, ${at} }
`;
const withInputs = before.replace(at, `${at}, inputs: { country: FR }`);
const withoutGroup = before.replace(/ {2}gone.*\n/, '');

/** Applies `before`, and then `after` while somebody edits the service right after the plan has read it. */
async function applyDuring(after: string, edit: (world: World) => void) {
  const sandbox = await startSandbox();
  const cwd = mkdtempSync(join(tmpdir(), 'roster-conflict-'));
  cleanups.push(() => rmSync(cwd, { recursive: true }));
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  const declare = (text: string) => writeFileSync(join(cwd, 'roster.yaml'), `project: conflict\n${text}`);
  declare(before);
  expect((await roster(['apply', '--yes'], { cwd, env })).exit).toBe(0);
  declare(after);
  sandbox.requests.length = 0;
  afterReads(sandbox, () => edit(sandbox.world));
  const ran = await roster(['apply', '--yes', '--format', 'json'], { cwd, env });
  const { diagnostics } = jsonOf<{ diagnostics: { code: string }[] }>(ran);
  const conflicts = diagnostics.filter(({ code }) => code === 'conflict').length;
  const again = () => roster(['apply', '--yes'], { cwd, env });
  return { sandbox, exit: ran.exit, conflicts, again };
}

/** A plan reads five lists. */
function afterReads({ faults }: Sandbox, edit: () => void): void {
  let reads = 0;
  faults.intercept = async ({ method }, next) => {
    await next();
    if (method !== 'GET') return;
    reads += 1;
    if (reads === 5) edit();
  };
}

const only = <T>(records: ReadonlyMap<string, T>): T => {
  const [first] = records.values();
  if (first === undefined) throw new Error('there is none');
  return first;
};
const named = ({ groups }: World, name: string) => [...groups.values()].find((each) => each.name === name);
const writes = ({ requests }: Sandbox, method: string) => requests.filter((each) => each.method === method);

test('conflict: a schedule that someone paused right before its PUT stays paused', async () => {
  const { sandbox, exit, conflicts, again } = await applyDuring(withInputs, ({ schedules }) => {
    only(schedules).isEnabled = false;
  });
  expect([exit, conflicts, writes(sandbox, 'PUT')]).toEqual([3, 1, []]);
  expect(only(sandbox.world.schedules)).toMatchObject({ isEnabled: false });
  // The next plan shows that it is paused, and what is declared is applied.
  expect((await again()).exit).toBe(0);
  expect(only(sandbox.world.schedules)).toMatchObject({ isEnabled: true });
});

test('conflict: a schedule that someone retargeted right before its PUT keeps its target', async () => {
  const { sandbox, exit, conflicts } = await applyDuring(withInputs, (world) => {
    only(world.schedules).targetId = named(world, 'gone')?.id ?? '';
  });
  expect([exit, conflicts, writes(sandbox, 'PUT')]).toEqual([3, 1, []]);
});

test('conflict: a group that someone renamed right before its delete stays', async () => {
  const { sandbox, exit, conflicts } = await applyDuring(withoutGroup, (world) => {
    const group = named(world, 'gone');
    if (group !== undefined) group.name = 'In use';
  });
  expect([exit, conflicts]).toEqual([3, 1]);
  expect(named(sandbox.world, 'In use')).toBeDefined();
});

test('conflict: a group that a new schedule starts is not deleted', async () => {
  const { sandbox, exit, conflicts } = await applyDuring(withoutGroup, (world) => {
    const schedule = only(world.schedules);
    const targetId = named(world, 'gone')?.id ?? '';
    world.schedules.set('00000000-0000-4000-8000-000000000000', {
      ...schedule,
      id: '00000000-0000-4000-8000-000000000000',
      targetId,
    });
  });
  expect([exit, conflicts]).toEqual([3, 1]);
  expect(named(sandbox.world, 'gone')).toBeDefined();
});

test('conflict: without an edit, the group is deleted and the schedule replaced', async () => {
  const both = withoutGroup.replace(at, `${at}, inputs: { country: FR }`);
  const { sandbox, exit, conflicts } = await applyDuring(both, () => undefined);
  expect([exit, conflicts]).toEqual([0, 0]);
  expect(named(sandbox.world, 'gone')).toBeUndefined();
  expect(only(sandbox.world.schedules).inputParameters).toContain('FR');
});
