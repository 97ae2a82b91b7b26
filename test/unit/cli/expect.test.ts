import { expect, test } from 'vitest';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const manifest = (expected: string) => `project: pricing
groups:
  retail:
    members: [acme-shop, globex]
${expected === '' ? '' : `    expect: ${expected}\n`}`;

interface PlanJson {
  readonly digest: string;
  readonly changes: readonly {
    readonly address: string;
    readonly action: string;
    readonly fields: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
    readonly calls: readonly unknown[];
    readonly risks: readonly { readonly code: string; readonly message: string }[];
  }[];
}

async function applied(text: string) {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  return { sandbox, workspace };
}

const planOf = async (workspace: Workspace) =>
  jsonOf<PlanJson>(await workspace.command(['plan', '--format', 'json']));

test('a change of what is expected is an update without calls, and is recorded', async () => {
  const { sandbox, workspace } = await applied(manifest(''));
  workspace.write('roster.yaml', manifest('{ records: { min: 800 } }'));
  const { changes } = await planOf(workspace);
  const field = expect.objectContaining({ path: 'expect', before: null, after: { records: { min: 800 } } });
  expect(changes).toEqual([
    expect.objectContaining({ action: 'update', calls: [], risks: [], fields: [field] }),
  ]);
  sandbox.requests.length = 0;
  expect((await workspace.apply()).exit).toBe(0);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  const { entries } = inventoryAt(workspace.root, 'roster.inventory.json');
  expect(entries['group/retail']).toMatchObject({ expect: { records: { min: 800 } } });
  expect((await planOf(workspace)).changes).toEqual([]);
});

test.each([
  ['text', '= adopt   group/retail  2 members, expects columns and records  roster.yaml:3'],
  ['markdown', 'at `roster.yaml:3`: 2 members, expects columns and records'],
  ['html', '2 members, expects columns and records'],
])('the plan of an object that exists already says what will be expected of it: %s', async (format, said) => {
  const sandbox = await startSandbox({
    seed: { groups: [{ name: 'retail', members: ['acme-shop', 'globex'] }] },
  });
  const text = manifest('{ records: { min: 800 }, columns: [sku] }');
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  const { stdout } = await workspace.command(['plan', '--format', format]);
  expect(stdout).toContain(said);
});

test.each<[string, string, string, string]>([
  [
    'what is weaker first',
    '{ records: { min: 800 }, empty: { price: 2% } }',
    '{ empty: { price: 1% }, records: { min: 600 } }',
    'expect.records.min 800 → 600, expect.empty.price 2% → 1%',
  ],
  ['columns as a list', '{ columns: [sku, price] }', '{ columns: [sku, ean] }', 'expect.columns +ean -price'],
  [
    'a part that goes, and a condition as it is written',
    '{ finish: 2 hours, rows: { "price lte 0": 5 } }',
    '{ rows: { "price lte 0": 10 } }',
    'expect.finish 2 hours → (none), expect.rows.price lte 0 5 → 10',
  ],
])('a plan shows each part of what is expected where it is written: %s', async (_, before, after, said) => {
  const { workspace } = await applied(manifest(before));
  workspace.write('roster.yaml', manifest(after));
  const text = await workspace.command(['plan']);
  expect(text.stdout.replaceAll(/\n +/g, ' ')).toContain(said);
  const markdown = await workspace.command(['plan', '--format', 'markdown']);
  expect(markdown.stdout.replaceAll('`', '')).toContain(said);
});

test('what is expected is in the digest', async () => {
  const { workspace } = await applied(manifest(''));
  workspace.write('roster.yaml', manifest('{ records: { min: 800 } }'));
  const one = await planOf(workspace);
  workspace.write('roster.yaml', manifest('{ records: { min: 801 } }'));
  expect((await planOf(workspace)).digest).not.toBe(one.digest);
});

test.each([
  ['a lower minimum', '{ records: { min: 20 } }', 'records.min 800 → 20'],
  ['nothing any more', '', 'records.min 800 → nothing'],
  ['a warning instead of an error', '{ records: { min: 800 }, level: warning }', 'level error → warning'],
])('a weaker expectation is a risk: %s', async (_what, weaker, change) => {
  const { workspace } = await applied(manifest('{ records: { min: 800 } }'));
  workspace.write('roster.yaml', manifest(weaker));
  const [found] = (await planOf(workspace)).changes;
  expect(found?.risks).toEqual([
    {
      code: 'weaker-expectation',
      message: `accepts data that was unmet before: 1 expectation is weaker (\`${change}\`)`,
    },
  ]);
});

