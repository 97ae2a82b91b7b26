import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { isLong } from '../../support/size.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
});

const before = `
project: p
groups:
  shops: { name: Shops, members: [acme-shop, globex] }
  old: { name: Old, members: [initech] }
pipelines:
  refresh: { name: Refresh, stages: [login-check, catalogue] }
schedules:
  nightly: { target: group/shops, cron: 0 30 2 * * *, startTime: '2026-01-01T00:00:00' }
  hourly: { target: group/old, every: 1 hour, startTime: '2026-01-01T00:00:00' }
`;
const after = `
project: p
groups:
  shops: { name: Shops, description: "All shops", members: [globex, initech], active: false }
  new: { name: New, members: [acme-shop] }
pipelines:
  refresh: { name: Refresh, stages: [catalogue, prices, login-check] }
schedules:
  nightly: { target: group/new, cron: 0 45 2 * * *, startTime: '2026-01-01T00:00:00', inputs: { country: DE } }
  weekly: { target: pipeline/refresh, every: 1 week, startTime: '2026-01-01T00:00:00' }
`;

async function rehearsed(...args: string[]): Promise<PlanJson & { exit: number }> {
  const ran = await workspace.command(['plan', '--rehearse', '--format', 'json', ...args]);
  return { ...(jsonOf(ran) as PlanJson), exit: ran.exit };
}

function writes(): string[] {
  return sandbox.requests
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview'))
    .map(({ method, path }) => `${method} ${path}`);
}

const names = ['undisturbed', 'lost-answers', 'rate-limits', 'kills'];

test('creates, updates, swapped members and deletes converge on a copy, and the service is only read', async () => {
  workspace.write('roster.yaml', before);
  await workspace.command(['apply', '--yes']);
  workspace.write('roster.yaml', after);
  sandbox.requests.length = 0;
  const { rehearsal, exit } = await rehearsed();
  expect(rehearsal?.variants).toEqual(names.map((name) => ({ name, converged: true, left: [] })));
  expect(exit).toBe(0);
  expect(writes()).toEqual([]);
  await workspace.command(['apply', '--yes']);
  expect(writes()).toHaveLength(rehearsal?.calls ?? 0);
});

test('a plan without calls has nothing to rehearse', async () => {
  workspace.write('roster.yaml', before);
  await workspace.command(['apply', '--yes']);
  expect((await rehearsed()).rehearsal).toBeNull();
  const { stdout } = await workspace.command(['plan', '--rehearse']);
  expect(stdout).toContain('\nNothing to rehearse: the plan makes no calls.\n');
});

test('a rehearsal selects what the plan selects', async () => {
  workspace.write('roster.yaml', before);
  expect((await rehearsed('group/shops')).rehearsal?.calls).toBe(1);
});

test('a plan to destroy is rehearsed', async () => {
  workspace.write('roster.yaml', before);
  await workspace.command(['apply', '--yes']);
  const { rehearsal, exit } = await rehearsed('--destroy');
  expect(rehearsal?.variants.map(({ converged }) => converged)).toEqual([true, true, true, true]);
  expect(exit).toBe(0);
});

test('a refused plan is not rehearsed', async () => {
  workspace.write(
    'roster.yaml',
    'project: p\nkeys: { ci: { scopes: [agents.run], deliver: { file: ci.key } } }\n',
  );
  expect(await rehearsed()).toMatchObject({ exit: 4 });
  expect((await rehearsed()).rehearsal).toBeUndefined();
});

test('a new key of a rehearsal is delivered nowhere', async () => {
  workspace.write(
    'roster.yaml',
    `${before}keys: { ci: { scopes: [agents.run], deliver: { file: ci.key } } }\n`,
  );
  const { rehearsal } = await rehearsed('--allow-self-revoke');
  expect(rehearsal?.variants).toEqual(names.map((name) => ({ name, converged: true, left: [] })));
  expect(existsSync(join(workspace.root, 'ci.key'))).toBe(false);
  expect(existsSync(join(workspace.root, '.roster'))).toBe(false);
  expect(existsSync(join(workspace.root, 'roster.inventory.json'))).toBe(false);
});

