import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { Saves } from '../../support/saves.js';
import { expectFits } from '../schemas/schemas.js';

const at = 'startTime: "2099-12-01T06:00:00"';
const manifest = `project: pricing
groups:
  shops: { members: [acme-shop, globex] }
  idle: { members: [initech] }
pipelines:
  nightly: { stages: [login-check, prices] }
schedules:
  hourly: { target: group/shops, every: 1 hour, ${at} }
  daily: { target: group/shops, every: 1 day, ${at}, enabled: false }
  pipe: { target: pipeline/nightly, every: 1 day, ${at} }
  single: { target: agent/acme-shop, every: 2 days, ${at} }
`;

const saves = new Saves();

async function project(text = manifest): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  let now = () => new Date('2026-12-01T03:00:00Z');
  const sandbox = await startSandbox({ seed: parseSeed('{}'), clock: () => now() });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  now = () => workspace.now?.() ?? new Date();
  workspace.env['GITHUB_ACTOR'] = 'anna';
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  workspace.now = () => new Date('2026-12-01T03:00:00Z');
  await saves.begin(text, sandbox, workspace, async () =>
    expect(await workspace.apply()).toMatchObject({ exit: 0 }),
  );
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

interface Entry {
  readonly id: string;
  readonly hold?: Readonly<Record<string, unknown>>;
}

function inventoryOf({ root }: Workspace) {
  return inventoryAt<{ version: number; entries: Record<string, Entry> }>(root);
}

function held(workspace: Workspace): string[] {
  const { entries } = inventoryOf(workspace);
  return Object.keys(entries).filter((address) => entries[address]?.hold !== undefined);
}

function scheduleOf(sandbox: Sandbox, workspace: Workspace, key: string) {
  const found = sandbox.world.schedules.get(inventoryOf(workspace).entries[`schedule/${key}`]?.id ?? '');
  if (found === undefined) throw new Error(`there is no schedule ${key}`);
  return found;
}

function enabled(sandbox: Sandbox, workspace: Workspace): string[] {
  const addresses = Object.keys(inventoryOf(workspace).entries).filter((each) =>
    each.startsWith('schedule/'),
  );
  const keys = addresses.map((address) => address.slice('schedule/'.length));
  return keys.filter((key) => scheduleOf(sandbox, workspace, key).isEnabled);
}

function writes({ requests }: Sandbox): string[] {
  const all = requests.filter(({ method, path }) => method !== 'GET' && !path.includes('preview'));
  return all.map(({ method, path }) => `${method} ${path}`);
}

const hold = (workspace: Workspace, ...words: string[]) =>
  workspace.command(['hold', ...words, '--reason', 'incident 42', '--yes']);
const resume = (workspace: Workspace, ...words: string[]) => workspace.command(['resume', ...words, '--yes']);

test('a hold pauses what runs, with one request, and records who, why, since when and until when', async () => {
  const { sandbox, workspace } = await project();
  const ran = await hold(workspace, '--all', '--until', '8h');
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringMatching(/^Hold complete: 3 paused\.$/m)]);
  expect(writes(sandbox)).toEqual(['POST /api/schedules/bulk/enabled']);
  expect([enabled(sandbox, workspace), held(workspace)]).toEqual([
    [],
    ['schedule/hourly', 'schedule/pipe', 'schedule/single'],
  ]);
  expect(inventoryOf(workspace).entries['schedule/hourly']?.hold).toEqual({
    by: 'anna',
    reason: 'incident 42',
    since: '2026-12-01T03:00:00.000Z',
    until: '2026-12-01T11:00:00.000Z',
  });
});

test('a resume enables exactly what the hold has paused, and leaves nothing of it in the inventory', async () => {
  const { sandbox, workspace } = await project();
  const before = inventoryOf(workspace);
  scheduleOf(sandbox, workspace, 'pipe').isEnabled = false;
  await hold(workspace, '--all');
  const ran = await resume(workspace, '--all');
  expect([ran.exit, ran.stdout]).toEqual([
    0,
    expect.stringMatching(/^Resume complete: 2 enabled, 1 only taken off hold\.$/m),
  ]);
  expect(enabled(sandbox, workspace)).toEqual(['hourly', 'single']);
  expect(inventoryOf(workspace)).toEqual(before);
});

test('a schedule that `each` has made is held by its own address', async () => {
  const { sandbox, workspace } = await project(
    `project: p\nschedules:\n  s-\${each.value}: { each: [acme-shop, globex], target: "agent/\${each.value}", every: 1 day, ${at} }\n`,
  );
  expect(await hold(workspace, 'schedule/s-globex')).toMatchObject({ exit: 0 });
  expect([enabled(sandbox, workspace), held(workspace)]).toEqual([['s-acme-shop'], ['schedule/s-globex']]);
});

