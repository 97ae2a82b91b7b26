import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const group = 'project: lag\ngroups:\n  g: { members: [acme-shop] }\n';
const schedule = `project: lag
schedules:
  s: { target: agent/acme-shop, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;
const detail = { act: 'status', method: 'GET', path: '/api/search-groups/*' } as const;

async function arrange(manifest: string): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  sandbox.faults.lagMs = 600_000;
  return { sandbox, workspace };
}

const count = ({ requests }: Sandbox, method: string, path: RegExp) =>
  requests.filter((each) => each.method === method && path.test(each.path)).length;
const creates = (sandbox: Sandbox) => count(sandbox, 'POST', /^\/api\/(search-groups|schedules)$/);

test.each([404, 500])('unseen: a group whose read answers %s is created once', async (status) => {
  const { sandbox, workspace } = await arrange(group);
  sandbox.faults.faults = [{ ...detail, status }];
  const first = await workspace.apply();
  expect([first.exit, creates(sandbox)]).toEqual([3, 1]);
  sandbox.faults.faults = [{ ...detail, status: 404 }];
  const second = await workspace.apply();
  expect([second.exit, creates(sandbox)]).toEqual([3, 1]);
  expect(second.stderr.replace(/\s+/g, ' ')).toContain('no list of the service shows it yet');
  sandbox.faults.faults = [];
  sandbox.faults.lagMs = 0;
  expect((await workspace.apply()).exit).toBe(0);
  expect([creates(sandbox), (await workspace.plan({ detailedExitcode: true })).exit]).toEqual([1, 0]);
});

test('unseen: a create with a lost answer that made nothing is sent again by the next run', async () => {
  const { sandbox, workspace } = await arrange(schedule);
  sandbox.faults.lagMs = 0;
  sandbox.faults.faults = [{ act: 'drop', method: 'POST', nth: 1, path: '/api/schedules' }];
  expect((await workspace.apply()).exit).toBe(3);
  expect((await workspace.apply()).exit).toBe(0);
  expect(sandbox.world.schedules.size).toBe(1);
});

test('unseen: a schedule that no list shows yet is looked for once before the changes, and once after them', async () => {
  const { sandbox, workspace } = await arrange(schedule);
  expect((await workspace.apply()).exit).toBe(3);
  sandbox.requests.length = 0;
  expect((await workspace.apply()).exit).toBe(3);
  expect(count(sandbox, 'GET', /^\/api\/schedules$/)).toBe(2);
});

test('unseen: previews are asked for once, not with every look', async () => {
  const { sandbox, workspace } = await arrange(schedule);
  sandbox.faults.lagMs = 0;
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.world.schedules.clear();
  sandbox.requests.length = 0;
  expect((await workspace.apply({ allowAccountChange: true })).exit).toBe(0);
  const created = sandbox.requests.findIndex(
    ({ method, path }) => `${method} ${path}` === 'POST /api/schedules',
  );
  const looks = sandbox.requests.slice(0, created).filter(({ path }) => path === '/api/schedules');
  expect(looks).toHaveLength(2);
  expect(count(sandbox, 'POST', /preview/)).toBe(1);
});

test('unseen: an object that is gone when it is read before its delete is read once', async () => {
  const { sandbox, workspace } = await arrange(`${group}  h: { members: [globex] }\n`);
  sandbox.faults.lagMs = 0;
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', group);
  sandbox.requests.length = 0;
  const planned = await workspace.plan();
  const reads = () => count(sandbox, 'GET', /^\/api\/search-groups\/./);
  const before = reads();
  sandbox.requests.length = 0;
  let seen = 0;
  sandbox.faults.intercept = (request, next) => {
    if (request.method === 'GET' && /^\/api\/search-groups\/./.test(request.path)) {
      seen += 1;
      const { groups } = sandbox.world;
      if (seen > before)
        for (const each of groups.values()) if (each.name === 'h') groups.delete(each.id.toLowerCase());
    }
    return next();
  };
  const { exit } = await workspace.apply({ verify: false });
  expect([planned.exit, exit, reads()]).toEqual([0, 0, before + 1]);
});
