import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kinds } from '../../../src/kinds/index.js';
import { sectionNames } from '../../../src/kinds/sections.js';
import { type Fault, parseSeed, type Sandbox, type Seed } from '../../../src/sandbox/index.js';
import { danger } from '../../support/inert.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { isLong, runs, sampleOf } from '../../support/size.js';
import { manifestText, randomWorld, seedOf } from '../../support/worlds.js';

interface Given {
  readonly seed?: object;
  readonly variants?: readonly Variant[];
  readonly files?: Readonly<Record<string, string>>;
}

async function arrange({ seed = {}, variants = [], files = {} }: Given) {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify(seed)), variants, keepRequests: 1000 });
  const workspace = new Workspace(files, sandbox);
  return { sandbox, workspace };
}

interface Row {
  readonly address: string | null;
  readonly status: string | null;
  readonly [name: string]: unknown;
}

async function listed(workspace: Workspace, ...words: string[]) {
  const { stdout, exit } = await workspace.command(['list', ...words, '--format', 'json']);
  const json = jsonOf({ stdout }) as Record<string, readonly Row[]> & {
    unmanaged: Record<string, number> | null;
    diagnostics: { code: string; severity: string }[];
  };
  return { json, exit, rows: kinds.flatMap(({ section }) => json[section] ?? []) };
}

const pathsOf = ({ requests }: Sandbox) => requests.map(({ path }) => path.replace(/\?.*/, '')).sort();

const acme = 'a9e00000-0000-4000-8000-000000000001';
const seed = {
  groups: [
    { id: '11111111-1111-4111-8111-111111111111', name: 'Retail prices', members: ['acme-shop'] },
    { id: '22222222-2222-4222-8222-222222222222', name: 'Operator', members: ['globex'], canManage: false },
    { id: '33333333-3333-4333-8333-333333333333', name: 'Old', members: ['globex'] },
  ],
  schedules: [
    {
      ...{ targetType: 'Agent', targetId: acme, scheduleType: 'Cron', cronExpression: '0 30 2 * * *' },
      ...{ startTime: '2026-01-01T00:00:00', timeZoneId: 'Europe/Berlin', isEnabled: false },
      inputParameters: '{"password":"hunter2"}',
    },
    {
      ...{ targetType: 'Group', targetId: '33333333-3333-4333-8333-333333333333', scheduleType: 'Basic' },
      ...{ intervalValue: 6, intervalUnit: 'Hours', startTime: '2099-12-01T06:00:00' },
    },
  ],
};
const project = `project: pricing
groups:
  retail: { name: Retail prices, members: [acme-shop] }
  theirs: { external: true, name: Operator }
  missing: { members: [globex] }
`;

test('the names of sections that need no kinds are those of the kinds, in their order', () => {
  expect(sectionNames).toEqual(kinds.map(({ section }) => section));
});

test('every object is listed with the address of what declares it, and with what it is to this project', async () => {
  const { workspace } = await arrange({ seed, files: { 'roster.yaml': project } });
  const { json, exit } = await listed(workspace);
  expect(exit).toBe(0);
  expect(json['groups']).toEqual([
    expect.objectContaining({ address: 'group/retail', status: 'declared', members: ['acme-shop'] }),
    expect.objectContaining({ address: 'group/theirs', status: 'external', canManage: false }),
    expect.objectContaining({ address: null, status: 'unmanaged', name: 'Old', active: true }),
  ]);
  expect(json['schedules']?.map(({ target, enabled, nextRun }) => [target, enabled, nextRun])).toEqual([
    ['agent/acme-shop', false, null],
    ['group "Old" (33333333-3333-4333-8333-333333333333)', true, '2099-12-01T06:00:00.000Z'],
  ]);
  expect(json['keys']).toEqual([expect.objectContaining({ name: 'sandbox', caller: true, scopes: 'full' })]);
  expect(json['agents']).toHaveLength(10);
});

