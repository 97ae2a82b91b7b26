import { describe, expect, test } from 'vitest';
import { isGuid } from '../../src/sandbox/world.js';
import { INTERFACE_OPERATIONS } from '../support/interface-operations.js';
import { AGENTS, EXPLORER, GROUPS, PIPELINES, running, SCHEDULES } from './running.js';
import { ACME, type Body, GLOBEX, GROUP, NOW, PIPELINE } from './service.js';

/** Rules of interface.md that the tests of one area do not hold. */

const UPCOMING = `${SCHEDULES}/upcoming`;
const MINUTES = { targetId: ACME, scheduleType: 'Basic', intervalValue: 1, intervalUnit: 'Minutes' } as const;
const START = '2026-11-01T00:00:00';
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
/** Of the jobs or runs of a list. */
const agentsOf = (list: Body) => list.items.map(({ agentName }: Body) => agentName);

describe('§1 Conventions', () => {
  test('§1.3: each action answers with a message', async () => {
    const on = await running({}, { seed: { history: [{ agent: 'acme', ago: '1h' }] } });
    const { items } = await on.data('GET', `${AGENTS}/cached-exports`);
    const access = `${EXPLORER}/datasets/${items[0].id}/access`;
    const { id } = await on.data('POST', SCHEDULES, { ...MINUTES, startTime: START });
    const actions: [method: string, path: string, body?: object][] = [
      ['POST', `${AGENTS}/acme/start-job`],
      ['POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{}' }],
      ['POST', `${PIPELINES}/${PIPELINE}/run`],
      ['PUT', access, { accessLevel: 'Company' }],
      ['POST', `${SCHEDULES}/${id}/enabled`, { isEnabled: false }],
      ['DELETE', `${SCHEDULES}/${id}`],
      ['DELETE', `${GROUPS}/${GROUP}`],
    ];
    for (const [method, path, body] of actions)
      expect([path, (await on.call(method, path, body)).body]).toMatchObject([
        path,
        { success: true, message: expect.stringMatching(/\w/) },
      ]);
  });

  test('§1.4: identifiers are GUIDs, jobRunId is an integer and sessionId a text', async () => {
    const on = await running();
    const started = await on.data('POST', `${AGENTS}/acme/start-job`);
    expect(Number.isInteger(started.jobRunId)).toBe(true);
    expect(started.sessionId).toEqual(expect.any(String));
    on.seconds(10);
    const [run] = await on.runs(started.agentJobHistoryId);
    const { groupRunId } = await on.data('POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{}' });
    const { pipelineRunId } = await on.data('POST', `${PIPELINES}/${PIPELINE}/run`);
    const { datasetId } = await on.data('GET', `${AGENTS}/jobs/${started.agentJobHistoryId}/dataset`);
    const ids = [started.agentId, started.agentJobHistoryId, run.agentRunHistoryId, groupRunId];
    expect([...ids, pipelineRunId, datasetId].map(isGuid)).toEqual([true, true, true, true, true, true]);
  });
});

describe('§2 Resources and their fields', () => {
  test('§2 Run: endTime and runTimeSeconds are null while it runs, and set when it has ended', async () => {
    const on = await running();
    const id = await on.start();
    const [first] = await on.runs(id);
    expect(first).toMatchObject({ isRunning: true, isTerminal: false, endTime: null, runTimeSeconds: null });
    on.seconds(10);
    const [last] = await on.runs(id);
    expect(last).toMatchObject({
      isRunning: false,
      isTerminal: true,
      endTime: ago(-1 / 6),
      runTimeSeconds: 10,
    });
  });

  test.each([
    ['group', `${GROUPS}/${GROUP}`, 'Succeeded'],
    ['pipeline', `${PIPELINES}/${PIPELINE}`, 'Completed'],
  ])('§2: activeRunCount, lastRunStatus and lastRunAt of a %s follow its runs', async (_kind, path, last) => {
    const on = await running();
    const now = () => on.data('GET', path);
    expect(await now()).toMatchObject({ activeRunCount: 0, lastRunStatus: null, lastRunAt: null });
    await on.data('POST', `${path}/run`, { inputParameters: '{}' });
    on.seconds(5);
    expect(await now()).toMatchObject({ lastRunStatus: 'Running', lastRunAt: NOW.toISOString() });
    expect((await now()).activeRunCount).toBeGreaterThan(0);
    on.seconds(60);
    expect(await now()).toMatchObject({
      activeRunCount: 0,
      lastRunStatus: last,
      lastRunAt: NOW.toISOString(),
    });
  });

  // In Berlin, 02:30 comes twice on 2026-10-25; at Lord Howe, 01:45 on 2026-04-05, half an hour apart.
  test.each([
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00.000Z'],
  ])(
    '§2: a startTime that the clock shows twice in %s is the first, whatever the date is',
    async (zone, startTime, first) => {
      const once = { ...MINUTES, scheduleType: 'Once', startTime, timeZoneId: zone };
      const every = { ...MINUTES, intervalValue: 7, startTime, timeZoneId: zone };
      const [before, after] = [-1, 1].map((by) => new Date(Date.parse(first) + by));
      for (const now of [new Date('2025-12-24T00:00:00Z'), new Date('2026-02-10T00:00:00Z'), before]) {
        const on = await running({}, { clock: () => now ?? NOW });
        expect(await on.data('POST', `${SCHEDULES}/preview`, once)).toEqual([first]);
        expect((await on.data('POST', `${SCHEDULES}/preview`, every))[0]).toBe(first);
      }
      for (const now of [after, new Date('2026-12-24T00:00:00Z'), new Date('2027-06-24T00:00:00Z')]) {
        const on = await running({}, { clock: () => now ?? NOW });
        expect((await on.data('POST', SCHEDULES, once)).nextRunTime).toBeNull();
        const [next] = await on.data('POST', `${SCHEDULES}/preview`, every);
        expect((Date.parse(next) - Date.parse(first)) % (7 * 60_000)).toBe(0);
      }
    },
  );
});

