import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { runs } from '../../support/size.js';

const names = ['acme', 'globex', 'initech', 'umbrella'];
/** The last one looks like a variable. */
const agents = [...names, 'pay${day}'].map((externalAgentId, index) => ({
  id: `aaaaaaaa-0000-4000-8000-00000000000${index}`,
  externalAgentId,
  name: externalAgentId,
  inputParameters: ['country', 'query', 'token'].map((key) => ({ key, defaultValue: '' })),
}));
const idOf = (name: string) => agents.find((each) => each.externalAgentId === name)?.id ?? '';

/** A project whose manifest was applied. */
async function applied(manifest: string, others: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox({ seed: parseSeed(JSON.stringify({ agents })) });
  const workspace = new Workspace({ 'roster.yaml': `project: p\n${manifest}`, ...others }, sandbox);
  workspace.env['SHOP_TOKEN'] = 'correct-horse-battery';
  const report = await workspace.apply();
  expect(report.exit, report.stderr).toBe(0);
  return { sandbox, workspace };
}

const read = ({ root }: Workspace, path = 'roster.yaml') => readFileSync(join(root, path), 'utf8');

type Section = 'groups' | 'pipelines' | 'schedules';

/** Changes the only object, or the one with the name. */
function change({ world }: Sandbox, section: Section, values: object, name?: string): void {
  for (const each of world[section].values())
    if (name === undefined || ('name' in each && each.name === name)) Object.assign(each, values);
}

const group = (rest: string) => `groups:\n  shops: # the shops\n${rest}`;
const members = (...list: string[]) => ({ agentIds: list.map(idOf) });
const schedule = (rest: string) => `schedules:\n  s:\n    target: agent/acme # fixed\n${rest}`;
const start = '    startTime: 2099-01-01T00:00:00\n';
const inputs = (value: object) => ({ inputParameters: JSON.stringify(value) });