test('what the inventory holds and no entry declares is listed under its address, as no longer declared', async () => {
  const { workspace } = await arrange({ seed, files: { 'roster.yaml': project } });
  await workspace.apply();
  workspace.write('roster.yaml', project.replace(/ {2}retail:.*\n/, ''));
  const { json } = await listed(workspace, 'groups');
  expect(json['groups']?.map(({ address, status }) => [address, status])).toEqual([
    ['group/missing', 'declared'],
    ['group/retail', 'undeclared'],
    ['group/theirs', 'external'],
    [null, 'unmanaged'],
  ]);
  const { stdout } = await workspace.command(['list', 'groups']);
  expect(stdout).toContain('no longer declared');
});

describe('what is not managed here is what a plan counts', () => {
  const folder = new URL('../../cases/', import.meta.url).pathname;
  const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
    .map((name) => [name, parse(readFileSync(join(folder, name), 'utf8')) as Case] as const);

  interface Case {
    readonly seed?: object;
    readonly manifest?: string;
    readonly env?: Record<string, string | null>;
  }

  async function agrees(given: Given, env: Case['env'] = {}) {
    const { workspace } = await arrange(given);
    for (const [name, value] of Object.entries(env)) if (value !== null) workspace.env[name] = value;
    const plan = await workspace.planJson();
    const { json, exit, rows } = await listed(workspace);
    if (plan.unmanaged === undefined) {
      const errors = plan.diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      // An entry with an error hides no other: only where the project cannot be read is there no list.
      const isListed = json.diagnostics.every(({ severity }) => severity === 'warning');
      expect([exit, json.diagnostics.map(({ code }) => code)]).toEqual([isListed ? 0 : 1, errors]);
      return;
    }
    expect(json.unmanaged).toEqual(plan.unmanaged);
    const total = Object.values(plan.unmanaged).reduce((sum, each) => sum + each, 0);
    expect(rows.filter(({ status }) => status === 'unmanaged')).toHaveLength(total);
    const { rows: only } = await listed(workspace, '--unmanaged');
    expect(only).toHaveLength(total);
    for (const { name, section } of kinds)
      expect((await listed(workspace, section)).json.unmanaged).toEqual({ [name]: plan.unmanaged[name] });
    const adopted = plan.changes.filter(({ action }) => action === 'adopt').map(({ address }) => address);
    const declared = rows.filter(({ status }) => status === 'declared').map(({ address }) => address);
    expect(declared).toEqual(expect.arrayContaining(adopted));
  }

  test.each(sampleOf(cases, 5))('in the case %s', async (_, { seed: world, manifest = '', env }) => {
    await agrees({ seed: world ?? {}, files: { 'roster.yaml': `project: case\n${manifest}` } }, env);
  });

  const variants = Object.keys(VARIANTS) as Variant[];
  test('in random worlds, in every shape that the service may have', async () => {
    const shape = fc.shuffledSubarray(variants, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(randomWorld, shape, async (world, some) => {
        const files = { 'roster.yaml': manifestText(world) };
        await agrees({ seed: seedOf(world) as Seed, variants: some, files });
      }),
      { numRuns: runs(2, 100) },
    );
  });
});

describe('only the lists that a kind needs are read', () => {
  const [agents, groups, pipelines] = ['/api/scraper-agents', '/api/search-groups', '/api/pipelines'];
  const [schedules, keys] = ['/api/schedules', '/api/api-keys'];
  test.each([
    [['agents'], [agents]],
    [['agents', '--inputs'], [agents]],
    [['groups'], [agents, groups]],
    [['group'], [agents, groups]],
    [['pipelines'], [pipelines, agents]],
    [['schedules'], [pipelines, schedules, agents, groups]],
    [['keys'], [keys]],
    [[], [keys, pipelines, schedules, agents, groups]],
  ])('roster list %j', async (words, expected) => {
    const { sandbox, workspace } = await arrange({ seed, files: { 'roster.yaml': project } });
    expect((await workspace.command(['list', ...words])).exit).toBe(0);
    expect(pathsOf(sandbox)).toEqual(expected);
  });
});

