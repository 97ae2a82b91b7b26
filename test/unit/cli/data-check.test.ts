import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { readXml } from '../../support/xml.js';

const now = new Date('2026-12-08T12:00:00Z');
const day = 86_400_000;
const scheduleId = '5c4ed000-0000-4000-8000-000000000001';

type Outcome = NonNullable<NonNullable<Seed['agents']>[number]['outcomes']>[number];

const fields = ['sku', 'price', 'currency'];
const good: Outcome = { seconds: 60, records: 100 };

interface World {
  /** How the runs of the last days ended, the newest last. */
  readonly runs: readonly Outcome[];
  readonly expect: string;
  readonly agent?: object;
}

/** One agent, which a schedule starts every morning. */
async function world({ runs, expect: expected, agent = {} }: World) {
  const outcomes = runs.map((each, index) => ({ nth: index + 1, ...each }));
  const seed: Seed = {
    agents: [{ externalAgentId: 'shop', name: 'Shop', fields, outcomes, ...agent }],
    schedules: [
      {
        id: scheduleId,
        targetType: 'Agent',
        targetId: 'shop',
        scheduleType: 'Cron',
        cronExpression: '0 0 6 * * *',
        startTime: '2026-01-01T00:00:00',
      },
    ],
    history: runs.map((_, index) => ({
      schedule: scheduleId,
      startedAt: new Date(now.getTime() - 6 * 3_600_000 - (runs.length - 1 - index) * day).toISOString(),
    })),
  };
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const text = `project: prices
schedules:
  daily:
    target: agent/shop
    cron: "0 0 6 * * *"
    startTime: 2026-01-01T00:00:00
    expect: ${expected}
`;
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

interface CheckJson {
  readonly datasets: readonly {
    readonly address: string;
    readonly agent: string;
    readonly datasetId: string | null;
    readonly jobId: string | null;
    readonly at: string;
    readonly verdict: string;
    readonly changed: readonly string[];
    readonly expectations: readonly {
      readonly property: string;
      readonly verdict: string;
      readonly message: string;
      readonly command: string | null;
    }[];
  }[];
  readonly summary: object;
  readonly diagnostics: readonly { readonly code: string }[];
}

async function check(workspace: Workspace, ...words: string[]) {
  const ran = await workspace.command(['data', 'check', ...words, '--format', 'json']);
  const json = jsonOf<CheckJson>(ran);
  const said = json.datasets.flatMap(({ expectations }) =>
    expectations.map(({ property, verdict, message }) => `${verdict} ${property}: ${message}`),
  );
  return { ...ran, json, said };
}

const week = (last: Outcome) => [...new Array<Outcome>(6).fill(good), last];

describe('data check', () => {
  test.each<[string, World, number, string[]]>([
    [
      'too few records',
      { runs: [{ ...good, records: 12 }], expect: '{ records: { min: 100 } }' },
      5,
      ['unmet records.min: expected at least 100 records, got 12: 88 too few'],
    ],
    [
      'enough records',
      { runs: [good], expect: '{ records: { min: 100 } }' },
      0,
      ['met records.min: got 100'],
    ],
    [
      'a drop below the median of the runs before',
      { runs: week({ ...good, records: 59 }), expect: '{ records: { drop: 40% } }' },
      5,
      [
        'unmet records.drop: expected at most 40% below the median of the runs before (100), got 59: 41% below',
      ],
    ],
    [
      'a drop within what is expected',
      { runs: week({ ...good, records: 60 }), expect: '{ records: { drop: 40% } }' },
      0,
      ['met records.drop: got 60, 40% below the median 100'],
    ],
    [
      'a drop after too few runs',
      { runs: [good, good, good], expect: '{ records: { drop: 40% } }' },
      0,
      [
        'unknown records.drop: expected at most 40% below the median of the runs before: unknown, because only 2 successful runs came before it',
      ],
    ],
    [
      'a run that took too long',
      { runs: [{ ...good, seconds: 7_260 }], expect: '{ finish: 2 hours }' },
      5,
      ['unmet finish: expected to end within 2 hours, but it took 2 h 1 min: 60 s too late'],
    ],
    [
      'a run that never ends',
      { runs: [{ ...good, seconds: 1_000_000 }], expect: '{ finish: 2 hours, records: { min: 1 } }' },
      5,
      [
        'unmet finish: expected to end within 2 hours, but it is still running after 6 h 0 min: 4 h 0 min too late',
      ],
    ],
    [
      'a column that is gone',
      {
        runs: [{ ...good, fields: ['sku', 'currency'] }],
        expect: '{ columns: [sku, price], empty: { price: 50% }, rows: { "price lte 0": 5 } }',
      },
      5,
      [
        'unmet columns: expected the columns sku, price: price missing',
        'unmet empty.price: expected at most 50% of rows without `price`, but there is no column `price`',
        'unmet rows.price lte 0: expected at most 5 rows with `price lte 0`, but there is no column `price`',
      ],
    ],
    [
      'a column that is new',
      { runs: [good], expect: '{ columns: { only: [sku, price] } }' },
      5,
      ['unmet columns: expected only the columns sku, price: currency not expected'],
    ],
    [
      'columns in another case',
      { runs: [good], expect: '{ columns: [SKU] }' },
      5,
      ['unmet columns: expected the column SKU: SKU missing'],
    ],
    [
      'empty values',
      { runs: [{ ...good, empty: { price: 3 } }], expect: '{ empty: { sku: 0%, price: 2% } }' },
      5,
      [
        'met empty.sku: got 0 of 100, 0%',
        'unmet empty.price: expected at most 2% of rows without `price`, got 3 of 100, 3%',
      ],
    ],
    [
      'rows that should not be there',
      { runs: [good], expect: '{ rows: { "price gt 0": 0, "sku isempty": 0 } }' },
      5,
      ['unmet rows.price gt 0: expected no rows with `price gt 0`, got 100', 'met rows.sku isempty: got 0'],
    ],
    [
      'no rows at all',
      { runs: [{ ...good, records: 0 }], expect: '{ columns: [sku], empty: { sku: 0% } }' },
      0,
      ['met columns: all columns are there', 'met empty.sku: got 0'],
    ],
    [
      'data that is not paid',
      { runs: [good], expect: '{ records: { min: 5 }, columns: [sku] }', agent: { unpaid: true } },
      0,
      [
        'met records.min: got 100',
        'unknown columns: expected the column sku: unknown, because the final payment has not settled',
      ],
    ],
    [
      'a run that failed, and not the one before it',
      { runs: [good, { result: 'fail' }], expect: '{ records: { min: 5 }, columns: [sku] }' },
      0,
      [
        'unknown records.min: expected at least 5 records: unknown, because the run failed: The source did not respond',
        'unknown columns: expected the column sku: unknown, because the run failed: The source did not respond',
      ],
    ],
    [
      'a run that failed in time, which has not finished',
      { runs: [{ result: 'fail', seconds: 5 }], expect: '{ finish: 2 hours }' },
      0,
      [
        'unknown finish: expected to end within 2 hours: unknown, because the run failed: The source did not respond',
      ],
    ],
    [
      'a run that failed too late',
      { runs: [{ result: 'fail', seconds: 7_260 }], expect: '{ finish: 2 hours }' },
      5,
      ['unmet finish: expected to end within 2 hours, but it took 2 h 1 min: 60 s too late'],
    ],
    [
      'a run without a file',
      { runs: [{ ...good, dataset: 'None' }], expect: '{ columns: [sku] }' },
      0,
      ['unknown columns: expected the column sku: unknown, because the service lists no dataset of its run'],
    ],
    [
      'a zip of several sessions',
      { runs: [good], expect: '{ columns: [sku] }', agent: { sessions: 2 } },
      0,
      ['unknown columns: expected the column sku: unknown, because its file is a zip of several sessions'],
    ],
    [
      'what is unmet at the level of a warning',
      { runs: [good], expect: '{ records: { min: 500 }, level: warning }' },
      0,
      ['unmet records.min: expected at least 500 records, got 100: 400 too few'],
    ],
  ])('judges %s', async (_what, made, exit, said) => {
    const { workspace } = await world(made);
    const found = await check(workspace);
    expect(found.said).toEqual(said);
    expect(found.exit).toBe(exit);
  });

  test('gives what came as a text of digits alone, and as a number', async () => {
    const { workspace } = await world({
      runs: week({ ...good, records: 1_200 }),
      expect: '{ records: { min: 1000, drop: 50% } }',
    });
    const { json } = await check(workspace);
    expect(json.datasets[0]?.expectations).toMatchObject([
      { property: 'records.min', actual: '1200', value: 1_200, message: 'got 1,200' },
      { property: 'records.drop', actual: '1200', value: 1_200 },
    ]);
  });

  test('status says that its period has too few runs to compare with, and names the command that judges', async () => {
    const { workspace } = await world({ runs: week(good), expect: '{ records: { drop: 40% } }' });
    const { stdout } = await workspace.command(['status', '--since', '7h']);
    const said = stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('unknown, because too few successful runs before it are in this period');
    expect(said).toContain(' roster data check schedule/daily ');
    expect((await check(workspace, 'schedule/daily')).json.datasets).toMatchObject([{ verdict: 'met' }]);
  });

  test('status in Markdown names the command that shows all that is unmet', async () => {
    const { workspace } = await world({
      runs: [good],
      expect: '{ records: { min: 500 }, finish: 1 minute }',
    });
    const { stdout } = await workspace.command(['status', '--format', 'markdown']);
    expect(stdout).toContain('`roster data check schedule/daily`');
  });

  test('fails for what is unknown, if it is told to', async () => {
    const { workspace } = await world({
      runs: [good],
      expect: '{ columns: [sku] }',
      agent: { unpaid: true },
    });
    expect((await check(workspace, '--fail-on', 'unmet,unknown')).exit).toBe(5);
    expect((await check(workspace, '--fail-on', 'unmet')).exit).toBe(0);
  });

  test('takes one request for a dataset, and one for each condition', async () => {
    const expected = '{ columns: [sku], empty: { sku: 0%, price: 0% }, rows: { "price lte 0": 0 } }';
    const { sandbox, workspace } = await world({ runs: week(good), expect: expected });
    const { json } = await check(workspace);
    const queries = sandbox.requests.filter(({ path }) => path.includes('/data-explorer/'));
    expect(queries.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual(
      new Array(4).fill('POST query'),
    );
    expect(json.summary).toEqual({ met: 1, unmet: 0, unknown: 0 });
  });

  test('asks nothing of a dataset of which only records and time are expected', async () => {
    const { sandbox, workspace } = await world({ runs: [good], expect: '{ records: { min: 1 } }' });
    await check(workspace);
    expect(sandbox.requests.filter(({ path }) => path.includes('/data-explorer/'))).toEqual([]);
  });

  test('checks all runs since a time, the worst first, each with its own runs before it', async () => {
    const runs = [good, good, good, { ...good, records: 10 }, good];
    const { workspace } = await world({ runs, expect: '{ records: { min: 50, drop: 50% } }' });
    const { json } = await check(workspace, '--since', '4d');
    expect(json.datasets.map(({ at, verdict }) => `${verdict} ${at.slice(0, 10)}`)).toEqual([
      'unmet 2026-12-07',
      'unknown 2026-12-06',
      'unknown 2026-12-05',
      'met 2026-12-08',
    ]);
  });

  test('judges a run that was started by hand only if its id is given, and reports who started it', async () => {
    const { sandbox, workspace } = await world({
      runs: [good, good, good],
      expect: '{ records: { drop: 40% } }',
      agent: { outcomes: [good] },
    });
    const before = await check(workspace);
    await workspace.command(['run', 'agent/shop', '--detach']);
    sandbox.advance(3_600_000);
    const after = await check(workspace);
    expect(after.json.datasets.map(({ at }) => at)).toEqual(before.json.datasets.map(({ at }) => at));
    const [job] = [...sandbox.world.jobs.values()].filter((each) => each.scheduleId === null);
    const named = await check(workspace, String(job?.id));
    expect(named.json.datasets).toMatchObject([
      { address: 'schedule/daily', jobId: job?.id, startedBy: 'hand', verdict: 'met' },
    ]);
    const ofDataset = await check(workspace, String(named.json.datasets[0]?.datasetId));
    expect(ofDataset.json).toEqual(named.json);
    const text = await workspace.command(['data', 'check', String(job?.id), '-v']);
    expect(text.stdout).toContain('started by hand');
    expect(text.stdout).toContain('1 run checked: 1 met.');
  });

  test('judges an earlier run of its own by the id of its dataset', async () => {
    const runs = [good, good, good, { ...good, records: 10 }, good];
    const { workspace } = await world({ runs, expect: '{ records: { drop: 50% } }' });
    const since = await check(workspace, '--since', '4d');
    const [unmet] = since.json.datasets;
    const { json } = await check(workspace, String(unmet?.datasetId));
    expect(json.datasets).toEqual([unmet]);
    expect(json.datasets).toMatchObject([{ verdict: 'unmet', startedBy: 'project' }]);
  });

  test('compares a run by its id with the same runs as without ids, also if no times are known', async () => {
    const { sandbox, workspace } = await world({
      runs: week({ ...good, records: 10 }),
      expect: '{ records: { drop: 50% } }',
    });
    sandbox.world.runs.clear();
    const { json } = await check(workspace, '--since', '7d');
    expect(json.datasets.map(({ at }) => at)).toEqual(new Array(7).fill(null));
    expect(json.datasets.map(({ verdict }) => verdict)).toContain('met');
    for (const each of json.datasets)
      expect((await check(workspace, String(each.jobId))).json.datasets).toEqual([each]);
  });

  test('refuses each id without a run, whatever the other ids match', async () => {
    const { sandbox, workspace } = await world({ runs: [good], expect: '{ records: { min: 1 } }' });
    const [job] = [...sandbox.world.jobs.keys()];
    const wrong = ['00000000-0000-4000-8000-00000000abcd', '00000000-0000-4000-8000-00000000abce'];
    const found = await workspace.command(['data', 'check', String(job), ...wrong]);
    expect([found.exit, found.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining(`that has an \`expect\` match ${wrong.join(', ')}`),
    ]);
  });

  test('starts no cell of the Markdown report with a comma while a run goes on', async () => {
    const { sandbox, workspace } = await world({
      runs: [good],
      expect: '{ finish: 1 minute }',
      agent: {
        outcomes: [
          { ...good, nth: 1 },
          { ...good, nth: 2, seconds: 1_000_000 },
        ],
      },
    });
    await workspace.command(['run', 'agent/shop', '--detach']);
    sandbox.advance(3_600_000);
    const [job] = [...sandbox.world.jobs.values()].filter((each) => each.scheduleId === null);
    const { stdout } = await workspace.command(['data', 'check', String(job?.id), '--format', 'markdown']);
    expect(stdout).toContain('| started by hand |');
  });

  test('reports a shared cause once', async () => {
    const { workspace } = await world({
      runs: [good],
      expect: '{ columns: [sku], empty: { sku: 0% }, rows: { "price lte 0": 0 } }',
      agent: { unpaid: true },
    });
    const cause =
      'columns, empty.sku and rows.price lte 0: unknown, because the final payment has not settled';
    const text = await workspace.command(['data', 'check']);
    expect(text.stdout.replaceAll(/\n +/g, ' ')).toContain(`${cause} (roster.yaml:7)`);
    const github = await workspace.command(['data', 'check', '--format', 'github']);
    expect(github.stdout.split('\n').filter((line) => line.startsWith('::'))).toHaveLength(1);
    expect(github.stdout).toContain(cause);
  });

  test('the Markdown report shows every unmet expectation with its line', async () => {
    const conditions = Array.from({ length: 30 }, (_, index) => `price gt -${index + 1}`);
    const rows = conditions.map((each) => `"${each}": 0`).join(', ');
    const { workspace } = await world({ runs: [good], expect: `{ rows: { ${rows} } }` });
    const { stdout } = await workspace.command(['data', 'check', '--format', 'markdown']);
    for (const each of conditions) expect(stdout).toContain(`no rows with \`${each}\`, got`);
    expect(stdout.match(/\(`roster\.yaml:7`\)/g)).toHaveLength(30);
  });

  test('counts warnings separately from unmet runs', async () => {
    const { workspace } = await world({
      runs: [good],
      expect: '{ records: { min: 500 }, level: warning }',
    });
    const text = await workspace.command(['data', 'check']);
    expect(text.stdout).toMatch(/^warning {2}agent\/shop/);
    const markdown = await workspace.command(['data', 'check', '--format', 'markdown']);
    for (const { stdout } of [text, markdown]) expect(stdout).toContain('1 run checked: 1 warning.');
  });

  test('tells the suites of several runs of an agent apart', async () => {
    const { workspace } = await world({ runs: [good, good, good], expect: '{ records: { min: 1 } }' });
    const { stdout } = await workspace.command(['data', 'check', '--since', '7d', '--format', 'junit']);
    const names = [...stdout.matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual([
      'agent/shop of schedule/daily, 2026-12-08 06:01 UTC',
      'agent/shop of schedule/daily, 2026-12-07 06:01 UTC',
      'agent/shop of schedule/daily, 2026-12-06 06:01 UTC',
    ]);
  });

  test('names the command that shows the rows, and what has changed since the last apply', async () => {
    const { sandbox, workspace } = await world({
      ...{ runs: [{ ...good, empty: { price: 90 } }], expect: '{ empty: { price: 0% } }' },
      agent: { version: '1.0.0' },
    });
    for (const agent of sandbox.world.agents.values()) agent.version = '2.0.0';
    const { json } = await check(workspace);
    const [found] = json.datasets;
    expect(found?.expectations.map(({ command }) => command)).toEqual([
      `roster data query ${found?.datasetId} --where 'price isempty'`,
    ]);
    expect(found?.changed).toEqual(['agent/shop has version 2.0.0, and had 1.0.0 at the last apply']);
    const text = await workspace.command(['data', 'check']);
    expect(text.stdout).toContain('90 of 100, 90%');
    expect(text.stdout).toContain('had 1.0.0 at the last apply');
    expect(text.stdout.trimEnd().split('\n').at(-1)).toBe('1 run checked: 1 unmet.');
  });

  test('prints JUnit, Markdown and annotations of the same', async () => {
    const { workspace } = await world({ runs: [good], expect: '{ records: { min: 500 }, columns: [sku] }' });
    const junit = await workspace.command(['data', 'check', '--format', 'junit']);
    const suite = readXml(junit.stdout);
    expect(JSON.stringify(suite)).toContain('400 too few');
    const markdown = await workspace.command(['data', 'check', '--format', 'markdown']);
    expect(markdown.stdout).toContain('**Data: 1 run checked: 1 unmet.**');
    expect(markdown.stdout).toContain('400 too few');
    const github = await workspace.command(['data', 'check', '--format', 'github']);
    expect(github.stdout).toMatch(/^::error file=roster.yaml,line=7.*unmet-expectation/);
  });

  test('refuses what nothing is expected of', async () => {
    const { workspace } = await world({ runs: [good], expect: '{}' });
    const found = await workspace.command(['data', 'check', 'schedule/nothing']);
    expect(found.exit).toBe(1);
  });
});
