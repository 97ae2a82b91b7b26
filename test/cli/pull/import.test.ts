import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSeed, type Sandbox, type Seed } from '../../../src/sandbox/index.js';
import { formatText } from '../../../src/yaml/format.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { isLong, runs, sampleOf } from '../../support/size.js';
import { randomWorld, seedOf } from '../../support/worlds.js';

async function arrange(seed: Seed, variants: readonly Variant[] = [], manifest = 'project: imported\n') {
  const sandbox = await startSandbox({ seed, variants });
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  return { sandbox, workspace };
}

const writesOf = ({ requests }: Sandbox) =>
  requests.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'));

const read = ({ root }: Workspace, path: string) => readFileSync(join(root, path), 'utf8');

/** Law 6: after a pull, the plan only adopts and has no calls; after an apply, it is empty. */
async function pullsCleanly(seed: Seed, variants: readonly Variant[] = [], manifest?: string) {
  const { sandbox, workspace } = await arrange(seed, variants, manifest);
  const pulled = await workspace.command(['pull', '--yes', '--format', 'json']);
  const { files, imported, diagnostics } = jsonOf(pulled);
  const plan = await workspace.planJson({});
  expect(
    plan.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'empty-project'),
  ).toEqual([]);
  expect(plan.changes.map(({ address, action, calls }) => [address, action, calls.length])).toEqual(
    plan.changes.map(({ address }) => [address, 'adopt', 0]),
  );
  expect(plan.changes.length).toBe(
    imported.filter(({ external }: { external: boolean }) => !external).length,
  );
  for (const { path } of files)
    if (path !== 'roster.yaml') expect(read(workspace, path)).toBe(formatText(read(workspace, path)));
  expect((await workspace.apply({ allowEmpty: true })).exit).toBe(0);
  expect((await workspace.planJson({ allowEmpty: true })).changes).toEqual([]);
  expect(writesOf(sandbox)).toEqual([]);
  const again = await workspace.command(['pull', '--format', 'json']);
  expect(jsonOf(again).files).toEqual([]);
  return { sandbox, workspace, imported, diagnostics, plan };
}