test.each([
  ['group/shops', ['schedule/hourly']],
  ['pipeline/nightly', ['schedule/pipe']],
  ['agent/acme-shop', ['schedule/hourly', 'schedule/single']],
  ['agent/a9e00000-0000-4000-8000-000000000001', ['schedule/hourly', 'schedule/single']],
  ['agent/globex', ['schedule/hourly']],
  ['agent/prices', ['schedule/pipe']],
  ['agent/acme-shop --direct', ['schedule/single']],
  ['schedule/pipe', ['schedule/pipe']],
  ['schedule/*', ['schedule/hourly', 'schedule/pipe', 'schedule/single']],
  ['*/s*', ['schedule/hourly', 'schedule/single']],
])('the address %s means the schedules %j', async (address, expected) => {
  const { sandbox, workspace } = await project();
  expect(await hold(workspace, ...address.split(' '))).toMatchObject({ exit: 0 });
  expect(held(workspace)).toEqual(expected);
  expect(await resume(workspace, ...address.split(' '))).toMatchObject({ exit: 0 });
  expect([held(workspace), enabled(sandbox, workspace)]).toEqual([[], ['hourly', 'pipe', 'single']]);
});

test.each([
  ['group/idle', '"group/idle" matches no schedule of this project, and nothing that one starts'],
  ['group/shop', 'Did you mean group/shops?'],
])('the address %s, which means no schedule, is an error', async (address, message) => {
  const { sandbox, workspace } = await project();
  const ran = await hold(workspace, address);
  expect([ran.exit, ran.stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
  expect(writes(sandbox)).toEqual([]);
});

test.each([
  [['hold', '--all', '--yes'], 'the reason is missing'],
  [['hold', '--all', '--yes', '--reason', ' '], 'the reason is missing'],
  [['hold', '--all', '--yes', '--reason', 'a\u202eb'], 'an invisible character'],
  [['hold', '--all', '--yes', '--reason', 'x'.repeat(501)], 'more than 500 characters'],
  [['hold', '--yes', '--reason', 'x'], 'no address is given'],
  [['hold', 'schedule/pipe', '--all', '--yes', '--reason', 'x'], 'cannot be used with addresses'],
  [['hold', '--all', '--yes', '--reason', 'x', '--until', 'soon'], 'neither a time nor a duration'],
  [['resume', '--yes'], 'no address is given'],
])('%j is refused before anything is read', async (words, message) => {
  const { sandbox, workspace } = await project();
  const ran = await workspace.command(words);
  const said = ran.stderr.replace(/\s+/g, ' ');
  expect([ran.exit, said]).toEqual([1, expect.stringContaining(message)]);
  expect(sandbox.requests).toEqual([]);
});

test('what is paused already, and no apply would enable, is not recorded, and the hold says so', async () => {
  const { sandbox, workspace } = await project(
    manifest.replace('every: 2 days', 'ignore: [enabled], every: 2 days'),
  );
  scheduleOf(sandbox, workspace, 'single').isEnabled = false;
  const ran = await hold(workspace, 'schedule/daily', 'schedule/single');
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('no apply would enable it')]);
  expect([held(workspace), inventoryOf(workspace).version]).toEqual([[], 1]);
});