/** What the file says, what the service says, and what the file says then. */
const minimal: readonly (readonly [
  title: string,
  before: string,
  section: Section,
  values: object,
  after: string,
])[] = [
  [
    'a text keeps its double quotes and its comment',
    group('    description: "old" # why\n    members: [acme]\n'),
    'groups',
    { description: 'new: text' },
    group('    description: "new: text" # why\n    members: [acme]\n'),
  ],
  [
    'a text keeps its single quotes',
    group("    description: 'old'\n    members: [acme]\n"),
    'groups',
    { description: "it's" },
    group("    description: 'it''s'\n    members: [acme]\n"),
  ],
  [
    'a text that looks like a variable is escaped',
    group('    description: old\n    members: [acme]\n'),
    'groups',
    { description: '${var.x} ${' },
    group('    description: "$${var.x} $${"\n    members: [acme]\n'),
  ],
  [
    'a text that YAML reads differently gets quotes',
    group('    description: old\n    members: [acme]\n'),
    'groups',
    { description: 'no' },
    group('    description: "no"\n    members: [acme]\n'),
  ],
  [
    'a block of text stays a block, with the line break at its end, which has no meaning',
    group('    description: | # why\n      one\n      two\n    # about members\n    members: [acme]\n'),
    'groups',
    { description: 'one\nthree' },
    group('    description: | # why\n      one\n      three\n    # about members\n    members: [acme]\n'),
  ],
  [
    'a block of text in an input is exactly what the service has',
    schedule(`    every: 6 hours\n${start}    inputs:\n      query: >\n        one\n        two\n`),
    'schedules',
    inputs({ query: 'one two\nthree' }),
    schedule(
      `    every: 6 hours\n${start}    inputs:\n      query: >-\n        one\n        two\n\n        three\n`,
    ),
  ],
  [
    'a block gives way to another property',
    schedule(`    cron: >-\n      0 0 6\n      * * *\n${start}    enabled: true\n`),
    'schedules',
    { scheduleType: 'Basic', intervalValue: 6, intervalUnit: 'Hours', cronExpression: null },
    schedule(`${start}    enabled: true\n    every: 6 hours\n`),
  ],
  [
    'a text without quotes needs none in braces either',
    'schedules: { s: { target: agent/acme, cron: 0 0 6 * * *, startTime: 2099-01-01T00:00:00 } }\n',
    'schedules',
    { startTime: '2099-02-02T00:00:00', cronExpression: '0 0 7 * * *' },
    'schedules: { s: { target: agent/acme, cron: 0 0 7 * * *, startTime: 2099-02-02T00:00:00 } }\n',
  ],
  [
    'a new property in braces has no quotes that it does not need',
    'schedules: { s: { target: agent/acme, once: 2099-01-01T00:00:00 } }\n',
    'schedules',
    {
      ...{ scheduleType: 'Basic', intervalValue: 6, intervalUnit: 'Hours' },
      startTime: '2099-02-02T00:00:00',
    },
    'schedules: { s: { target: agent/acme, every: 6 hours, startTime: 2099-02-02T00:00:00 } }\n',
  ],
  [
    'a name of other scripts with a hash sign gets quotes',
    group('    name: 東京 🛒 # why\n    members: [acme]\n'),
    'groups',
    { name: '東京 🛒 価格 # 価格 #~' },
    group('    name: "東京 🛒 価格 # 価格 #~" # why\n    members: [acme]\n'),
  ],
  [
    'a property that was left out is added at the end',
    group('    members:\n      - acme # first\n\n# the end\n'),
    'groups',
    { isActive: false },
    group('    members:\n      - acme # first\n    active: false\n\n# the end\n'),
  ],
  [
    'members are added and removed, in the order and the padding that there is',
    group('    members: [ globex, acme ] # two\n'),
    'groups',
    members('acme', 'initech'),
    group('    members: [ acme, initech ] # two\n'),
  ],
  [
    'members on lines of their own keep their comments',
    group(
      '    members:\n      # big\n      - globex # 1\n      - acme # 2\n      # small\n      - initech\n    active: true\n',
    ),
    'groups',
    members('globex', 'initech', 'umbrella'),
    group(
      '    members:\n      # big\n      - globex # 1\n      # small\n      - initech\n      - umbrella\n    active: true\n',
    ),
  ],
  [
    'a member that looks like a variable is escaped',
    group('    members: [acme]\n'),
    'groups',
    members('acme', 'pay${day}'),
    group('    members: [acme, "pay$${day}"]\n'),
  ],
  [
    'an input whose name looks like a variable is escaped',
    schedule(`    every: 6 hours\n${start}    inputs:\n      country: DE\n`),
    'schedules',
    inputs({ country: 'DE', '${x}': 7 }),
    schedule(`    every: 6 hours\n${start}    inputs:\n      country: DE\n      "$$\{x}": 7\n`),
  ],
  [
    'a list of members may become empty',
    group('    members:\n      - acme\n    active: true\n'),
    'groups',
    members(),
    group('    members: []\n    active: true\n'),
  ],
  [
    'an entry in braces stays in braces',
    'groups: { shops: { members: [acme], description: old } }\n',
    'groups',
    { description: 'new', isActive: false },
    'groups: { shops: { members: [acme], description: new, active: false } }\n',
  ],
  [
    'a timing of another sort takes the place of the old one',
    schedule(`    every: 6 hours # often\n${start}`),
    'schedules',
    { scheduleType: 'Cron', intervalValue: null, intervalUnit: null, cronExpression: '0 0 6 * * *' },
    schedule(`    cron: "0 0 6 * * *" # often\n${start}`),
  ],
  [
    'a property that no longer applies is removed',
    schedule(`    every: 6 hours\n${start}    enabled: true\n`),
    'schedules',
    { scheduleType: 'Once', intervalValue: null, intervalUnit: null, startTime: '2099-05-05T05:00:00' },
    schedule('    once: 2099-05-05T05:00:00\n    enabled: true\n'),
  ],
  [
    'only the input that differs is changed',
    schedule(`    every: 6 hours\n${start}    inputs:\n      country: DE # home\n      query: "x"\n`),
    'schedules',
    inputs({ country: 'FR', query: 'x', token: 7 }),
    schedule(
      `    every: 6 hours\n${start}    inputs:\n      country: FR # home\n      query: "x"\n      token: 7\n`,
    ),
  ],
  [
    'inputs in braces lose one and get one',
    schedule(`    every: 6 hours\n${start}    inputs: { country: DE, query: x }\n`),
    'schedules',
    inputs({ query: 'x', token: true }),
    schedule(`    every: 6 hours\n${start}    inputs: { token: true, query: x }\n`),
  ],
  [
    'all inputs may go',
    schedule(`    every: 6 hours\n${start}    inputs:\n      country: DE\n    enabled: true\n`),
    'schedules',
    inputs({}),
    schedule(`    every: 6 hours\n${start}    inputs: {}\n    enabled: true\n`),
  ],
];