describe('law 6: a plan after a pull only adopts, and is empty after an apply', () => {
  const folder = new URL('../../cases/', import.meta.url).pathname;
  const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
    .map(
      (name) =>
        [
          name,
          parse(readFileSync(join(folder, name), 'utf8')) as { seed?: object; manifest: string },
        ] as const,
    )
    .filter(([, { seed }]) => seed !== undefined);

  test.each(sampleOf(cases, 3))('with what exists in the case %s', async (_, { seed = {}, manifest }) => {
    const scopes = /^scopes:.*$/m.exec(manifest)?.[0] ?? '';
    const world = parseSeed(JSON.stringify(seed));
    const { diagnostics } = await pullsCleanly(world, [], `project: imported\n${scopes}\n`);
    expect(diagnostics).toEqual([]);
  });

  const variants = Object.keys(VARIANTS) as Variant[];
  test('with random worlds, in every shape that the service may have', async () => {
    const shape = fc.oneof(fc.constant([]), fc.shuffledSubarray(variants, { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(randomWorld, shape, async (world, shapes) => {
        await pullsCleanly(seedOf(world), shapes);
      }),
      { numRuns: runs(2, 300), endOnFailure: !isLong },
    );
  });
});

const projectKeys = fc.record({
  active: fc.boolean(),
  enabled: fc.boolean(),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
  ignore: fc.subarray(['enabled', 'inputs']),
});

test('law 6 holds with defaults of sections, entries of another environment, and `ignore`', async () => {
  await fc.assert(
    fc.asyncProperty(randomWorld, projectKeys, async (world, { active, ignore, ...schedules }) => {
      const defaults = JSON.stringify({ groups: { active }, schedules: { ...schedules, ignore } });
      const manifest = `project: imported
environments: { staging: {} }
defaults: ${defaults}
groups:
  retail: { name: Other, members: [], environments: [staging] }
`;
      await pullsCleanly(seedOf(world), [], manifest);
    }),
    { numRuns: runs(2, 100) },
  );
});

const agents = [{ id: 'aaaaaaaa-0000-4000-8000-000000000000', externalAgentId: 'acme', name: 'Acme' }];
const groupId = (index: number) => `bbbbbbbb-0000-4000-8000-00000000000${index}`;
const seedWith = (rest: object) => parseSeed(JSON.stringify({ agents, ...rest }));
const oneGroup = seedWith({ groups: [{ id: groupId(0), name: 'Retail prices', members: ['acme'] }] });

const odd = [
  'yes',
  'no',
  '007',
  '1e3',
  '- x',
  '#x',
  'a: b',
  'a #b',
  '"',
  "'",
  '{',
  '[',
  '*a',
  '&a',
  '!a',
  '%a',
  '@a',
  '`a',
  '|',
  '>',
  '~',
  'null',
  '${var.x}',
  '$${',
  '${',
  'ä ö',
  '日本',
  'x'.repeat(200),
  'a\tb'.replace('\t', ' '),
  '0x1F',
  '12:30:45',
  '.inf',
  '=',
  '<<',
  '?',
  ':',
  ',',
];

test('odd names, descriptions and inputs are escaped, so that they are read as they are', async () => {
  const groups = odd.map((name, index) => ({
    name,
    description: `${name}\n${odd[odd.length - 1 - index]}`,
    members: ['acme'],
  }));
  const schedules = odd.map((value, index) => ({
    ...{ targetId: 'acme', scheduleType: 'Basic', intervalValue: index + 1, intervalUnit: 'Hours' },
    ...{
      startTime: '2099-01-01T00:00:00',
      inputParameters: JSON.stringify({ query: value, list: [value, { a: value }, 1, true] }),
    },
  }));
  const { imported, diagnostics } = await pullsCleanly(seedWith({ groups, schedules }));
  expect(diagnostics).toEqual([]);
  // And the API key of the sandbox.
  expect(imported.length).toBe(2 * odd.length + 1);
});

const names = ['${var.x}', '${env.HOME}', '${each.key}', '${x}', '${', '$${', '$$${a}', '$'];

test('inputs whose names look like variables are imported, written back and rendered as they are', async () => {
  const inputs = (value: unknown) => ({
    ...Object.fromEntries(names.map((name) => [name, value])),
    deep: { [names[0] ?? '']: [{ '${': value }] },
  });
  const timing = { targetId: 'acme', scheduleType: 'Once', startTime: '2099-01-01T00:00:00' };
  const seed = seedWith({ schedules: [{ ...timing, inputParameters: JSON.stringify(inputs('a')) }] });
  const { sandbox, workspace, diagnostics } = await pullsCleanly(seed);
  expect(diagnostics).toEqual([]);

  for (const each of sandbox.world.schedules.values()) each.inputParameters = JSON.stringify(inputs('b${x}'));
  const back = await workspace.command(['pull', 'schedule/*']);
  expect([back.exit, back.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect((await workspace.planJson()).changes).toEqual([]);

  const { stdout } = await workspace.command(['render']);
  const rendered = new Workspace({ 'roster.yaml': stdout }, sandbox);
  rendered.write('roster.inventory.json', read(workspace, 'roster.inventory.json'));
  expect((await rendered.planJson()).changes).toEqual([]);
});

test('what a manifest cannot hold is left out with the reason, and what needs it; the rest is written', async () => {
  const once = { scheduleType: 'Once', startTime: '2099-01-01T00:00:00' };
  const { workspace } = await arrange(
    seedWith({
      groups: [
        { id: groupId(0), name: 'bidi \u202e name', members: ['acme'] },
        { id: groupId(1), name: 'fine', members: ['acme'] },
      ],
      schedules: [
        { ...once, targetType: 'Group', targetId: groupId(0) },
        { ...once, targetId: 'acme', inputParameters: '{"a":null}' },
        {
          ...once,
          targetId: 'acme',
          startTime: '2099-02-01T00:00:00',
          inputParameters: '{"a":"svc_live_0123456789abcdef0123"}',
        },
      ],
    }),
  );
  const pulled = await workspace.command(['pull', '--yes', '--format', 'json']);
  const { diagnostics, imported } = jsonOf(pulled);
  expect(pulled.exit).toBe(1);
  expect(diagnostics.map(({ code }: { code: string }) => code)).toEqual(Array(4).fill('not-importable'));
  const [secret, bidi, missing, dependent] = diagnostics.map(({ message }: { message: string }) => message);
  const id = '\\([\\da-f-]+\\)';
  expect(bidi).toBe(
    `group/bidi-name (${groupId(0)}) was left out: \`name\`: the value contains U+202E, an invisible character`,
  );
  expect(missing).toMatch(new RegExp(`^schedule/.* ${id} was left out: \`inputs\`: a value is missing`));
  expect(secret).toMatch(new RegExp(`${id} was left out: \`inputs\` contains what looks like an API key`));
  expect(dependent).toMatch(new RegExp(`${id} was left out: group/bidi-name, which it starts, cannot be`));
  const helps = diagnostics.map(({ help }: { help?: string }) => help ?? null);
  const change = 'Change it on the service, and run `roster pull` again.';
  expect(helps).toEqual([change, change, change, null]);
  expect(imported.map(({ address }: { address: string }) => address)).toEqual(['group/fine', 'key/sandbox']);
  expect((await workspace.planJson({ allowEmpty: true })).changes.map(({ action }) => action)).toEqual([
    'adopt',
    'adopt',
  ]);
});

test('a key that no manifest may have is not chosen, and what refers to it is imported, too', async () => {
  const words = ['constructor', 'Prototype', '__proto__', 'members', 'groups'];
  const { imported, diagnostics } = await pullsCleanly(
    seedWith({
      groups: words.map((name, index) => ({ id: groupId(index), name, members: ['acme'] })),
      schedules: words.map((_, index) => ({
        ...{ scheduleType: 'Once', startTime: '2099-01-01T00:00:00' },
        ...{ targetType: 'Group', targetId: groupId(index) },
      })),
    }),
  );
  expect(diagnostics).toEqual([]);
  const keys = imported.map(({ address }: { address: string }) => address);
  expect(keys.filter((each: string) => each.startsWith('group/'))).toEqual([
    'group/constructor-bbbbbbbb',
    'group/groups',
    'group/members',
    'group/proto',
    'group/prototype-bbbbbbbb',
  ]);
  expect(keys.filter((each: string) => each.startsWith('schedule/')).length).toBe(words.length);
});

test('entries are short: no id, no defaults, agents by externalAgentId', async () => {
  const { workspace } = await arrange(oneGroup);
  await workspace.command(['pull', 'group/*', '--yes']);
  expect(read(workspace, 'imported/groups.yaml')).toBe(
    'groups:\n  retail-prices:\n    name: Retail prices\n    members: [acme]\n',
  );
  expect(read(workspace, 'roster.yaml')).toBe('project: imported\ninclude: [imported/*.yaml]\n');
});

test('what the project has as a default is left out, and what differs from it is written', async () => {
  const every = {
    targetId: 'acme',
    scheduleType: 'Basic',
    intervalUnit: 'Hours',
    timeZoneId: 'Europe/Berlin',
  };
  const { workspace } = await pullsCleanly(
    seedWith({
      groups: [{ id: groupId(0), name: 'Paused', members: ['acme'], isActive: false }],
      schedules: [
        { ...every, intervalValue: 6, startTime: '2099-01-01T00:00:00', isEnabled: false },
        { ...every, intervalValue: 7, startTime: '2099-01-02T00:00:00', inputParameters: '{"query":"x"}' },
        { targetId: 'acme', scheduleType: 'Once', startTime: '2099-01-01T00:00:00' },
      ],
    }),
    [],
    `project: imported
defaults:
  groups: { active: false }
  schedules:
    enabled: false
    timeZone: Europe/Berlin
    startTime: 2099-01-01T00:00:00
    inputs: { query: x }
`,
  );
  expect(read(workspace, 'imported/groups.yaml')).toBe(
    'groups:\n  paused:\n    name: Paused\n    members: [acme]\n',
  );
  const { schedules } = parse(read(workspace, 'imported/schedules.yaml')) as { schedules: object };
  expect(Object.values(schedules)).toEqual([
    { target: 'agent/acme', every: '6 hours', inputs: {} },
    { target: 'agent/acme', every: '7 hours', startTime: '2099-01-02T00:00:00', enabled: true },
    { target: 'agent/acme', once: '2099-01-01T00:00:00', timeZone: 'UTC', inputs: {}, enabled: true },
  ]);
});

test('an entry of another environment keeps its key', async () => {
  const { workspace } = await arrange(
    oneGroup,
    [],
    `project: imported
environments: { staging: {}, production: {} }
groups:
  retail-prices: { name: Other, members: [acme], environments: [production] }
`,
  );
  const pulled = await workspace.command(['pull', '--yes', 'group/*', '-e', 'staging']);
  expect([pulled.exit, pulled.stderr]).toEqual([0, '']);
  expect(read(workspace, 'imported/groups.yaml')).toMatch(/^groups:\n {2}retail-prices-\w+:\n/);
});

test('without a terminal and --yes, nothing is written where `include` must be extended: the change is shown', async () => {
  const { workspace } = await arrange(oneGroup);
  const pulled = await workspace.command(['pull', 'group/*']);
  expect([pulled.exit, pulled.stderr]).toEqual([1, expect.stringContaining('not-confirmed')]);
  expect(pulled.stderr).toContain('+include: [imported/*.yaml]');
  expect(readdirSync(workspace.root)).toEqual(['roster.yaml']);
});

test('a group of somebody else is external where a schedule starts it, and left out otherwise', async () => {
  const groups = [0, 1].map((index) => ({
    id: groupId(index),
    name: `Shared ${index}`,
    members: ['acme'],
    canManage: false,
  }));
  const schedule = {
    targetType: 'Group',
    targetId: groupId(1),
    scheduleType: 'Once',
    startTime: '2099-01-01T00:00:00',
  };
  const { workspace } = await pullsCleanly(seedWith({ groups, schedules: [schedule] }));
  expect(read(workspace, 'imported/groups.yaml')).toBe(
    'groups:\n  shared-1:\n    external: true\n    name: Shared 1\n',
  );
});

test('two groups that only their ids tell apart get an id; keys do not depend on what is selected', async () => {
  const groups = [0, 1].map((index) => ({
    id: `${index}${groupId(0).slice(1)}`,
    name: 'Twin',
    members: ['acme'],
  }));
  const { workspace } = await arrange(seedWith({ groups }));
  await workspace.command(['pull', 'group/twin-0*', '--yes']);
  await workspace.command(['pull', 'group/*', '--yes']);
  const files = ['groups.yaml', 'groups-2.yaml'].map((name) => read(workspace, `imported/${name}`));
  expect(files.map((text) => text.split('\n')[1])).toEqual(['  twin-0bbbbbbb:', '  twin-1bbbbbbb:']);
  expect((await workspace.planJson()).changes.map(({ action }) => action)).toEqual(['adopt', 'adopt']);
});

describe('where entries go', () => {
  const once = {
    targetType: 'Group',
    targetId: groupId(0),
    scheduleType: 'Once',
    startTime: '2099-01-01T00:00:00',
  };
  const world = seedWith({
    groups: [
      { id: groupId(0), name: 'A', members: ['acme'] },
      { id: groupId(1), name: 'B', members: ['acme'] },
    ],
    schedules: [once],
  });

  test('--by target puts a group and its schedules into one file', async () => {
    const { workspace } = await arrange(world);
    await workspace.command(['pull', 'group/*', 'schedule/*', '--yes', '--by', 'target']);
    expect(readdirSync(join(workspace.root, 'imported'))).toEqual(['group-a.yaml', 'group-b.yaml']);
    expect(read(workspace, 'imported/group-a.yaml')).toContain('schedules:\n  a-once-2099-01-01:\n');
  });

  test('--match chooses by name, and takes along what a schedule starts', async () => {
    const { workspace } = await arrange(world);
    await workspace.command(['pull', 'schedule/*', '--match', 'A', '--yes']);
    expect(readdirSync(join(workspace.root, 'imported'))).toEqual(['groups.yaml', 'schedules.yaml']);
    expect(read(workspace, 'imported/groups.yaml')).not.toContain('B');
  });

  test.each([
    [
      'into a section in its own style',
      'project: p\ngroups:\n    old:\n        members: [] # none\n\n# the end\n',
      '    old:\n        members: [] # none\n\n    a:\n',
    ],
    ['as a new section', 'project: p\n', '\ngroups:\n  a:\n'],
    ['as a document, where a section is in braces', 'project: p\ngroups: {}\n', '---\ngroups:\n  a:\n'],
  ])('--into adds entries %s', async (_, manifest, expected) => {
    const { workspace } = await arrange(world, [], manifest);
    const pulled = await workspace.command(['pull', 'group/a', '--into', 'roster.yaml']);
    expect([pulled.exit, pulled.stderr]).toEqual([0, '']);
    expect(read(workspace, 'roster.yaml')).toContain(expected);
    for (const line of manifest.split('\n'))
      expect(read(workspace, 'roster.yaml').split('\n')).toContain(line);
    const adopts = (await workspace.planJson()).changes.filter(({ action }) => action === 'adopt');
    expect(adopts.map(({ address }) => address)).toEqual(['group/a']);
  });

  test('--into keeps the entries that a merge key brings', async () => {
    const manifest = 'project: p\nx-b: &b { groups: { z: { members: [] } } }\n<<: *b\n';
    const { workspace } = await arrange(world, [], manifest);
    expect((await workspace.command(['pull', 'group/a', '--into', 'roster.yaml'])).exit).toBe(0);
    const { changes } = await workspace.planJson();
    expect(changes.map(({ address, action }) => [address, action])).toEqual([
      ['group/a', 'adopt'],
      ['group/z', 'create'],
    ]);
  });

  test.each(['../out', '/tmp/out', '.hidden', 'a*b', '.git/x'])('--out %s is refused', async (out) => {
    const { workspace } = await arrange(world);
    const pulled = await workspace.command(['pull', '--yes', '--out', out]);
    expect([pulled.exit, pulled.stderr]).toEqual([1, expect.stringContaining('usage')]);
  });

  test('nothing is written through a link, or over a file that is not part of the project', async () => {
    const { workspace } = await arrange(world);
    const elsewhere = join(workspace.root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(workspace.root, 'imported'));
    expect((await workspace.command(['pull', '--yes'])).exit).toBe(1);
    expect(readdirSync(elsewhere)).toEqual([]);
    writeFileSync(join(workspace.root, 'notes.yaml'), 'mine: true\n');
    expect((await workspace.command(['pull', '--yes', '--into', 'notes.yaml'])).exit).toBe(1);
    expect(read(workspace, 'notes.yaml')).toBe('mine: true\n');
  });

  test('a run that was killed between two files is completed by the next one', async () => {
    const { workspace } = await arrange(world);
    const whole = await arrange(world);
    await whole.workspace.command(['pull', '--yes']);
    mkdirSync(join(workspace.root, 'imported'));
    writeFileSync(
      join(workspace.root, 'imported/groups.yaml'),
      read(whole.workspace, 'imported/groups.yaml'),
    );
    expect((await workspace.command(['pull', '--yes'])).exit).toBe(0);
    expect(readdirSync(join(workspace.root, 'imported'))).toEqual(
      readdirSync(join(whole.workspace.root, 'imported')),
    );
    expect((await workspace.planJson()).changes.every(({ action }) => action === 'adopt')).toBe(true);
  });

  test('files that `include` does not read are not read by the new pattern either', async () => {
    const { workspace } = await arrange(world);
    mkdirSync(join(workspace.root, 'imported'));
    writeFileSync(join(workspace.root, 'imported/notes.yaml'), 'groups: [\n');
    expect((await workspace.command(['pull', 'group/*', '--yes'])).exit).toBe(0);
    expect(read(workspace, 'roster.yaml')).toContain('include: [imported/groups.yaml]\n');
  });
});

test.each([
  ['--into with --by', ['--into', 'a.yaml', '--by', 'kind'], '`--by` cannot be used with `--into`'],
  ['--into, for what is declared', ['group/a', '--into', 'a.yaml'], '`--into` has no effect'],
  ['--match, for what is declared', ['group/a', '--match', 'zzz*'], '`--match` has no effect'],
])('a flag that would have no effect is refused: %s', async (_, args, message) => {
  const { workspace } = await arrange(oneGroup, [], 'project: p\ngroups: { a: { members: [acme] } }\n');
  const pulled = await workspace.command(['pull', ...args]);
  expect([pulled.exit, pulled.stdout, pulled.stderr]).toEqual([1, '', expect.stringContaining(message)]);
});

describe('when there is nothing to write, the reason is given', () => {
  test('no object has a name that matches', async () => {
    const { workspace } = await arrange(oneGroup);
    const pulled = await workspace.command(['pull', '--match', 'Zzz*']);
    expect([pulled.exit, pulled.stdout]).toEqual([
      0,
      'Nothing to write. No object without an entry has a name that matches "Zzz*".\n',
    ]);
  });

  test('entries were removed, and the inventory still has their objects', async () => {
    const { workspace } = await arrange(oneGroup, [], 'project: p\ngroups: { a: { members: [acme] } }\n');
    expect((await workspace.apply()).exit).toBe(0);
    workspace.write('roster.yaml', 'project: p\n');
    const pulled = await workspace.command(['pull', 'group/a']);
    expect([pulled.exit, pulled.stdout]).toEqual([
      0,
      'Nothing to write. group/a belongs to this project but has no entry: restore the entry, or list it under `removed`.\n',
    ]);
  });
});

test('an address under `removed` is no key of a new entry', async () => {
  const { workspace } = await arrange(
    oneGroup,
    [],
    'project: p\ninclude: [imported/*.yaml]\nremoved: [group/retail-prices]\n',
  );
  const pulled = await workspace.command(['pull', 'group/*', '--yes']);
  expect(pulled.stderr).not.toContain('left out');
  expect(read(workspace, 'imported/groups.yaml')).toMatch(/^groups:\n {2}retail-prices-\w+:\n/);
});

test('the patch of a new file has the header that git writes', async () => {
  const { workspace } = await arrange(oneGroup);
  const patch = await workspace.command(['pull', 'group/*', '--format', 'diff']);
  expect(patch.stdout).toContain('--- /dev/null\n+++ b/imported/groups.yaml\n@@ -0,0 +1,4 @@\n');
});