test('a stronger expectation is no risk', async () => {
  const { workspace } = await applied(manifest('{ records: { min: 800 } }'));
  workspace.write('roster.yaml', manifest('{ records: { min: 900 }, finish: 1 hour }'));
  expect((await planOf(workspace)).changes.flatMap(({ risks }) => risks)).toEqual([]);
});

const scheduled = (ofGroup: string, ofSchedule: string, target = 'group/retail') => `project: pricing
groups:
  retail: { members: [acme-shop], ${ofGroup} }
  other: { members: [globex] }
schedules:
  daily: { target: ${target}, every: 1 days, startTime: 2026-12-01T06:00:00, ${ofSchedule} }
`;

const some = 'expect: { records: { min: 800 } }';
const few = 'expect: { records: { min: 1 } }';
const warns = 'expect: { level: warning }';

test.each<[string, string, string, string[]]>([
  [
    'less than its target, for the first time',
    scheduled(some, ''),
    scheduled(some, few),
    ['schedule/daily: records.min 800 → 1'],
  ],
  [
    'the same as its target, as a warning',
    scheduled(some, ''),
    scheduled(some, warns),
    ['schedule/daily: level error → warning'],
  ],
  [
    'nothing of another target',
    scheduled(some, ''),
    scheduled(some, '', 'group/other'),
    ['schedule/daily: records.min 800 → nothing'],
  ],
  ['what its target does, and no less', scheduled(some, few), scheduled(some, ''), []],
  [
    'nothing itself, and its target less',
    scheduled(some, ''),
    scheduled(few, ''),
    ['group/retail: records.min 800 → 1'],
  ],
  [
    'the same itself, and its target less',
    scheduled(some, some),
    scheduled(few, some),
    ['group/retail: records.min 800 → 1'],
  ],
  ['for the first time, and its target nothing', scheduled('', ''), scheduled('', warns), []],
])('what a schedule and its target expect is compared as one: %s', async (_what, before, after, weaker) => {
  const { workspace } = await applied(before);
  workspace.write('roster.yaml', after);
  const { changes } = await planOf(workspace);
  const found = changes.flatMap(({ address, risks }) =>
    risks.flatMap(({ code, message }) =>
      code === 'weaker-expectation' ? [`${address}: ${/\(`(.*)`\)$/.exec(message)?.[1]}`] : [],
    ),
  );
  expect(found).toEqual(weaker);
});

test('defaults, those of the environment and the entry are merged, and a target wins over defaults', async () => {
  const text = `project: pricing
defaults:
  groups: { expect: { records: { min: 1 }, level: warning } }
  schedules: { expect: { records: { min: 2 }, finish: 3 hours } }
environments:
  live: { defaults: { groups: { expect: { records: { drop: 40% } } } } }
groups:
  retail:
    members: [acme-shop]
    expect: { records: { min: 800 } }
schedules:
  daily: { target: group/retail, every: 1 days, startTime: 2026-12-01T06:00:00, expect: { columns: [sku] } }
`;
  const workspace = new Workspace({ 'roster.yaml': text }, await startSandbox());
  const { stdout } = await workspace.command(['render', '-e', 'live', '--format', 'json']);
  const { groups, schedules } = JSON.parse(stdout);
  expect(groups.retail.expect).toEqual({ records: { min: 800, drop: '40%' }, level: 'warning' });
  expect(schedules.daily.expect).toEqual({ finish: '3 hours', columns: ['sku'] });
});

test.each([
  ['nothing itself', '', undefined],
  ['something else', 'expect: { records: { min: 1 } }', { records: { min: 1 } }],
  ['the same itself', 'expect: { finish: 4 hours }', { finish: '4 hours' }],
])('a target wins over defaults for a schedule that expects %s', async (_what, own, expected) => {
  const text = `project: pricing
defaults:
  schedules: { every: 1 days, startTime: 2026-12-01T06:00:00, expect: { finish: 3 hours } }
groups:
  retail: { members: [acme-shop], expect: { finish: 2 hours } }
schedules:
  daily: { target: group/retail, ${own} }
  alone: { target: agent/acme-shop, ${own} }
`;
  const { workspace } = await applied(text);
  const { stdout } = await workspace.command(['render', '--format', 'json']);
  const { schedules } = JSON.parse(stdout);
  expect(schedules.daily.expect).toEqual(expected);
  expect(schedules.alone.expect).toEqual({ finish: '3 hours', ...expected });
  expect((await planOf(workspace)).changes).toEqual([]);
  const { entries } = inventoryAt(workspace.root, 'roster.inventory.json');
  expect((entries['schedule/daily'] as { expect?: unknown } | undefined)?.expect).toEqual(expected);
});

