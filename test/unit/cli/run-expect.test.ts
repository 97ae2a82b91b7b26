import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { CheckedDataset } from '../../../src/model/data.js';
import type { Fault } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { agentsWith, PROJECT, type RunWorld, runWorld } from '../../support/runs.js';
import { readXml } from '../../support/xml.js';

/** `roster run` and `roster wait` compare what they followed with `expect` (contract §20). */

let world: RunWorld;
afterEach(() => world.close());

type Outcomes = Parameters<typeof agentsWith>[0];

const rows = (records: number, ...fields: string[]) => [{ seconds: 8, records, fields }];
const good: Outcomes = {
  'acme-shop': rows(5, 'sku', 'price'),
  globex: rows(5, 'sku', 'price'),
  initech: rows(5, 'sku', 'price'),
};

/** The project of the other tests of `run`, whose group `shops` expects something. */
async function expecting(
  expected: string,
  outcomes: Outcomes = {},
  { ofSchedule = '', unpaid = false } = {},
) {
  const { agents = [] } = agentsWith({ ...good, ...outcomes });
  world = await runWorld({ agents: agents.map((each) => ({ ...each, unpaid })) });
  const text = PROJECT.replace('initech] }\n  spare', `initech], expect: ${expected} }\n  spare`).replace(
    'group: { target: group/shops,',
    `group: { target: group/shops, ${ofSchedule}`,
  );
  expect(text).toContain(expected);
  world.workspace.write('roster.yaml', text);
  world.sandbox.requests.length = 0;
}

async function json(line: string) {
  const ran = await world.json(line);
  const { datasets = [] } = jsonOf<{ datasets?: CheckedDataset[] }>(ran);
  const said = datasets.flatMap(({ agent, expectations }) =>
    expectations.map(({ property, verdict }) => `${verdict} ${property} of ${agent}`),
  );
  return { ...ran, said };
}

test('run lists expectations that it does not judge in one line, with the command that does', async () => {
  await expecting(
    '{ records: { min: 1, drop: 40% }, columns: [sku], empty: { sku: 0% }, rows: { "price lt 0": 0 } }',
  );
  const { stdout } = await world.run('run group/shops');
  const [, ids = ''] =
    /^Not judged by this command: records\.drop, empty and rows\. To judge them, run: roster data check (\S+)$/m.exec(
      stdout,
    ) ?? [];
  const checked = await world.json(`data check ${ids}`);
  expect(jsonOf<{ datasets: CheckedDataset[] }>(checked).datasets).toMatchObject([
    { agent: 'agent/acme-shop', address: 'group/shops', startedBy: 'hand' },
    { agent: 'agent/globex' },
    { agent: 'agent/initech' },
  ]);
  await world.close();
  await expecting('{ records: { min: 1 } }');
  expect((await world.run('run group/shops')).stdout).not.toContain('Not judged');
});

