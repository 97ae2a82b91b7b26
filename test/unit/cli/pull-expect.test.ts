import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const now = new Date('2026-12-08T12:00:00Z');
const day = 86_400_000;
const groupId = '9c4ed000-0000-4000-8000-000000000001';
const scheduleId = '5c4ed000-0000-4000-8000-000000000001';
const fields = ['sku', 'price', 'currency'];

const manifest = `project: prices
groups:
  retail: # every morning
    members: [shop, store]
    description: "Prices" # of all shops
schedules:
  daily:
    target: group/retail
    cron: "0 0 6 * * *"
    startTime: 2026-01-01T00:00:00
`;

interface World {
  readonly runs?: number;
  readonly text?: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly agents?: NonNullable<Seed['agents']>;
}

const shop = { externalAgentId: 'shop', name: 'Shop', fields, outcomes: [{ seconds: 60, records: 1_000 }] };
const store = { ...shop, externalAgentId: 'store', name: 'Store', outcomes: [{ seconds: 240, records: 30 }] };

/** Two agents in a group, which a schedule has started every morning. */
async function world({ runs = 14, text = manifest, others = {}, agents = [shop, store] }: World = {}) {
  const seed: Seed = {
    agents,
    groups: [
      { id: groupId, name: 'retail', members: agents.map((each) => each.externalAgentId).slice(0, 2) },
    ],
    schedules: [
      {
        id: scheduleId,
        targetType: 'Group',
        targetId: groupId,
        scheduleType: 'Cron',
        cronExpression: '0 0 6 * * *',
        startTime: '2026-01-01T00:00:00',
      },
    ],
    history: Array.from({ length: runs }, (_, index) => ({
      schedule: scheduleId,
      startedAt: new Date(now.getTime() - 6 * 3_600_000 - index * day).toISOString(),
    })),
  };
  const sandbox = await startSandbox({ seed, speed: 0, now, keepRequests: 500 });
  const workspace = new Workspace({ 'roster.yaml': text, ...others }, sandbox);
  workspace.now = () => sandbox.now();
  const applied = await workspace.apply();
  expect(applied.exit, applied.stderr).toBe(0);
  sandbox.requests.length = 0;
  const read = () => readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
  const pull = (...words: string[]) => workspace.command(['pull', '--expect', ...words]);
  return { sandbox, workspace, read, pull };
}

const proposed = `groups:
  retail: # every morning
    members: [shop, store]
    description: "Prices" # of all shops
    expect:
      records: { min: 800, drop: 20% }
      finish: 10 minutes
      columns: [sku, price, currency]
      empty: { sku: 4%, price: 4%, currency: 4% }
      members: { store: { records: { min: 24 } } }
`;

