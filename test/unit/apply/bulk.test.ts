import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const days = [1, 2, 3, 4];
const schedules = (enabled: boolean, kept = days) =>
  Object.fromEntries(
    kept.map((n) => [
      `s${n}`,
      { target: 'agent/acme-shop', every: `${n} days`, startTime: '2099-01-01T00:00:00', enabled },
    ]),
  );

async function arrange(): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox();
  const workspace = new Workspace({}, sandbox);
  declare(workspace, schedules(true));
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

function declare(workspace: Workspace, entries: object): void {
  workspace.write('roster.yaml', JSON.stringify({ project: 'b', schedules: entries }));
}

const writes = (sandbox: Sandbox) =>
  sandbox.requests
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview'))
    .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/g, '*')}`);

const skipping = (path: string) => ({
  act: 'status' as const,
  method: 'POST',
  path,
  status: 200,
  body: JSON.stringify({ success: true, data: { affected: 1, skipped: 3 } }),
});

test('bulk: objects that the call skipped are changed one by one, and no others', async () => {
  const { sandbox, workspace } = await arrange();
  const [first] = sandbox.world.schedules.values();
  sandbox.faults.faults = [skipping('/api/schedules/bulk/enabled')];
  if (first !== undefined) first.isEnabled = true;
  declare(workspace, schedules(false));
  const report = await workspace.applyJson();
  expect([report.exit, report.converged]).toEqual([0, true]);
  expect([...sandbox.world.schedules.values()].every((each) => !each.isEnabled)).toBe(true);
  expect(writes(sandbox)).toEqual([
    'POST /api/schedules/bulk/enabled',
    ...days.map(() => 'POST /api/schedules/*/enabled'),
  ]);
});

test('bulk: only deletes of objects that still exist are repeated', async () => {
  const { sandbox, workspace } = await arrange();
  const [first = ''] = sandbox.world.schedules.keys();
  sandbox.faults.faults = [skipping('/api/schedules/bulk/delete')];
  // Someone else deletes one of them after the call.
  sandbox.faults.intercept = async (_, next) => {
    if (writes(sandbox).length === 1) sandbox.world.schedules.delete(first);
    await next();
  };
  declare(workspace, schedules(true, [4]));
  const report = await workspace.applyJson();
  expect(report.exit).toBe(0);
  expect(sandbox.world.schedules.size).toBe(1);
  expect(writes(sandbox)).toEqual([
    'POST /api/schedules/bulk/delete',
    ...[1, 2].map(() => 'DELETE /api/schedules/*'),
  ]);
});

test('bulk: a change that also fails on its own is reported', async () => {
  const { sandbox, workspace } = await arrange();
  sandbox.faults.faults = [
    skipping('/api/schedules/bulk/enabled'),
    {
      act: 'status',
      method: 'POST',
      path: '/api/schedules/*/enabled',
      status: 400,
      body: '{"message":"not this one"}',
      nth: 2,
    },
  ];
  declare(workspace, schedules(false));
  const report = await workspace.applyJson();
  expect([report.exit, report.converged]).toEqual([3, false]);
  expect(JSON.stringify(report.changes)).toContain('not this one');
});
