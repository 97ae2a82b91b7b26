import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DataWorld, dataWorld } from '../../support/data.js';

let world: DataWorld;
beforeEach(async () => {
  world = await dataWorld();
});
afterEach(() => world.close());

const someId = '5a2f3c1e-7d4b-4e0a-9b3c-2f1d6e8a7c90';

describe('roster data', () => {
  test('lists datasets, the newest first, with the ends of their jobs', async () => {
    const { exit, datasets, total } = await world.json('data', 'agent/acme-shop');
    const times = datasets.map(({ collectedAt }: { collectedAt: string }) => collectedAt.slice(0, 10));
    expect([exit, total]).toEqual([0, 6]);
    expect(times).toEqual([
      '2026-11-30',
      '2026-11-28',
      '2026-10-22',
      '2026-08-31',
      '2026-08-28',
      '2026-08-23',
    ]);
  });

  test('lists the newest --limit datasets, and says how many there are', async () => {
    const { stdout } = await world.run('data', '--limit', '2');
    expect(stdout).toMatch(/^Datasets: the newest 2 of \d+\n/);
    expect(stdout.match(/\n {2}agent\//g)).toHaveLength(2);
  });

  test('reads the runs page by page, and not the job of each dataset', async () => {
    await world.run('data', '--all');
    const jobs = world.sandbox.requests.filter(({ path }) => /\/jobs\/.*\/runs/.test(path));
    expect(jobs.length).toBeLessThanOrEqual(1);
    expect(world.sandbox.requests.length).toBeLessThanOrEqual(5);
  });

  test('needs no project for agents and ids', async () => {
    world.workspace.write('sub/none', '');
    const { exit } = await world.run('data', 'agent/globex');
    expect(exit).toBe(0);
  });

  test.each([
    ['prevew agent/x', 'Did you mean `roster data preview`?'],
    ['nothing', 'one of: preview, query, sample, check, get, lineage, share, rm, queries'],
    [someId, 'With an id: `roster data preview ID`.'],
    ['constructor', 'neither an address nor a subcommand'],
    ['preview', "missing required argument 'datasets'"],
    [`lineage ${someId} ${someId}`, 'too many arguments'],
    ['queries nothing', 'See `roster data queries --help`'],
    ['queries run', 'See `roster data queries run --help`'],
    ['agent/acme-shop --out x', "unknown option '--out'"],
    ['rm --where x', '`--where` is a flag of `roster data query` and `roster data queries save`.'],
    ['--limit 3 query agent/acme-shop', "as in 'roster data query --limit'"],
    ['queries --url x run cheap', "as in 'roster data queries run --url'"],
    ['queries rnu cheap', 'Did you mean `roster data queries run`?'],
    [`get ${someId}`, '`--out` is missing'],
    ['get agent/acme-shop --out x --format csv', 'One of: text, json.'],
    [`get ${someId} --out x --latest`, '`--latest` has no effect on ids'],
    [`share ${someId}`, 'Pass either `--company` or `--private`.'],
    [`share ${someId} --company --private`, 'Pass either `--company` or `--private`.'],
    ['share agent/acme-shop --company', 'datasets are shared by id'],
    ['rm', 'Pass ids of datasets, or `--older-than 90d`.'],
    ['rm agent/acme-shop', 'datasets are deleted by id'],
    ['rm --keep-last 3', '`--keep-last` needs `--older-than`'],
    ['rm --older-than soon', 'Use 12h, 90d or 2w.'],
    [`rm ${someId} --older-than 9d`, 'exclude each other'],
    ['query agent/acme-shop --limit 3 --all', 'exclude each other'],
    ['preview ..', 'neither a dataset id nor an address'],
    ['agent/acme-shp', 'Did you mean'],
  ])('refuses `data %s` and says what to do', async (line, hint) => {
    const { exit, stderr } = await world.run('data', ...line.split(' '));
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(hint)]);
  });
});

