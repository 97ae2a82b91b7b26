import { describe, expect, test } from 'vitest';
import {
  ACME,
  GLOBEX,
  GROUP,
  HIDDEN,
  HIDDEN_GROUP,
  PIPELINE,
  SEED,
  type Service,
  service,
  UNKNOWN,
} from './service.js';

const CRON = {
  targetId: ACME,
  scheduleType: 'Cron',
  cronExpression: '0 30 2 * * *',
  startTime: '2026-12-01T00:00:00',
  timeZoneId: 'Europe/Berlin',
};
const BASIC = {
  targetType: 'Group',
  targetId: GROUP,
  scheduleType: 'Basic',
  intervalValue: 6,
  intervalUnit: 'Hours',
  startTime: '2026-10-01T06:00',
};
const ONCE = {
  targetType: 'Pipeline',
  targetId: PIPELINE,
  scheduleType: 'Once',
  startTime: '2026-12-24T08:00:00',
};

async function withThree(): Promise<Service & { ids: string[] }> {
  const running = await service();
  const ids: string[] = [];
  for (const body of [CRON, { ...BASIC, isEnabled: false }, ONCE]) {
    ids.push((await running.call('POST', '/api/schedules', body)).body.data.id);
  }
  return { ...running, ids };
}

describe('create', () => {
  test('schedules: a create returns the whole schedule', async () => {
    const { call } = await service();
    const reply = await call('POST', '/api/schedules', { ...CRON, inputParameters: '{"q":"x"}' });
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({
      id: expect.any(String),
      targetType: 'Agent',
      targetId: ACME,
      scheduleType: 'Cron',
      intervalValue: null,
      intervalUnit: null,
      cronExpression: '0 30 2 * * *',
      startTime: '2026-12-01T00:00:00',
      timeZoneId: 'Europe/Berlin',
      inputParameters: '{"q":"x"}',
      isEnabled: true,
      status: 'Waiting',
      description: expect.any(String),
      nextRunTime: '2026-12-01T01:30:00.000Z',
      lastRunTime: null,
      lastJobStatusName: null,
      lastJobId: null,
      errorMessage: null,
    });
  });

  test.each([
    ['a Basic schedule that started in the past', BASIC, '2026-11-01T18:00:00.000Z'],
    [
      'a Basic schedule that starts in the future',
      { ...BASIC, startTime: '2027-01-01T00:00:00' },
      '2027-01-01T00:00:00.000Z',
    ],
    ['a Once schedule', ONCE, '2026-12-24T08:00:00.000Z'],
    [
      'a Once schedule in a time zone',
      { ...ONCE, timeZoneId: 'America/New_York' },
      '2026-12-24T13:00:00.000Z',
    ],
    ['a Once schedule in the past', { ...ONCE, startTime: '2020-01-01T00:00:00' }, null],
    ['a disabled schedule', { ...ONCE, isEnabled: false }, null],
    [
      'a cron that fires at its start',
      { ...CRON, startTime: '2026-12-01T02:30:00' },
      '2026-12-01T01:30:00.000Z',
    ],
    [
      'a cron for the last weekday of a month',
      { ...CRON, cronExpression: '0 30 2 LW * *', startTime: '2027-02-01T00:00:00' },
      '2027-02-26T01:30:00.000Z',
    ],
    ['a cron of a calendar that it does not have', { ...CRON, cronExpression: '0 30 2 5C * *' }, null],
  ])('schedules: nextRunTime is right for %s', async (_name, body, next) => {
    const { call } = await service();
    expect((await call('POST', '/api/schedules', body)).body.data.nextRunTime).toBe(next);
  });

  test.each<[string, object]>([
    ['no targetId', { targetId: undefined }],
    ['an externalAgentId as target', { targetId: 'acme' }],
    ['an unknown target', { targetId: UNKNOWN }],
    ['an unassigned target', { targetId: HIDDEN }],
    ['a target of another type', { targetType: 'Group' }],
    ['a hidden group', { targetType: 'Group', targetId: HIDDEN_GROUP }],
    ['an unknown targetType', { targetType: 'Job' }],
    ['no scheduleType', { scheduleType: undefined }],
    ['an unknown scheduleType', { scheduleType: 'cron' }],
    ['no cronExpression', { cronExpression: undefined }],
    ['five cron fields', { cronExpression: '30 2 * * *' }],
    ['seven cron fields', { cronExpression: '0 30 2 * * * 2027' }],
    ['a cron macro', { cronExpression: '@daily' }],
    ['a cron value out of range', { cronExpression: '0 61 2 * * *' }],
    ['a cron that never fires', { cronExpression: '0 0 0 30 2 *' }],
    ['a hashed cron field', { cronExpression: '0 H 2 * * *' }],
    ['no startTime', { startTime: undefined }],
    ['a startTime with Z', { startTime: '2026-12-01T00:00:00Z' }],
    ['a startTime with an offset', { startTime: '2026-12-01T00:00:00+01:00' }],
    ['a date as startTime', { startTime: '2026-12-01' }],
    ['a startTime that is not a date', { startTime: '2026-02-30T00:00:00' }],
    ['an unknown zone', { timeZoneId: 'Europe/Atlantis' }],
    ['an offset as zone', { timeZoneId: '+01:00' }],
    ['nested inputs', { inputParameters: { q: 'x' } }],
    ['inputs that are not a JSON object', { inputParameters: '[]' }],
    ['isEnabled as text', { isEnabled: 'true' }],
    ['an interval of 0', { ...BASIC, intervalValue: 0 }],
    ['an interval of 1.5', { ...BASIC, intervalValue: 1.5 }],
    ['an interval as text', { ...BASIC, intervalValue: '6' }],
    ['an interval without unit', { ...BASIC, intervalUnit: undefined }],
    ['an unknown unit', { ...BASIC, intervalUnit: 'Months' }],
  ])('schedules: %s returns 400, on create, preview and PUT', async (_name, change) => {
    const { call } = await service();
    const body = { ...CRON, ...change };
    const { id } = (await call('POST', '/api/schedules', CRON)).body.data;
    for (const [method, path] of [
      ['POST', '/api/schedules'],
      ['POST', '/api/schedules/preview'],
      ['PUT', `/api/schedules/${id}`],
    ] as const) {
      const reply = await call(method, path, body);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({ success: false, message: expect.any(String) });
    }
    expect((await call('GET', '/api/schedules')).body.data).toHaveLength(1);
  });
});