describe('run judges what it followed', () => {
  test.each<[string, string, Outcomes, number, string[]]>([
    ['all is as expected', '{ records: { min: 5 }, finish: 1 hour, columns: [sku] }', {}, 0, []],
    [
      'too few records',
      '{ records: { min: 5 } }',
      { globex: rows(4, 'sku') },
      5,
      ['unmet records.min of agent/globex'],
    ],
    [
      'a run that took too long',
      '{ finish: 1 minute }',
      { globex: [{ seconds: 90, records: 5 }] },
      5,
      ['unmet finish of agent/globex'],
    ],
    [
      'a column that is gone',
      '{ columns: [sku, price] }',
      { initech: rows(5, 'sku') },
      5,
      ['unmet columns of agent/initech'],
    ],
    [
      'what differs for one agent',
      '{ records: { min: 5 }, members: { globex: { records: { min: 1 } } } }',
      { globex: rows(4, 'sku') },
      0,
      [],
    ],
    [
      'a warning',
      '{ records: { min: 5 }, level: warning }',
      { globex: rows(4, 'sku') },
      0,
      ['unmet records.min of agent/globex'],
    ],
  ])('%s', async (_, expected, outcomes, exit, notMet) => {
    await expecting(expected, outcomes);
    const ran = await json('run group/shops');
    expect({ exit: ran.exit, notMet: ran.said.filter((each) => !each.startsWith('met ')) }).toEqual({
      exit,
      notMet,
    });
    expect(ran.codes).toEqual(notMet.map(() => 'unmet-expectation'));
  });

  test('in one list of datasets, and one query for each dataset whose columns matter', async () => {
    const paths = () => world.sandbox.requests.filter(({ path }) => /export|data-explorer/.test(path));
    await expecting('{ records: { min: 5 }, finish: 1 hour }');
    expect((await json('run group/shops')).said).toHaveLength(6);
    expect(paths()).toEqual([]);
    await world.close();
    await expecting('{ columns: [sku], empty: { sku: 0% }, rows: { "price lt 0": 0 } }');
    expect((await json('run group/shops')).said).toEqual([
      'met columns of agent/acme-shop',
      'met columns of agent/globex',
      'met columns of agent/initech',
    ]);
    const kinds = paths().map(({ path }) => (path.includes('/query') ? 'query' : 'list'));
    expect(kinds).toEqual(['list', 'query', 'query', 'query']);
  });

  test('what a schedule expects is merged over what its target does', async () => {
    await expecting(
      '{ records: { min: 5 }, columns: [sku] }',
      {},
      { ofSchedule: 'expect: { records: { min: 6 } },' },
    );
    const ran = await json('run schedule/group');
    expect(ran.exit).toBe(5);
    expect(ran.said.slice(0, 2)).toEqual([
      'unmet records.min of agent/acme-shop',
      'met columns of agent/acme-shop',
    ]);
    expect((await json('run group/shops')).exit).toBe(0);
  });

  test('a run that failed is not judged, and one that an agent has by itself is not either', async () => {
    await expecting('{ records: { min: 6 } }', { globex: [{ result: 'fail', seconds: 8 }] });
    const ran = await json('run group/shops');
    expect(ran.said).toEqual(['unmet records.min of agent/acme-shop', 'unmet records.min of agent/initech']);
    expect(ran.codes).toEqual(['run-failed', 'unmet-expectation', 'unmet-expectation']);
    expect((await json('run agent/acme-shop')).said).toEqual([]);
  });

  test('a run that goes on too long is unmet, and ends as one that goes on', async () => {
    await expecting('{ finish: 1 minute, records: { min: 1 } }', { globex: [{ seconds: 9_000 }] });
    const ran = await json('run group/shops --for 5m');
    expect(ran.exit).toBe(6);
    expect(ran.said).toContain('unmet finish of agent/globex');
    expect(ran.said).not.toContain('unmet records.min of agent/globex');
  });

  test.each([
    ['5m', true],
    ['30s', false],
  ])('runs that all go on after %s are unmet: %s', async (time, isLate) => {
    const endless = [{ seconds: 9_000 }];
    await expecting('{ finish: 1 minute }', { 'acme-shop': endless, globex: endless, initech: endless });
    const agents = isLate ? ['acme-shop', 'globex', 'initech'] : [];
    const said = agents.map((each) => `unmet finish of agent/${each}`);
    expect(await json(`run group/shops --for ${time}`)).toMatchObject({ exit: 6, said });
  });

  const refused = { act: 'status', status: 403, body: '{}' } as const;
  const list = { ...refused, method: 'GET', path: '/api/scraper-agents/cached-exports' };
  const query = { ...refused, method: 'POST', path: '/api/data-explorer/*/query', nth: 1 };

  test.each<[string, string[], Fault, number]>([
    ['the list of datasets', ['run group/shops', 'wait group/shops'], list, 3],
    ['one dataset', ['run group/shops'], query, 1],
  ])('%s that the service refuses is unknown, and never met', async (_, lines, fault, unknown) => {
    await expecting('{ records: { min: 5 }, columns: [sku] }');
    world.sandbox.faults.faults = [fault];
    for (const line of lines) {
      const ran = await json(line);
      expect(ran.exit).toBe(3);
      expect(ran.said.filter((each) => each.startsWith('unknown columns'))).toHaveLength(unknown);
      expect(ran.said.filter((each) => each.startsWith('met records.min'))).toHaveLength(3);
      expect(ran.codes.filter((each) => each === 'unknown-expectation')).toHaveLength(unknown);
    }
  });

  test('data that cannot be read is unknown, which is a warning', async () => {
    await expecting('{ columns: [sku] }', {}, { unpaid: true });
    const ran = await json('run group/shops');
    expect({ exit: ran.exit, codes: [...new Set(ran.codes)] }).toEqual({
      exit: 0,
      codes: ['unknown-expectation'],
    });
  });

  test('with --detach, nothing is judged', async () => {
    await expecting('{ records: { min: 6 } }');
    expect(await json('run group/shops --detach')).toMatchObject({ exit: 0, said: [] });
  });
});

test('wait judges the runs of an address, and the group run of an id', async () => {
  await expecting('{ records: { min: 6 } }');
  const [started] = (await json('run group/shops --detach')).runs;
  const byAddress = await json('wait group/shops');
  expect(byAddress).toMatchObject({ exit: 5 });
  expect(byAddress.said).toHaveLength(3);
  expect((await json(`wait ${started?.id}`)).said).toEqual(byAddress.said);
});

test('the text names what was expected, what came and the command that shows it, and JUnit has a case for each', async () => {
  await expecting('{ records: { min: 5 }, columns: [sku, price] }', { globex: rows(4, 'sku') });
  const ran = await world.run('run group/shops --write junit=run.xml');
  expect(ran.stdout).toContain('Run complete: 3 succeeded, but 2 expectations are not met.');
  const text = ran.stderr.replace(/\s+/g, ' ');
  expect(text).toContain('agent/globex of group/shops: expected at least 5 records, got 4: 1 too few');
  expect(text).toMatch(/`roster runs show [0-9a-f-]+` shows it/);
  expect(text).toContain('agent/globex of group/shops: expected the columns sku, price: price missing');
  expect(text).toMatch(/`roster data preview [0-9a-f-]+` shows it/);
  const xml = readFileSync(join(world.workspace.root, 'run.xml'), 'utf8');
  readXml(xml);
  expect(xml.match(/<failure /g)).toHaveLength(2);
});