test.each([
  ['{ rows: { "price < 0": 0 } }', 'invalid-condition', 'Did you mean `lt`?'],
  ['{ rows: { "price lt": 0 } }', 'invalid-condition', undefined],
  ['{ records: { drop: 140% } }', 'schema', undefined],
  ['{ empty: { price: 0.02 } }', 'schema', undefined],
  ['{ empty: { price: -2% } }', 'schema', undefined],
  ['{ empty: { price: 100.5% } }', 'schema', undefined],
  ['{ records: { min: -1 } }', 'schema', undefined],
  ['{ records: { min: 1.5 } }', 'schema', undefined],
  ['{ records: 800 }', 'schema', undefined],
  ['{ records: { drop: 40 } }', 'schema', undefined],
  ['{ rows: { "price lte 0": -1 } }', 'schema', undefined],
  ['{ rows: { "price lte 0": 101% } }', 'schema', undefined],
  ['{ rows: { "": 0 } }', 'schema', undefined],
  ['{ columns: [] }', 'schema', undefined],
  ['{ columns: { only: [] } }', 'schema', undefined],
  ['{ columns: {} }', 'schema', undefined],
  ['{ columns: sku }', 'schema', undefined],
  ['{ columns: [sku, price, sku] }', 'schema', undefined],
  ['{ columns: { only: [sku, sku] } }', 'schema', undefined],
  ['{ finish: 0 minutes }', 'schema', undefined],
  ['{ finish: 2h }', 'schema', undefined],
  ['{ finish: 2 fortnights }', 'schema', undefined],
  ['{ finish: 120 }', 'schema', undefined],
  ['{ level: fatal }', 'schema', undefined],
  ['{ members: { globex: { members: {} } } }', 'unknown-property', undefined],
  ['{ members: { globx: { level: warning } } }', 'unknown-reference', 'Did you mean `globex`?'],
  ['{ record: { min: 1 } }', 'unknown-property', 'Did you mean `records`?'],
])('what cannot be judged is an error at its place: %s', async (expected, code, help) => {
  const workspace = new Workspace({ 'roster.yaml': manifest(expected) }, await startSandbox());
  const ran = await workspace.command(['validate', '--format', 'json']);
  const { diagnostics } = jsonOf<{ diagnostics: { code: string; line: number; help?: string }[] }>(ran);
  expect(ran.exit).toBe(1);
  expect(diagnostics.map((each) => [each.code, each.line])).toEqual([[code, 5]]);
  if (help !== undefined) expect(diagnostics[0]?.help).toContain(help);
});

test.each([
  [
    'a key cannot expect anything',
    'keys:\n  reader: { scopes: [agents.run], expect: { records: { min: 1 } } }\n',
    'unknown-property',
  ],
  [
    'what another project manages cannot expect anything here',
    'groups:\n  theirs: { id: 9c4ed000-0000-4000-8000-000000000001, external: true, expect: { finish: 1 hour } }\n',
    'schema',
  ],
  [
    'an empty value is no expectation',
    'groups:\n  retail:\n    members: [acme-shop]\n    expect:\n',
    'schema',
  ],
])('%s', async (_what, section, code) => {
  const text = `project: pricing\n${section}`;
  const workspace = new Workspace({ 'roster.yaml': text }, await startSandbox());
  const ran = await workspace.command(['validate', '--format', 'json']);
  const { diagnostics } = jsonOf<{ diagnostics: { code: string }[] }>(ran);
  expect([ran.exit, diagnostics.map((each) => each.code)]).toEqual([1, [code]]);
});

test('an alias of an expectation is read as if it were written out', async () => {
  const text = `project: pricing
groups:
  retail: { members: [acme-shop], expect: &usual { records: { min: 800 } } }
  stock: { members: [globex], expect: *usual }
`;
  const { workspace } = await applied(text);
  const { stdout } = await workspace.command(['render', '--format', 'json']);
  expect(JSON.parse(stdout).groups.stock.expect).toEqual({ records: { min: 800 } });
});