describe('what somebody has paused in the dashboard, and the manifest enables', () => {
  async function paused() {
    const { sandbox, workspace } = await project();
    scheduleOf(sandbox, workspace, 'hourly').isEnabled = false;
    return { sandbox, workspace, before: inventoryOf(workspace) };
  }
  const startsOf = async (workspace: Workspace) =>
    (await workspace.planJson()).changes.map(({ address, fields }) => [address, fields[0]?.path]);

  test('is put on hold, with no request, so that no apply enables it', async () => {
    const { sandbox, workspace } = await paused();
    expect(await startsOf(workspace)).toEqual([['schedule/hourly', 'enabled']]);
    const ran = await hold(workspace, 'group/shops');
    expect([ran.exit, writes(sandbox), held(workspace)]).toEqual([0, [], ['schedule/hourly']]);
    expect(ran.stdout).toMatch(/^Hold complete: 1 already paused and now on hold\.$/m);
    expect(inventoryOf(workspace)).toMatchObject({
      version: 3,
      entries: { 'schedule/hourly': { hold: { reason: 'incident 42', wasPaused: true } } },
    });
    expect(await startsOf(workspace)).toEqual([]);
    expect((await workspace.command(['drift'])).exit).toBe(0);
    expect((await workspace.apply()).exit).toBe(0);
    expect(enabled(sandbox, workspace)).toEqual(['pipe', 'single']);
  });

  test('is what it was after a resume: paused, an ordinary difference, and drift', async () => {
    const { sandbox, workspace, before } = await paused();
    await hold(workspace, '--all');
    // A new reason does not make the pause that of the hold.
    await hold(workspace, '--all', '--until', '8h');
    const ran = await resume(workspace, '--all');
    expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('it was paused before the hold')]);
    expect(inventoryOf(workspace)).toEqual(before);
    expect(enabled(sandbox, workspace)).toEqual(['pipe', 'single']);
    expect(await startsOf(workspace)).toEqual([['schedule/hourly', 'enabled']]);
    expect((await workspace.command(['drift'])).exit).toBe(2);
  });

  test('is an ordinary difference when the time of the hold is over, whatever was applied meanwhile', async () => {
    const { sandbox, workspace } = await paused();
    await hold(workspace, 'schedule/hourly', '--until', '8h');
    workspace.write('roster.yaml', manifest.replace('every: 1 hour', 'every: 6 hours'));
    expect((await workspace.apply()).exit).toBe(0);
    workspace.now = () => new Date('2026-12-02T03:00:00Z');
    const { changes } = await workspace.planJson();
    expect(changes).toMatchObject([{ address: 'schedule/hourly', fields: [{ path: 'enabled' }], notes: [] }]);
    expect((await workspace.apply()).exit).toBe(0);
    expect([enabled(sandbox, workspace), held(workspace)]).toEqual([['hourly', 'pipe', 'single'], []]);
  });

  test('is drift again after a resume, whatever was applied meanwhile', async () => {
    const { workspace } = await paused();
    expect((await workspace.command(['drift'])).exit).toBe(2);
    await hold(workspace, 'schedule/hourly');
    workspace.write('roster.yaml', manifest.replace('every: 1 hour', 'every: 6 hours'));
    expect((await workspace.apply()).exit).toBe(0);
    await resume(workspace, '--all');
    const ran = await workspace.command(['drift', '--format', 'json']);
    expect([ran.exit, jsonOf(ran)]).toEqual([
      2,
      expect.objectContaining({
        changes: [
          expect.objectContaining({
            address: 'schedule/hourly',
            fields: [expect.objectContaining({ path: 'enabled', origin: 'remote' })],
          }),
        ],
      }),
    ]);
  });

  test('is paused by a hold that comes after somebody has enabled it again, and then enabled by a resume', async () => {
    const { sandbox, workspace } = await paused();
    await hold(workspace, 'schedule/hourly');
    scheduleOf(sandbox, workspace, 'hourly').isEnabled = true;
    await hold(workspace, 'schedule/hourly');
    expect(enabled(sandbox, workspace)).toEqual(['pipe', 'single']);
    await resume(workspace, 'schedule/hourly');
    expect(enabled(sandbox, workspace)).toEqual(['hourly', 'pipe', 'single']);
  });
});

test('a hold of an agent says through what a schedule starts it, and what starts it outside the project', async () => {
  const { sandbox, workspace } = await project();
  const { id: group } = [...sandbox.world.groups.values()].find(({ name }) => name === 'shops') ?? {};
  const theirs = async (targetType: string, targetId: string | undefined) => {
    const body = JSON.stringify({
      targetType,
      targetId,
      scheduleType: 'Once',
      startTime: '2099-12-01T06:00:00',
    });
    const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
    await fetch(`${sandbox.url}/api/schedules`, { method: 'POST', headers, body });
  };
  await theirs('Agent', 'a9e00000-0000-4000-8000-000000000001');
  await theirs('Group', group);
  await theirs('Agent', 'a9e00000-0000-4000-8000-000000000002');
  const ran = await hold(workspace, 'agent/acme-shop', '--format', 'json');
  expect(jsonOf(ran)).toMatchObject({
    resources: [
      { address: 'schedule/daily', effect: 'none', through: ['group/shops'] },
      { address: 'schedule/hourly', effect: 'pause', through: ['group/shops'] },
      { address: 'schedule/single', effect: 'pause', through: [] },
    ],
  });
  const { outside } = jsonOf<{ outside: { inBrief: string; through: string[] }[] }>(ran);
  const found = outside.map(({ inBrief, through }) => [inBrief.split(',')[0], through]);
  expect(found.sort()).toEqual([
    ['agent/acme-shop', []],
    ['group/shops', ['group/shops']],
  ]);
  const { stdout } = await hold(workspace, 'agent/acme-shop', '--until', '8h');
  expect(stdout).toContain('  schedule/hourly (through group/shops)\n');
  expect(stdout.match(/^ {2}schedule [0-9a-f-]+: /gm)).toHaveLength(2);
  expect((await hold(workspace, '--all', '--until', '9h')).stdout).not.toContain('does not manage');
  const only = await hold(workspace, 'agent/wayne-news');
  expect([only.exit, only.stderr]).toEqual([
    1,
    expect.stringContaining('"agent/wayne-news" matches no schedule'),
  ]);
});

