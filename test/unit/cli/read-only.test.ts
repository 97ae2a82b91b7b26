import { beforeEach, expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands.js';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { createClient } from '../../../src/service/client.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
  workspace.write('roster.yaml', 'project: p\ngroups: { a: { members: [acme-shop] } }\n');
});

const writes = [
  'apply --yes',
  'apply --yes --allow-empty --allow-deletes 9',
  'destroy --yes',
  'hold schedule/s --yes',
  'resume schedule/s --yes',
  'run agent/acme-shop',
  'runs stop 1',
  'runs retry 1 acme-shop',
  'runs ack 1',
  'runs refresh 1',
  'runs rm 1 --yes',
  'data share 1 --company',
  'data rm 1 --yes',
  'data queries save q',
  'data queries rm q --yes',
  'unlock --yes',
  'ci apply',
  'api POST /api/search-groups --write --data {}',
];

test.each(writes)(
  'with ROSTER_READ_ONLY, `roster %s` writes nothing and ends with exit code 4',
  async (line) => {
    Object.assign(workspace.env, { ROSTER_READ_ONLY: '1' });
    const { exit, stderr } = await workspace.command(line.split(' '));
    expect(stderr).toContain('error[read-only]');
    expect(exit).toBe(4);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

test.each([
  'plan',
  'list',
  'drift',
  'status',
  'runs',
  'api GET /api/search-groups',
  'validate',
  'pull --yes',
])('with ROSTER_READ_ONLY, `roster %s` still reads', async (line) => {
  Object.assign(workspace.env, { ROSTER_READ_ONLY: 'yes' });
  const { stderr } = await workspace.command(line.split(' '));
  expect(stderr).not.toContain('read-only');
});

test.each(['', '0', 'false'])('ROSTER_READ_ONLY="%s" allows an apply', async (value) => {
  Object.assign(workspace.env, { ROSTER_READ_ONLY: value });
  expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
});

test('every command that changes the service is tested here', () => {
  const changing = commands.filter(({ does }) => does.changesService).map(({ name }) => name);
  expect(changing.filter((name) => !writes.some((line) => line.startsWith(name)))).toEqual([]);
});

test('a client that only reads refuses to send', async () => {
  const client = createClient({
    baseUrl: sandbox.url,
    apiKey: 'key',
    concurrency: 1,
    timeoutMs: 1_000,
    userAgent: 'test',
    readOnly: true,
  });
  await expect(
    client.send({ method: 'POST', path: '/api/search-groups', body: {}, effect: 'create' }),
  ).rejects.toThrow('ROSTER_READ_ONLY');
  await client.close();
  expect(sandbox.requests).toEqual([]);
});
