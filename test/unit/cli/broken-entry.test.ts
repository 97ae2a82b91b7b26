import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-08T12:00:00Z');
const agent = (externalAgentId: string) => ({ externalAgentId, name: externalAgentId });
const seed = { agents: [agent('fine'), agent('going')], groups: [], history: [] } as unknown as Seed;

const timing = 'startTime: 2026-12-08T07:00:00';
const project = `project: prices
groups:
  good: { members: [fine] }
  shops: { name: Shops, members: [going] }
pipelines:
  chain: { stages: [going] }
schedules:
  direct: { target: agent/going, every: 1 day, ${timing}, inputs: { token: "t-\${env.SHOP_TOKEN}" } }
  grouped: { target: group/shops, every: 2 days, ${timing} }
  other: { target: agent/fine, every: 3 days, ${timing}, inputs: { token: "u-\${env.OTHER_TOKEN}" } }
  well: { target: group/good, every: 6 days, ${timing} }
  chained: { target: pipeline/chain, every: 4 days, ${timing} }
`;

/** An applied project, one of whose agents was taken away since. */
async function arrange(change: (text: string) => string = (text) => text) {
  const sandbox = await startSandbox({ seed: structuredClone(seed), speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': project }, sandbox);
  workspace.now = () => sandbox.now();
  workspace.sleep = async () => {};
  Object.assign(workspace.env, { SHOP_TOKEN: 'secret-of-the-shop', OTHER_TOKEN: 'secret-of-the-other' });
  expect((await workspace.apply()).exit).toBe(0);
  takeAway(sandbox);
  workspace.write('roster.yaml', change(project));
  return { sandbox, workspace };
}

function takeAway({ world }: Sandbox): void {
  for (const [id, each] of world.agents) if (each.externalAgentId === 'going') world.agents.delete(id);
}

interface PlanOutput {
  readonly changes: readonly { readonly action: string; readonly address: string }[];
  readonly diagnostics: readonly {
    readonly severity: string;
    readonly code: string;
    readonly message: string;
  }[];
}

async function run(workspace: Workspace, words: string) {
  const ran = await workspace.command([...words.split(' '), '--format', 'json']);
  const { changes = [], diagnostics = [] } = jsonOf<Partial<PlanOutput>>(ran);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return {
    exit: ran.exit,
    changes: changes.map(({ action, address }) => `${action} ${address}`),
    errors: [...new Set(errors.map(({ code }) => code))],
    warnings: diagnostics.flatMap(({ severity, message }) => (severity === 'warning' ? [message] : [])),
  };
}

const other = (text: string) => text.replace('every: 3 days', 'every: 5 days');

test('an agent that was taken away is an error of the entries that name it, and of what depends on them', async () => {
  const { workspace } = await arrange(other);
  expect(await run(workspace, 'plan')).toMatchObject({ exit: 1, changes: [], errors: ['unknown-agent'] });
  const cases: [string, string[]][] = [
    ['group/shops', ['unknown-agent']],
    ['schedule/direct', ['unknown-agent']],
    ['schedule/grouped', ['unknown-agent', 'broken-reference']],
    ['schedule/chained', ['unknown-agent', 'broken-reference']],
    ['schedule/*', ['unknown-agent', 'broken-reference']],
  ];
  for (const [address, errors] of cases)
    expect([address, await run(workspace, `plan ${address}`)]).toMatchObject([address, { exit: 1, errors }]);
});

test('an entry with an error stops no plan, apply or explanation of other addresses', async () => {
  const { sandbox, workspace } = await arrange(other);
  const planned = await run(workspace, 'plan schedule/other group/good');
  expect(planned).toMatchObject({ exit: 0, changes: ['update schedule/other'], errors: [] });
  expect(planned.warnings.filter((each) => !each.includes('has no input'))).toEqual([
    '5 entries with an error are outside the selection, and not in this plan: group/shops, pipeline/chain, schedule/direct, schedule/grouped, schedule/chained',
  ]);
  expect((await workspace.command(['why', 'schedule/other'])).exit).toBe(0);
  expect((await workspace.command(['why', 'schedule/direct'])).exit).toBe(1);
  const inventory = () => readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
  const before = inventory();
  expect(await run(workspace, 'apply --yes schedule/other')).toMatchObject({ exit: 0, errors: [] });
  const addresses = (text: string) => Object.keys(jsonOf<{ entries: object }>({ stdout: text }).entries);
  expect(addresses(inventory())).toEqual(addresses(before));
  expect(sandbox.world.schedules.size).toBe(5);
});

test.each([
  ['is in the inventory', (text: string) => text],
  ['has another key', (text: string) => text.replace('  direct:', '  renamed:')],
  ['names its former key', (text: string) => text.replace('direct: {', 'renamed: { formerly: direct,')],
  [
    'is a group with another key',
    (text: string) => text.replace('  shops:', '  stores:').replace('group/shops', 'group/stores'),
  ],
])('an entry with an error never looks undeclared: it %s', async (_, change) => {
  const { sandbox, workspace } = await arrange(change);
  for (const prune of ['owned', 'all']) {
    for (const address of ['schedule/direct', 'group/shops', ...idsOf(sandbox)]) {
      const { changes } = await run(workspace, `plan --prune ${prune} ${address}`);
      expect([prune, address, changes]).toEqual([prune, address, []]);
    }
    const kept = await run(workspace, `plan --prune ${prune} group/good schedule/other`);
    expect(kept).toMatchObject({ exit: 0, changes: [], errors: [] });
  }
});

function idsOf({ world }: Sandbox): string[] {
  const others = new Set(['good', 'fine']);
  const groups = [...world.groups.values()].filter(({ name }) => !others.has(name));
  return [
    ...groups.map(({ id }) => `group/${id}`),
    ...[...world.schedules.keys()].map((id) => `schedule/${id}`),
  ];
}

test('nothing is deleted that the object of an entry with an error refers to', async () => {
  const without = (text: string) => text.replace('  good: { members: [fine] }\n', '');
  const { workspace } = await arrange((text) => without(text).replace(/ {2}well: .*\n/, ''));
  const both = await run(workspace, 'plan group/good schedule/well');
  expect(both).toMatchObject({ exit: 0, changes: ['delete group/good', 'delete schedule/well'] });
  workspace.write('roster.yaml', without(project).replace('group/good', 'agent/gone'));
  expect(await run(workspace, 'plan group/good')).toMatchObject({ exit: 1, errors: ['usage'] });
});

test('drift of the other entries is found, and what could not be compared ends in exit code 1', async () => {
  const { sandbox, workspace } = await arrange();
  expect(await run(workspace, 'drift')).toMatchObject({
    exit: 1,
    changes: [],
    errors: ['unknown-agent', 'broken-reference'],
  });
  expect((await workspace.command(['drift'])).stdout).toContain('The drift check is incomplete.');
  expect(await run(workspace, 'drift schedule/other')).toMatchObject({ exit: 0, errors: [] });
  for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
  const ran = await workspace.command(['drift', '--format', 'json']);
  const { changes } = jsonOf<{ changes: { address: string }[] }>(ran);
  expect([ran.exit, changes.map(({ address }) => address)]).toEqual([1, ['schedule/other', 'schedule/well']]);
  expect((await run(workspace, 'drift schedule/other')).exit).toBe(2);
});

test('a pull of other addresses goes on, and imports nothing that an entry with an error may declare', async () => {
  const { sandbox, workspace } = await arrange((text) => text.replace('  direct:', '  renamed:'));
  for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
  expect((await workspace.command(['pull', 'schedule/*', '--yes'])).exit).toBe(1);
  const pulled = await workspace.command([
    'pull',
    'schedule/other',
    'group/*ood',
    '--yes',
    '--format',
    'json',
  ]);
  const { imported, updated } = jsonOf<{ imported: object[]; updated: { address: string }[] }>(pulled);
  expect([imported, updated.map(({ address }) => address)]).toEqual([[], ['schedule/other']]);
  expect(await run(workspace, 'plan schedule/other')).toMatchObject({ exit: 0, changes: [] });
});

test('a hold also pauses the schedules of entries with an error', async () => {
  const { sandbox, workspace } = await arrange();
  expect((await workspace.command(['hold', '--all', '--reason', 'incident', '--yes'])).exit).toBe(0);
  expect([...sandbox.world.schedules.values()].map(({ isEnabled }) => isEnabled)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('a variable of the environment that is not set is an error of the entries that use it', async () => {
  const { sandbox, workspace } = await arrange((text) =>
    other(text).replaceAll('agent/going', 'agent/fine').replaceAll('[going]', '[fine]'),
  );
  // A group and a pipeline are corrected, and what is left has no error but this.
  expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
  workspace.write(
    'roster.yaml',
    readFileSync(join(workspace.root, 'roster.yaml'), 'utf8').replace('6 days', '7 days'),
  );
  for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
  delete workspace.env['SHOP_TOKEN'];
  const missing = ['missing-environment-variable'];
  const before = sandbox.requests.length;
  for (const words of ['plan', 'apply --yes'])
    expect([words, await run(workspace, words)]).toMatchObject([words, { exit: 1, errors: missing }]);
  expect(sandbox.requests.length).toBe(before);
  const cases: [string, object][] = [
    ['plan schedule/direct', { exit: 1, errors: missing }],
    ['plan schedule/well', { exit: 0, changes: ['update schedule/well'], errors: [] }],
    ['plan --exclude schedule/direct', { exit: 0, errors: [] }],
    ['why schedule/direct', { exit: 1, errors: missing }],
    ['why schedule/well', { exit: 0, errors: [] }],
    ['drift', { exit: 1, errors: missing }],
    ['drift schedule/well', { exit: 2, errors: [] }],
    ['status', { exit: 0, errors: [] }],
    ['list', { exit: 0, errors: [] }],
    ['run schedule/direct', { exit: 1, errors: missing }],
    ['apply --yes schedule/well', { exit: 0, errors: [] }],
    ['graph', { exit: 0, errors: [] }],
    ['calendar', { exit: 0, errors: [] }],
    ['unlock', { exit: 0, errors: [] }],
  ];
  for (const [words, expected] of cases)
    expect([words, await run(workspace, words)]).toMatchObject([words, expected]);
  // Nothing of the entry was sent or recorded.
  const inputs = [...sandbox.world.schedules.values()].map(({ inputParameters }) => inputParameters);
  expect(inputs.filter((each) => each?.includes('t-secret-of-the-shop'))).toHaveLength(1);
  const taken = await workspace.command(['snapshot', '--out', 's.json']);
  expect([taken.exit, taken.stderr]).toEqual([0, expect.stringContaining('not-in-snapshot')]);
  expect(await run(workspace, 'plan --snapshot s.json schedule/well')).toMatchObject({ exit: 0, errors: [] });
  expect(await run(workspace, 'plan --snapshot s.json')).toMatchObject({ exit: 1, errors: missing });
  expect((await workspace.command(['hold', '--all', '--reason', 'incident', '--yes'])).exit).toBe(0);
  expect((await workspace.command(['pull', 'schedule/other', '--yes'])).exit).toBe(0);
});

test('an object that only has the timing of an entry with an error is that of its own address', async () => {
  const sandbox = await startSandbox({ seed: structuredClone(seed), speed: 0, now });
  const workspace = new Workspace({}, sandbox);
  const write = (...entries: string[]) =>
    workspace.write('roster.yaml', `project: prices\nschedules:\n${entries.join('\n')}\n`);
  const old = (target: string) => `  old: { target: ${target}, every: 1 day, ${timing} }`;
  const k = `  k: { target: agent/fine, every: 5 days, ${timing} }`;
  const a = `  a: { target: agent/gone, every: 1 day, ${timing} }`;
  write(old('agent/fine'), k);
  expect((await workspace.apply()).exit).toBe(0);
  write(a, k);
  expect(await run(workspace, 'plan schedule/k')).toMatchObject({ exit: 0, changes: [] });
  expect(await run(workspace, 'plan schedule/old')).toMatchObject({
    exit: 0,
    changes: ['delete schedule/old'],
  });
  write(old('agent/going'), k);
  expect((await workspace.apply()).exit).toBe(0);
  takeAway(sandbox);
  write(a, k);
  const { exit, stderr } = await workspace.command(['plan', 'schedule/old']);
  const message = 'schedule/old may be the object of schedule/a, which has an error';
  expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
});

test('what an interrupted create has made for a sound entry is not that of an entry with an error', async () => {
  let interrupt = () => {};
  const intercept = async ({ method, path }: { method: string; path: string }, next: () => Promise<void>) => {
    if (method === 'POST' && path === '/api/schedules') interrupt();
    await next();
  };
  const sandbox = await startSandbox({ seed: structuredClone(seed), speed: 0, now, faults: { intercept } });
  const workspace = new Workspace({}, sandbox);
  const write = (entries: string) =>
    workspace.write('roster.yaml', `project: prices\nschedules:\n${entries}`);
  write(`  a: { target: agent/fine, every: 1 day, ${timing} }\n`);
  let begun = '';
  interrupt = () => {
    begun = readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
  };
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.inventory.json', begun);
  write(`  a: { target: agent/fine, every: 2 days, ${timing} }
  b: { target: agent/unknown, every: 1 day, ${timing} }
`);
  const planned = await run(workspace, 'plan schedule/a');
  expect(planned).toMatchObject({ exit: 0, changes: ['update schedule/a'], errors: [] });
});

test.each([
  ['its inventory', () => {}],
  ['no inventory', (workspace: Workspace) => workspace.write('roster.inventory.json', '')],
])('a snapshot is whole, with no secret of an entry with an error, with %s', async (_, prepare) => {
  const { workspace } = await arrange();
  if (_ === 'no inventory') workspace.env['ROSTER_INVENTORY'] = 'other.inventory.json';
  else prepare(workspace);
  const taken = await workspace.command(['snapshot', '--out', 'state.json', '--format', 'json']);
  const text = readFileSync(join(workspace.root, 'state.json'), 'utf8');
  expect(text).not.toContain('secret-of');
  const { objects } = JSON.parse(text) as { objects: { schedule: { withheld: string[] }[] } };
  expect(objects.schedule.map(({ withheld }) => withheld.length).sort()).toEqual([0, 0, 1, 1, 1]);
  expect(taken.exit).toBe(0);
  expect(jsonOf<PlanOutput>(taken).diagnostics.map(({ code }) => code)).toContain('unknown-agent');
  expect(jsonOf<PlanOutput>(taken).diagnostics.map(({ code }) => code)).toContain('not-in-snapshot');
  const plan = await workspace.command([
    'plan',
    '--snapshot',
    'state.json',
    'schedule/other',
    '--format',
    'json',
  ]);
  expect(plan.exit).toBe(0);
});
