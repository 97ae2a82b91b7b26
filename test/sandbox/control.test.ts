import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldFromLog } from '../../src/sandbox/index.js';
import { AGENTS, running, SCHEDULES } from './running.js';
import { ACME, NOW } from './service.js';

/** `/sandbox/clock`: the clock from another process. */

const CLOCK = '/sandbox/clock';
const DAILY = {
  targetId: ACME,
  scheduleType: 'Cron',
  cronExpression: '0 0 6 * * *',
  startTime: '2026-11-01T00:00:00',
};

test('clock: after it is advanced by a day, a daily schedule has started its target', async () => {
  const on = await running();
  await on.data('POST', SCHEDULES, DAILY);
  expect(await on.data('GET', CLOCK)).toEqual({ now: NOW.toISOString() });
  expect(await on.data('POST', CLOCK, { advance: '1d' })).toEqual({ now: '2026-11-02T12:00:00.000Z' });
  const { items } = await on.data('GET', `${AGENTS}/jobs`);
  expect(items).toMatchObject([{ triggerSource: 'Schedule', status: 3 }]);
  expect(on.now().toISOString()).toBe('2026-11-02T12:00:00.000Z');
});

test('clock: it can be set to a later time', async () => {
  const on = await running();
  const { now } = await on.data('POST', CLOCK, { now: '2026-11-08T07:00:00+01:00' });
  expect(now).toBe('2026-11-08T06:00:00.000Z');
});

test.each([
  ['90s', 90],
  ['30m', 1_800],
  ['8h', 28_800],
  ['2w', 1_209_600],
])('clock: %s are %i seconds', async (advance, seconds) => {
  const on = await running();
  const { now } = await on.data('POST', CLOCK, { advance });
  expect(Date.parse(now) - NOW.getTime()).toBe(seconds * 1000);
});

test.each([
  [{}],
  [{ advance: '1d', now: '2026-12-01T06:00:00Z' }],
  [{ advance: '1 day' }],
  [{ advance: '-1d' }],
  [{ advance: 5 }],
  [{ advance: '600w' }],
  [{ now: '2026-12-01T06:00:00' }],
  [{ now: 'tomorrowTZ' }],
  [{ now: '2026-10-01T06:00:00Z' }],
  ['{'],
  ['[]'],
])('clock: %j is refused, and the time stays', async (body) => {
  const on = await running();
  expect(await on.refusal('POST', CLOCK, body)).toEqual([400, undefined]);
  expect(on.now()).toEqual(NOW);
});

test('clock: it needs an API key and the name of this machine, and is no part of the service', async () => {
  const on = await running();
  expect((await on.call('POST', CLOCK, { advance: '1d' }, {})).status).toBe(401);
  expect((await on.call('DELETE', CLOCK, undefined, { 'X-Api-Key': on.apiKey })).status).toBe(405);
  expect((await on.call('GET', `/api${CLOCK}`, undefined, { 'X-Api-Key': on.apiKey })).status).toBe(404);
  on.faults.faults = [{ act: 'status', status: 503 }];
  expect((await on.call('GET', CLOCK, undefined, { 'X-Api-Key': on.apiKey })).status).toBe(200);
  expect(on.now()).toEqual(NOW);
});

test('clock: what happens while it is set forward is saved before the answer', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');
  const on = await running({}, { dataFile: file });
  await on.data('POST', SCHEDULES, DAILY);
  await on.data('POST', CLOCK, { advance: '1d' });
  expect(worldFromLog(await readFile(file, 'utf8')).jobs.size).toBe(1);
});