describe('pull --expect', () => {
  test('writes what the runs of a group show, and leaves the layout and the comments alone', async () => {
    const { workspace, read, pull } = await world();
    const { exit, stdout } = await pull('group/retail', '--yes');
    expect(exit).toBe(0);
    expect(stdout).toBe('changed  roster.yaml\nupdated  group/retail: expect\n');
    expect(read()).toBe(`project: prices\n${proposed}${manifest.slice(manifest.indexOf('schedules:'))}`);
    const plan = await workspace.command(['plan', '--format', 'json']);
    const { changes } = jsonOf<{ changes: { action: string; calls: unknown[]; risks: unknown[] }[] }>(plan);
    expect(changes).toEqual([expect.objectContaining({ action: 'update', calls: [], risks: [] })]);
    expect((await workspace.apply()).exit).toBe(0);
    const check = await workspace.command(['data', 'check', '--fail-on', 'unmet,unknown']);
    expect([check.exit, check.stdout]).toEqual([0, '2 runs checked: 2 met.\n']);
  });

  test('proposes nothing a second time', async () => {
    const { read, pull } = await world();
    await pull('group/retail', '--yes');
    const text = read();
    const { exit, stdout } = await pull('group/retail', '--yes');
    expect([exit, stdout]).toEqual([
      0,
      'Nothing to write. group/retail already expects what its runs show.\n',
    ]);
    expect(read()).toBe(text);
  });

  test('shows the change first, and writes nothing where nobody can be asked', async () => {
    const { read, pull } = await world();
    const { exit, stderr } = await pull('group/retail');
    expect(exit).toBe(1);
    expect(stderr).toContain('+      records: { min: 800, drop: 20% }');
    expect(stderr).toContain('error[not-confirmed]');
    const diff = await pull('group/retail', '--format', 'diff');
    expect([diff.exit, read()]).toEqual([0, manifest]);
    expect(diff.stdout).toContain('+      columns: [sku, price, currency]');
  });

  test('keeps what an entry expects already, and adds the rest to it', async () => {
    const own = `    expect:
      # A promise to the buyers.
      records: { min: 999 } # all of them
      empty:
        price: 0%
`;
    const text = manifest.replace('    description', `${own}    description`);
    const { read, pull } = await world({ text });
    expect((await pull('group/retail', '--yes')).exit).toBe(0);
    expect(read()).toContain(`    expect:
      finish: 10 minutes
      columns: [sku, price, currency]
      # A promise to the buyers.
      records: { min: 999, drop: 20% } # all of them
      empty:
        price: 0%
        sku: 4%
        currency: 4%
`);
    // The least number holds for every agent already.
    expect(read()).not.toContain('members: {');
  });

  test('says of a schedule only what its target does not expect', async () => {
    const { read, pull } = await world();
    await pull('group/retail', '--yes');
    const text = read();
    expect((await pull('schedule/daily', '--yes')).stdout).toMatch(/^Nothing to write\./);
    expect(read()).toBe(text);
  });

  test.each([
    [0, 'shop none, store none'],
    [2, 'shop 2, store 2'],
  ])('proposes nothing from %i runs, and says why', async (runs, names) => {
    const { read, pull } = await world({ runs });
    const { exit, stdout } = await pull('group/retail', '--yes');
    expect(exit).toBe(0);
    expect(stdout).toBe(
      `Nothing to write. Too few runs to propose anything for group/retail: each agent needs 3 successful runs that a schedule of this project started (${names}).\n`,
    );
    expect(read()).toBe(manifest);
  });

  test('says of each agent what only some of them show', async () => {
    const lazy = { ...store, outcomes: [{ result: 'fail' as const }] };
    const { read, pull } = await world({ agents: [shop, lazy] });
    await pull('group/retail', '--yes');
    expect(read()).toContain(`    expect:
      members:
        shop:
          records: { min: 800, drop: 20% }
          finish: 5 minutes
          columns: [sku, price, currency]
          empty: { sku: 1%, price: 1%, currency: 1% }
`);
  });

  test('proposes the columns that the sample and the newest data have', async () => {
    const narrow = { ...shop, outcomes: [{ seconds: 60, records: 10, fields: ['sku', 'price', 'extra'] }] };
    const { read, pull } = await world({
      agents: [narrow, { ...narrow, externalAgentId: 'store', name: 'Store' }],
    });
    await pull('group/retail', '--yes');
    expect(read()).toContain('columns: [sku, price]\n');
  });

  test('takes for each agent the sample, one query for the columns and one for each of them', async () => {
    const { sandbox, pull } = await world();
    await pull('group/retail', '--yes');
    const paths = sandbox.requests.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
    expect(paths.filter((each) => each.endsWith('sample-output'))).toHaveLength(2);
    expect(paths.filter((each) => each.endsWith('query'))).toHaveLength(2 * (1 + fields.length));
    expect(
      sandbox.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('query')),
    ).toEqual([]);
  });

  test('leaves an entry alone that is repeated, and shows what to write', async () => {
    const text = manifest
      .replace('  retail: # every morning', '  "${each.key}":\n    each: { retail: {} }')
      .replace('target: group/retail', 'target: group/retail');
    const { read, pull } = await world({ text });
    const { exit, stderr } = await pull('group/retail', '--yes');
    expect(exit).toBe(1);
    expect(stderr).toContain('error[not-written-back]');
    expect(stderr).toContain('expect: { records:');
    expect(read()).toBe(text);
  });

  test('warns that another environment expects it, too', async () => {
    const text = manifest.replace('groups:', 'environments: { live: {}, staging: {} }\ngroups:');
    const sandboxed = await world({ text: manifest });
    sandboxed.workspace.write('roster.yaml', text);
    const { exit, stderr } = await sandboxed.pull(
      'group/retail',
      '--yes',
      '-e',
      'live',
      '--inventory',
      'roster.inventory.json',
    );
    expect([exit, stderr]).toEqual([0, expect.stringContaining('warning[shared-entry]')]);
    expect(sandboxed.read()).toContain('records: { min: 800, drop: 20% }');
  });

  test.each([
    [[], '`--expect` needs addresses'],
    [['group/retail', '--into', 'x.yaml'], '`--into` cannot be used with `--expect`'],
    [['group/nothing'], 'group/nothing'],
  ])('refuses %j', async (words, said) => {
    const { read, pull } = await world({ runs: 0 });
    const { exit, stderr } = await pull(...words);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(read()).toBe(manifest);
  });
});
