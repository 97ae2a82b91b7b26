import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** What an error in a part of the project other than an entry stops: an `each`, defaults, a setting, another environment. */

const project = `project: prices
include: [teams/*.yaml]
defaults:
  schedules: { startTime: "2099-12-01T06:00:00" }
`;
const good = `groups:
  good: { name: Good, members: [acme-shop] }
schedules:
  well: { target: group/good, every: 6 hours }
`;
const other = `groups:
  shops: { name: Shops, members: [globex] }
schedules:
  other: { target: group/shops, every: 1 day }
  "\${each.key}-live": { each: { uk: 2 days, de: 3 days }, target: group/shops, every: "\${each.value}" }
`;

interface Part {
  readonly name: string;
  readonly project?: (text: string) => string;
  readonly other?: (text: string) => string;
  /** A schedule that the error is about, or may be about; null where no entry is in doubt. */
  readonly doubtful: string | null;
  /** Whether the schedules and the groups of the other file are known, and whether a plan of them can be made. */
  readonly schedule: boolean;
  readonly plan: boolean;
}

const parts: readonly Part[] = [
  {
    name: 'an `each` that is not a map',
    other: (text) => text.replace('{ uk: 2 days, de: 3 days }', '7'),
    doubtful: 'uk-live',
    schedule: true,
    plan: true,
  },
  {
    name: 'a key of an `each` that is the same for all items',
    other: (text) => text.replace('"${each.key}-live"', 'live'),
    doubtful: 'de-live',
    schedule: true,
    plan: true,
  },
  {
    name: 'an item of an `each` without what the entry uses',
    other: (text) => text.replace('"${each.value}"', '"${each.value.often}"'),
    doubtful: 'uk-live',
    schedule: true,
    plan: true,
  },
  {
    name: 'a section that is not a map',
    other: (text) => text.replace(/schedules:[\s\S]*/, 'schedules: 7\n'),
    doubtful: 'other',
    schedule: true,
    plan: true,
  },
  {
    name: 'an unknown default of schedules',
    project: (text) => text.replace('startTime', 'startTim'),
    doubtful: 'well',
    schedule: false,
    plan: true,
  },
  {
    name: 'a default of schedules with an invalid value',
    project: (text) => text.replace('"2099-12-01T06:00:00"', '"soon"'),
    doubtful: 'well',
    schedule: false,
    plan: true,
  },
  {
    name: 'defaults of an unknown section',
    project: (text) => text.replace('  schedules:', '  schedule:'),
    doubtful: 'well',
    schedule: false,
    plan: false,
  },
  {
    name: 'an include of a file that does not exist',
    project: (text) => text.replace('teams/*.yaml', 'teams/*.yaml, ../elsewhere.yaml'),
    doubtful: null,
    schedule: true,
    plan: true,
  },
  {
    name: 'another environment',
    project: (text) => `${text}environments: { staging: { service: { urll: x } } }\n`,
    doubtful: null,
    schedule: true,
    plan: true,
  },
  {
    name: 'the address of another environment',
    project: (text) => `${text}environments: { staging: { service: { url: "http://example.com" } } }\n`,
    doubtful: null,
    schedule: true,
    plan: true,
  },
  {
    name: 'a setting that only plans need',
    project: (text) => `${text}prune: everything\n`,
    doubtful: null,
    schedule: true,
    plan: false,
  },
  {
    name: 'two settings that only plans need',
    project: (text) => `${text}limits: { deletes: many }\npolicies: 7\n`,
    doubtful: null,
    schedule: true,
    plan: false,
  },
  {
    name: 'a removed address that is declared',
    project: (text) => `${text}removed: [schedule/other]\n`,
    doubtful: null,
    schedule: true,
    plan: false,
  },
];