describe('only the lines of changed values differ', () => {
  test.each(minimal)('%s', async (_, before, section, values, after) => {
    const { sandbox, workspace } = await applied(before);
    change(sandbox, section, values);
    const patch = await workspace.command([
      'pull',
      section === 'schedules' ? 'schedule/*' : 'group/*',
      '--format',
      'diff',
      '--match',
      'none',
    ]);
    expect(read(workspace)).toBe(`project: p\n${before}`);
    expect(patch.stdout).toContain('+++ b/roster.yaml');
    const pulled = await workspace.command([
      'pull',
      ['groups', 'pipelines'].includes(section) ? 'group/shops' : 'schedule/s',
    ]);
    expect([pulled.exit, pulled.stderr]).toEqual([0, '']);
    expect(read(workspace)).toBe(`project: p\n${after}`);
    expect((await workspace.planJson()).changes).toEqual([]);
  });

  test('a file with a byte order mark and Windows line breaks keeps them', async () => {
    const manifest = group('    description: old\n    members:\n      - acme\n');
    const { sandbox, workspace } = await applied(manifest);
    const text = `\ufeff${read(workspace)}`.replaceAll('\n', '\r\n');
    workspace.write('roster.yaml', text);
    change(sandbox, 'groups', { description: 'new', ...members('acme', 'globex') });
    expect((await workspace.command(['pull', 'group/shops'])).exit).toBe(0);
    expect(read(workspace)).toBe(text.replace('old', 'new').replace('- acme', '- acme\r\n      - globex'));
  });

  test('stages are moved with their comments', async () => {
    const stages = (list: string) => `pipelines:\n  p:\n    stages:\n${list}`;
    const { sandbox, workspace } = await applied(
      stages('      - acme # a\n      - globex # g\n      - initech # i\n'),
    );
    change(sandbox, 'pipelines', members('initech', 'acme', 'globex'));
    expect((await workspace.command(['pull', 'pipeline/p'])).exit).toBe(0);
    expect(read(workspace)).toBe(
      `project: p\n${stages('      - initech # i\n      - acme # a\n      - globex # g\n')}`,
    );
  });
});

const notWritten = async (manifest: string, section: Section, values: object, address: string) => {
  const { sandbox, workspace } = await applied(manifest);
  change(sandbox, section, values);
  const pulled = await workspace.command(['pull', address, '--format', 'json']);
  const { diagnostics } = jsonOf(pulled);
  return {
    exit: pulled.exit,
    diagnostics,
    text: read(workspace).replace('project: p\n', ''),
    stdout: pulled.stdout,
  };
};

