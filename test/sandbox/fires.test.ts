import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { many } from '../support/size.js';
import { AGENTS, COLLEAGUE, GROUPS, PIPELINES, type Running, running, SCHEDULES } from './running.js';
import { ACME, type Body, GROUP, HIDDEN, NOW, PIPELINE, SEED, service } from './service.js';

/** interface.md §2 Schedule and §4 Schedules: schedules that start their targets. */

const CRON = {
  targetId: ACME,
  scheduleType: 'Cron',
  cronExpression: '0 */10 * * * *',
  startTime: '2026-11-01T00:00:00',
};
const ONCE = { targetId: ACME, scheduleType: 'Once', startTime: '2026-11-01T12:30:00' };
const MINUTE = 60;
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString();
const create = async (on: Running, body: object) => (await on.data('POST', SCHEDULES, body)).id;
const read = async (on: Running, id: string) =>
  (await on.data('GET', SCHEDULES)).find((schedule: Body) => schedule.id === id);
const jobs = async (on: Running) => (await on.data('GET', `${AGENTS}/jobs?pageSize=100`)).items;

describe('§2 Schedule', () => {
  test('§2: a cron schedule starts a job each time, and shows the last one', async () => {
    const on = await running();
    const id = await create(on, { ...CRON, inputParameters: '{"q":"s"}' });
    expect(await read(on, id)).toMatchObject({
      status: 'Waiting',
      lastRunTime: null,
      lastJobId: null,
      lastJobStatusName: null,
    });
    on.seconds(10 * MINUTE);
    expect(await read(on, id)).toMatchObject({
      status: 'Running',
      lastRunTime: at(10 * MINUTE),
      nextRunTime: at(20 * MINUTE),
      lastJobStatusName: 'In progress',
      errorMessage: null,
    });
    on.seconds(15 * MINUTE);
    const [last, first] = await jobs(on);
    expect(first).toMatchObject({
      triggerSource: 'Schedule',
      scheduleId: id,
      inputParameters: '{"q":"s"}',
      status: 3,
    });
    expect(await read(on, id)).toMatchObject({
      status: 'Waiting',
      lastRunTime: at(20 * MINUTE),
      lastJobId: last.agentJobHistoryId,
      lastJobStatusName: 'Succeeded',
    });
    expect((await on.data('GET', `${AGENTS}/runs`)).items[0].triggerSource).toBe('Schedule');
  });

  test('§2: Once starts exactly once, at startTime', async () => {
    const on = await running();
    const id = await create(on, ONCE);
    on.seconds(30 * MINUTE - 1);
    expect(await jobs(on)).toEqual([]);
    on.seconds(1);
    expect(await jobs(on)).toHaveLength(1);
    on.seconds(400 * 86_400);
    expect(await jobs(on)).toHaveLength(1);
    expect(await read(on, id)).toMatchObject({
      nextRunTime: null,
      lastRunTime: at(30 * MINUTE),
      status: 'Waiting',
    });
  });

  test('§2: a Once in the past never starts, and a group or pipeline starts as a run of its own', async () => {
    const on = await running();
    await create(on, { ...ONCE, startTime: '2026-10-01T00:00:00' });
    const group = await create(on, { ...ONCE, targetType: 'Group', targetId: GROUP });
    const pipeline = await create(on, { ...ONCE, targetType: 'Pipeline', targetId: PIPELINE });
    on.seconds(60 * MINUTE);
    expect(await read(on, group)).toMatchObject({
      lastJobStatusName: 'Succeeded',
      lastRunTime: at(30 * MINUTE),
    });
    expect(await read(on, pipeline)).toMatchObject({ lastJobStatusName: 'Succeeded' });
    expect((await on.data('GET', `${GROUPS}/runs`)).items).toMatchObject([
      { startedAt: at(30 * MINUTE), status: 'completed' },
    ]);
    expect((await on.data('GET', `${PIPELINES}/runs`)).items).toMatchObject([{ status: 'Completed' }]);
    const all = await jobs(on);
    expect(all).toHaveLength(5);
    expect(all.every((job: Body) => job.triggerSource === 'Schedule')).toBe(true);
  });

  test('§3: a disabled schedule does not start; enabled again, it waits for its next time', async () => {
    const on = await running();
    const id = await create(on, { ...CRON, isEnabled: false });
    on.seconds(60 * MINUTE);
    expect(await jobs(on)).toEqual([]);
    expect(await read(on, id)).toMatchObject({ status: 'Disabled', nextRunTime: null });
    await on.data('POST', `${SCHEDULES}/${id}/enabled`, { isEnabled: true });
    on.seconds(10 * MINUTE);
    expect(await jobs(on)).toHaveLength(1);
  });

  test('§2: errorMessage says why the last attempt failed, and the next success clears it', async () => {
    const on = await running({
      acme: { outcomes: [{ nth: 1, result: 'refuse', message: 'Busy.' }, { seconds: 5 }] },
    });
    const [id, group] = [
      await create(on, CRON),
      await create(on, { ...CRON, targetType: 'Group', targetId: GROUP }),
    ];
    await on.data('PUT', `${GROUPS}/${GROUP}`, { isActive: false });
    on.seconds(10 * MINUTE);
    expect(await read(on, id)).toMatchObject({ errorMessage: 'Busy.', lastRunTime: null, lastJobId: null });
    expect((await read(on, group)).errorMessage).toContain('disabled');
    on.seconds(10 * MINUTE);
    expect(await read(on, id)).toMatchObject({ errorMessage: null, lastRunTime: at(20 * MINUTE) });
  });

  test('§4: run-now takes inputs for that run only, and leaves the timetable alone', async () => {
    const on = await running();
    const id = await create(on, ONCE);
    const { agentJobId } = await on.data('POST', `${SCHEDULES}/${id}/run`, {
      inputParameters: '{"q":"now"}',
    });
    expect(await on.job(agentJobId)).toMatchObject({
      inputParameters: '{"q":"now"}',
      triggerSource: 'Schedule',
      scheduleId: id,
    });
    expect(await read(on, id)).toMatchObject({
      nextRunTime: at(30 * MINUTE),
      lastJobId: agentJobId,
      inputParameters: '{}',
    });
    on.seconds(60 * MINUTE);
    expect(await jobs(on)).toHaveLength(2);
    const refused = await running({ acme: { outcomes: [{ result: 'refuse' }] } });
    expect((await refused.refusal('POST', `${SCHEDULES}/${await create(refused, ONCE)}/run`))[0]).toBe(400);
  });

  test('days at once give the same history as hour by hour, and memory is bounded', async () => {
    const days = many(6, 30);
    const histories = await Promise.all(
      [1, 24].map(async (steps) => {
        const on = await running();
        await create(on, { ...CRON, cronExpression: '0 0 * * * *' });
        for (let step = 0; step < steps; step += 1) on.seconds((days * 86_400) / steps);
        expect(on.world.jobs.size).toBeGreaterThan(20 * days);
        return [...on.world.runs.values()]
          .slice(-20 * days)
          .map((run) => [run.startedAt, run.records, run.rowSeed]);
      }),
    );
    expect(histories[0]?.map(([start]) => start)).toEqual(histories[1]?.map(([start]) => start));
    const on = await running();
    await create(on, { ...CRON, cronExpression: '* * * * * *' });
    for (let day = 0; day < many(1.5, 3); day += 0.5) on.seconds(43_200);
    expect(on.world.jobs.size).toBeLessThanOrEqual(2_100);
    expect(on.world.datasets.size).toBeLessThanOrEqual(4_100);
  });
});