describe('data query', () => {
  const query = (...words: string[]) => world.json('data', 'query', 'agent/acme-shop', ...words);

  test('an address is the newest available dataset of each of its agents', async () => {
    const { datasets } = await world.json('data', 'query', 'group/shops', '--limit', '1');
    const agents = datasets.map(({ agent }: { agent: string }) => agent);
    expect(agents).toEqual(['agent/acme-shop', 'agent/globex', 'agent/initech']);
    const [newest] = await world.ids('agent/acme-shop');
    expect(datasets[0].id).toBe(newest);
  });

  test('of a job of several runs, the dataset of the whole job is read', async () => {
    const { datasets } = await world.json('data', 'query', 'agent/initech', '--all');
    expect(datasets[0].rows).toHaveLength(4);
  });

  test('conditions and order are those of the service', async () => {
    const { datasets } = await query(
      '--where',
      'price gt 0',
      '--where',
      'title contains ,',
      '--sort',
      '-Price',
    );
    const prices = datasets[0].rows.map(({ price }: { price: number }) => price);
    expect(prices).toHaveLength(4);
    expect(prices).toEqual([...prices].sort((a: number, b: number) => b - a));
  });

  test('a column that does not exist is an error with a suggestion', async () => {
    const { exit, stderr } = await world.run(
      'data',
      'query',
      'agent/acme-shop',
      '--where',
      'prise gt 1',
      '--sort',
      'titel',
    );
    const text = stderr.replace(/\s+/g, ' ');
    expect(exit).toBe(1);
    expect(text).toContain('has no column "prise" = help: Did you mean `price`?');
    expect(text).toContain('--sort: agent/acme-shop has no column "titel"');
  });

  test('--all reads every page, and stops at the total', async () => {
    await world.close();
    world = await dataWorld({
      agents: [{ externalAgentId: 'big', name: 'Big', outcomes: [{ records: 450 }] }],
      history: [{ agent: 'big', ago: '1d' }],
    });
    const { datasets } = await world.json('data', 'query', 'agent/big', '--all');
    expect(datasets[0].rows).toHaveLength(450);
    expect(world.sandbox.requests.filter(({ path }) => path.endsWith('/query'))).toHaveLength(3);
  });

  test('a page that is missing is an error, and never the end', async () => {
    const body = JSON.stringify({ success: true, data: { columns: ['a'], rows: [], totalMatches: 9 } });
    world.fail({ act: 'status', path: '*/query', status: 200, body });
    const { exit, stderr } = await world.run('data', 'query', 'agent/acme-shop', '--all');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('unexpected-response')]);
  });

  test.each([
    ['comes twice', { page: 1, totalMatches: 400 }, { page: 1, totalMatches: 400 }, 'returned page 1 twice'],
    ['changes the total', { totalMatches: 400 }, { totalMatches: 600 }, 'returned 400 matches, then 600'],
    ['lowers the total', { totalMatches: 600 }, { totalMatches: 300 }, 'returned 600 matches, then 300'],
  ])('a page that %s is an error: rows would be missing or repeated', async (_, first, second, why) => {
    const rows = Array(200).fill({ a: 1 });
    const answers = [first, second].map((each) => ({
      success: true,
      data: { columns: ['a'], rows, ...each },
    }));
    const [one, other] = answers.map((each) => JSON.stringify(each));
    const answer = { act: 'status', path: '*/query', status: 200 } as const;
    world.fail({ ...answer, nth: 1, body: one ?? '' }, { ...answer, body: other ?? '' });
    const { exit, stderr } = await world.run('data', 'query', 'agent/acme-shop', '--all');
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(why)]);
  });

  test('more rows than can be printed are refused', async () => {
    const body = JSON.stringify({
      success: true,
      data: { columns: ['a'], rows: [{ a: 1 }], totalMatches: 1e6 },
    });
    world.fail({ act: 'status', path: '*/query', status: 200, body });
    const { exit, stderr } = await world.run('data', 'query', 'agent/acme-shop', '--all');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('limit-exceeded')]);
  });

  test('more rows than can be printed are refused, of all datasets together', async () => {
    const body = JSON.stringify({
      success: true,
      data: { columns: ['a'], rows: Array(200).fill({ a: 1 }), totalMatches: 60_000 },
    });
    world.fail({ act: 'status', path: '*/query', status: 200, body });
    const { exit, stderr } = await world.run('data', 'query', 'group/shops', '--all');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('limit-exceeded')]);
  });

  test('JSON lines name the agent of each record', async () => {
    const { stdout } = await world.run('data', 'query', 'group/shops', '--limit', '1', '--format', 'jsonl');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ agent }) => agent)).toEqual(['agent/acme-shop', 'agent/globex', 'agent/initech']);
    expect(lines[0].record).toHaveProperty('price');
  });

  test('records cannot control a terminal', async () => {
    const rows = [{ 'a\u001b[31m': '\u001b]0;owned\u0007\u202e', b: '##[error]' }];
    const body = JSON.stringify({
      success: true,
      data: { columns: ['a\u001b[31m', 'b'], rows, totalMatches: 1 },
    });
    world.fail({ act: 'status', path: '*/query', status: 200, body });
    for (const format of ['text', 'json', 'jsonl']) {
      const { stdout } = await world.run('data', 'query', 'agent/acme-shop', '--format', format);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]|##\[/u);
    }
  });
});

