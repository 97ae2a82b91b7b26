import { describe, expect, test } from 'vitest';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** One entry with an error stops its own changes only, and nothing is deleted that it may mean. */

const timing = 'startTime: 2099-12-01T06:00:00';
const files = {
  'roster.yaml': 'project: prices\ninclude: [teams/*.yaml]\n',
  'teams/good.yaml': `groups:
  good: { name: Good, members: [acme-shop] }
schedules:
  well: { target: group/good, every: 6 hours, ${timing} }
`,
  'teams/other.yaml': `groups:
  shops: { name: Shops, members: [globex] }
schedules:
  other: { target: group/shops, every: 1 day, ${timing} }
`,
};

interface Case {
  readonly name: string;
  readonly change: (text: string) => string;
}

const cases: readonly Case[] = [
  { name: 'an unknown property', change: (text) => text.replace('every: 1 day', 'evry: 1 day') },
  { name: 'a value of the wrong type', change: (text) => text.replace('name: Shops', 'name: [Shops]') },
  { name: 'no map', change: (text) => text.replace(/other: .*/, 'other: 7') },
  { name: 'an invalid interval', change: (text) => text.replace('1 day', '1 dya') },
  { name: 'an unknown variable', change: (text) => text.replace('1 day', '${var.often}') },
  { name: 'a reference to nothing', change: (text) => text.replace('group/shops', 'group/shosp') },
  {
    name: 'the key of another entry',
    change: (text) => `${text}  well: { target: group/shops, every: 2 days }\n`,
  },
  { name: 'a new key that is not valid', change: (text) => text.replace('  shops:', '  "sh ops":') },
  {
    name: 'a former key that is not valid',
    change: (text) => text.replace('other: {', 'renamed: { formerly: [other],'),
  },
  { name: 'a syntax error', change: (text) => text.replace('[globex]', '[globex') },
  {
    name: 'a key twice',
    change: (text) => text.replace('every: 1 day', 'every: 1 day, every: 2 days'),
  },
  { name: 'an unknown section', change: (text) => text.replace('schedules:', 'schedule:') },
  { name: 'nothing in it', change: () => '' },
];