describe('the clock', () => {
  test('it starts at `now` and runs at `speed`', async () => {
    let real = NOW.getTime();
    const now = new Date('2030-01-01T00:00:00Z');
    const on = await service({ now, speed: 60, clock: () => new Date(real) });
    real += 1_000;
    expect(on.now().toISOString()).toBe('2030-01-01T00:01:00.000Z');
    on.advance(86_400_000);
    expect(on.now().toISOString()).toBe('2030-01-02T00:01:00.000Z');
    expect(() => on.advance(-1)).toThrow(RangeError);
    await expect(service({ speed: -1 })).rejects.toThrow(RangeError);
  });

  test('a run in progress goes on after a restart from a data file; what was due meanwhile is skipped', async () => {
    const dataFile = join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');
    const first = await running({}, { dataFile });
    const id = await first.start();
    await create(first, CRON);
    await first.close();
    const later = new Date(NOW.getTime() + 3_600_000);
    const second = await running({}, { dataFile, now: later });
    second.seconds(1);
    expect(await second.job(id)).toMatchObject({ status: 3, isTerminal: true, totalDataCount: 30 });
    expect(await jobs(second)).toHaveLength(1);
    expect((await second.data('GET', `${AGENTS}/cached-exports`)).total).toBe(1);
    second.seconds(10 * MINUTE);
    expect(await jobs(second)).toHaveLength(2);
  });
});