describe('what is not written out is reported with its place, and the rest is written', () => {
  const schedules = (rest: string) =>
    `schedules:\n  s:\n    target: agent/acme\n    every: 6 hours\n${start}${rest}`;

  test('a value from a variable', async () => {
    const before = `vars: { on: true }\n${schedules('    timeZone: Europe/Berlin\n    enabled: ${var.on}\n')}`;
    const found = await notWritten(
      before,
      'schedules',
      { isEnabled: false, timeZoneId: 'Asia/Tokyo' },
      'schedule/s',
    );
    expect([
      found.exit,
      found.diagnostics.map(({ code, line }: { code: string; line: number }) => [code, line]),
    ]).toEqual([1, [['not-written-back', 9]]]);
    expect(found.text).toBe(before.replace('Europe/Berlin', 'Asia/Tokyo'));
  });

  test('a list with two members from variables: nothing says which variable is whose', async () => {
    const list = (...items: string[]) =>
      `vars: { one: acme, two: globex }\ngroups:\n  a:\n    members: [${items.join(', ')}]\n`;
    const [one, two] = ['"${var.one}"', '"${var.two}"'];
    const both = await notWritten(list(one, two, 'initech'), 'groups', members('acme', 'globex'), 'group/a');
    expect([both.exit, both.text]).toEqual([1, list(one, two, 'initech')]);
    const single = await notWritten(
      list(one, 'globex', 'initech'),
      'groups',
      members('acme', 'globex'),
      'group/a',
    );
    expect([single.exit, single.text]).toEqual([0, list(one, 'globex')]);
  });

  test('a value from `defaults`: others may have it, too', async () => {
    const before = 'defaults: { groups: { description: old } }\ngroups: { a: { members: [acme] } }\n';
    const values = { description: 'new', ...members('acme', 'globex') };
    const found = await notWritten(before, 'groups', values, 'group/a');
    const [{ message, line, column }] = found.diagnostics;
    expect([found.exit, line, column]).toEqual([1, 2, 23]);
    expect(message).toBe(
      '`description` of group/a was not changed: it comes from `defaults`, and the service has "new"',
    );
    expect(found.text).toContain('members: [acme, globex]');
    expect(found.text).toContain('description: old');
  });

  test('an input from the environment: its value is shown nowhere', async () => {
    const before = schedules('    inputs:\n      token: "${env.SHOP_TOKEN}"\n      country: DE\n');
    const values = inputs({ token: 'other', country: 'FR' });
    const found = await notWritten(before, 'schedules', values, 'schedule/s');
    expect([found.exit, found.diagnostics.length, found.diagnostics[0].line]).toEqual([1, 1, 8]);
    expect(found.diagnostics[0].message).toContain(
      '`inputs.token` of schedule/s was not changed: it comes from the environment',
    );
    expect(found.text).toBe(before.replace('DE', 'FR'));
    expect(found.stdout).not.toContain('correct-horse-battery');
  });

  test('a secret of the environment that the service has elsewhere is not written', async () => {
    const before = schedules('    inputs:\n      token: "${env.SHOP_TOKEN}"\n      country: DE\n');
    const values = inputs({ token: 'correct-horse-battery', country: 'correct-horse-battery' });
    const found = await notWritten(before, 'schedules', values, 'schedule/s');
    expect([found.exit, found.text]).toEqual([1, before]);
  });

  test('a value from an anchor, and one that others use', async () => {
    const before =
      'x-all: &all [acme, globex]\ngroups:\n  a:\n    members: *all\n  b:\n    members: &b [acme]\n  c:\n    members: *b\n';
    const one = await notWritten(before, 'groups', members('acme', 'initech'), 'group/*');
    expect(one.exit).toBe(1);
    expect(one.text).toBe(before);
    expect(one.diagnostics.map(({ line }: { line: number }) => line)).toEqual([5, 7, 9]);
    expect(one.diagnostics[0].message).toBe(
      '`members` of group/a was not changed: it comes from an anchor, and the service has `[acme, initech]`',
    );
  });

  test('a value from a merge key', async () => {
    const before =
      'x-base: &base { description: old, active: true }\ngroups:\n  a:\n    <<: *base\n    members: [acme]\n';
    const found = await notWritten(before, 'groups', { description: 'new', ...members('globex') }, 'group/a');
    expect([found.exit, found.diagnostics[0].line]).toEqual([1, 5]);
    expect(found.diagnostics[0].message).toMatch(/ it comes from a merge key, and the service has "new"$/);
    expect(found.text).toBe(before.replace('[acme]', '[globex]'));
  });

  test('an object that does not exist', async () => {
    const { sandbox, workspace } = await applied(
      `${group('    members: [acme]\n')}  other:\n    members: [acme]\n`,
    );
    for (const [id, { name }] of sandbox.world.groups) if (name === 'shops') sandbox.world.groups.delete(id);
    const one = await workspace.command(['pull', 'group/shops']);
    expect([one.exit, one.stderr]).toEqual([1, expect.stringContaining('does not exist on the service')]);
    expect((await workspace.command(['pull', 'group/*'])).exit).toBe(0);
  });
});

