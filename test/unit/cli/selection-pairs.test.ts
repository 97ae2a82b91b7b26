import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { Workspace } from '../../support/roster.js';
import { sampleOf } from '../../support/size.js';

/**
 * `--owner`, `--in` and `--exclude` with everything else that decides what a plan is about. For each pair, what is planned is
 * what an oracle selects that knows files and owners alone; a plan sends reads, an apply writes what was planned, and
 * nothing of the selection is left afterwards.
 */

/**
 * CODEOWNERS needs a repository. Git reports that this folder is not one, because each command in a real one would start git
 * ten times.
 */
const files = {
  '.git/HEAD': '',
  '.github/CODEOWNERS': '/teams/retail.yaml @acme/retail\n/teams/travel.yaml @acme/travel\n',
  'roster.yaml': `project: p
include: [teams/*.yaml]
limits: { deletes: 50 }
vars:
  countries: { de: [acme-shop, globex], fr: [initech] }
environments:
  staging: {}
  production: {}
`,
  'teams/retail.yaml': `groups:
  shops-\${each.key}: { each: "\${var.countries}", members: "\${each.value}" }
schedules:
  shops-\${each.key}: { each: "\${var.countries}", target: "group/shops-\${each.key}", every: 1 day, startTime: 2099-01-01T06:00 }
`,
  'teams/travel.yaml': `groups:
  hotels: { members: [initech] }
  trains: { members: [globex], environments: [staging] }
schedules:
  hotels: { target: group/hotels, every: 1 week, startTime: 2099-01-01T06:00 }
  trains: { target: group/trains, every: 1 week, startTime: 2099-01-01T06:00, environments: [staging] }
`,
};

const declared: readonly {
  readonly address: string;
  readonly team: 'retail' | 'travel';
  readonly only?: 'staging';
}[] = [
  { address: 'group/hotels', team: 'travel' },
  { address: 'group/shops-de', team: 'retail' },
  { address: 'group/shops-fr', team: 'retail' },
  { address: 'group/trains', team: 'travel', only: 'staging' },
  { address: 'schedule/hotels', team: 'travel' },
  { address: 'schedule/shops-de', team: 'retail' },
  { address: 'schedule/shops-fr', team: 'retail' },
  { address: 'schedule/trains', team: 'travel', only: 'staging' },
];

interface Selection {
  readonly flags: string;
  selects(entry: (typeof declared)[number]): boolean;
}

/** Each selects whole files, or groups with all that refers to them: nothing else is needed. */
const selections: readonly Selection[] = [
  { flags: '--owner @acme/retail', selects: ({ team }) => team === 'retail' },
  { flags: '--in teams/travel.yaml', selects: ({ team }) => team === 'travel' },
  { flags: '--exclude */shops-fr', selects: ({ address }) => !address.endsWith('/shops-fr') },
  {
    flags: '--owner @acme/retail --exclude */shops-de',
    selects: ({ team, address }) => team === 'retail' && !address.endsWith('/shops-de'),
  },
  {
    flags: '--in teams/travel.yaml --owner @acme/retail --exclude */shops-fr --exclude */hotels',
    selects: ({ address }) => !address.endsWith('/shops-fr') && !address.endsWith('/hotels'),
  },
  {
    flags: '--in teams/travel.yaml group/shops-de schedule/shops-de',
    selects: ({ team, address }) => team === 'travel' || address.endsWith('/shops-de'),
  },
];