/** Making so many pages takes the sandbox most of the time. */
const MANY = isLong ? 10_000 : 2_000;

test('thousands of schedules take as many requests as they have pages, several at a time', async () => {
  const schedules = Array.from({ length: MANY }, (_, index) => ({
    ...{ targetType: 'Agent', targetId: acme, scheduleType: 'Basic', intervalUnit: 'Hours' },
    ...{ intervalValue: index + 1, startTime: '2099-12-01T06:00:00' },
  }));
  const { sandbox, workspace } = await arrange({ seed: { schedules }, variants: ['lists-paged'] });
  let [open, most] = [0, 0];
  sandbox.faults.intercept = async (_, next) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await next();
    open -= 1;
  };
  const { stdout } = await workspace.command(['list', 'schedules']);
  expect(stdout).toContain(`Schedules: ${MANY}\n`);
  expect(stdout.split('\n').filter((line) => line.includes('agent/acme-shop'))).toHaveLength(MANY);
  const pages = pathsOf(sandbox).filter((path) => path === '/api/schedules').length;
  expect([pages >= MANY / 100 && pages <= MANY / 100 + 3, most > 3]).toEqual([true, true]);
});

describe('without a project', () => {
  test('the objects of the service are listed, without addresses', async () => {
    const { workspace } = await arrange({ seed });
    const { stdout, exit } = await workspace.command(['list', 'groups']);
    expect([exit, stdout.includes('ADDRESS'), stdout.includes('managed here')]).toEqual([0, false, false]);
    expect(stdout).toContain('Groups: 3\n');
    const { json } = await listed(workspace, 'groups');
    expect([json['project'], json.unmanaged]).toEqual([null, null]);
    expect(json['groups']?.every(({ address, status }) => address === null && status === null)).toBe(true);
  });

  test.each([['--unmanaged'], ['-e', 'staging'], ['--inventory', 'x.json'], ['-f', 'none.yaml']])(
    'roster list %s needs one',
    async (...words) => {
      const { sandbox, workspace } = await arrange({ seed });
      const { exit, stderr } = await workspace.command(['list', ...words]);
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/missing-setting|unreadable-file/)]);
      expect(sandbox.requests).toEqual([]);
    },
  );

  test('a missing URL is an error that names the ways to set it', async () => {
    const { workspace } = await arrange({});
    delete workspace.env['ROSTER_URL'];
    const { exit, stderr } = await workspace.command(['list']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Set ROSTER_URL, use `--url`')]);
  });

  test('a project file with an error is not taken for no project', async () => {
    const { sandbox, workspace } = await arrange({ files: { 'roster.yaml': 'project: [' } });
    const { exit, stderr } = await workspace.command(['list']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('yaml-syntax')]);
    expect(sandbox.requests).toEqual([]);
  });
});

test('an entry with an error stops no list: its object keeps its address, and the error is a warning', async () => {
  const manifest = 'project: p\ngroups:\n  a: { members: [globex] }\n';
  const { workspace } = await arrange({ seed, files: { 'roster.yaml': manifest } });
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', manifest.replace('globex', 'nobody'));
  const { json, exit, rows } = await listed(workspace, 'groups');
  const found = json.diagnostics.map(({ severity, code }) => `${severity} ${code}`);
  expect([exit, found]).toEqual([0, ['warning unknown-agent']]);
  expect(rows.find(({ address }) => address === 'group/a')).toMatchObject({
    name: 'a',
    status: 'declared',
  });
  for (const kind of ['agents', 'pipelines', 'keys']) expect((await listed(workspace, kind)).exit).toBe(0);
});

