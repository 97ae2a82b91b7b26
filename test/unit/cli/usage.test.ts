import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
  workspace.write('roster.yaml', manifest);
});

const manifest = `project: p
groups:
  a: { members: [acme-shop] }
  b: { members: [globex] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00 }
`;

/** Reported before any request is sent. */
test.each<{ words: string[]; code: string; says: string }>([
  { words: ['plan', ''], code: 'usage', says: 'an address is empty' },
  { words: ['apply', '--yes', ' '], code: 'usage', says: 'an address is empty' },
  { words: ['validate', '-e', ''], code: 'usage', says: 'The value is empty' },
  { words: ['plan', '--url', ''], code: 'usage', says: 'The value is empty' },
  { words: ['graph', ''], code: 'usage', says: 'an address is empty' },
  { words: ['apply', '--plan', 'none.json'], code: 'unreadable-file', says: 'there is no plan none.json' },
  { words: ['apply', '--plan', '.'], code: 'unreadable-file', says: 'not a regular file' },
  ...[
    '',
    'abc',
    'sha256:abc',
    `sha256:${'A'.repeat(64)}`,
    `SHA256:${'a'.repeat(64)}`,
    `sha256:${'a'.repeat(65)}`,
  ].map((digest) => ({
    words: ['apply', '--expect', digest],
    code: 'usage',
    says: `--expect: "${digest}" is not a plan digest`,
  })),
  ...['-1', '1.5', '1e9', '99999999999', '', ' 1'].map((count) => ({
    words: ['apply', `--allow-deletes=${count}`, '--yes'],
    code: 'usage',
    says: `--allow-deletes: "${count}" is not a whole number from 0 to 1000000`,
  })),
  { words: ['help', 'nothing'], code: 'usage', says: "unknown command 'nothing'" },
  { words: ['stat'], code: 'usage', says: '(Did you mean status?) = help: See `roster --help`.' },
  { words: ['frobnicate'], code: 'usage', says: 'See `roster --help`.' },
  {
    words: ['state', 'list'],
    code: 'usage',
    says: "unknown command 'state' = help: Use `roster list` for the objects that roster manages, or `roster log` for its applies.",
  },
  { words: ['import'], code: 'usage', says: 'Use `roster pull`. See `roster --help`.' },
  { words: ['apply', '--auto-approve'], code: 'usage', says: "'--auto-approve' = help: Use `--yes`." },
  { words: ['list', '--json'], code: 'usage', says: 'Use `--format json`. See `roster list --help`.' },
  { words: ['list', '-o', 'json'], code: 'usage', says: 'Use `--format`, such as `--format json`.' },
  { words: ['apply', '--dry-run'], code: 'usage', says: '`roster plan` shows what an apply would do.' },
  { words: ['plan', '--target=group/a'], code: 'usage', says: 'Pass addresses as arguments' },
  { words: ['plan', '-target=group/a'], code: 'usage', says: 'Pass addresses as arguments' },
  { words: ['plan', '-json'], code: 'usage', says: "'-json' = help: Use `--format json`." },
  {
    words: ['plan', '-destroy'],
    code: 'usage',
    says: 'Use two dashes: `--destroy`. See `roster plan',
  },
  { words: ['list', '-destroy'], code: 'usage', says: "'-destroy' = help: See `roster list --help`." },
  { words: ['-C', 'nowhere', 'plan'], code: 'usage', says: '-C: there is no folder "nowhere"' },
  { words: ['-C', 'roster.yaml', 'plan'], code: 'usage', says: '-C: there is no folder "roster.yaml"' },
  { words: ['-e', 'a', 'plan', '-e', 'b'], code: 'usage', says: "The value was already set to 'a'." },
  { words: ['runs', 'frob', 'list'], code: 'usage', says: 'See `roster runs --help`.' },
  { words: ['help', 'aply'], code: 'usage', says: 'Did you mean apply?' },
  { words: ['plan', '-e', 'a', '--env', 'b'], code: 'usage', says: "The value was already set to 'a'." },
  { words: ['apply', '--expect', '--yes'], code: 'usage', says: 'It is a flag: the value is missing.' },
  { words: ['apply', '--report'], code: 'usage', says: 'See `roster apply --help`.' },
  {
    words: ['plan', '--expect', 'x'],
    code: 'usage',
    says: '`--expect` is a flag of `roster pull`, `roster apply`, `roster destroy` and `roster ci apply`.',
  },
  {
    words: ['plan', '-y'],
    code: 'usage',
    says: '`-y` is a flag of `roster pull`, `roster move`, `roster apply`, `roster destroy`, `roster run` and 6 other commands.',
  },
  {
    words: ['--format', 'x', 'plan'],
    code: 'usage',
    says: 'after the command, as in `roster plan --format`',
  },
  { words: ['plan', '--frob'], code: 'usage', says: "unknown option '--frob' = help: See `roster plan" },
  { words: ['graph', '--format', 'x'], code: 'usage', says: 'One of: text, mermaid, dot, json.' },
])('$words is refused', async ({ words, code, says }) => {
  const { exit, stderr, stdout } = await workspace.command(words);
  expect([exit, stdout]).toEqual([1, '']);
  expect(stderr.replace(/\s+/g, ' ')).toContain(`error[${code}]`);
  expect(stderr.replace(/\s+/g, ' ')).toContain(says);
  expect(sandbox.requests).toEqual([]);
});