describe('§4 Upcoming', () => {
  test('§4: a range with too many runs is refused, and not cut', async () => {
    const on = await running();
    await create(on, { ...CRON, cronExpression: '* * * * * *' });
    const path = `${SCHEDULES}/upcoming`;
    expect(await on.refusal('GET', path)).toEqual([400, undefined]);
    const data = await on.data('GET', `${path}?from=2026-11-01T12:00:00Z&to=2026-11-01T13:00:00Z`);
    expect(data).toHaveLength(3_601);
  });

  test.each([
    ['2026-11-02T00:00:00', '2026-11-02T00:00:00.000Z'],
    ['2026-11-02', '2026-11-02T00:00:00.000Z'],
    ['2026-11-02T00:00:00%2B02:00', '2026-11-01T22:00:00.000Z'],
  ])('§1.6: from=%s is in UTC, whatever the zone of the machine', async (from, first) => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      const on = await running();
      await create(on, CRON);
      const [run] = await on.data('GET', `${SCHEDULES}/upcoming?from=${from}&to=2026-11-03`);
      expect(run.runTime).toBe(first);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  test.each([
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-02-30T00:00:00Z',
    '0000-01-01',
    '2026-13-01',
  ])('§4: from=%s is refused with 400', async (from) => {
    const on = await running();
    expect(await on.refusal('GET', `${SCHEDULES}/upcoming?from=${encodeURIComponent(from)}`)).toEqual([
      400,
      undefined,
    ]);
  });
});

describe('§1.10 Ownership', () => {
  test("§1.10: other people's schedules, jobs and group runs do not exist", async () => {
    const on = await running();
    const id = await create(on, CRON);
    const { groupRunId } = await on.data('POST', `${GROUPS}/${GROUP}/run`);
    const { pipelineRunId } = await on.data('POST', `${PIPELINES}/${PIPELINE}/run`);
    expect(await on.data('GET', SCHEDULES, undefined, COLLEAGUE)).toEqual([]);
    expect(await on.data('GET', `${SCHEDULES}/page`, undefined, COLLEAGUE)).toMatchObject({
      totalSchedules: 0,
    });
    expect(await on.data('GET', `${SCHEDULES}/upcoming`, undefined, COLLEAGUE)).toEqual([]);
    const refused: [string, string, unknown?][] = [
      ['PUT', `${SCHEDULES}/${id}`, CRON],
      ['DELETE', `${SCHEDULES}/${id}`],
      ['POST', `${SCHEDULES}/${id}/run`],
      ['POST', `${SCHEDULES}/${id}/enabled`, { isEnabled: false }],
      ['GET', `${GROUPS}/runs/${groupRunId}`],
      ['GET', `${AGENTS}/group-runs/${groupRunId}/export`],
      ['GET', `${PIPELINES}/runs/${pipelineRunId}`],
      ['GET', `${PIPELINES}/runs/${pipelineRunId}/export`],
      ['DELETE', `${PIPELINES}/runs/${pipelineRunId}`],
    ];
    for (const [method, path, body] of refused)
      expect([path, (await on.refusal(method, path, body, COLLEAGUE))[0]]).toEqual([path, 404]);
    const bulk = await on.data('POST', `${SCHEDULES}/bulk/delete`, { ids: [id] }, COLLEAGUE);
    expect(bulk).toEqual({ affected: 0, skipped: 1 });
    for (const path of [`${GROUPS}/runs`, `${PIPELINES}/runs`])
      expect((await on.data('GET', path, undefined, COLLEAGUE)).total).toBe(0);
  });

  test('§2: a group of a colleague can be run but not changed; agents are assigned by user or company', async () => {
    const on = await running();
    const group = await on.data('POST', GROUPS, { name: 'Mine', agentIds: [ACME] });
    expect(group).toMatchObject({ canManage: true });
    expect(group).not.toHaveProperty('owner');
    expect(await on.data('GET', `${GROUPS}/${group.id}`, undefined, COLLEAGUE)).toMatchObject({
      canManage: false,
    });
    expect((await on.refusal('PUT', `${GROUPS}/${group.id}`, { name: 'x' }, COLLEAGUE))[0]).toBe(404);
    expect((await on.refusal('POST', `${GROUPS}/${group.id}/run`, undefined, COLLEAGUE))[0]).toBe(200);
    const names = async (key?: string) =>
      (await on.data('GET', AGENTS, undefined, key)).map(({ name }: Body) => name);
    expect(await names()).not.toContain('Hidden');
    expect(await names('svc_live_stranger')).toContain('Hidden');
    expect(
      (await on.refusal('POST', GROUPS, { name: 'x', agentIds: [HIDDEN] }, 'svc_live_stranger'))[0],
    ).toBe(200);
  });
});

test.each([[{ intervalValue: 'abc' }], [{ intervalUnit: 'Years' }], [{ intervalUnit: 5 }]])(
  '§4: a cron schedule with %j, which another type would use, is refused',
  async (field) => {
    const on = await running();
    expect(await on.refusal('POST', SCHEDULES, { ...CRON, ...field })).toEqual([400, undefined]);
    expect(await on.refusal('POST', SCHEDULES, { ...ONCE, cronExpression: 5 })).toEqual([400, undefined]);
    expect(await on.refusal('POST', SCHEDULES, { ...ONCE, timeZoneId: 'PST' })).toEqual([400, undefined]);
  },
);

test('§1.2: another content type that begins like JSON is refused', async () => {
  const { url, apiKey } = await service({ seed: SEED });
  const send = (type: string) =>
    fetch(url + GROUPS, {
      method: 'POST',
      headers: { 'X-Api-Key': apiKey, 'Content-Type': type },
      body: '{"name":"x","agentIds":[]}',
    });
  expect((await send('application/json-seq')).status).toBe(415);
  expect((await send('application/json; charset=utf-8')).status).toBe(200);
});
