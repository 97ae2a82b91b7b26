import { cpSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { saveWorld, startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-08T12:00:00Z');
const agent = (externalAgentId: string, name = externalAgentId) => ({ externalAgentId, name });
const seed = {
  agents: [agent('a-fine'), agent('a-other', 'Other'), agent('twin-1', 'Twin'), agent('twin-2', 'Twin')],
  groups: [
    { name: 'Double', members: ['a-fine'] },
    { name: 'Double', members: ['a-other'] },
  ],
  history: [],
} as unknown as Seed;

const timing = 'cron: "0 0 6 * * *", startTime: 2026-12-08T07:00:00';
const fine = `project: prices
groups:
  good: { name: Good, members: [a-fine] }
schedules:
  quiet: { target: agent/a-fine, ${timing} }
`;
const withBroken = (broken: string) => fine.replace('groups:\n', `groups:\n  broken: ${broken}\n`);

let sandbox: Sandbox;
/** A project that was applied, with what the service then has. */
let begun: { restore: () => void; root: string };

beforeAll(async () => {
  sandbox = await startSandbox({ seed, speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': fine }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  begun = { restore: saveWorld(sandbox), root: workspace.root };
});
afterAll(() => sandbox.close());

function applied(): Workspace {
  begun.restore();
  const workspace = new Workspace({}, sandbox);
  workspace.now = () => sandbox.now();
  cpSync(begun.root, workspace.root, { recursive: true });
  return workspace;
}

interface StatusJson {
  readonly resources: readonly ResourceStatus[];
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}

async function statusOf(workspace: Workspace, ...words: string[]) {
  const { exit, stdout } = await workspace.command(['status', ...words, '--format', 'json']);
  const { resources, diagnostics } = jsonOf<StatusJson>({ stdout });
  return {
    exit,
    rows: resources.map(({ address, health, sync }) => `${health} ${address} ${sync}`),
    diagnostics: diagnostics.map(({ code, severity }) => `${severity} ${code}`),
  };
}

const others = ['never-run group/good in-sync', 'never-run schedule/quiet in-sync'];

test.each([
  ['an unknown agent', '{ members: [ghost] }', 'unknown-agent', 'no agent "ghost" is assigned'],
  ['an ambiguous agent', '{ members: [Twin] }', 'ambiguous-agent', '2 agents are named "Twin"'],
  ['one agent twice', '{ members: [a-other, Other] }', 'duplicate-agent', ''],
  ['an ambiguous name', '{ name: Double, members: [a-fine] }', 'ambiguous-name', 'the service has 2 groups'],
  [
    'an unknown id',
    '{ id: 00000000-0000-4000-8000-000000000009, members: [a-fine] }',
    'unknown-id',
    'no group',
  ],
  [
    'an external object that is missing',
    '{ external: true, name: Nothing }',
    'unknown-reference',
    'no group',
  ],
])('an entry with %s is unknown, with the reason, and hides nothing else', async (_, entry, code, reason) => {
  const workspace = applied();
  workspace.write('roster.yaml', withBroken(entry));
  const { exit, rows, diagnostics } = await statusOf(workspace);
  expect(rows).toEqual([...others, 'unknown group/broken unknown']);
  expect(diagnostics).toEqual([`warning ${code}`]);
  expect(exit).toBe(0);
  const { stdout } = await workspace.command(['status']);
  expect(stdout).toMatch(/unknown +group\/broken +unknown/);
  expect(stdout).toContain(`\n    ${reason}`);
});

test('what starts an entry that cannot be matched is unknown because of it', async () => {
  const workspace = applied();
  workspace.write(
    'roster.yaml',
    `${withBroken('{ members: [ghost] }')}  starts: { target: group/broken, ${timing} }\n`,
  );
  const { rows } = await statusOf(workspace);
  expect(rows).toEqual([...others, 'unknown group/broken unknown', 'unknown schedule/starts unknown']);
  const { stdout } = await workspace.command(['status', 'schedule/starts']);
  expect(stdout).toContain('group/broken cannot be matched');
});

test('changes that are not applied show beside an entry that cannot be matched', async () => {
  const workspace = applied();
  const pending = withBroken('{ members: [ghost] }').replace('[a-fine]', '[a-fine, a-other]');
  workspace.write('roster.yaml', pending);
  const { rows } = await statusOf(workspace);
  expect(rows).toContain('never-run group/good pending');
  expect(rows).toContain('never-run schedule/quiet in-sync');
});

test('a check of what cannot be matched fails, and a check of anything else does not', async () => {
  const workspace = applied();
  workspace.write('roster.yaml', withBroken('{ members: [ghost] }'));
  expect(await statusOf(workspace, '--check')).toMatchObject({
    exit: 1,
    diagnostics: ['error unknown-agent'],
  });
  expect(await statusOf(workspace, 'schedule/quiet', '--check')).toMatchObject({
    exit: 0,
    rows: ['never-run schedule/quiet in-sync'],
    diagnostics: ['warning unknown-agent'],
  });
});

test('an inventory of another service is refused, also if an entry cannot be matched', async () => {
  const workspace = applied();
  workspace.write('roster.yaml', withBroken('{ members: [ghost] }'));
  workspace.env['ROSTER_URL'] = workspace.env['ROSTER_URL']?.replace('127.0.0.1', 'localhost') ?? '';
  const { exit, stderr } = await workspace.command(['status']);
  expect([exit, stderr]).toEqual([4, expect.stringContaining('the inventory belongs to the service')]);
});