test.each([
  ['groups/a', 'group/a'],
  ['s', 'schedule/s'],
  ['shedule/s', 'schedule/s'],
])('the address %s hints at %s', async (given, meant) => {
  const { exit, stderr } = await workspace.plan({}, [given]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`Did you mean ${meant}?`)]);
});

test('a group is not deleted without the schedule that starts it', async () => {
  await workspace.apply();
  workspace.write('roster.yaml', 'project: p\ngroups:\n  b: { members: [globex] }\n');
  sandbox.requests.length = 0;
  const alone = await workspace.apply({}, ['group/a']);
  expect([alone.exit, alone.stderr]).toEqual([1, expect.stringContaining('Select schedule/s as well.')]);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect((await workspace.apply({}, ['group/a', 'schedule/s'])).exit).toBe(0);
  expect([sandbox.world.groups.size, sandbox.world.schedules.size]).toEqual([1, 0]);
});

test('an external group is not also managed under its name', async () => {
  const id = '00000000-0000-4000-8000-00000000abcd';
  await workspace.apply();
  const [record] = sandbox.world.groups.values();
  if (record === undefined) throw new Error('nothing was applied');
  sandbox.world.groups.set(id, { ...record, id, name: 'x' });
  workspace.write(
    'roster.yaml',
    `project: p\ngroups:\n  theirs: { external: true, id: ${id} }\n  x: { members: [acme-shop] }\n`,
  );
  const { exit, stderr } = await workspace.plan();
  expect([exit, stderr]).toEqual([1, expect.stringContaining('duplicate-name')]);
});

test('a group that the service no longer lists is reported before another one is created', async () => {
  await workspace.apply();
  const [record] = sandbox.world.groups.values();
  sandbox.world.groups.delete(record?.id ?? '');
  const { stdout } = await workspace.plan();
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `was ${record?.id}, which has been deleted or is no longer visible`,
  );
});

test('a group that is missing from the list is read by its id, and not created again', async () => {
  const hiding = await startSandbox({ seed: defaultSeed(), variants: ['hidden-by-id'] });
  workspace.env['ROSTER_URL'] = hiding.url;
  workspace.env['ROSTER_API_KEY'] = hiding.apiKey;
  workspace.write('roster.yaml', 'project: p\ngroups:\n  a: { members: [acme-shop, globex] }\n');
  await workspace.apply();
  for (const agent of hiding.world.agents.values())
    if (agent.externalAgentId === 'globex') agent.assigned = false;
  workspace.write('roster.yaml', 'project: p\ngroups:\n  a: { members: [acme-shop] }\n');
  const { changes } = await workspace.planJson();
  expect(changes.map(({ action, id }) => [action, id])).toEqual([
    ['update', [...hiding.world.groups.keys()][0]],
  ]);
  await hiding.close();
});

test('revoking the API key in use reports that the result was not verified', async () => {
  const [key] = [...sandbox.world.keys.values()];
  workspace.write(
    'roster.yaml',
    `project: p\nkeys:\n  mine: { id: '${key?.id}', name: ${key?.name}, scopes: full }\n`,
  );
  const adopted = await workspace.apply();
  expect([adopted.exit, adopted.stderr]).toEqual([0, expect.any(String)]);
  workspace.write('roster.yaml', 'project: p\n');
  const { exit, stderr } = await workspace.apply({ allowSelfRevoke: true, allowEmpty: true });
  expect([exit, stderr]).toEqual([0, expect.stringContaining('was not verified')]);
});

describe('the inventory', () => {
  test.each<{ name: string; arrange(): void }>([
    { name: 'a link', arrange: () => symlinkSync('other.json', join(workspace.root, 'inv.json')) },
    { name: 'a folder', arrange: () => mkdirSync(join(workspace.root, 'inv.json')) },
  ])('is not read from nor written to $name', async ({ arrange }) => {
    workspace.write('roster.yaml', `${manifest}inventory: { file: inv.json }\n`);
    workspace.write('other.json', '{}');
    arrange();
    for (const ran of [await workspace.validate(), await workspace.plan(), await workspace.apply()]) {
      expect([ran.exit, ran.stderr]).toEqual([1, expect.stringMatching(/roster\.yaml:\d+:\d+/)]);
      expect(ran.stderr).toContain('unreadable-file');
    }
    expect(readFileSync(join(workspace.root, 'other.json'), 'utf8')).toBe('{}');
  });

  test('is not read through a link to a folder', async () => {
    mkdirSync(join(workspace.root, 'real'));
    symlinkSync('real', join(workspace.root, 'state'));
    workspace.write('roster.yaml', `${manifest}inventory: { file: state/inv.json }\n`);
    const { exit, stderr } = await workspace.validate();
    expect([exit, stderr]).toEqual([1, expect.stringContaining('unreadable-file')]);
  });

  test.each(['../../x?y', '..', '', 'a/b', 'a b'])(
    'with the id %o is refused with the name of its entry',
    async (id) => {
      await workspace.apply();
      const text = readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
      workspace.write('roster.inventory.json', text.replace(/"id":"[^"]*"/, `"id":${JSON.stringify(id)}`));
      const { exit, stderr } = await workspace.plan();
      expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([
        4,
        expect.stringMatching(/invalid-inventory.*roster\.inventory\.json.*group\/a/),
      ]);
    },
  );
});