describe('§4 Endpoints', () => {
  const history = [
    { agent: 'acme', ago: '30m' },
    { agent: 'globex', ago: '20m' },
    { agent: 'acme', ago: '10m' },
  ];

  test('§4 Runs: search, from and to of the list of all agents, and the list of one agent', async () => {
    const on = await running({}, { seed: { history } });
    const listed = async (path: string) => agentsOf(await on.data('GET', `${AGENTS}/${path}`));
    expect(await listed('runs')).toEqual(['Acme', 'Globex', 'Acme']);
    expect(await listed('runs?search=GLOB')).toEqual(['Globex']);
    expect(await listed(`runs?from=${ago(25)}`)).toEqual(['Acme', 'Globex']);
    expect(await listed(`runs?to=${ago(15)}`)).toEqual(['Globex', 'Acme']);
    expect(await listed(`runs?from=${ago(25)}&to=${ago(15)}`)).toEqual(['Globex']);
    expect(await listed(`${GLOBEX}/runs`)).toEqual(['Globex']);
  });

  test('§4 Jobs: those of one agent are listed by its GUID, newest first', async () => {
    const on = await running({}, { seed: { history } });
    const { items } = await on.data('GET', `${AGENTS}/${ACME}/jobs`);
    expect(agentsOf({ items })).toEqual(['Acme', 'Acme']);
    const [newest] = (await on.data('GET', `${AGENTS}/jobs`)).items;
    expect(items[0].agentJobHistoryId).toBe(newest.agentJobHistoryId);
    expect((await on.refusal('GET', `${AGENTS}/acme/jobs`))[0]).toBe(404);
  });
});

describe('§4 Upcoming', () => {
  const range = '?from=2026-11-01T12:00:30Z&to=';
  const minutely = (count: number) => ({
    seed: { schedules: Array.from({ length: count }, () => ({ ...MINUTES, startTime: START })) },
  });

  test('§4 Upcoming: all runs of the range are listed, each once, also when they are 50,000', async () => {
    const on = await running({}, minutely(1));
    const runs = await on.data('GET', `${UPCOMING}${range}2026-12-06T05:20:00Z`);
    expect(runs).toHaveLength(50_000);
    expect(new Set(runs.map(({ runTime }: Body) => runTime)).size).toBe(50_000);
    expect(runs.at(-1).runTime).toBe('2026-12-06T05:20:00.000Z');
    const { status, body } = await on.call('GET', `${UPCOMING}${range}2026-12-06T05:21:00Z`);
    expect([status, body.message]).toEqual([400, expect.stringContaining('50000 runs. Use a shorter one.')]);
  });

  test('§4 Upcoming: however many schedules there are, no more times are computed than are listed', async () => {
    const on = await running({}, minutely(400));
    let read = 0;
    for (const schedule of on.world.schedules.values()) {
      const { startTime } = schedule;
      const get = () => {
        read += 1; // for each schedule whose times are computed
        return startTime;
      };
      Object.defineProperty(schedule, 'startTime', { get, enumerable: true });
    }
    const { status } = await on.call('GET', `${UPCOMING}${range}2027-02-28T00:00:00Z`);
    expect(status).toBe(400);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(20);
  });

  test.each([
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    'soon',
  ])('§4 Upcoming: to=%s is refused with 400', async (to) => {
    const on = await running();
    expect(await on.refusal('GET', `${UPCOMING}?to=${encodeURIComponent(to)}`)).toEqual([400, undefined]);
  });

  test.each([
    ['2026-11-01T12:10:00', 10],
    ['2026-11-01T14:10:00%2B02:00', 10],
    ['2026-11-02', 720],
  ])('§1.6: to=%s is in UTC, whatever the zone of the machine', async (to, count) => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      const on = await running({}, minutely(1));
      expect(await on.data('GET', `${UPCOMING}${range}${to}`)).toHaveLength(count);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });
});

test('§5.12: no answer allows another origin to read it', async () => {
  const on = await running();
  const headers = { 'X-Api-Key': on.apiKey, Origin: 'https://example.com' };
  for (const { method, path } of INTERFACE_OPERATIONS.filter(({ client }) => client !== 'keys.createKey')) {
    const reply = await on.call(method, path.replace(/\{\w+\}/g, ACME), undefined, headers);
    expect([path, reply.headers.get('access-control-allow-origin')]).toEqual([path, null]);
  }
});

test('§8: the default zone is UTC', async () => {
  const on = await running();
  const once = { targetId: ACME, scheduleType: 'Once', startTime: '2026-12-24T08:00:00' };
  expect(await on.data('POST', SCHEDULES, once)).toMatchObject({
    timeZoneId: 'UTC',
    nextRunTime: '2026-12-24T08:00:00.000Z',
  });
});