async function arrange({ project: changed = (text) => text, other: changedOther = (text) => text }: Part) {
  const sandbox = await startSandbox();
  const files = { 'roster.yaml': project, 'teams/good.yaml': good, 'teams/other.yaml': other };
  const workspace = new Workspace(files, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', changed(project));
  workspace.write('teams/other.yaml', changedOther(other));
  sandbox.requests.length = 0;
  const enabled = () => [...sandbox.world.schedules.values()].filter(({ isEnabled }) => isEnabled).length;
  return { sandbox, workspace, enabled };
}

interface Printed {
  readonly diagnostics?: readonly { readonly severity: string; readonly message: string }[];
}

async function run(workspace: Workspace, ...words: string[]) {
  const ran = await workspace.command([...words, '--format', 'json']);
  const { diagnostics = [] } = jsonOf<Printed>(ran);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return { exit: ran.exit, errors: errors.length, isSaid: diagnostics.length > 0 };
}

const fine = { exit: 0, errors: 0, isSaid: true };
const refused = { exit: 1, isSaid: true };

test.each(parts)(
  'an error in $name does not stop a hold, and resume enables no schedule that it may affect',
  async (part) => {
    const { workspace, enabled } = await arrange(part);
    const named = part.doubtful ?? 'other';
    const hold = ['hold', `schedule/${named}`, '--reason', 'incident 42', '--yes'];
    expect(await run(workspace, ...hold)).toEqual(fine);
    expect(enabled()).toBe(3);
    const resumed = await run(workspace, 'resume', `schedule/${named}`, '--yes');
    expect(resumed.exit).toBe(part.doubtful === null ? 0 : 3);
    expect(enabled()).toBe(part.doubtful === null ? 4 : 3);
    const agent = ['hold', 'agent/acme-shop', '--reason', 'incident 42', '--yes'];
    expect((await run(workspace, ...agent)).exit).toBe(0);
    expect(enabled()).toBe(part.doubtful === null ? 3 : named === 'well' ? 3 : 2);
  },
);

test.each(parts)(
  'an error in $name does not stop commands about other entries, and each reports it',
  async (part) => {
    const { workspace, sandbox } = await arrange(part);
    // Where it is not known what defaults mean, no entry is known.
    const group = part.name === 'defaults of an unknown section' ? refused : fine;
    const schedule = part.schedule ? fine : refused;
    const plan = part.plan ? fine : refused;
    const found = {
      run: await run(workspace, 'run', 'group/good', '--detach'),
      calendar: await run(workspace, 'calendar', 'schedule/well'),
      graph: await run(workspace, 'graph', 'group/good'),
      data: await run(workspace, 'data', 'schedule/well'),
      status: await run(workspace, 'status', 'schedule/well'),
      plan: await run(workspace, 'plan', 'group/good'),
      apply: await run(workspace, 'apply', '--yes', 'group/good'),
    };
    const status = part.schedule ? fine : { ...refused, exit: expect.any(Number) };
    expect(found).toMatchObject({
      run: group,
      calendar: schedule,
      graph: group,
      data: schedule,
      status,
      plan,
      apply: plan,
    });
    const stopped = [['plan'], ['apply', '--yes'], ['calendar'], ['graph'], ['validate']];
    for (const words of stopped) expect([words, (await run(workspace, ...words)).exit]).toEqual([words, 1]);
    expect(sandbox.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(Object.keys(inventoryAt<{ entries: object }>(workspace.root).entries)).toHaveLength(6);
  },
);

test.each(parts)('an error in $name causes no delete and no forget, whatever is selected', async (part) => {
  const { workspace } = await arrange(part);
  for (const words of [['*/*'], ['schedule/*'], ['--in', 'teams/other.yaml'], ['--exclude', 'group/good']]) {
    const planned = await workspace.command(['plan', '--prune', 'all', ...words, '--format', 'json']);
    const { changes = [] } = jsonOf<{ changes?: readonly { action: string }[] }>(planned);
    expect([words, changes.filter(({ action }) => action !== 'none')]).toEqual([words, []]);
  }
});

test.each([
  { name: 'the inventory', text: 'inventory: 7\n' },
  { name: 'the service', text: 'service: { urll: x }\n' },
  { name: 'an unknown setting', text: 'inventry: { file: other.json }\n' },
  { name: 'variables', text: 'vars: 7\n' },
])('an error in $name stops a hold', async ({ text }) => {
  const { workspace, enabled } = await arrange({ ...emptyPart, project: (all) => all + text });
  const held = await run(workspace, 'hold', 'schedule/other', '--reason', 'incident 42', '--yes');
  expect([held.exit, enabled()]).toEqual([1, 4]);
});

const emptyPart: Part = { name: '', doubtful: null, schedule: true, plan: true };

test('a plan lists globs that may match entries of an unreadable file, and fails if the owner or path selects that file', async () => {
  const { workspace } = await arrange(emptyPart);
  workspace.write('teams/third.yaml', 'schedules: {\n');
  mkdirSync(join(workspace.root, '.git'));
  workspace.write('CODEOWNERS', 'teams/third.yaml @acme/third\nteams/good.yaml @acme/good\n');
  const globs = await workspace.command(['plan', 'schedule/w*', 'group/*']);
  expect([globs.exit, globs.stderr.replace(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining(
      'so its entries are not in this plan, including any that match "schedule/w*", "group/*"',
    ),
  ]);
  const own = await workspace.command(['plan', '--owner', '@acme/good']);
  expect([own.exit, own.stderr]).toEqual([0, expect.stringContaining('teams/third.yaml has an error')]);
  for (const words of [
    ['--owner', '@acme/third'],
    ['--owner', '@acme/good', '--owner', '@acme/third'],
    ['--in', 'teams/good.yaml', '--in', 'teams/third.yaml'],
  ])
    expect([words, (await workspace.command(['plan', ...words])).exit]).toEqual([words, 1]);
});

test('run refuses a glob that matches an entry with an error', async () => {
  const part: Part = { ...emptyPart, other: (text) => text.replace('members: [globex]', 'membrs: [globex]') };
  const { workspace, sandbox } = await arrange(part);
  expect(await run(workspace, 'run', 'group/*', '--detach')).toMatchObject({ exit: 1, errors: 1 });
  expect(await run(workspace, 'run', 'schedule/other', '--detach')).toMatchObject({ exit: 1, errors: 1 });
  expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  expect(await run(workspace, 'runs', 'group/good')).toEqual(fine);
});

test('drift counts only compared resources', async () => {
  const part: Part = { ...emptyPart, other: (text) => text.replace('members: [globex]', 'membrs: [globex]') };
  const { workspace } = await arrange(part);
  const { stdout, exit } = await workspace.command(['drift']);
  expect([exit, stdout.replace(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringContaining('The others have no drift since the last apply (2 resources).'),
  ]);
});

test('an unset variable in defaults is an error only of entries that inherit the default', async () => {
  const ofGroups = '  groups: { description: "${env.NOT_SET}" }\n';
  const { workspace, enabled } = await arrange({
    ...emptyPart,
    project: (text) => text.replace('  schedules:', `${ofGroups}  schedules:`),
    other: (text) => text.replace('shops: {', 'shops: { description: Ours,'),
  });
  const exits: Record<string, number> = {};
  for (const words of [
    'plan group/good',
    'plan group/shops',
    'plan schedule/other',
    'plan',
    'graph group/good',
  ])
    exits[words] = (await workspace.command(words.split(' '))).exit;
  expect(exits).toEqual({
    'plan group/good': 1,
    'plan group/shops': 0,
    'plan schedule/other': 0,
    plan: 1,
    'graph group/good': 0,
  });
  expect((await run(workspace, 'hold', 'schedule/*', '--reason', 'incident 42', '--yes')).exit).toBe(0);
  expect(enabled()).toBe(0);
  expect(await run(workspace, 'resume', '--all', '--yes')).toMatchObject({ exit: 0, errors: 0 });
  expect(enabled()).toBe(4);
});
