import { describe, expect, test } from 'vitest';
import { INTERFACE_OPERATIONS, type InterfaceOperation } from '../support/interface-operations.js';
import { AGENTS, GROUPS, PIPELINES, type Running, running, SCHEDULES } from './running.js';
import { ACME, type Body, UNKNOWN } from './service.js';

/** Rules of interface.md that hold for all operations, or for all lists. */

/** The path with an id that nothing has. */
const pathOf = ({ path }: InterfaceOperation) => path.replace(/\{\w+\}/g, UNKNOWN);
const call = (on: Running, operation: InterfaceOperation, headers: Record<string, string>) =>
  on.call(operation.method, pathOf(operation), operation.method === 'GET' ? undefined : {}, headers);

/** Without an id. */
const PLAIN_READS = INTERFACE_OPERATIONS.filter(
  ({ method, path }) => method === 'GET' && !path.includes('{'),
);

const history = [
  { agent: 'acme', ago: '2d' },
  { agent: 'globex', ago: '1d', outcome: { result: 'fail' } },
  { group: 'Shops', ago: '3h' },
  { pipeline: 'Nightly', ago: '2h' },
] as const;
const schedules = [
  {
    id: 's',
    targetId: 'acme',
    scheduleType: 'Cron',
    cronExpression: '0 0 6 * * *',
    startTime: '2026-11-01T00:00:00',
  },
] as const;
const played = () =>
  running({}, { seed: { history: [...history, { schedule: 's', ago: '1h' }], schedules: [...schedules] } });

describe('§5 Authentication', () => {
  test('§5.11: each of the 74 operations answers 401 without a key', async () => {
    const on = await running();
    for (const operation of INTERFACE_OPERATIONS)
      expect([operation.client, (await call(on, operation, {})).status]).toEqual([operation.client, 401]);
  });

  test('§5.2: each operation takes the key in both headers', async () => {
    for (const operation of INTERFACE_OPERATIONS) {
      const on = await running();
      const statuses = [];
      const headers = [{ 'X-Api-Key': on.apiKey }, { Authorization: `Bearer ${on.apiKey}` }];
      for (const each of headers) statuses.push((await call(on, operation, each)).status);
      // Creating a key revokes the one that was used.
      const isRevoking = operation.client === 'keys.createKey';
      expect([operation.client, statuses.includes(401)]).toEqual([operation.client, isRevoking]);
    }
  });

  test('§5.9 and §5.10: a key with another scope gets 403, except for schedules and keys', async () => {
    const key = 'svc_live_other_scope';
    const on = await running(
      {},
      { seed: { scopes: ['agents.run', 'other'], keys: [{ name: 'x', key, scopes: ['other'] }] } },
    );
    const allowed: string[] = [];
    for (const operation of INTERFACE_OPERATIONS.filter(({ client }) => client !== 'keys.createKey')) {
      if ((await call(on, operation, { 'X-Api-Key': key })).status !== 403) allowed.push(operation.area);
    }
    expect([...new Set(allowed)]).toEqual(['Schedules', 'API keys']);
    expect(allowed).toHaveLength(11 + 2);
  });
});

describe('§1 Conventions', () => {
  test('§1.3: each list and count answers with an envelope of success and data', async () => {
    const on = await played();
    for (const { path, client } of PLAIN_READS) {
      const { status, body } = await on.call('GET', path, undefined, { 'X-Api-Key': on.apiKey });
      expect([client, status, body.success]).toEqual([client, 200, true]);
      expect([client, body.data]).not.toEqual([client, undefined]);
    }
  });

  test('§1.6: each timestamp is in UTC with Z, and only the startTime of a schedule is not', async () => {
    const on = await played();
    const found: [name: string, value: string][] = [];
    for (const { path } of PLAIN_READS) timesIn(await on.data('GET', path), '', found);
    expect(found.length).toBeGreaterThan(20);
    const local = found.filter(([, value]) => !value.endsWith('Z')).map(([name]) => name);
    expect(new Set(local)).toEqual(new Set(['startTime']));
  });

  test.each(INTERFACE_OPERATIONS.filter(({ path }) => path.includes('{')))(
    '§1.10: $client of what does not exist is not found',
    async (operation) => {
      const on = await running();
      const bodies: Readonly<Record<string, object>> = {
        'groups.replaceMembers': { agentIds: [ACME] },
        'pipelines.replaceSteps': { agentIds: [ACME] },
        'datasets.changeAccess': { accessLevel: 'Private' },
        'schedules.enableSchedule': { isEnabled: true },
        'schedules.replaceSchedule': { ...schedules[0], targetId: ACME },
      };
      const body = operation.method === 'GET' ? undefined : (bodies[operation.client] ?? {});
      expect((await on.refusal(operation.method, pathOf(operation), body))[0]).toBe(404);
    },
  );
});

function timesIn(value: Body, name: string, found: [string, string][]): void {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)) found.push([name, value]);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) timesIn(each, Array.isArray(value) ? name : key, found);
}

describe('§8 Limits', () => {
  const many = () =>
    running(
      {},
      {
        seed: {
          history: Array.from({ length: 110 }, (_, index) => [
            { agent: 'acme', ago: `${index + 5}m` },
            { group: 'Small', ago: `${index + 5}m` },
            { pipeline: 'Small', ago: `${index + 5}m` },
          ]).flat(),
          groups: [{ name: 'Small', members: ['globex'] }],
          pipelines: [{ name: 'Small', steps: ['initech'] }],
          schedules: Array.from({ length: 110 }, () => ({ ...schedules[0], id: undefined as never })),
        },
      },
    );

  test('§8: each list has pages of 25 by default and of 100 at most', async () => {
    const on = await many();
    const lists = [
      `${AGENTS}/jobs`,
      `${AGENTS}/runs`,
      `${AGENTS}/${ACME}/jobs`,
      `${AGENTS}/${ACME}/runs`,
      `${AGENTS}/cached-exports`,
      `${GROUPS}/runs`,
      `${PIPELINES}/runs`,
      `${SCHEDULES}/page`,
    ];
    for (const list of lists) {
      const size = async (query: string) => (await on.data('GET', `${list}${query}`)).items.length;
      expect([list, await size(''), await size('?pageSize=100'), await size('?pageSize=999')]).toEqual([
        list,
        25,
        100,
        100,
      ]);
    }
  });

  test('§1.7 and §1.8: the pages of each list are the whole list, newest first, without gaps', async () => {
    const on = await many();
    for (const list of [`${AGENTS}/jobs`, `${AGENTS}/runs`]) {
      const items: Body[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Body = await on.data(
          'GET',
          `${list}?pageSize=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      const ids = items.map((item) => item.agentRunHistoryId ?? item.agentJobHistoryId);
      expect(new Set(ids).size).toBe(330);
    }
    for (const [list, name] of [
      [`${GROUPS}/runs`, 'groupRunId'],
      [`${PIPELINES}/runs`, 'pipelineRunId'],
    ] as const) {
      const pages = await Promise.all(
        [1, 2].map((page) => on.data('GET', `${list}?pageSize=100&page=${page}`)),
      );
      const items = pages.flatMap((page: Body) => page.items);
      expect(new Set(items.map((item: Body) => item[name])).size).toBe(110);
      expect(pages[0].total).toBe(110);
      const started = items.map((item: Body) => item.startedAt);
      expect(started).toEqual(started.toSorted().reverse());
    }
  });

  test('§8: status reads are not limited', async () => {
    const on = await running();
    const id = await on.start();
    for (let read = 0; read < 200; read += 1) expect((await on.job(id)).status).toBe(1);
  });
});
