import { expect, test } from 'vitest';
import type { FaultPlan } from '../../../src/sandbox/faults.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

async function applied(manifest: object, lagMs = 0, faults: FaultPlan['faults'] = []) {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify({ project: 'k', ...manifest }) }, sandbox);
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  sandbox.faults.lagMs = lagMs;
  sandbox.faults.faults = faults;
  const ran = await workspace.apply({ verify: false });
  const calls = sandbox.requests.map(({ method, path }) => `${method} ${path}`);
  return {
    exit: ran.exit,
    posts: calls.filter((each) => each === 'POST /api/search-groups').length,
    lists: calls.filter((each) => each === 'GET /api/search-groups').length,
    reads: calls.filter((each) => each.startsWith('GET /api/search-groups/')).length,
    /** Groups with a schedule. */
    targets: [...sandbox.world.schedules.values()].filter(({ targetId }) =>
      sandbox.world.groups.has(targetId),
    ).length,
  };
}

async function callsOf(manifest: object, lagMs = 0) {
  const { targets: _, ...calls } = await applied(manifest, lagMs);
  return calls;
}

const groups = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`g${index}`, { members: ['acme-shop'] }]),
);

test('new groups are checked with one list', async () => {
  expect(await callsOf({ groups })).toEqual({ exit: 0, posts: 20, lists: 2, reads: 0 });
});

test('new groups that the list does not show yet are read by their ids', async () => {
  expect(await callsOf({ groups }, 60_000)).toEqual({ exit: 0, posts: 20, lists: 2, reads: 20 });
});

const often = { every: '6 hours', startTime: '2099-01-01T06:00:00' };

test('a new group that a schedule waits for is checked with the others, before the schedule is created', async () => {
  const schedules = { s: { target: 'group/g0', ...often } };
  expect(await callsOf({ groups, schedules })).toEqual({ exit: 0, posts: 20, lists: 2, reads: 0 });
});

test('one new group alone is read by its id', async () => {
  const schedules = { s: { target: 'group/g0', ...often } };
  const manifest = { groups: { g0: { members: ['acme-shop'] } }, schedules };
  expect(await callsOf(manifest)).toEqual({ exit: 0, posts: 1, lists: 1, reads: 1 });
});

/** As many groups, with a schedule for each. */
function manyWithSchedules(count: number) {
  const names = Array.from({ length: count }, (_, index) => `g${index}`);
  return {
    groups: Object.fromEntries(names.map((name) => [name, { members: ['acme-shop'] }])),
    schedules: Object.fromEntries(names.map((name) => [name, { target: `group/${name}`, ...often }])),
  };
}

test('many new groups that schedules wait for are checked with one list before the first schedule is created', async () => {
  const manifest = { ...manyWithSchedules(30), limits: { startsPerMinute: 100 } };
  expect(await callsOf(manifest)).toEqual({ exit: 0, posts: 30, lists: 2, reads: 0 });
});

test('a wrong id for one of many new groups is found in the list, and its schedule gets the right one', async () => {
  const body = JSON.stringify({ success: true, data: { id: '00000000-0000-4000-8000-000000000000' } });
  const wrong = {
    act: 'status-after',
    method: 'POST',
    path: '/api/search-groups',
    nth: 7,
    status: 200,
    body,
  };
  const { exit, posts, targets } = await applied(manyWithSchedules(30), 0, [wrong as never]);
  expect([exit, posts, targets]).toEqual([0, 30, 30]);
});

test('of many new groups that the list does not show yet, each is read by its id before its schedule is created', async () => {
  const { posts, reads, targets } = await applied(manyWithSchedules(30), 60_000);
  expect([posts, reads, targets]).toEqual([30, 30, 30]);
});

test('when the check of many new groups fails, their schedules are left out and no group is created twice', async () => {
  const denied = { act: 'status', method: 'GET', status: 403 } as const;
  const faults = [
    { ...denied, path: '/api/search-groups', nth: Array.from({ length: 200 }, (_, index) => index + 2) },
    { ...denied, path: '/api/search-groups/*' },
  ];
  const { posts, targets, exit } = await applied(manyWithSchedules(30), 0, faults);
  expect([exit, posts, targets]).toEqual([3, 30, 0]);
});