describe('a resume of an agent, group or pipeline', () => {
  const fixed = manifest
    .replace('[acme-shop, globex]', '[globex]')
    .replace('single: { target: agent/acme-shop', 'single: { target: group/idle');

  test.each([
    ['agent/acme-shop', ['schedule/hourly', 'schedule/single']],
    ['agent/acme-*', ['schedule/hourly', 'schedule/single']],
    ['group/shops', ['schedule/hourly']],
  ])('gives back what was held of %s, whatever it starts by then', async (address, addresses) => {
    const { sandbox, workspace } = await project();
    const before = enabled(sandbox, workspace);
    await hold(workspace, address);
    expect(held(workspace)).toEqual(addresses);
    const retargeted = fixed.replace('hourly: { target: group/shops', 'hourly: { target: group/idle');
    workspace.write('roster.yaml', retargeted);
    expect(await workspace.apply()).toMatchObject({ exit: 0 });
    expect(await resume(workspace, address)).toMatchObject({ exit: 0 });
    expect([enabled(sandbox, workspace), held(workspace)]).toEqual([before, []]);
  });

  test('leaves on hold what was held by another address', async () => {
    const { workspace } = await project();
    await hold(workspace, 'agent/acme-shop', 'schedule/pipe');
    workspace.write('roster.yaml', fixed);
    expect(await workspace.apply()).toMatchObject({ exit: 0 });
    await resume(workspace, 'agent/acme-shop');
    expect(held(workspace)).toEqual(['schedule/pipe']);
  });

  test('goes by each hold of a schedule that was held twice, and with `--direct` by what it starts now', async () => {
    const { workspace } = await project();
    await hold(workspace, 'group/shops');
    await hold(workspace, 'agent/acme-shop');
    expect(inventoryOf(workspace).entries['schedule/hourly']?.hold).toMatchObject({
      of: ['group/shops', 'agent/acme-shop'],
    });
    workspace.write('roster.yaml', fixed);
    expect(await workspace.apply()).toMatchObject({ exit: 0 });
    expect((await resume(workspace, 'agent/acme-shop', '--direct')).exit).toBe(1);
    await resume(workspace, 'agent/acme-shop');
    expect(held(workspace)).toEqual([]);
  });
});

test('a plan against a snapshot, and the inventory, keep what a hold remembers', async () => {
  const { sandbox, workspace } = await project();
  scheduleOf(sandbox, workspace, 'hourly').isEnabled = false;
  await hold(workspace, 'group/shops');
  const { exit, digest } = await workspace.planJson();
  await workspace.command(['snapshot', '--out', 'roster.snapshot.json']);
  const plan = await workspace.planJson({ snapshot: 'roster.snapshot.json' });
  expect([exit, plan.exit, plan.digest]).toEqual([0, 0, digest]);
  expectFits('inventory.schema.json', inventoryOf(workspace));
  expectFits('plan.schema.json', jsonOf(plan));
});

test('what a schedule starts now counts as well as what it starts after the next apply', async () => {
  const { workspace } = await project();
  const moved = manifest.replace('single: { target: agent/acme-shop', 'single: { target: group/idle');
  workspace.write('roster.yaml', moved.replace('[initech]', '[initech, hooli-jobs]'));
  for (const agent of ['acme-shop', 'initech', 'hooli-jobs']) {
    expect(await hold(workspace, `agent/${agent}`, '--until', '8h')).toMatchObject({ exit: 0 });
    expect([agent, held(workspace)]).toEqual([agent, expect.arrayContaining(['schedule/single'])]);
    await resume(workspace, '--all');
  }
});

test('a schedule whose entry has an error, such as an agent that was taken away, is held and resumed', async () => {
  const { sandbox, workspace } = await project();
  for (const agent of sandbox.world.agents.values())
    if (agent.externalAgentId === 'globex') Object.assign(agent, { assigned: false });
  scheduleOf(sandbox, workspace, 'daily').isEnabled = true;
  await hold(workspace, '--all');
  expect(enabled(sandbox, workspace)).toEqual([]);
  await resume(workspace, '--all');
  // The entry of `daily` says that it is paused.
  expect(enabled(sandbox, workspace)).toEqual(['hourly', 'pipe', 'single']);
});