test('a glob writes back what is declared and imports the rest', async () => {
  const { sandbox, workspace } = await applied('groups:\n  a:\n    members: [acme]\n');
  change(sandbox, 'groups', { description: 'new' });
  const [first] = sandbox.world.groups.values();
  if (first !== undefined)
    sandbox.world.groups.set('other', {
      ...first,
      id: 'bbbbbbbb-0000-4000-8000-000000000000',
      name: 'Other',
    });
  expect((await workspace.command(['pull', 'group/*', '--yes'])).exit).toBe(0);
  expect(read(workspace)).toContain('description: new');
  expect(read(workspace, 'imported/groups.yaml')).toContain('other:\n    name: Other\n');
  expect((await workspace.planJson()).changes.map(({ action }) => action)).toEqual(['adopt']);
});

test('members that somebody else adds are not written, and declared ones that are gone are removed', async () => {
  const before = 'groups:\n  a:\n    members: [acme, globex]\n    ignore: [members.extra]\n';
  const found = await notWritten(before, 'groups', members('acme', 'initech'), 'group/a');
  expect([found.exit, found.diagnostics]).toEqual([0, []]);
  expect(found.text).toBe(before.replace('acme, globex', 'acme'));
});

test('what is ignored is named as the reason why nothing is written', async () => {
  const { sandbox, workspace } = await applied(
    'groups: { a: { members: [acme], description: old, ignore: [description] } }\n',
  );
  change(sandbox, 'groups', { description: 'new' });
  const pulled = await workspace.command(['pull', 'group/a']);
  expect([pulled.exit, pulled.stdout]).toEqual([
    0,
    'Nothing to write. Differences under `ignore` are not written: group/a.\n',
  ]);
});

test('one file that cannot be written keeps no other from being written', async () => {
  const file = (name: string, rest: string) => `groups:\n  ${name}:\n    members: [acme]\n${rest}`;
  const others = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name) => [`${name}.yaml`, file(name, '    description: old\n')]),
  );
  const { sandbox, workspace } = await applied('include: [a.yaml, b.yaml, c.yaml, d.yaml]\n', others);
  change(sandbox, 'groups', { description: 'new' });
  change(sandbox, 'groups', { description: 'svc_live_0123456789abcdef0123' }, 'b');
  const pulled = await workspace.command(['pull', 'group/*']);
  expect([pulled.exit, pulled.stderr]).toEqual([1, expect.stringContaining('group/b was not changed')]);
  const texts = Object.keys(others).map((name) => read(workspace, name));
  expect(texts.map((text) => text.includes('description: new'))).toEqual([true, false, true, true]);
});

test('git applies the patch of a file with Windows line breaks', async () => {
  const { sandbox, workspace } = await applied(group('    description: old\n    members: [acme]\n'));
  workspace.write('roster.yaml', read(workspace).replaceAll('\n', '\r\n'));
  change(sandbox, 'groups', { description: 'new' });
  const patch = await workspace.command(['pull', 'group/shops', '--format', 'diff']);
  execFileSync('git', ['apply', '-'], { cwd: workspace.root, input: patch.stdout });
  expect(read(workspace)).toContain('description: new\r\n');
});

