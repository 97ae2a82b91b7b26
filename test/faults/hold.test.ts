import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from '../../src/inventory/format.js';
import type { Fault } from '../../src/sandbox/index.js';
import type { AnyFault, ClientFault } from '../support/client-faults.js';
import { experiments } from './support/experiments.js';
import { type Fixture, withFixture } from './support/fixture.js';
import type { FsFault } from './support/fs-faults.js';
import type { Scenario } from './support/scenarios.js';

/** I38: a hold is what it says: nothing is paused that is not recorded, and a resume enables exactly what was enabled. */

const at = 'startTime: 2099-01-01T06:00:00';
const manifest = `project: faults
limits: { startsPerMinute: 1000 }
schedules:
  a: { target: agent/acme-shop, every: 1 hour, ${at} }
  b: { target: agent/globex, every: 2 hours, ${at} }
  c: { target: agent/initech, every: 3 hours, ${at} }
  declared: { target: agent/acme-shop, every: 4 hours, ${at}, enabled: false }
  dashboard: { target: agent/globex, every: 5 hours, ${at} }
`;
const running: Scenario = { name: 'running', before: manifest, manifest };

/** By key. */
function enabledOf({ sandbox, workspace }: Fixture): Record<string, boolean> {
  const { entries } = inventoryOf(workspace.root);
  const states = [...entries].map(([address, { id }]) => {
    const found = sandbox.world.schedules.get(id ?? '');
    return [address.slice('schedule/'.length), found?.isEnabled === true] as const;
  });
  return Object.fromEntries(states);
}

function inventoryOf(root: string) {
  return parse(readFileSync(join(root, 'roster.inventory.json'), 'utf8'), 'the inventory');
}

function heldOf({ workspace }: Fixture): string[] {
  const { entries } = inventoryOf(workspace.root);
  return [...entries].flatMap(([address, { hold }]) =>
    hold === undefined ? [] : [address.slice('schedule/'.length)],
  );
}

const before = { a: true, b: true, c: true, declared: false, dashboard: false };
const held = { ...before, a: false, b: false, c: false };

const hold = (fixture: Fixture) =>
  fixture.command('hold', '--all', '--reason', 'incident 42', '--until', '8h', '--yes');
const resume = (fixture: Fixture) => fixture.command('resume', '--all', '--yes');

/** Somebody has paused one in the dashboard. */
function withRunning(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  return withFixture(running, async (fixture) => {
    const { id } = inventoryOf(fixture.workspace.root).entries.get('schedule/dashboard') ?? {};
    const found = fixture.sandbox.world.schedules.get(id ?? '');
    if (found === undefined) throw new Error('it was not created');
    found.isEnabled = false;
    await work(fixture);
  });
}

/** Also between the runs: what is paused and was not, the inventory names. */
function expectRecorded(fixture: Fixture): void {
  const now = enabledOf(fixture);
  const paused = Object.keys(before).filter((key) => before[key as 'a'] && now[key] === false);
  expect(heldOf(fixture)).toEqual(expect.arrayContaining(paused));
  expect([now['declared'], now['dashboard']]).toEqual([false, false]);
}

async function expectHeld(fixture: Fixture): Promise<void> {
  expect(await hold(fixture)).toMatchObject({ exit: 0 });
  expect([enabledOf(fixture), heldOf(fixture)]).toEqual([held, ['a', 'b', 'c']]);
}

async function expectResumed(fixture: Fixture): Promise<void> {
  expect(await resume(fixture)).toMatchObject({ exit: 0 });
  expect([enabledOf(fixture), heldOf(fixture)]).toEqual([before, []]);
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const kills: ClientFault[] = upTo(12).flatMap((nth) =>
  (['kill-before', 'kill-after'] as const).map((act) => ({ act, nth })),
);
const answers = (
  [
    { act: 'drop' },
    { act: 'lose' },
    { act: 'late', requests: 1 },
    { act: 'cut' },
    { act: 'status', status: 500 },
    { act: 'status-after', status: 500 },
    { act: 'status', status: 401 },
    { act: 'status', status: 404 },
  ] as const
).map((fault): Fault => ({ ...fault, path: '/api/schedules/bulk/enabled' }));
const writes = upTo(14).flatMap((nth) => (['kill', 'ENOSPC'] as const).map((act): FsFault => ({ act, nth })));
const troubles = [
  ...kills.map((fault) => ({ fault })),
  ...answers.flatMap((fault) => [{ fault }, { fault: { ...fault, nth: 1 } }]),
  ...writes.map((fs) => ({ fs })),
].flatMap((trouble) => [false, true].map((applies) => ({ ...trouble, applies })));
type Trouble = { fault?: AnyFault; fs?: FsFault; applies: boolean };

/** A run with trouble; and perhaps an apply of something else before the next one. */
async function troubled(fixture: Fixture, trouble: Trouble, run: (of: Fixture) => Promise<unknown>) {
  const { fault, fs, applies } = trouble;
  if (fault !== undefined) fixture.inject(fault);
  fixture.fsFault = fs ?? null;
  await run(fixture);
  fixture.fsFault = null;
  fixture.inject();
  expectRecorded(fixture);
  if (!applies) return;
  const ran = await fixture.command('apply', 'schedule/a', 'schedule/b', 'schedule/c', '--yes');
  expect(ran).toMatchObject({ exit: 0 });
  expectRecorded(fixture);
}

experiments(
  'I38',
  'hold: after a kill or a lost answer anywhere, everything paused is recorded, holding again finishes it, and a resume enables exactly what was enabled',
  troubles,
  async (trouble) => {
    await withRunning(async (fixture) => {
      await troubled(fixture, trouble, hold);
      await expectHeld(fixture);
      await expectResumed(fixture);
    });
  },
  7,
);

experiments(
  'I38',
  'resume: after a kill or a lost answer anywhere, resuming again enables exactly what was enabled before the hold',
  troubles,
  async (trouble) => {
    await withRunning(async (fixture) => {
      await expectHeld(fixture);
      await troubled(fixture, trouble, resume);
      await expectResumed(fixture);
    });
  },
  7,
);

test('an apply between a hold and its end leaves the schedules paused and the hold as it is', async () => {
  await withRunning(async (fixture) => {
    await expectHeld(fixture);
    fixture.workspace.write('roster.yaml', manifest.replace('every: 1 hour', 'every: 6 hours'));
    expect(await fixture.command('apply', 'schedule/a', '--yes')).toMatchObject({ exit: 0 });
    expect([enabledOf(fixture), heldOf(fixture)]).toEqual([held, ['a', 'b', 'c']]);
    await expectResumed(fixture);
  });
});
