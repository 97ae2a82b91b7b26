import { expect, test } from 'vitest';
import type { Fault, Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const at = 'every: 6 hours, startTime: 2099-01-01T06:00:00';
const inputs = "inputs: { country: 'x-${env.SECRET}' }";
const schedules = (enabled: boolean) => `project: values
schedules:
  s: { target: agent/acme-shop, ${at}, enabled: ${enabled}, ${inputs} }
  t: { target: agent/globex, ${at}, enabled: ${enabled}, ${inputs} }
`;
const group = `project: values
groups:
  g: { members: [acme-shop], description: 'x-${'$'}{env.SECRET}' }
`;

async function arrange(manifest: string): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  workspace.env['SECRET'] = 'a-secret-of-the-environment';
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  return { sandbox, workspace };
}

const writes = ({ requests }: Sandbox) =>
  requests
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview'))
    .map(({ method, path }) => `${method} ${path}`);

const lost: readonly Omit<Fault, 'method'>[] = [
  { act: 'lose' },
  { act: 'status-after', status: 200, body: '{"success":true,"data":{}}' },
];

test.each(lost)('environment values: a create whose answer was lost ($act) is found again', async (fault) => {
  for (const [path, manifest] of [
    ['/api/schedules', schedules(true)],
    ['/api/search-groups', group],
  ] as const) {
    const { sandbox, workspace } = await arrange(manifest);
    sandbox.faults.faults = [{ ...fault, method: 'POST', path, nth: 1 }];
    const { exit, stdout, stderr } = await workspace.apply();
    expect([exit, stdout + stderr]).toEqual([0, expect.any(String)]);
  }
});

test('environment values: a bulk call that changed everything is not repeated', async () => {
  const { sandbox, workspace } = await arrange(schedules(true));
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', schedules(false));
  sandbox.requests.length = 0;
  const body = JSON.stringify({ success: true, data: null });
  sandbox.faults.faults = [
    { act: 'status-after', method: 'POST', path: '/api/schedules/bulk/enabled', status: 200, body },
  ];
  expect((await workspace.apply()).exit).toBe(0);
  expect(writes(sandbox)).toEqual(['POST /api/schedules/bulk/enabled']);
});

test('environment values: a normal create of a schedule is its own', async () => {
  const { workspace } = await arrange(schedules(true));
  expect((await workspace.apply()).exit).toBe(0);
  expect((await workspace.plan({ detailedExitcode: true })).exit).toBe(0);
});
