import { afterEach, expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function callsOf(manifest: object, lagMs = 0) {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify({ project: 'k', ...manifest }) }, sandbox);
  cleanups.push(
    () => workspace.remove(),
    () => sandbox.close(),
  );
  sandbox.faults.lagMs = lagMs;
  const ran = await workspace.apply({ verify: false });
  const calls = sandbox.requests.map(({ method, path }) => `${method} ${path}`);
  return {
    exit: ran.exit,
    posts: calls.filter((each) => each === 'POST /api/search-groups').length,
    lists: calls.filter((each) => each === 'GET /api/search-groups').length,
    reads: calls.filter((each) => each.startsWith('GET /api/search-groups/')).length,
  };
}

const groups = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`g${index}`, { members: ['acme-shop'] }]),
);

test('new groups that nothing waits for are checked with one list', async () => {
  expect(await callsOf({ groups })).toEqual({ exit: 0, posts: 20, lists: 2, reads: 0 });
});

test('new groups that the list does not show yet are read by their ids', async () => {
  expect(await callsOf({ groups }, 60_000)).toEqual({ exit: 0, posts: 20, lists: 2, reads: 20 });
});

test('a new group that a schedule waits for is read before the schedule is created', async () => {
  const schedules = { s: { target: 'group/g0', every: '6 hours', startTime: '2099-01-01T06:00:00' } };
  expect(await callsOf({ groups, schedules })).toEqual({ exit: 0, posts: 20, lists: 2, reads: 1 });
});