test.each([
  ['under its own key', manifest],
  ['under its former key', manifest.replace('  single: {', '  alone: { formerly: single,')],
])(
  'an object that the record of an entry with an error does not describe is neither held nor resumed: %s',
  async (_, text) => {
    const { sandbox, workspace } = await project();
    const body = { targetType: 'Agent', targetId: 'a9e00000-0000-4000-8000-000000000002' };
    const timing = { scheduleType: 'Once', startTime: '2099-12-05T06:00:00' };
    const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
    await fetch(`${sandbox.url}/api/schedules`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, ...timing }),
    });
    const theirs = [...sandbox.world.schedules.values()].at(-1);
    for (const agent of sandbox.world.agents.values())
      if (agent.externalAgentId === 'acme-shop') Object.assign(agent, { assigned: false });
    workspace.write('roster.yaml', text);
    const forge = (more: object) => {
      const inventory = inventoryOf(workspace);
      const own = { ...inventory.entries['schedule/single'], id: theirs?.id, ...more };
      const entries = { ...inventory.entries, 'schedule/single': own };
      workspace.write('roster.inventory.json', JSON.stringify({ ...inventory, version: 3, entries }));
    };
    sandbox.requests.length = 0;
    forge({});
    const address = text === manifest ? 'schedule/single' : 'schedule/alone';
    const held = await hold(workspace, address);
    expect([held.exit, held.stderr]).toEqual([4, expect.stringContaining('inventory-mismatch')]);
    Object.assign(theirs ?? {}, { isEnabled: false });
    forge({ hold: { by: 'eve', reason: 'x', since: '2026-12-01T03:00:00.000Z', until: null } });
    const resumed = await resume(workspace, address);
    expect([resumed.exit, resumed.stderr]).toEqual([4, expect.stringContaining('inventory-mismatch')]);
    expect([writes(sandbox), theirs?.isEnabled]).toEqual([[], false]);
  },
);

test('holding again changes reason and end, sends nothing, and keeps the former set', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, 'group/shops', '--until', '8h');
  sandbox.requests.length = 0;
  workspace.now = () => new Date('2026-12-01T04:00:00Z');
  const ran = await hold(workspace, 'group/shops', '--until', '3d');
  expect([ran.exit, writes(sandbox)]).toEqual([0, []]);
  expect(inventoryOf(workspace).entries['schedule/hourly']?.hold).toMatchObject({
    since: '2026-12-01T03:00:00.000Z',
    until: '2026-12-04T04:00:00.000Z',
  });
  await resume(workspace, '--all');
  expect(enabled(sandbox, workspace)).toEqual(['hourly', 'pipe', 'single']);
});

test('a hold that has ended, and was not applied yet, can be renewed', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, 'group/shops', '--until', '8h');
  workspace.now = () => new Date('2026-12-02T03:00:00Z');
  await hold(workspace, 'group/shops', '--until', '8h');
  expect((await workspace.planJson()).changes).toEqual([]);
  expect(held(workspace)).toEqual(['schedule/hourly']);
  await resume(workspace, '--all');
  expect(enabled(sandbox, workspace)).toEqual(['hourly', 'pipe', 'single']);
});

test('a hold changes nothing but whether schedules run, whatever else differs from the manifests', async () => {
  const { sandbox, workspace } = await project();
  workspace.write('roster.yaml', manifest.replace('every: 1 hour', 'every: 6 hours'));
  expect(await hold(workspace, 'schedule/hourly')).toMatchObject({ exit: 0 });
  expect(scheduleOf(sandbox, workspace, 'hourly').intervalValue).toBe(1);
  const { changes } = await workspace.planJson();
  expect(changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([['every']]);
  expect(await workspace.apply()).toMatchObject({ exit: 0 });
  expect(scheduleOf(sandbox, workspace, 'hourly')).toMatchObject({ intervalValue: 6, isEnabled: false });
});

test('a schedule of the project that no apply has adopted is an error by its address, and a warning otherwise', async () => {
  const { workspace } = await project(manifest.replace(/ {2}single.*\n/, ''));
  const other = await startSandbox({ seed: parseSeed('{}') });
  await other.close();
  workspace.write('roster.yaml', manifest);
  const applied = await workspace.apply({}, ['schedule/single']);
  expect(applied.exit).toBe(0);
  const inventory = inventoryOf(workspace);
  delete inventory.entries['schedule/single'];
  workspace.write('roster.inventory.json', JSON.stringify(inventory));
  const named = await hold(workspace, 'schedule/single');
  expect([named.exit, named.stderr]).toEqual([1, expect.stringContaining('error[not-in-inventory]')]);
  const all = await hold(workspace, '--all');
  expect([all.exit, all.stderr]).toEqual([0, expect.stringContaining('warning[not-in-inventory]')]);
  expect(held(workspace)).toEqual(['schedule/hourly', 'schedule/pipe']);
});

test('a resume leaves paused what its entry pauses by now, and what is gone, and forgets their holds', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, '--all');
  const paused = manifest.replace('every: 1 hour,', 'every: 1 hour, enabled: false,');
  workspace.write('roster.yaml', paused);
  sandbox.world.schedules.delete(inventoryOf(workspace).entries['schedule/pipe']?.id ?? '');
  const ran = await resume(workspace, '--all');
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('its entry says that it is paused')]);
  expect(ran.stdout).toContain('it no longer exists on the service');
  expect([held(workspace), scheduleOf(sandbox, workspace, 'hourly').isEnabled]).toEqual([[], false]);
  expect(scheduleOf(sandbox, workspace, 'single').isEnabled).toBe(true);
});