test('another account than that of the inventory is an error, unless the flag allows it', async () => {
  const own = project.replace(/ {2}theirs:.*\n/, '');
  const { workspace } = await arrange({ seed, files: { 'roster.yaml': own } });
  await workspace.apply();
  const other = await arrange({ seed: {} });
  workspace.env['ROSTER_URL'] = other.sandbox.url;
  for (const words of [['groups'], ['--unmanaged'], ['agents', '--unused']]) {
    const refused = await workspace.command(['list', ...words, '--format', 'json']);
    const { diagnostics } = jsonOf<{ diagnostics: { severity: string; code: string }[] }>(refused);
    const codes = diagnostics.map(({ severity, code }) => `${severity} ${code}`);
    expect([words, refused.exit, codes]).toEqual([words, 4, ['error inventory-mismatch']]);
    expect((await workspace.command(['list', ...words, '--allow-account-change'])).exit).toBe(0);
  }
});

test('inputs of agents are listed with their default values', async () => {
  const { workspace } = await arrange({});
  const { stdout } = await workspace.command(['list', 'agents', '--inputs']);
  expect(stdout).toContain('      country = "DE"\n      query = ""\n      maxPages = "5"\n');
  const { json } = await listed(workspace, 'agents', '--inputs');
  expect(json['agents']?.[0]).toMatchObject({
    ...{ address: 'agent/acme-shop', id: acme, externalAgentId: 'acme-shop' },
    inputs: [
      { key: 'country', defaultValue: 'DE' },
      { key: 'query', defaultValue: '' },
    ],
  });
});

test('no list shows inputs of schedules, descriptions or a key', async () => {
  const described = { ...seed, groups: [{ ...seed.groups[0], description: 'hunter2' }] };
  const { workspace } = await arrange({ seed: { ...described, schedules: [seed.schedules[0]] } });
  for (const words of [[], ['-v'], ['--format', 'json']]) {
    const { stdout } = await workspace.command(['list', ...words]);
    expect(stdout).not.toContain('hunter2');
    expect(stdout).not.toContain(workspace.env['ROSTER_API_KEY']);
  }
});

test('list items that lack parts are read one by one, and only those of the kind that is listed', async () => {
  const { sandbox, workspace } = await arrange({ seed, variants: ['items-minimal'] });
  const { json } = await listed(workspace, 'groups');
  expect(json['groups']?.map(({ members }) => members)).toEqual([['globex'], ['globex'], ['acme-shop']]);
  sandbox.requests.length = 0;
  await listed(workspace, 'schedules');
  expect(pathsOf(sandbox).filter((path) => path.startsWith('/api/search-groups/'))).toEqual([]);
});

test('hostile names reach no terminal, and break no line', async () => {
  const names = ['\u001b[31mred', 'a\nb', '::error::x', '\u202eabc', '##[error]', 'x'.repeat(300)];
  const groups = names.map((name) => ({ name, members: ['acme-shop'] }));
  const agents = names.map((name, index) => ({
    ...{ externalAgentId: `agent-${index}`, name },
    inputParameters: [{ key: name, defaultValue: name }],
  }));
  const { workspace } = await arrange({
    seed: { agents: [...agents, { externalAgentId: 'acme-shop', name: 'a' }], groups },
  });
  for (const words of [['groups'], ['agents', '--inputs'], ['--format', 'json']]) {
    const { stdout } = await workspace.command(['list', ...words]);
    expect(danger(stdout)).toBeNull();
  }
  const { stdout } = await workspace.command(['list', 'groups']);
  expect(stdout.split('\n').filter((line) => line.includes(' active '))).toHaveLength(names.length);
});