const opened: Sandbox[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

async function workspaceWith(): Promise<{ readonly workspace: Workspace; readonly sandbox: Sandbox }> {
  const sandbox = await startSandbox({ seed: { groups: [] } });
  opened.push(sandbox);
  const workspace = new Workspace(files, sandbox);
  return { workspace, sandbox };
}

function writesOf({ requests }: Sandbox): number {
  return requests.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'))
    .length;
}

async function planned(workspace: Workspace, words: readonly string[]): Promise<PlanJson> {
  const { exit, stdout, stderr } = await workspace.command(['plan', ...words, '--format', 'json']);
  expect([exit, exit === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

function addressesOf({ changes }: PlanJson, action: string): string[] {
  expect(new Set(changes.map((each) => each.action))).toEqual(new Set(changes.length === 0 ? [] : [action]));
  return changes.map(({ address }) => address).sort();
}

type Apply = (workspace: Workspace, words: readonly string[], digest: string) => Promise<{ exit: number }>;

const withPlanFile: Apply = async (workspace, words) => {
  await workspace.command(['plan', ...words, '--out', 'saved.json']);
  // A plan of everything is not the one that was saved.
  const refused = await workspace.command(['apply', ...words.slice(0, 2), '--plan', 'saved.json']);
  expect(refused.exit).toBe(4);
  return workspace.command(['apply', ...words, '--plan', 'saved.json']);
};

/** The environment of each, and how what was planned is applied. */
const ways: readonly (readonly [name: string, environment: 'staging' | 'production', apply: Apply])[] = [
  ['`each`', 'production', (workspace, words) => workspace.command(['apply', ...words, '--yes'])],
  [
    'a digest',
    'production',
    (workspace, words, digest) => workspace.command(['apply', ...words, '--expect', digest]),
  ],
  ['a saved plan', 'production', withPlanFile],
  ['another environment', 'staging', (workspace, words) => workspace.command(['apply', ...words, '--yes'])],
  ['a saved plan of another environment', 'staging', withPlanFile],
];

const pairs = selections.flatMap((selection) =>
  ways.map(([name, environment, apply]) => ({ flags: selection.flags, name, environment, apply, selection })),
);

// Seven shares no factor with the number of ways: the sample has each of them.
test.each(sampleOf(pairs, 7))('$flags with $name', async ({ environment, apply, selection }) => {
  const { workspace, sandbox } = await workspaceWith();
  const inEnvironment = ['-e', environment];
  const words = [...inEnvironment, ...selection.flags.split(' ')];
  const exists = declared.filter(({ only = environment }) => only === environment);
  const [wanted, others] = [true, false].map((isWanted) =>
    exists.filter((each) => selection.selects(each) === isWanted).map(({ address }) => address),
  );
  const plan = await planned(workspace, words);
  expect(addressesOf(plan, 'create')).toEqual(wanted);
  expect(writesOf(sandbox)).toBe(0);
  expect((await apply(workspace, words, plan.digest)).exit).toBe(0);
  expect(writesOf(sandbox)).toBe(wanted?.length);
  expect(addressesOf(await planned(workspace, words), 'none')).toEqual([]);
  expect(addressesOf(await planned(workspace, inEnvironment), 'create')).toEqual(others);
});

test.each(sampleOf(selections, 2))(
  '$flags with `--destroy` and deleted entries',
  async ({ flags, selects }) => {
    const { workspace, sandbox } = await workspaceWith();
    const all = ['-e', 'staging'];
    const words = [...all, ...flags.split(' ')];
    expect((await workspace.command(['apply', ...all, '--yes'])).exit).toBe(0);
    const [wanted, others] = [true, false].map((isWanted) =>
      declared.filter((each) => selects(each) === isWanted).map(({ address }) => address),
    );
    const before = writesOf(sandbox);
    const plan = await planned(workspace, [...words, '--destroy']);
    expect(addressesOf(plan, 'delete')).toEqual(wanted);
    const inventory = join(workspace.root, 'roster.inventory.staging.json');
    const known = readFileSync(inventory, 'utf8');
    // The same entries, deleted from their files: the inventory knows which these were.
    for (const file of ['teams/retail.yaml', 'teams/travel.yaml']) workspace.write(file, 'groups: {}\n');
    const deleted = await planned(workspace, [...words, '--allow-empty']);
    expect(addressesOf(deleted, 'delete')).toEqual(wanted);
    expect(writesOf(sandbox)).toBe(before);
    writeFileSync(inventory, known);
    const destroyed = await workspace.command(['destroy', ...words, '--yes', '--expect', plan.digest]);
    expect(destroyed.exit).toBe(0);
    expect(addressesOf(await planned(workspace, [...all, '--destroy']), 'delete')).toEqual(others);
  },
);

test('a saved plan is applied although somebody else has created an object since', async () => {
  const { workspace, sandbox } = await workspaceWith();
  const words = ['-e', 'production', '--owner', '@acme/travel'];
  expect((await workspace.command(['plan', ...words, '--out', 'saved.json'])).exit).toBe(0);
  const other = new Workspace(
    { 'roster.yaml': 'project: q\ngroups: { theirs: { members: [globex] } }\n' },
    sandbox,
  );
  expect((await other.command(['apply', '--yes'])).exit).toBe(0);
  expect((await workspace.command(['apply', ...words, '--plan', 'saved.json'])).exit).toBe(0);
});