test('a resume of what somebody has enabled in the dashboard only forgets the hold', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, 'schedule/hourly');
  scheduleOf(sandbox, workspace, 'hourly').isEnabled = true;
  sandbox.requests.length = 0;
  const ran = await resume(workspace, 'schedule/hourly');
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('it is enabled already')]);
  expect([writes(sandbox), held(workspace)]).toEqual([[], []]);
  expect((await workspace.command(['drift'])).exit).toBe(0);
});

test('drift is silent about what a hold has paused, and reports what somebody has enabled meanwhile', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, 'schedule/hourly');
  expect((await workspace.command(['drift'])).exit).toBe(0);
  scheduleOf(sandbox, workspace, 'hourly').isEnabled = true;
  const ran = await workspace.command(['drift', '--format', 'json']);
  const { changes } = jsonOf(ran);
  expect([ran.exit, changes]).toMatchObject([
    2,
    [{ address: 'schedule/hourly', fields: [{ path: 'enabled' }] }],
  ]);
});

test('drift is silent after a hold has ended, whether somebody has enabled the schedule or not', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, 'schedule/hourly', '--until', '8h');
  workspace.now = () => new Date('2026-12-02T03:00:00Z');
  expect((await workspace.command(['drift'])).exit).toBe(0);
  scheduleOf(sandbox, workspace, 'hourly').isEnabled = true;
  expect((await workspace.command(['drift'])).exit).toBe(0);
});

test('the digest of a plan tells whether something is on hold, until when, and that the hold has ended', async () => {
  const { workspace } = await project();
  const digests = [(await workspace.planJson()).digest];
  await hold(workspace, 'schedule/hourly', '--until', '8h');
  digests.push((await workspace.planJson()).digest);
  await hold(workspace, 'schedule/hourly', '--until', '9h');
  digests.push((await workspace.planJson()).digest, (await workspace.planJson()).digest);
  workspace.now = () => new Date('2026-12-02T03:00:00Z');
  digests.push((await workspace.planJson()).digest);
  expect(new Set(digests).size).toBe(4);
  expect(digests[2]).toBe(digests[3]);
});

test('an apply after the end of a hold enables the schedule, and the inventory forgets the hold', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, '--all', '--until', '8h');
  workspace.now = () => new Date('2026-12-02T03:00:00Z');
  expect(await workspace.apply()).toMatchObject({ exit: 0 });
  expect(enabled(sandbox, workspace)).toEqual(['hourly', 'pipe', 'single']);
  expect([held(workspace), inventoryOf(workspace).version]).toEqual([[], 1]);
});

test('pull does not write a pause into the manifest that a hold has made', async () => {
  const { workspace } = await project();
  await hold(workspace, '--all');
  await workspace.command(['pull', 'schedule/*', '--yes']);
  expect(readFileSync(join(workspace.root, 'roster.yaml'), 'utf8')).toBe(manifest);
});