describe('one schedule', () => {
  test('schedules: PUT replaces a schedule, and omitted fields get their defaults', async () => {
    const { call } = await service();
    const body = { ...CRON, isEnabled: false, inputParameters: '{"q":"x"}' };
    const { id } = (await call('POST', '/api/schedules', body)).body.data;
    const { targetId, scheduleType, startTime, cronExpression } = CRON;
    const bare = { targetId, scheduleType, startTime, cronExpression };
    const { data } = (await call('PUT', `/api/schedules/${id}`, bare)).body;
    expect(data).toMatchObject({
      id,
      isEnabled: true,
      status: 'Waiting',
      timeZoneId: 'UTC',
      inputParameters: '{}',
    });
    const basic = (await call('PUT', `/api/schedules/${id}`, BASIC)).body.data;
    expect(basic).toMatchObject({
      targetType: 'Group',
      cronExpression: null,
      startTime: '2026-10-01T06:00:00',
    });
  });

  test('schedules: a schedule can be paused, resumed and deleted', async () => {
    const { call, ids } = await withThree();
    const path = `/api/schedules/${ids[0]}`;
    const paused = await call('POST', `${path}/enabled`, { isEnabled: false });
    expect(paused.body.data).toMatchObject({ isEnabled: false, status: 'Disabled', nextRunTime: null });
    const resumed = await call('POST', `${path}/enabled`, { isEnabled: true });
    expect(resumed.body.data).toMatchObject({ isEnabled: true, status: 'Waiting' });
    expect((await call('POST', `${path}/enabled`, {})).status).toBe(400);
    expect((await call('DELETE', path)).status).toBe(200);
    for (const [method, to] of [
      ['DELETE', path],
      ['PUT', path],
      ['POST', `${path}/enabled`],
      ['POST', `${path}/run`],
    ] as const) {
      expect((await call(method, to, CRON)).status).toBe(404);
    }
  });

  test.each([
    [0, 'agentJobId'],
    [1, 'groupRunId'],
    [2, 'pipelineRunId'],
  ])('schedules: a run-now of schedule %i returns %s and keeps the timetable', async (index, field) => {
    const { call, ids } = await withThree();
    const before = (await call('GET', '/api/schedules')).body.data[index];
    const reply = await call('POST', `/api/schedules/${ids[index]}/run`, { inputParameters: '{}' });
    expect(reply.body.data).toEqual({ [field]: expect.any(String) });
    const after = (await call('GET', '/api/schedules')).body.data[index];
    expect(after).toMatchObject({ nextRunTime: before.nextRunTime, lastJobId: reply.body.data[field] });
  });
});