test('a preview shows the first rows, and that there are more', async () => {
  const { stdout } = await world.run('data', 'preview', 'agent/globex');
  expect(stdout).toMatch(/^agent\/globex: \d+ rows \(/);
  const { isTruncated } = (await world.json('data', 'preview', 'agent/globex')).datasets[0];
  expect(isTruncated).toBe(false);
});

test('a dataset that cannot be read is an error that names it, and the others are shown', async () => {
  const [id = ''] = await world.ids('agent/globex');
  world.fail({ act: 'status', path: `*/${id}/preview`, status: 500, body: '{}' });
  const { exit, stdout, stderr } = await world.run('data', 'preview', 'group/shops');
  expect([exit, stdout]).toEqual([1, expect.stringContaining('agent/acme-shop')]);
  expect(stdout).toContain('agent/initech');
  expect(stderr).toContain(id);
});

test('an agent without a dataset ends in 5, and the others are shown', async () => {
  const { exit, stdout, stderr } = await world.run('data', 'preview', 'agent/umbrella', 'agent/globex');
  expect([exit, stdout]).toEqual([5, expect.stringContaining('agent/globex')]);
  expect(stderr).toContain('agent/umbrella has no available dataset');
});

describe('data share', () => {
  test('changes each dataset, and ends in 5 for one that does not exist', async () => {
    const [id = ''] = await world.ids('agent/globex');
    const found = await world.json('data', 'share', id, someId, '--company');
    expect(found.datasets.map(({ changed }: { changed: boolean }) => changed)).toEqual([true, false]);
    expect([found.exit, found.codes]).toEqual([5, ['data-unavailable']]);
    expect(world.sandbox.world.datasets.get(id)?.accessLevel).toBe('Company');
    await world.run('data', 'share', id, '--private');
    expect(world.sandbox.world.datasets.get(id)?.accessLevel).toBe('Private');
  });

  test('an account without a company is told so', async () => {
    await world.close();
    world = await dataWorld({
      agents: [{ externalAgentId: 'a', name: 'A' }],
      users: [{ name: 'me', company: null }],
      keys: [{ name: 'k', key: 'svc_live_lonely_key_00000000', user: 'me' }],
      history: [{ agent: 'a', ago: '1d', owner: 'me' }],
    });
    world.workspace.env['ROSTER_API_KEY'] = 'svc_live_lonely_key_00000000';
    const [id = ''] = await world.ids('agent/a');
    const { exit, stderr } = await world.run('data', 'share', id, '--company');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('INVALID_ACCESS_POLICY')]);
  });
});

describe('data queries', () => {
  const save = (name: string) =>
    world.run(
      'data',
      'queries',
      'save',
      name,
      '--of',
      'agent/acme-shop',
      '--where',
      'price lt 500',
      '--sort',
      '-price',
    );

  test('are saved, listed, run and deleted by name', async () => {
    expect(await save('cheap')).toMatchObject({ exit: 0, stdout: 'Saved cheap.\n' });
    const { queries } = await world.json('data', 'queries');
    expect(queries[0]).toMatchObject({ name: 'cheap', query: "--where 'price lt 500' --sort -price" });
    const direct = await world.json(
      'data',
      'query',
      'agent/acme-shop',
      '--where',
      'price lt 500',
      '--sort',
      '-price',
    );
    const { datasets } = await world.json('data', 'queries', 'run', 'cheap');
    expect(datasets).toEqual(direct.datasets);
    expect((await world.run('data', 'queries', 'rm', 'cheap')).stdout).toContain('Nothing was deleted');
    expect((await world.json('data', 'queries')).queries).toHaveLength(1);
    expect(await world.run('data', 'queries', 'rm', 'cheap', '--yes')).toMatchObject({ exit: 0 });
    expect((await world.json('data', 'queries')).queries).toEqual([]);
  });

  test('a name that is taken is refused, and a wrong one is suggested', async () => {
    await save('cheap');
    expect(await save('cheap')).toMatchObject({ exit: 1, stderr: expect.stringContaining('already') });
    const { exit, stderr } = await world.run('data', 'queries', 'run', 'chep');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Did you mean "cheap"?')]);
  });

  test('of several datasets are refused', async () => {
    const { exit, stderr } = await world.run('data', 'queries', 'save', 'x', '--of', 'group/shops');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('stands for 3 datasets')]);
  });

  test('that roster does not understand are listed, and not run', async () => {
    const stored = [{ id: someId, name: 'odd', datasetId: someId, definition: { filters: 'price > 3' } }];
    const body = JSON.stringify({ success: true, data: stored });
    world.fail({ act: 'status', path: '*/saved-queries', status: 200, body });
    expect((await world.run('data', 'queries')).stdout).toContain('(not understood)');
    const { exit, stderr } = await world.run('data', 'queries', 'run', 'odd');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('does not understand')]);
  });
});

test('the lineage of a dataset leads from its agent to it, in each format', async () => {
  const [id = ''] = await world.ids('agent/globex');
  const { stdout } = await world.run('data', 'lineage', id);
  expect(stdout).toMatch(/^agent The globex → job .*\njob .* → dataset globex-.*\.json\n$/);
  for (const format of ['mermaid', 'dot', 'json'])
    expect(await world.run('data', 'lineage', id, '--format', format)).toMatchObject({ exit: 0 });
});
