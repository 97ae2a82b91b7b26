import { expect, test } from 'vitest';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** A project whose group is deployed and protected, and no longer declared. */
async function protectedGroup() {
  const sandbox = await startSandbox();
  const group = 'groups:\n  g: { members: [acme-shop], protect: true }\n  h: { members: [globex] }\n';
  const workspace = new Workspace({ 'roster.yaml': `project: refused\n${group}` }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  workspace.write('roster.yaml', 'project: refused\ngroups:\n  h: { members: [globex] }\n');
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

const json = jsonOf<Record<string, unknown> & { diagnostics: { code: string }[] }>;

test('the JSON of an apply that is refused has the refused plan, as plan prints it', async () => {
  const { sandbox, workspace } = await protectedGroup();
  const planned = json(await workspace.command(['plan', '--format', 'json']));
  const ran = await workspace.command(['apply', '--yes', '--format', 'json']);
  const { plan, diagnostics, ...rest } = json(ran);
  expect([ran.exit, ran.stderr, rest]).toEqual([4, '', { formatVersion: 1 }]);
  expect(diagnostics.map(({ code }) => code)).toEqual(['protected']);
  expect(plan).toEqual(planned);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('the JSON of an apply that was given another digest has the current plan', async () => {
  const { workspace } = await protectedGroup();
  workspace.write('roster.yaml', 'project: refused\ngroups:\n  g: { members: [acme-shop], protect: true }\n');
  const ran = await workspace.command(['apply', '--expect', `sha256:${'0'.repeat(64)}`, '--format', 'json']);
  const { plan, diagnostics } = json(ran);
  expect([ran.exit, diagnostics.map(({ code }) => code)]).toEqual([4, ['stale-plan']]);
  expect(plan).toMatchObject({ changes: expect.arrayContaining([expect.anything()]) });
});

test('an apply that is refused without a plan has none in its JSON', async () => {
  const { workspace } = await protectedGroup();
  workspace.write('roster.yaml', 'project: refused\ngroups: 1\n');
  const ran = await workspace.command(['apply', '--yes', '--format', 'json']);
  expect([ran.exit, Object.keys(json(ran))]).toEqual([1, ['formatVersion', 'diagnostics']]);
});

test('a refused plan ends with the command that applies the rest, without what depends on the refused change', async () => {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': 'project: rest\ngroups: {}\n' }, sandbox);
  workspace.write(
    'policies/small.yaml',
    'policies:\n  small:\n    message: Keep groups small.\n    match: [group/*]\n    require: { properties: { members: { maxItems: 1 } } }\n',
  );
  workspace.write(
    'roster.yaml',
    `project: rest
policies: [policies/small.yaml]
groups:
  large: { members: [acme-shop, globex] }
  small: { members: [initech] }
schedules:
  of-large: { target: group/large, every: 1 day, startTime: "2020-01-01T00:00:00" }
  of-small: { target: group/small, every: 1 day, startTime: "2020-01-01T00:00:00" }
`,
  );
  const planned = await workspace.command(['plan']);
  expect(planned.exit).toBe(4);
  const [, command = ''] = /To apply the rest:\n {2}roster (.*)/.exec(planned.stdout) ?? [];
  expect(command).toBe('apply group/small schedule/of-small');
  expect((await workspace.command([...command.split(' '), '--yes'])).exit).toBe(0);
  const left = json(await workspace.command(['plan', '--format', 'json']));
  expect((left['changes'] as { address: string }[]).map(({ address }) => address)).toEqual([
    'group/large',
    'schedule/of-large',
  ]);
});

test.each([
  ['the project as a whole is refused', 'project: refused\ngroups: {}\n'],
  ['nothing else changes', 'project: refused\ngroups:\n  h: { members: [globex] }\n'],
])('there is no such command where %s', async (_, manifest) => {
  const { workspace } = await protectedGroup();
  workspace.write('roster.yaml', manifest);
  const { exit, stdout } = await workspace.command(['plan']);
  expect([exit, stdout.includes('would refuse'), stdout.includes('the rest')]).toEqual([4, true, false]);
});