test('a plan in Markdown, and why, tell what is on hold', async () => {
  const { workspace } = await project();
  await hold(workspace, 'schedule/hourly', '--until', '8h');
  const told = 'schedule/hourly is held by anna until 2026-12-01 11:00 UTC: "incident 42"';
  const flat = (text: string) => text.replace(/[\\`]/g, '').replace(/\s+/g, ' ');
  const { stdout } = await workspace.plan({ format: 'markdown' });
  expect(flat(stdout)).toContain(told);
  const why = await workspace.command(['why', 'schedule/hourly']);
  expect(flat(why.stderr + why.stdout)).toContain('held by anna until 2026-12-01 11:00 UTC: "incident 42"');
});

test('the calendar leaves out what is on hold until the hold ends, and says so', async () => {
  const { workspace } = await project(manifest.replaceAll('2099-', '2020-'));
  const calendar = async () => {
    const words = ['calendar', '--from', '2026-12-01', '--days', '2', '--format', 'json'];
    return jsonOf(await workspace.command(words));
  };
  const { days: before } = await calendar();
  await hold(workspace, 'schedule/hourly', '--until', '2026-12-02T00:00:00Z');
  const { days, diagnostics } = await calendar();
  const sum = (day: { hours: number[] }) => day.hours.reduce((all, each) => all + each, 0);
  expect([sum(before[0]) - sum(days[0]), sum(before[1]) - sum(days[1])]).toEqual([48, 0]);
  expect(diagnostics).toMatchObject([{ code: 'held', severity: 'info' }]);
  await hold(workspace, 'schedule/hourly');
  const { days: empty, uncounted } = await calendar();
  expect([sum(before[1]) - sum(empty[1]), uncounted]).toMatchObject([48, [{ address: 'schedule/hourly' }]]);
});

test('destroy deletes what is on hold', async () => {
  const { sandbox, workspace } = await project();
  await hold(workspace, '--all');
  const { digest } = await workspace.planJson({ destroy: true });
  const ran = await workspace.command(['destroy', '--yes', '--expect', digest]);
  expect([ran.exit, sandbox.world.schedules.size]).toEqual([0, 0]);
  expect(held(workspace)).toEqual([]);
});

test('an interrupted hold changes nothing, and a hold that is refused the lock neither', async () => {
  const { sandbox, workspace } = await project();
  const words = ['hold', '--all', '--reason', 'x', '--yes'];
  expect(await workspace.command(words, true)).toMatchObject({ exit: 130 });
  workspace.now = undefined;
  workspace.write(
    'roster.inventory.json.lock',
    JSON.stringify({ token: 'other', host: 'elsewhere', pid: 1 }),
  );
  const ran = await workspace.command(words);
  expect([ran.exit, ran.stderr]).toEqual([4, expect.stringContaining('locked')]);
  expect([writes(sandbox), held(workspace)]).toEqual([[], []]);
});

const bulk = '/api/schedules/bulk/enabled';

test('what the service refuses to pause is not on hold, and the next apply leaves it alone', async () => {
  const { sandbox, workspace } = await project();
  sandbox.faults.faults = [{ act: 'status', status: 403, path: bulk }];
  const ran = await hold(workspace, '--all');
  expect([ran.exit, held(workspace)]).toEqual([3, []]);
  expect(ran.stdout).toContain('Resources that were not paused are not on hold.');
  // Nothing was done that could be undone.
  expect(ran.stdout).not.toContain('To undo it');
  sandbox.faults.faults = [];
  sandbox.requests.length = 0;
  expect((await workspace.apply()).exit).toBe(0);
  expect([writes(sandbox), enabled(sandbox, workspace)]).toEqual([[], ['hourly', 'pipe', 'single']]);
});

test('what the service refuses to enable is still on hold, and the next apply leaves it paused', async () => {
  const { sandbox, workspace } = await project();
  expect((await hold(workspace, '--all')).exit).toBe(0);
  const { entries } = inventoryOf(workspace);
  sandbox.faults.faults = [{ act: 'status', status: 403, path: bulk }];
  const ran = await resume(workspace, '--all');
  expect([ran.exit, inventoryOf(workspace).entries]).toEqual([3, entries]);
  expect(ran.stdout).toContain('Resources that were not enabled are still on hold.');
  sandbox.faults.faults = [];
  expect((await workspace.apply()).exit).toBe(0);
  expect(enabled(sandbox, workspace)).toEqual([]);
});

test('of a hold that was carried out in part, only what was paused is on hold, and the report says which', async () => {
  const entries = Array.from(
    { length: 102 },
    (_, n) => `  s${n}: { target: agent/acme-shop, every: ${n + 1} days, ${at} }\n`,
  );
  const { sandbox, workspace } = await project(
    `project: pricing\nlimits: { startsPerMinute: 1000 }\nschedules:\n${entries.join('')}`,
  );
  sandbox.faults.faults = [{ act: 'status', status: 403, path: bulk, nth: 2 }];
  const ran = await hold(workspace, '--all', '--format', 'json');
  const { resources } = jsonOf(ran) as { resources: { address: string; outcome: string }[] };
  const done = resources.filter(({ outcome }) => outcome === 'done').map(({ address }) => address);
  expect([ran.exit, done.length, held(workspace)]).toEqual([3, 100, done]);
  const running = enabled(sandbox, workspace).map((key) => `schedule/${key}`);
  expect([...running, ...done].sort()).toEqual(resources.map(({ address }) => address).sort());
});

test('of a call that skips some schedules, the log names those that were refused, and no others', async () => {
  const { sandbox, workspace } = await project();
  const data = { success: true, data: { affected: 2, skipped: 1 } };
  const [first] = sandbox.world.schedules.values();
  sandbox.faults.faults = [
    { act: 'status', status: 200, path: bulk, body: JSON.stringify(data) },
    { act: 'status', status: 403, path: `/api/schedules/${first?.id}/enabled` },
  ];
  const ran = await hold(workspace, '--all');
  expect([ran.exit, held(workspace).length]).toEqual([3, 2]);
  expect(ran.stderr.match(/could not update/g)).toHaveLength(1);
  expect(ran.stderr.match(/: updated/g)).toHaveLength(2);
  expect(ran.stdout.replace(/\s+/g, ' ')).toContain(
    'To undo it, run `roster resume` with the same addresses.',
  );
});

test('a hold whose answer was lost is recorded, because it may be in force', async () => {
  const { sandbox, workspace } = await project();
  sandbox.faults.faults = [{ act: 'status-after', status: 500, path: bulk }];
  const ran = await hold(workspace, '--all');
  expect([ran.exit, held(workspace)]).toEqual([3, ['schedule/hourly', 'schedule/pipe', 'schedule/single']]);
  expect(ran.stdout.replace(/\s+/g, ' ')).toContain(
    'Resources with an unknown result are recorded as on hold, so the next apply pauses any that still run.',
  );
});

test.each([
  ['', []],
  [', whatever is said of missing objects', ['--allow-account-change']],
])('another service than that of the inventory is refused%s', async (_, flags) => {
  const { sandbox, workspace } = await project();
  const inventory = { ...inventoryOf(workspace), service: 'https://other.example.com' };
  workspace.write('roster.inventory.json', JSON.stringify(inventory));
  for (const ran of [await hold(workspace, '--all', ...flags), await resume(workspace, '--all', ...flags)])
    expect([ran.exit, ran.stderr]).toEqual([4, expect.stringContaining('inventory-mismatch')]);
  expect(writes(sandbox)).toEqual([]);
});

test('JSON is one value, with what was done to each schedule', async () => {
  const { workspace } = await project();
  const ran = await hold(workspace, 'group/shops', '--format', 'json');
  expect(jsonOf(ran)).toMatchObject({
    formatVersion: 1,
    project: 'pricing',
    action: 'hold',
    hold: { by: 'anna', reason: 'incident 42', until: null },
    resources: [
      { address: 'schedule/daily', effect: 'none', outcome: null },
      { address: 'schedule/hourly', effect: 'pause', why: null, outcome: 'done' },
    ],
    converged: true,
    diagnostics: [],
  });
  const failed = await workspace.command([
    'hold',
    'group/none',
    '--reason',
    'x',
    '--yes',
    '--format',
    'json',
  ]);
  expect(jsonOf(failed)).toMatchObject({ formatVersion: 1, diagnostics: [{ code: 'usage' }] });
});

test('120 schedules are paused with two requests, and enabled with two', async () => {
  const entries = Array.from(
    { length: 120 },
    (_, n) => `  s${n}: { target: agent/acme-shop, every: ${n + 1} days, ${at} }\n`,
  );
  const { sandbox, workspace } = await project(
    `project: pricing\nlimits: { startsPerMinute: 1000 }\nschedules:\n${entries.join('')}`,
  );
  expect(await hold(workspace, '--all')).toMatchObject({ exit: 0 });
  expect(writes(sandbox)).toEqual([`POST ${bulk}`, `POST ${bulk}`]);
  expect(held(workspace)).toHaveLength(120);
  sandbox.requests.length = 0;
  expect(await resume(workspace, '--all')).toMatchObject({ exit: 0 });
  expect(writes(sandbox)).toEqual([`POST ${bulk}`, `POST ${bulk}`]);
  expect(enabled(sandbox, workspace)).toHaveLength(120);
  expect(existsSync(join(workspace.root, 'roster.inventory.json.lock'))).toBe(false);
});

test('without a terminal, hold and resume show what they would do, and change nothing', async () => {
  const { sandbox, workspace } = await project();
  const before = writes(sandbox).length;
  const preview = await workspace.command(['hold', '--all', '--reason', 'x']);
  expect([preview.exit, preview.stdout]).toEqual([1, expect.stringContaining('to pause')]);
  expect(preview.stderr).toContain('there is no terminal to ask for confirmation');
  expect([writes(sandbox).length, held(workspace)]).toEqual([before, []]);
  expect((await hold(workspace, '--all')).exit).toBe(0);
  const known = held(workspace);
  const end = await workspace.command(['resume', '--all']);
  expect([end.exit, end.stdout]).toEqual([1, expect.stringContaining('to enable')]);
  expect(held(workspace)).toEqual(known);
});

test('an address of another environment is not taken for a similar one', async () => {
  const { workspace } = await project();
  const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
  workspace.write(
    'roster.yaml',
    `${text.replace('groups:', 'groups:\n  elsewhere: { members: [acme-shop], environments: [other] }')}environments: { one: {}, other: {} }\n`,
  );
  const { exit, stderr } = await workspace.command([
    'hold',
    'group/elsewhere',
    '-e',
    'one',
    '--reason',
    'x',
    '--yes',
  ]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('exists in the environment other only')]);
});

test('why says that a hold has ended, and not that somebody changed the manifest', async () => {
  const { workspace } = await project();
  await hold(workspace, 'schedule/hourly', '--until', '1h');
  workspace.now = () => new Date('2026-12-01T05:00:00Z');
  const ended = await workspace.command(['why', 'schedule/hourly']);
  expect(ended.stdout).toContain(
    '~ update (its hold has ended):\n  enabled:  false → true\n  note: the hold of anna ended at 2026-12-01 04:00 UTC\n',
  );
  workspace.write('roster.yaml', manifest.replace('every: 1 hour,', 'every: 2 hours,'));
  const changed = await workspace.command(['why', 'schedule/hourly']);
  expect(changed.stdout).toContain('~ update (changed in the manifest):\n');
});