test.each([
  ['list grops', 'Did you mean groups?'],
  ['list nothing', 'One of: agents, groups, pipelines, schedules, keys.'],
  ['list --inputs', '`roster list agents --inputs`'],
  ['list groups --inputs', '`roster list agents --inputs`'],
  ['list agents --unmanaged', '`--unmanaged` has no effect on agents'],
])('roster %s is a usage error before any request', async (line, says) => {
  const { sandbox, workspace } = await arrange({});
  const { exit, stderr } = await workspace.command(line.split(' '));
  expect([exit, stderr]).toEqual([1, expect.stringContaining(says)]);
  expect(sandbox.requests).toEqual([]);
});

describe('an incomplete or odd answer is an error, and never a shorter list', () => {
  const json = (value: unknown): Partial<Fault> => ({ status: 200, body: JSON.stringify(value) });
  const answers: Readonly<Record<string, Partial<Fault>>> = {
    401: { status: 401 },
    403: { status: 403 },
    404: { status: 404 },
    '429 with a long Retry-After': { status: 429, headers: { 'Retry-After': '86400' } },
    500: { status: 500 },
    'a response that breaks off': { act: 'cut' },
    'no list': json({ success: true, data: {} }),
    'a total above the items': json({ success: true, data: { items: [], total: 3 } }),
    'a page in HTML': { status: 200, body: '<html></html>' },
  };
  const lines = [['list'], ['list', 'agents', '--inputs'], ['schema', '--live']];
  const all = Object.keys(answers).flatMap((name) => lines.map((words) => [words.join(' '), name] as const));

  test.each(all)('roster %s with %s', async (line, name) => {
    const { sandbox, workspace } = await arrange({ seed });
    workspace.sleep = async () => undefined;
    sandbox.faults.faults = [{ act: 'status', path: '/api/scraper-agents', ...answers[name] } as Fault];
    const { exit, stdout, stderr } = await workspace.command([...line.split(' '), '--format', 'json']);
    const { formatVersion, diagnostics, ...rest } = jsonOf({ stdout });
    expect([exit, formatVersion, rest, stderr]).toEqual([1, 1, {}, '']);
    expect(diagnostics[0].severity).toBe('error');
  });
});

describe('roster schema --live', () => {
  test('prints a schema with the agents of the account, after one request', async () => {
    const { sandbox, workspace } = await arrange({ files: { 'roster.yaml': project } });
    for (const name of ['project', 'manifest']) {
      sandbox.requests.length = 0;
      const { exit, stdout } = await workspace.command(['schema', name, '--live']);
      expect([exit, pathsOf(sandbox)]).toEqual([0, ['/api/scraper-agents']]);
      const schema = jsonOf({ stdout });
      expect(schema.definitions.agent.anyOf[0].enum).toContain('acme-shop');
      expect(schema.$comment).toContain(sandbox.url);
    }
  });

  test('works without a project', async () => {
    const { workspace } = await arrange({});
    expect((await workspace.command(['schema', '--live'])).exit).toBe(0);
  });

  test.each([
    ['schema plan --live', 'names no agents'],
    ['schema --url http://127.0.0.1:1', '`--url` has no effect without `--live`'],
    ['schema -v', '`--verbose` has no effect without `--live`'],
    ['schema -e staging', '`--env` has no effect without `--live`'],
    ['schema --allow-service-mismatch', '`--allow-service-mismatch` has no effect without `--live`'],
  ])('roster %s is a usage error before any request', async (line, says) => {
    const { sandbox, workspace } = await arrange({});
    const { exit, stderr } = await workspace.command(line.split(' '));
    expect([exit, stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(sandbox.requests).toEqual([]);
  });

  test('the schema without `--live` needs neither the service nor a key, and is as published', async () => {
    const { sandbox, workspace } = await arrange({});
    workspace.env = {};
    const { stdout } = await workspace.command(['schema', 'manifest']);
    const published = readFileSync(new URL('../../../schemas/manifest.schema.json', import.meta.url), 'utf8');
    expect(jsonOf({ stdout })).toEqual(JSON.parse(published));
    expect(sandbox.requests).toEqual([]);
  });
});