test('with a snapshot, a rehearsal needs no key and no service, and values from the environment stay hidden', async () => {
  const secret = (inputs: string) =>
    `project: p\nschedules:\n  s: { target: agent/acme-shop, every: 1 day, startTime: '2026-01-01T00:00:00', inputs: ${inputs} }\n`;
  workspace.env['TOKEN'] = 'hush-hush-hush';
  workspace.write('roster.yaml', secret('{ query: "${env.TOKEN}", country: DE }'));
  await workspace.command(['apply', '--yes']);
  await workspace.command(['snapshot', '--out', 'snapshot.json']);
  const { url } = sandbox;
  await sandbox.close();
  for (const name of ['ROSTER_API_KEY', 'ROSTER_URL']) delete workspace.env[name];
  workspace.write('roster.yaml', secret('{ query: "${env.TOKEN}", country: FR }'));
  const made = await rehearsed('--snapshot', 'snapshot.json', '--url', url);
  expect(made).toMatchObject({ exit: 0, rehearsal: { calls: 1 } });
});

test.runIf(isLong)(
  'where the service changes a text, as it did before, a plan that would never end is found',
  async () => {
    const lowering = await startSandbox({
      behaviour: (reply) => {
        const replied = reply();
        for (const group of lowering.world.groups.values())
          group.description = group.description.toLowerCase();
        return replied;
      },
    });
    workspace = new Workspace({}, lowering);
    workspace.write(
      'roster.yaml',
      'project: p\ngroups:\n  a: { description: "All shops", members: [acme-shop] }\n',
    );
    await workspace.command(['apply', '--yes']);
    const pages = ['--write', 'markdown=plan.md', '--write', 'html=plan.html'];
    const { exit, stderr } = await workspace.command(['plan', '--rehearse', ...pages]);
    expect(stderr).toContain('error[rehearsal-failed]');
    const [comment, page] = ['plan.md', 'plan.html'].map((file) =>
      readFileSync(join(workspace.root, file), 'utf8'),
    );
    if (comment === undefined || page === undefined) throw new Error('there are two files');
    expect(comment.indexOf('`rehearsal-failed`')).toBeLessThan(comment.indexOf('### Changes'));
    expect(comment.match(/`rehearsal-failed`/g)).toHaveLength(1);
    expect(page.indexOf('rehearsal-failed')).toBeLessThan(page.indexOf('role="tablist"'));
    const [id] = lowering.world.groups.keys();
    const call = `PUT /api/search-groups/${id}`;
    const reason = 'group/a: a new plan would still update it (description)';
    expect(stderr.replace(/\s+/g, ' ')).toContain(reason);
    expect(exit).toBe(1);

    await workspace.command(['snapshot', '--out', 'snapshot.json']);
    await lowering.close();
    const ofSnapshot = await rehearsed('--snapshot', 'snapshot.json', '--url', lowering.url);
    expect(ofSnapshot).toMatchObject({
      exit: 1,
      rehearsal: { variants: [{ name: 'undisturbed', converged: false, left: [`${reason}, with ${call}`] }] },
    });
  },
);

test.each(['GUID', 'number'])('schedules are found by their ids, also where an id is a %s', async (form) => {
  const id = form === 'GUID' ? '11111111-2222-4333-8444-555555555555' : 4711;
  const settings = { cronExpression: '0 0 6 * * *', startTime: '2026-01-01T00:00:00', timeZoneId: 'UTC' };
  const schedule = {
    id,
    targetType: 'Agent',
    targetId: 'acme-shop',
    scheduleType: 'Cron',
    ...settings,
  } as const;
  const seeded = await startSandbox({
    seed: { schedules: [{ ...schedule, inputParameters: '{}', isEnabled: true }] },
  });
  workspace = new Workspace({}, seeded);
  workspace.write(
    'roster.yaml',
    `project: p\nschedules:\n  s: { id: "${id}", target: agent/acme-shop, cron: 0 0 7 * * *, startTime: '2026-01-01T00:00:00' }\n`,
  );
  const { rehearsal } = await rehearsed();
  expect(rehearsal?.variants.map(({ converged }) => converged)).toEqual([true, true, true, true]);
});

test('a plan of more calls than are to be rehearsed says nothing of a rehearsal', async () => {
  workspace.write('roster.yaml', before);
  const most = async (calls: number) => (await workspace.plan({ rehearse: true }, [], calls)).stdout;
  expect(await most(5)).toContain('Rehearsed on a copy of the service: 5 calls');
  expect(await most(4)).not.toContain('Rehearsed');
});
