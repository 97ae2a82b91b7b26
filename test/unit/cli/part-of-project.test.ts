import { describe, expect, test } from 'vitest';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';

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
  /** What a plan of these addresses has no error for. */
  readonly sound?: readonly string[];
  readonly change: (text: string) => string;
}

const cases: readonly Case[] = [
  {
    name: 'an unknown property',
    sound: ['group/shops'],
    change: (text) => text.replace('every: 1 day', 'evry: 1 day'),
  },
  { name: 'a value of the wrong type', change: (text) => text.replace('name: Shops', 'name: [Shops]') },
  { name: 'no map', sound: ['group/shops'], change: (text) => text.replace(/other: .*/, 'other: 7') },
  { name: 'an invalid interval', sound: ['group/shops'], change: (text) => text.replace('1 day', '1 dya') },
  {
    name: 'an unknown variable',
    sound: ['group/shops'],
    change: (text) => text.replace('1 day', '"${var.often}"'),
  },
  {
    name: 'a reference to nothing',
    sound: ['group/shops'],
    change: (text) => text.replace('group/shops', 'group/shosp'),
  },
  {
    name: 'the key of another entry',
    sound: ['schedule/other', 'group/shops'],
    change: (text) => `${text}  well: { target: group/shops, every: 2 days }\n`,
  },
  { name: 'a new key that is not valid', change: (text) => text.replace('  shops:', '  "sh ops":') },
  {
    name: 'a former key that is not valid',
    sound: ['group/shops'],
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

describe.each(sampleOf(cases, 5))('an entry or file with $name', ({ name, change, sound = [] }) => {
  test('stops a plan of everything, and none of other addresses', async () => {
    const { sandbox, workspace } = await arrange(change);
    expect(await run(workspace, 'plan')).toMatchObject({ exit: 1, changes: [] });
    for (const words of [['schedule/well'], ['--in', 'teams/good.yaml']]) {
      const planned = await run(workspace, 'plan', ...words);
      // An address that two entries have is that of neither.
      const isTwice = name === 'the key of another entry';
      const expected = isTwice
        ? { exit: 1, changes: [], errors: ['duplicate-entry'] }
        : { exit: 0, changes: ['update schedule/well'], errors: [] };
      expect([words, planned]).toMatchObject([words, expected]);
      expect(planned.warnings.includes('not-selected')).toBe(!isTwice);
    }
    const before = Object.keys(inventoryAt<{ entries: object }>(workspace.root).entries);
    const applied = await run(workspace, 'apply', '--yes', 'group/good');
    expect([applied.exit, applied.errors]).toEqual([0, []]);
    expect(Object.keys(inventoryAt<{ entries: object }>(workspace.root).entries)).toEqual(before);
    expect(sandbox.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  test('is never taken for one that is no longer declared', async () => {
    const { workspace } = await arrange(change);
    const isSound = (...addresses: string[]) => addresses.every((each) => sound.includes(each));
    const selections = [
      { words: ['schedule/other'], exit: isSound('schedule/other') ? 0 : 1 },
      { words: ['group/shops'], exit: isSound('group/shops') ? 0 : 1 },
      { words: ['*/*'], exit: 1 },
      { words: ['--in', 'teams/other.yaml'], exit: isSound('schedule/other', 'group/shops') ? 0 : 1 },
      { words: ['--exclude', 'group/good'], exit: 1 },
    ];
    const found = [];
    for (const prune of ['owned', 'all', 'never'])
      for (const { words, exit } of selections) {
        const planned = await run(workspace, 'plan', '--prune', prune, ...words);
        const isCertain = !planned.warnings.includes('left-alone');
        found.push({ prune, words, exit: planned.exit, expected: exit, changes: planned.changes, isCertain });
      }
    expect(found).toEqual(
      found.map((each) => ({ ...each, exit: each.expected, changes: [], isCertain: true })),
    );
    for (const address of ['schedule/other', 'group/shops'])
      expect([address, (await run(workspace, 'why', address)).exit]).toEqual([
        address,
        isSound(address) ? 0 : 1,
      ]);
    const destroyed = await run(workspace, 'plan', '--destroy', 'schedule/other');
    expect(destroyed).toMatchObject({ exit: 1, changes: [] });
  });

  test('makes a check of drift incomplete, and a snapshot says what may be missing', async () => {
    const { sandbox, workspace } = await arrange(change);
    expect(await run(workspace, 'drift')).toMatchObject({ exit: 1, changes: [] });
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    const drifted = await run(workspace, 'drift');
    // The ignored properties of an entry with an error are unknown.
    const compared = name === 'the key of another entry' ? /schedule\/other$/ : /schedule\/well$/;
    expect([drifted.exit, drifted.changes]).toEqual([
      1,
      expect.arrayContaining([expect.stringMatching(compared)]),
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
    const paused = () => [...sandbox.world.schedules.values()].filter(({ isEnabled }) => !isEnabled);
    expect(paused()).toHaveLength(1);
    const resumed = await run(workspace, 'resume', 'schedule/other', '--yes');
    // The error of its group leaves no doubt about what a schedule says itself.
    const isSound = sound.includes('schedule/other') || name === 'a value of the wrong type';
    expect([resumed.exit, resumed.errors]).toEqual(isSound ? [0, []] : [3, ['usage']]);
    expect(paused()).toHaveLength(isSound ? 0 : 1);
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

test('a schedule whose entry refers to one with an error and says that it is paused stays paused', async () => {
  const { sandbox, workspace } = await arrange((text) => text);
  expect((await run(workspace, 'hold', 'schedule/*', '--reason', 'incident 42', '--yes')).exit).toBe(0);
  const paused = files['teams/other.yaml'].replace('every:', 'enabled: false, every:');
  workspace.write('teams/other.yaml', paused.replace('[globex]', '[no-such-agent]'));
  expect(await run(workspace, 'resume', '--all', '--yes')).toMatchObject({ exit: 0, errors: [] });
  expect([...sandbox.world.schedules.values()].filter(({ isEnabled }) => isEnabled)).toHaveLength(1);
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

/** What such a file declares is not known. */
const unreadFiles = [
  {
    name: 'variables of an included file',
    text: `vars: { often: 1 day }
schedules:
  first: { target: group/good, every: 2 days, ${timing} }
  second: { target: group/good, every: "\${var.often}", ${timing} }
`,
  },
  {
    name: 'items of an included file',
    text: `vars: { days: [1, 2] }
schedules:
  first: { target: group/good, every: 2 days, ${timing} }
  second-\${each.key}: { each: "\${var.days}", target: group/good, every: 1 day, ${timing} }
`,
  },
  { name: 'a syntax error', text: 'schedules: {\n' },
];

test.each(unreadFiles)('a file with $name is an error of what it may mean only', async ({ text }) => {
  const { workspace } = await arrange((each) => each);
  workspace.write('teams/third.yaml', text);
  const selected = [
    { words: ['schedule/well'], isMeant: false },
    { words: ['--in', 'teams/good.yaml'], isMeant: false },
    { words: ['--exclude', 'schedule/well'], isMeant: true },
    { words: ['schedule/in-that-file'], isMeant: true },
  ];
  const checks = [['plan'], ['apply', '--yes'], ['drift'], ['status', '--check']];
  for (const { words, isMeant } of selected)
    for (const check of checks) {
      const { exit, errors, warnings } = await run(workspace, ...check, ...words);
      const codes = /yaml-syntax|unknown-property/;
      const isNamed = errors.some((each) => codes.test(each));
      expect([check, words, isNamed, exit]).toEqual([check, words, isMeant, isMeant ? 1 : 0]);
      const isSaid = warnings.some((each) => codes.test(each) || each === 'not-selected');
      expect([check, words, isSaid || isMeant]).toEqual([check, words, true]);
    }
  const why = await workspace.command(['why', 'schedule/well']);
  expect([why.exit, why.stderr.includes('teams/third.yaml')]).toEqual([0, true]);
  const planned = await workspace.command(['plan', 'schedule/well']);
  expect(planned.stderr.replace(/\s+/g, ' ')).toContain(
    'teams/third.yaml has an error, so its entries are not in this plan',
  );
});

test('a new entry does not take a similar object that an unreadable entry may mean', async () => {
  const good = files['teams/good.yaml'];
  const { sandbox, workspace } = await arrange(
    (text) => text.replace('[globex]', '[globex'),
    `${good}  second: { target: group/good, every: 3 days, ${timing} }\n`,
  );
  const theirs = `project: theirs
groups:
  good: { name: Good, external: true }
schedules:
  similar: { target: group/good, every: 5 days, ${timing} }
`;
  expect((await new Workspace({ 'roster.yaml': theirs }, sandbox).apply()).exit).toBe(0);
  const words = ['plan', '--prune', 'all', 'schedule/second'];
  expect(await run(workspace, ...words)).toMatchObject({ exit: 1, errors: ['yaml-syntax', 'usage'] });
  workspace.write('teams/other.yaml', files['teams/other.yaml']);
  expect(await run(workspace, ...words)).toMatchObject({ exit: 0, changes: ['update schedule/second'] });
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
