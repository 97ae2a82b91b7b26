import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** A plan reads five lists. */
const READS = 5;

function declare(workspace: Workspace, count: number): void {
  const entries = Array.from({ length: count }, (_, n) => [
    `s${n + 1}`,
    { target: 'agent/acme-shop', every: `${n + 1} days`, startTime: '2099-01-01T00:00:00' },
  ]);
  const limits = { deletes: 1000 };
  workspace.write(
    'roster.yaml',
    JSON.stringify({ project: 'c', limits, schedules: Object.fromEntries(entries) }),
  );
}

type Schedules = Sandbox['world']['schedules'];

/** Deletes all but one of so many schedules, while somebody edits the service right after the plan has read it. */
async function deleteDuring(count: number, edit: (schedules: Schedules) => void) {
  const sandbox = await startSandbox();
  const workspace = new Workspace({}, sandbox);
  declare(workspace, count);
  expect((await workspace.apply()).exit).toBe(0);
  declare(workspace, 1);
  sandbox.requests.length = 0;
  let reads = 0;
  sandbox.faults.intercept = async ({ method }, next) => {
    await next();
    if (method === 'GET' && ++reads === READS) edit(sandbox.world.schedules);
  };
  const { exit, diagnostics } = await workspace.applyJson({ verify: false });
  const requests = sandbox.requests.slice(READS).map(({ method, path }) => `${method} ${path}`);
  return {
    exit,
    codes: diagnostics.map(({ code }) => code).filter((code) => code === 'conflict'),
    left: [...sandbox.world.schedules.values()].map(({ intervalValue }) => intervalValue),
    requests: requests.map((each) => each.replace(/[0-9a-f-]{36}/g, '*')),
  };
}

const every = (schedules: Schedules, days: number) => {
  const found = [...schedules.values()].find(({ intervalValue }) => intervalValue === days);
  if (found === undefined) throw new Error(`there is no schedule of every ${days} days`);
  return found;
};

const list = 'GET /api/schedules';

test('a schedule that somebody changed after the plan was made is not deleted', async () => {
  const ran = await deleteDuring(2, (schedules) => {
    every(schedules, 2).inputParameters = '{"country":"FR"}';
  });
  expect(ran).toEqual({ exit: 3, codes: ['conflict'], left: [1, 2], requests: [list] });
});

test('of many schedules, the one that somebody paused after the plan was made is not deleted', async () => {
  const { requests, ...ran } = await deleteDuring(5, (schedules) => {
    every(schedules, 3).isEnabled = false;
  });
  expect(ran).toEqual({ exit: 3, codes: ['conflict'], left: [1, 3] });
  expect(requests.filter((each) => each !== list)).toEqual([1, 2, 3].map(() => 'DELETE /api/schedules/*'));
});

test('a schedule that someone deleted after planning counts as deleted', async () => {
  const ran = await deleteDuring(2, (schedules) => {
    schedules.delete(every(schedules, 2).id);
  });
  expect(ran).toMatchObject({ exit: 0, codes: [], left: [1] });
});

test('schedules that nobody has changed are deleted together, after one more list', async () => {
  const { exit, left, requests } = await deleteDuring(101, () => undefined);
  expect([exit, left, requests]).toEqual([0, [1], [list, 'POST /api/schedules/bulk/delete']]);
});