async function arrange(change: (text: string) => string, good = files['teams/good.yaml']) {
  const sandbox = await startSandbox();
  const workspace = new Workspace(files, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('teams/other.yaml', change(files['teams/other.yaml']));
  workspace.write('teams/good.yaml', good.replace('every: 6 hours', 'every: 8 hours'));
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

interface Printed {
  readonly changes?: readonly { readonly action: string; readonly address: string }[];
  readonly diagnostics?: readonly {
    readonly severity: string;
    readonly code: string;
    readonly message: string;
  }[];
}

async function run(workspace: Workspace, ...words: string[]) {
  const ran = await workspace.command([...words, '--format', 'json']);
  const { changes = [], diagnostics = [] } = jsonOf<Printed>(ran);
  return {
    exit: ran.exit,
    changes: changes.map(({ action, address }) => `${action} ${address}`),
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    warnings: diagnostics.filter(({ severity }) => severity !== 'error').map(({ code }) => code),
  };
}

describe.each(cases)('an entry or file with $name', ({ change }) => {
  test('stops a plan of everything, and none of other addresses', async () => {
    const { sandbox, workspace } = await arrange(change);
    expect(await run(workspace, 'plan')).toMatchObject({ exit: 1, changes: [] });
    for (const words of [['schedule/well'], ['--in', 'teams/good.yaml']]) {
      const planned = await run(workspace, 'plan', ...words);
      // An address that two entries have is that of neither.
      if (planned.errors.includes('duplicate-entry')) continue;
      expect([words, planned]).toMatchObject([
        words,
        { exit: 0, changes: ['update schedule/well'], errors: [] },
      ]);
      expect(planned.warnings).toContain('not-selected');
    }
    const before = Object.keys(inventoryAt<{ entries: object }>(workspace.root).entries);
    const applied = await run(workspace, 'apply', '--yes', 'group/good');
    expect([applied.exit, applied.errors]).toEqual([0, []]);
    expect(Object.keys(inventoryAt<{ entries: object }>(workspace.root).entries)).toEqual(before);
    expect(sandbox.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  test('is never taken for one that is no longer declared', async () => {
    const { workspace } = await arrange(change);
    const selections = [
      ['schedule/other'],
      ['group/shops'],
      ['*/*'],
      ['--in', 'teams/other.yaml'],
      ['--exclude', 'group/good'],
    ];
    for (const prune of ['owned', 'all', 'never'])
      for (const words of selections) {
        const planned = await run(workspace, 'plan', '--prune', prune, ...words);
        expect([prune, words, planned.changes.filter((each) => /delete|forget/.test(each))]).toEqual([
          prune,
          words,
          [],
        ]);
      }
    const destroyed = await run(workspace, 'plan', '--destroy', 'schedule/other');
    expect(destroyed).toMatchObject({ exit: 1, changes: [] });
  });

  test('makes a check of drift incomplete, and a snapshot says what may be missing', async () => {
    const { sandbox, workspace } = await arrange(change);
    expect(await run(workspace, 'drift')).toMatchObject({ exit: 1, changes: [] });
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    const drifted = await run(workspace, 'drift');
    expect([drifted.exit, drifted.changes]).toEqual([
      1,
      expect.arrayContaining([expect.stringMatching(/schedule\/well$/)]),
    ]);
    expect((await run(workspace, 'status')).exit).toBe(0);
    expect((await run(workspace, 'status', '--check')).exit).not.toBe(0);
    const taken = await run(workspace, 'snapshot', '--out', 'state.json');
    expect(taken.exit).toBe(0);
    expect(taken.warnings.length).toBeGreaterThan(0);
  });

  test('does not stop a hold', async () => {
    const { sandbox, workspace } = await arrange(change);
    const held = await run(workspace, 'hold', 'schedule/other', '--reason', 'incident 42', '--yes');
    expect([held.exit, held.errors]).toEqual([0, []]);
    expect([...sandbox.world.schedules.values()].filter(({ isEnabled }) => !isEnabled)).toHaveLength(1);
  });
});

test.each([
  {
    name: 'its entry is not valid',
    broken: (text: string) => text.replace('every:', 'enabled: false, evry:'),
  },
  {
    name: 'its file cannot be read',
    broken: (text: string) => text.replace('[globex]', '[globex').replace('every:', 'enabled: false, every:'),
  },
  {
    name: 'its entry has another key and is not valid',
    broken: (text: string) => text.replace('other: {', 'renamed: { formerly: [other], enabled: false,'),
  },
  {
    name: 'its entry refers to what does not exist on the service',
    broken: (text: string) =>
      text.replace('[globex]', '[no-such-agent]').replace('every:', 'enabled: false, every:'),
  },
])('a hold does not end while $name', async ({ broken }) => {
  const { sandbox, workspace } = await arrange((text) => text);
  expect((await run(workspace, 'hold', 'schedule/*', '--reason', 'incident 42', '--yes')).exit).toBe(0);
  workspace.write('teams/other.yaml', broken(files['teams/other.yaml']));
  const resumed = await run(workspace, 'resume', '--all', '--yes');
  expect(resumed.exit).not.toBe(0);
  expect(resumed.errors).toEqual(['usage']);
  expect(resumed.warnings.length).toBeGreaterThan(0);
  expect([...sandbox.world.schedules.values()].filter(({ isEnabled }) => isEnabled)).toHaveLength(1);
  const held = inventoryAt<{ entries: Record<string, { hold?: object }> }>(workspace.root).entries;
  expect(Object.keys(held).filter((each) => held[each]?.hold !== undefined)).toEqual(['schedule/other']);
  workspace.write('teams/other.yaml', files['teams/other.yaml']);
  expect(await run(workspace, 'resume', '--all', '--yes')).toMatchObject({ exit: 0, errors: [] });
  expect([...sandbox.world.schedules.values()].every(({ isEnabled }) => isEnabled)).toBe(true);
});

test('an entry that takes over what an unreadable file may declare is refused', async () => {
  const taking = files['teams/good.yaml'].replace('name: Good', 'name: Shops');
  const { workspace } = await arrange(
    (text) => text.replace('[globex]', '[globex'),
    taking.replace('  good:', '  mine:').replace('group/good', 'group/mine'),
  );
  const planned = await run(workspace, 'plan', 'group/mine');
  expect(planned).toMatchObject({ exit: 1, changes: [] });
});

/** The second entry of the file has the error of the first, which is reported there only. */
const shared = [
  {
    name: 'a variable that cannot be resolved',
    vars: 'vars: { often: "${var.never}" }\n',
    text: `schedules:
  first: { target: group/good, every: "\${var.often}", ${timing} }
  second: { target: group/good, every: "\${var.often}", ${timing} }
`,
  },
  {
    name: 'a whole entry that cannot be resolved',
    vars: 'vars: { often: { every: "${var.never}" } }\n',
    text: 'schedules:\n  first: "${var.often}"\n  second: "${var.often}"\n',
  },
  {
    name: 'an unknown property of a merged map',
    vars: '',
    text: `schedules:
  first: &all { target: group/good, evry: 1 day, ${timing} }
  second: { <<: *all }
`,
  },
];

test.each(shared)('$name leaves out no entry in silence', async ({ vars, text }) => {
  const { workspace } = await arrange((each) => each);
  workspace.write('roster.yaml', files['roster.yaml'] + vars);
  workspace.write('teams/third.yaml', text);
  const errors = ['schema'];
  const leaving = ['--exclude', 'schedule/first'];
  expect(await run(workspace, 'status', ...leaving, '--check')).toMatchObject({ exit: 1, errors });
  expect(await run(workspace, 'plan', ...leaving)).toMatchObject({ exit: 1, errors });
  expect(await run(workspace, 'apply', '--yes', 'schedule/*', ...leaving)).toMatchObject({ exit: 1, errors });
  expect(await run(workspace, 'plan', 'schedule/well')).toMatchObject({ exit: 0, errors: [] });
});

test('an entry that refers to one with an error is named with it', async () => {
  const { workspace } = await arrange((text) => text.replace('name: Shops', 'nam: Shops'));
  expect(await run(workspace, 'plan', 'schedule/other')).toMatchObject({
    exit: 1,
    errors: ['broken-reference'],
  });
  expect(await run(workspace, 'why', 'schedule/well')).toMatchObject({ exit: 0 });
});

test('what is wrong with the project itself stops every plan', async () => {
  const { workspace } = await arrange((text) => text);
  workspace.write('roster.yaml', `${files['roster.yaml']}prune: everything\n`);
  expect(await run(workspace, 'plan', 'schedule/well')).toMatchObject({ exit: 1, changes: [] });
});
