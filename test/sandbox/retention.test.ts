import { expect, test } from 'vitest';
import { AGENTS, EXPLORER, GROUPS, PIPELINES, type Running, running, SCHEDULES } from './running.js';
import { GROUP, NOW, PIPELINE } from './service.js';

/** A sandbox that runs for weeks forgets the oldest, and what is left is whole. */

const EVERY_SECOND = {
  scheduleType: 'Cron',
  cronExpression: '* * * * * *',
  startTime: '2020-01-01T00:00:00',
};

/** 720 starts of a target in half a day. */
async function worn(on: Running, targetType: string, targetId: string): Promise<void> {
  await on.data('POST', SCHEDULES, { ...EVERY_SECOND, targetType, targetId });
  on.seconds(43_200);
}

test('history: a group run or a pipeline run whose jobs are forgotten is forgotten with them', async () => {
  const groups = [{ id: GROUP, name: 'Shops', members: ['acme', 'globex', 'initech'] }];
  const on = await running({}, { seed: { groups } });
  await worn(on, 'Group', GROUP);
  expect(on.world.jobs.size).toBeLessThanOrEqual(2_010);
  for (const { members } of on.world.groupRuns.values())
    for (const { jobId } of members) if (jobId !== null) expect(on.world.jobs.has(jobId)).toBe(true);
  on.world.schedules.clear();
  on.seconds(3_600);
  const { metrics } = await on.data('GET', `${GROUPS}/runs`);
  expect(metrics).toMatchObject({ inProgress: 0, issues: 0 });
  expect(metrics.completed).toBeGreaterThan(500);
  await worn(on, 'Pipeline', PIPELINE);
  for (const { steps } of on.world.pipelineRuns.values())
    for (const { jobId } of steps) if (jobId !== null) expect(on.world.jobs.has(jobId)).toBe(true);
  expect((await on.data('GET', `${PIPELINES}/runs`)).total).toBeGreaterThan(500);
});

/** Copies of a record, each older than what comes next. */
function copied<T extends object>(
  records: Map<string, T>,
  count: number,
  copy: (id: string) => Partial<T>,
): void {
  const [sample] = records.values();
  if (sample === undefined) throw new Error('there is nothing to copy');
  for (let index = 0; index < count; index += 1) records.set(`${index}`, { ...sample, ...copy(`${index}`) });
}

test('history: runs that the engine lost are bounded, too', async () => {
  const on = await running({ acme: { outcomes: [{ result: 'lose' }] } });
  await on.start();
  copied(on.world.runs, 4_100, (id) => ({ id, jobId: id }));
  copied(on.world.jobs, 4_100, (id) => ({ id, runIds: [id] }));
  await on.start();
  expect(on.world.jobs.size).toBeLessThanOrEqual(4_001);
  expect(on.world.runs.size).toBeLessThanOrEqual(8_001);
  expect((await on.data('GET', `${AGENTS}/jobs?state=active`)).items).toHaveLength(25);
});

test('history: the saved queries of a dataset that is forgotten go with it', async () => {
  const on = await running();
  const id = await on.start();
  on.seconds(60);
  const { datasetId } = await on.data('GET', `${AGENTS}/jobs/${id}/dataset`);
  const query = { name: 'all', datasetId, definition: {} };
  await on.data('POST', `${EXPLORER}/saved-queries`, query);
  copied(on.world.datasets, 4_000, (copy) => ({ id: copy }));
  await on.start();
  expect(on.world.datasets.has(datasetId)).toBe(false);
  expect(await on.data('GET', `${EXPLORER}/saved-queries`)).toEqual([]);
});

test('keys: the newest 1,000 are kept, and the active one is among them', async () => {
  const on = await running();
  const [sample] = on.world.keys.values();
  if (sample === undefined) throw new Error('no key');
  for (let count = 0; count < 1_200; count += 1) {
    const id = `${count}`;
    on.world.keys.set(id, { ...sample, id, hash: id, isRevoked: true, createdDate: NOW.toISOString() });
  }
  const { key } = await on.data('POST', '/api/api-keys', {});
  expect(on.world.keys.size).toBe(1_000);
  expect((await on.data('GET', '/api/api-keys', undefined, key)).at(-1).isActive).toBe(true);
});