test('a value from a variable is reported with the variable, its place and the value of the service', async () => {
  const found = await notWritten(
    'vars:\n  text: old\ngroups:\n  a: { members: [acme], description: "${var.text}" }\n',
    'groups',
    { description: 'new' },
    'group/a',
  );
  expect(found.diagnostics[0].message).toBe(
    '`description` of group/a was not changed: it comes from `${var.text}`, and the service has "new"',
  );
});

const anyText = fc.oneof(
  fc.constantFrom(
    'no',
    '1',
    '',
    '${a}',
    '# x',
    'a: b',
    "'",
    '"',
    '- x',
    '*a',
    '&b',
    '|',
    '東京 🛒 # 価格 #~',
  ),
  fc.string(),
);
const style = fc.constantFrom('flow', 'block', 'lines');

test('random values and styles: the file means exactly what the service says', async () => {
  const { sandbox, workspace } = await applied(
    'groups:\n  a:\n    members: [acme]\nschedules:\n  s: { target: agent/acme, every: 6 hours, startTime: "2099-01-01T00:00:00" }\n',
  );
  const values = fc.record({
    description: anyText,
    active: fc.boolean(),
    members: fc.shuffledSubarray(names),
    inputs: fc.dictionary(fc.constantFrom('country', 'query', 'a b', '1'), anyText, {
      noNullPrototype: true,
    }),
  });
  await fc.assert(
    fc.asyncProperty(values, values, style, async (declared, remote, how) => {
      workspace.write('roster.yaml', manifestOf(declared, how));
      change(sandbox, 'groups', {
        description: remote.description,
        isActive: remote.active,
        ...members(...remote.members),
      });
      change(sandbox, 'schedules', { ...inputs(remote.inputs), isEnabled: remote.active });
      const pulled = await workspace.command(['pull', 'group/*', 'schedule/*']);
      const plan = await workspace.planJson();
      const isHoldable = !/\p{Cc}|\p{Cs}/u.test(JSON.stringify(Object.values(remote)));
      if (isHoldable) expect([pulled.exit, plan.changes], pulled.stderr + read(workspace)).toEqual([0, []]);
      const comments = (text: string) => text.match(/ # [a-z]+$/gm) ?? [];
      expect(comments(read(workspace))).toEqual(comments(manifestOf(declared, how)));
    }),
    { numRuns: runs(3, 300) },
  );
});

interface Values {
  readonly description: string;
  readonly active: boolean;
  readonly members: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
}

function manifestOf(
  { description, active, members: list, inputs: map }: Values,
  how: 'flow' | 'block' | 'lines',
): string {
  const quote = (text: string) => JSON.stringify(text.replace(/\p{C}/gu, '').replaceAll('${', () => '$${'));
  const pairs = Object.entries(map).map(([key, value]) => `${JSON.stringify(key)}: ${quote(value)}`);
  const items =
    how === 'flow' || list.length === 0
      ? ` [${list.join(', ')}] # one`
      : ` # one\n${list.map((each) => `      - ${each}`).join('\n')}`;
  const inner =
    how === 'flow' || pairs.length === 0
      ? ` { ${pairs.join(', ')} } # two`
      : ` # two\n${pairs.map((each) => `      ${each}`).join('\n')}`;
  const last = how === 'lines' ? '    timeZone: UTC # zone\n' : '';
  return `project: p
groups:
  a: # three
    description: ${quote(description)} # four
    active: ${active} # five
    members:${items}
schedules:
  s: # six
    target: agent/acme
    every: 6 hours
    startTime: 2099-01-01T00:00:00 # seven
    inputs:${inner}
    enabled: ${active} # eight
${last}`;
}
