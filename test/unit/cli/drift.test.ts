import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import type { driftJson } from '../../../src/view/json/plan-json.js';
import { codesPrinted, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
});

const inventoryPath = () => join(workspace.root, 'roster.inventory.json');
const declare = (entries: string) => workspace.write('roster.yaml', `project: p\n${entries}`);
const first = `groups:
  a: { description: One, members: [acme-shop] }
  b: { members: [acme-shop] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00 }
`;

type Found = ReturnType<typeof driftJson>;

async function drift(): Promise<Found & { exit: number }> {
  const { exit, stdout } = await workspace.command(['drift', '--format', 'json']);
  expect((await workspace.command(['drift'])).exit).toBe(exit);
  return { exit, ...jsonOf<Found>({ stdout }) };
}

const reported = ({ exit, changes }: Awaited<ReturnType<typeof drift>>) => ({
  exit,
  changes: changes.map(({ address, what, fields }) => [
    address,
    what,
    ...fields.map(({ path, before, after, origin }) => [path, before, after, origin]),
  ]),
});

const live = (name: string) => {
  const found = [...sandbox.world.groups.values()].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no group ${name}`);
  return found;
};

test.each<{ name: string; later: string; meanwhile(): void; exit: number; changes: unknown[] }>([
  { name: 'nothing, after an apply', later: first, meanwhile: () => {}, exit: 0, changes: [] },
  {
    name: 'what somebody changed, although the manifest says the same by now',
    later: first.replace('One', 'Two'),
    meanwhile: () => Object.assign(live('a'), { description: 'Two' }),
    exit: 2,
    changes: [['group/a', 'changed', ['description', 'One', 'Two', 'both']]],
  },
  {
    name: 'what was applied last as before, when both have changed it',
    later: first.replace('One', 'Three'),
    meanwhile: () => Object.assign(live('a'), { description: 'Two' }),
    exit: 2,
    changes: [['group/a', 'changed', ['description', 'One', 'Two', 'both']]],
  },
  {
    name: 'nothing, where the manifest alone has changed',
    later: first.replace('One', 'Three').replace('6 hours', '7 hours'),
    meanwhile: () => {},
    exit: 0,
    changes: [],
  },
  {
    name: 'what changed in an object whose entry was taken out',
    later: first.replace(/ {2}b: .*\n/, ''),
    meanwhile: () => Object.assign(live('b'), { isActive: false }),
    exit: 2,
    changes: [['group/b', 'changed', ['active', true, false, 'both']]],
  },
  {
    name: 'that an object whose entry was taken out is gone',
    later: first.replace(/ {2}b: .*\n/, ''),
    meanwhile: () => sandbox.world.groups.delete(live('b').id),
    exit: 2,
    changes: [['group/b', 'deleted']],
  },
  {
    name: 'that another object of the name has come in the place of ours',
    later: first,
    meanwhile: () => {
      const old = live('b');
      sandbox.world.groups.delete(old.id);
      const id = '00000000-0000-4000-8000-00000000abcd';
      sandbox.world.groups.set(id, { ...old, id });
    },
    exit: 2,
    changes: [['group/b', 'deleted']],
  },
  {
    name: 'members, targets and intervals in the words of a manifest',
    later: first,
    meanwhile: () => {
      const [agent] = [...sandbox.world.agents.values()].filter((each) => each.externalAgentId === 'globex');
      Object.assign(live('b'), { agentIds: [agent?.id] });
      const [schedule] = [...sandbox.world.schedules.values()];
      Object.assign(schedule ?? {}, { intervalValue: 3, targetId: live('b').id });
    },
    exit: 2,
    changes: [
      ['group/b', 'changed', ['members', ['acme-shop'], ['globex'], 'remote']],
      [
        'schedule/s',
        'changed',
        ['target', 'group/a', 'group/b', 'remote'],
        ['every', '6 hours', '3 hours', 'remote'],
      ],
    ],
  },
])('drift is $name', async ({ later, meanwhile, exit, changes }) => {
  declare(first);
  expect((await workspace.apply()).exit).toBe(0);
  meanwhile();
  declare(later);
  expect(reported(await drift())).toEqual({ exit, changes });
});

const agentId = (name: string) =>
  [...sandbox.world.agents.values()].find((each) => each.externalAgentId === name)?.id;

test('a declared member that somebody removed is drift, and what others added beside it is not', async () => {
  declare('groups:\n  a: { members: [acme-shop, globex], ignore: [members.extra] }\n');
  expect((await workspace.apply()).exit).toBe(0);
  Object.assign(live('a'), { agentIds: [agentId('acme-shop'), agentId('initech')] });
  expect(reported(await drift())).toEqual({
    exit: 2,
    changes: [['group/a', 'changed', ['members', ['acme-shop', 'globex'], ['acme-shop'], 'remote']]],
  });
});

test('what others added and removed again is no drift, although an apply came in between', async () => {
  const entry = (text: string) =>
    declare(`groups:\n  a: { description: ${text}, members: [acme-shop], ignore: [members.extra] }\n`);
  entry('One');
  expect((await workspace.apply()).exit).toBe(0);
  Object.assign(live('a'), { agentIds: [agentId('acme-shop'), agentId('initech')] });
  entry('Two');
  expect((await workspace.apply()).exit).toBe(0);
  Object.assign(live('a'), { agentIds: [agentId('acme-shop')] });
  expect(reported(await drift())).toEqual({ exit: 0, changes: [] });
});

test('an entry that was bound to another object manually has not drifted, and its plan shows the change', async () => {
  declare(first);
  await workspace.apply();
  const id = '00000000-0000-4000-8000-00000000abcd';
  sandbox.world.groups.set(id, { ...live('b'), id, name: 'x', description: 'Somebody else' });
  declare(first.replace('  b: {', `  b: { id: ${id},`));
  expect(reported(await drift())).toEqual({ exit: 0, changes: [] });
  const { changes } = await workspace.planJson();
  expect(changes.find(({ address }) => address === 'group/b')?.origin).toBe('manifest');
});

test('without its inventory, a project has an error instead of no drift', async () => {
  declare(first);
  await workspace.apply();
  rmSync(inventoryPath());
  expect(await drift()).toMatchObject({
    exit: 1,
    diagnostics: [{ severity: 'error', code: 'not-in-inventory' }],
  });
});

test('a project that was never applied has not drifted', async () => {
  declare(first);
  expect(reported(await drift())).toEqual({ exit: 0, changes: [] });
});

test('objects that are on the service but not in the inventory are listed', async () => {
  declare(first.replace(/ {2}b: .*\n/, ''));
  await workspace.apply();
  declare(first);
  sandbox.world.groups.set('00000000-0000-4000-8000-00000000abcd', {
    ...live('a'),
    id: '00000000-0000-4000-8000-00000000abcd',
    name: 'b',
  });
  const found = await drift();
  expect(reported(found)).toEqual({ exit: 0, changes: [] });
  expect(found.diagnostics).toMatchObject([
    { severity: 'warning', code: 'not-in-inventory', message: expect.stringContaining('group/b') },
  ]);
});

test.each(['"x"', '7', 'null', '[]', '{"a":[1]}', '[["a"]]'])(
  'any value that the inventory records as applied is shown: %s',
  async (value) => {
    declare(first);
    await workspace.apply();
    const text = readFileSync(inventoryPath(), 'utf8');
    const edited = text
      .replace(/"members":\[[^\]]*\]/g, `"members":${value}`)
      .replace(/"(target|every)":\[[^\]]*\]/g, `"$1":${value}`);
    expect(edited).not.toBe(text);
    workspace.write('roster.inventory.json', edited);
    expect((await drift()).exit).toBe(2);
  },
);

test('addresses select what drift is shown of, and one that matches nothing is an error', async () => {
  declare(first);
  await workspace.apply();
  for (const name of ['a', 'b']) Object.assign(live(name), { description: 'Changed' });
  const run = (...words: string[]) => workspace.command(['drift', ...words, '--format', 'json']);
  const addresses = async (...words: string[]) => {
    const { exit, stdout } = await run(...words);
    return [exit, jsonOf<Found>({ stdout }).changes.map((each) => each.address)];
  };
  expect(await addresses()).toEqual([2, ['group/a', 'group/b']]);
  expect(await addresses('group/b')).toEqual([2, ['group/b']]);
  expect(await addresses('group/*', 'schedule/s')).toEqual([2, ['group/a', 'group/b']]);
  expect(await addresses('schedule/*')).toEqual([0, []]);
  declare(first.replace(/ {2}b: .*\n/, ''));
  expect(await addresses('group/b')).toEqual([2, ['group/b']]);
  const { exit, stdout } = await run('schedule/s', 'group/c', 'pipeline/*');
  expect([exit, jsonOf({ stdout }).diagnostics]).toEqual([
    1,
    ['group/c', 'pipeline/*'].map((each) =>
      expect.objectContaining({ code: 'usage', message: `"${each}" matches no resource of this project` }),
    ),
  ]);
});

test('drift of what is selected is known although another resource is not in the inventory', async () => {
  declare(first.replace(/ {2}b: .*\n/, ''));
  await workspace.apply();
  declare(first);
  sandbox.world.groups.set('00000000-0000-4000-8000-00000000abcd', {
    ...live('a'),
    id: '00000000-0000-4000-8000-00000000abcd',
    name: 'b',
  });
  const diagnostics = async (address: string) => {
    const { exit, stdout } = await workspace.command(['drift', address, '--format', 'json']);
    return [exit, codesPrinted({ stdout })];
  };
  expect(await diagnostics('group/a')).toEqual([0, []]);
  expect(await diagnostics('group/b')).toEqual([0, ['not-in-inventory']]);
});

test('why explains several resources, each in a block of its own, and a glob as a list', async () => {
  declare(first);
  await workspace.apply();
  const why = (...words: string[]) => workspace.command(['why', ...words]);
  const { exit, stdout } = await why('schedule/s', 'group/*');
  expect(exit).toBe(0);
  expect(stdout.match(/^(group|schedule)\/\w+ matches/gm)).toEqual([
    'group/a matches',
    'group/b matches',
    'schedule/s matches',
  ]);
  expect(stdout.match(/^Project/gm)).toHaveLength(1);
  const json = async (...words: string[]) => jsonOf(await why(...words, '--format', 'json'));
  const one = await json('group/a');
  expect(one).toMatchObject({ address: 'group/a', rule: 'inventory' });
  const { formatVersion, project, environment, service, ...resource } = one;
  expect(await json('group/[a]')).toEqual({
    formatVersion,
    project,
    environment,
    service,
    resources: [resource],
  });
  expect((await json('group/a', 'group/b')).resources).toHaveLength(2);
  const failed = await why('group/a', 'group/x', 'nothing');
  expect([failed.exit, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain('"group/x" matches no resource of this project');
  expect(failed.stderr).toContain('"nothing" matches no resource of this project');
});

test.each(['drift', 'status', 'pull group/a --yes'])(
  'roster %s of a project whose only object was deleted asks whether that is so, and then works',
  async (line) => {
    declare('groups:\n  a: { members: [acme-shop] }\n');
    expect(await workspace.apply()).toMatchObject({ exit: 0 });
    sandbox.world.groups.clear();
    const words = line.split(' ');
    const asked = await workspace.command(words);
    expect([asked.exit, asked.stderr]).toEqual([4, expect.stringContaining('inventory-mismatch')]);
    const { exit, both } = await workspace.command([...words, '--allow-account-change']);
    const expected = { drift: [2, 'group/a'], status: [0, 'does not exist'], pull: [1, 'does not exist'] }[
      words[0] ?? ''
    ];
    expect([exit, both]).toEqual([expected?.[0], expect.stringContaining(String(expected?.[1]))]);
  },
);

test('what the inventory no longer describes is refused: drift says so, as a plan does, and how to go on', async () => {
  declare(first);
  expect((await workspace.apply()).exit).toBe(0);
  const [other] = [...sandbox.world.agents.values()].filter((each) => each.externalAgentId === 'globex');
  Object.assign(live('a'), { name: 'Renamed', description: 'Two', agentIds: [other?.id] });
  const found = await drift();
  expect([found.exit, found.changes.map(({ address }) => address)]).toEqual([2, ['group/a']]);
  const plan = await workspace.planJson();
  const [refused] = plan.diagnostics.filter(({ code }) => code === 'inventory-mismatch');
  const [warning] = found.diagnostics;
  expect([warning?.severity, warning?.code]).toEqual(['warning', 'inventory-mismatch']);
  expect([warning?.message, warning?.help]).toEqual([refused?.message, refused?.help]);
  expect(warning?.help).toContain('accept its values with `roster pull group/a`');
  const { stdout } = await workspace.command(['drift', '--format', 'markdown']);
  expect(stdout).toContain('An apply is refused while the inventory does not describe 1 object');
  expect(stdout).not.toContain('reverts');
  const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
  expect((await workspace.command(['pull', 'group/a'])).exit).toBe(0);
  expect((await workspace.planJson()).changes).toEqual([]);
  workspace.write('roster.yaml', text.replace('a: {', `a: { id: ${live('Renamed').id},`));
  expect((await workspace.apply()).exit).toBe(0);
  expect((await drift()).changes).toEqual([]);
  expect(live('a').description).toBe('One');
});