describe('lists', () => {
  test.each([
    ['', [0, 1, 2]],
    [`?agentId=${ACME}`, [0]],
    [`?agentId=${GLOBEX}`, []],
    [`?groupId=${GROUP.toUpperCase()}`, [1]],
    [`?pipelineId=${PIPELINE}`, [2]],
    [`?groupId=${PIPELINE}`, []],
  ])('schedules: GET /api/schedules%s returns the matching schedules', async (query, expected) => {
    const { call, ids } = await withThree();
    const { data } = (await call('GET', `/api/schedules${query}`)).body;
    expect(data.map((one: { id: string }) => one.id)).toEqual(expected.map((index) => ids[index]));
  });

  test.each([
    ['', [0, 1, 2], 3],
    ['?q=ACM', [0], 1],
    ['?status=Disabled', [1], 1],
    ['?status=Disabled,Waiting', [0, 1, 2], 3],
    ['?status=Running', [], 0],
    ['?page=2&pageSize=2', [2], 3],
    ['?page=9', [], 3],
    ['?page=0&pageSize=0', [0], 3],
  ])(
    'schedules: GET /api/schedules/page%s returns the matching page and the totals',
    async (query, expected, total) => {
      const { call, ids } = await withThree();
      const { data } = (await call('GET', `/api/schedules/page${query}`)).body;
      expect(data.items.map((one: { id: string }) => one.id)).toEqual(expected.map((index) => ids[index]));
      const { items: _items, ...totals } = data;
      expect(totals).toEqual({
        total,
        totalSchedules: 3,
        enabledCount: 2,
        waitingCount: 2,
        runningCount: 0,
        nextRunTime: '2026-12-01T01:30:00.000Z',
      });
    },
  );

  test('schedules: a page has 25 items by default and 100 at most', async () => {
    const one = { targetId: ACME, scheduleType: 'Once' as const, startTime: '2026-12-24T08:00:00' };
    const { call } = await service({ seed: { ...SEED, schedules: Array.from({ length: 120 }, () => one) } });
    const size = async (query: string) =>
      (await call('GET', `/api/schedules/page${query}`)).body.data.items.length;
    expect(await size('')).toBe(25);
    expect(await size('?pageSize=1000')).toBe(100);
    expect((await call('GET', '/api/schedules')).body.data).toHaveLength(120);
  });

  test('schedules: nextRunTime follows a record that a test changes directly', async () => {
    const { call, world, ids } = await withThree();
    const record = world.schedules.get(ids[0] ?? '');
    if (record) record.cronExpression = '0 0 4 * * *';
    expect((await call('GET', '/api/schedules')).body.data[0].nextRunTime).toBe('2026-12-01T03:00:00.000Z');
  });

  test('schedules: upcoming runs are in range, ascending, and filtered by agent', async () => {
    const { call, ids } = await withThree();
    const { data } = (await call('GET', '/api/schedules/upcoming')).body;
    expect(data[0]).toMatchObject({ scheduleId: ids[0], runTime: '2026-12-01T01:30:00.000Z' });
    expect(data.at(-1).runTime <= '2026-12-13T12:00:00.000Z').toBe(true);
    const from = '/api/schedules/upcoming?from=2026-12-24T00:00:00Z';
    const day = (await call('GET', `${from}&to=2026-12-25T00:00:00Z`)).body.data;
    expect(day.map((run: { scheduleId: string }) => run.scheduleId)).toEqual([ids[0], ids[2]]);
    const agent = (await call('GET', `${from}&to=2026-12-25T00:00:00Z&agentId=${ACME}`)).body.data;
    expect(agent).toHaveLength(1);
    expect((await call('GET', `${from}&to=2027-04-24T00:00:00Z`)).status).toBe(400);
    expect((await call('GET', `${from}&to=2026-01-01T00:00:00Z`)).status).toBe(400);
    expect((await call('GET', '/api/schedules/upcoming?from=soon')).status).toBe(400);
  });
});

test('schedules: bulk calls count the affected and the skipped schedules', async () => {
  const { call, ids } = await withThree();
  const some = [ids[0], ids[1], UNKNOWN, 17];
  const paused = await call('POST', '/api/schedules/bulk/enabled', { ids: some, isEnabled: false });
  expect(paused.body.data).toEqual({ affected: 2, skipped: 2 });
  const page = (await call('GET', '/api/schedules/page')).body.data;
  expect(page).toMatchObject({ enabledCount: 1, waitingCount: 1 });
  const deleted = await call('POST', '/api/schedules/bulk/delete', { ids: some });
  expect(deleted.body.data).toEqual({ affected: 2, skipped: 2 });
  expect((await call('GET', '/api/schedules')).body.data).toHaveLength(1);
  expect((await call('POST', '/api/schedules/bulk/delete', { ids: 'all' })).status).toBe(400);
  expect((await call('POST', '/api/schedules/bulk/enabled', { ids: [] })).status).toBe(400);
});

test('schedules: a preview lists run times and stores nothing', async () => {
  const { call, world } = await service();
  const { data } = (await call('POST', '/api/schedules/preview', CRON)).body;
  expect(data).toHaveLength(10);
  expect(data.slice(0, 2)).toEqual(['2026-12-01T01:30:00.000Z', '2026-12-02T01:30:00.000Z']);
  expect((await call('POST', '/api/schedules/preview', ONCE)).body.data).toEqual([
    '2026-12-24T08:00:00.000Z',
  ]);
  expect(world.schedules.size).toBe(0);
});
