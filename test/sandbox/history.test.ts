import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSeed, type Seed } from '../../src/sandbox/index.js';
import { AGENTS, COLLEAGUE, GROUPS, PIPELINES, running, SCHEDULES } from './running.js';
import { ACME, type Body, GROUP, NOW } from './service.js';

/** `history` of a seed: what was started before the sandbox. */

type History = NonNullable<Seed['history']>;
const withHistory = (history: History, more: Partial<Seed> = {}) =>
  running({}, { seed: { history, ...more } });
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000).toISOString();

test('history: a job of an agent has finished, with its run and its file', async () => {
  const on = await withHistory([
    { agent: 'acme', ago: '8h', inputParameters: '{"q":"y"}', outcome: { seconds: 40, records: 1200 } },
  ]);
  const [job] = (await on.data('GET', `${AGENTS}/jobs`)).items;
  expect(job).toMatchObject({
    status: 3,
    isTerminal: true,
    totalDataCount: 1200,
    inputParameters: '{"q":"y"}',
    triggerSource: 'Manual',
  });
  const [run] = await on.runs(job.agentJobHistoryId);
  expect(run).toMatchObject({ startTime: before(28_800), endTime: before(28_760), data: 1200 });
  const { datasetId } = await on.data('GET', `${AGENTS}/jobs/${job.agentJobHistoryId}/dataset`);
  expect((await on.data('GET', `/api/data-explorer/datasets/${datasetId}/preview`)).rows).toHaveLength(20);
});

test('history: a start that has failed, one that is in progress and one whose file has expired', async () => {
  const on = await withHistory([
    { agent: 'acme', ago: '30s', outcome: { seconds: 600 } },
    { agent: 'acme', ago: '5w' },
    { agent: 'acme', ago: '1d', outcome: { result: 'fail', message: 'No page.' } },
  ]);
  const { items } = await on.data('GET', `${AGENTS}/jobs`);
  expect(items.map((job: Body) => job.status)).toEqual([1, 5, 3]);
  expect(items[1].errorMessage).toBe('No page.');
  const expired = `${AGENTS}/jobs/${items[2].agentJobHistoryId}/export`;
  expect(await on.refusal('GET', expired)).toEqual([410, 'EXPORT_EXPIRED']);
  on.seconds(600);
  expect((await on.job(items[0].agentJobHistoryId)).status).toBe(3);
});

test('history: a group run and a pipeline run, by name, with members that go on after the start', async () => {
  const on = await withHistory([
    { group: 'Shops', startedAt: before(86_400), inputParameters: '{"q":"z"}' },
    { pipeline: 'Nightly', ago: '15s' },
  ]);
  const [groupRun] = (await on.data('GET', `${GROUPS}/runs`)).items;
  expect(groupRun).toMatchObject({ startedAt: before(86_400), status: 'completed', memberCount: 2 });
  expect(await on.data('GET', `${GROUPS}/${GROUP}`)).toMatchObject({
    lastRunStatus: 'Succeeded',
    lastRunAt: before(86_400),
  });
  const [pipelineRun] = (await on.data('GET', `${PIPELINES}/runs`)).items;
  expect(pipelineRun).toMatchObject({ status: 'Running', currentStepIndex: 1 });
  on.seconds(20);
  expect(await on.data('GET', `${PIPELINES}/runs/${pipelineRun.pipelineRunId}`)).toMatchObject({
    status: 'Completed',
  });
});

test('history: a start by a schedule shows as its last run, and no other schedule fires in the past', async () => {
  const cron = { targetId: 'acme', scheduleType: 'Cron', startTime: '2020-01-01T00:00:00' } as const;
  const schedules = ['0 0 6 * * *', '0 * * * * *'].map((cronExpression, index) => ({
    ...cron,
    id: index + 1,
    cronExpression,
  }));
  const on = await withHistory([{ schedule: 1, ago: '6h' }], { schedules });
  expect(await on.data('GET', SCHEDULES)).toMatchObject([
    { id: '1', lastRunTime: before(21_600), lastJobStatusName: 'Succeeded' },
    { id: '2', lastRunTime: null },
  ]);
  expect((await on.data('GET', `${AGENTS}/jobs`)).items).toMatchObject([
    { triggerSource: 'Schedule', scheduleId: '1' },
  ]);
});

test('history: an id of the seed is the id of the job, group run or pipeline run', async () => {
  const id = (nth: number) => `0B000000-0000-4000-8000-00000000000${nth}`;
  const history = [
    { id: id(1), agent: 'acme', ago: '3h' },
    { id: id(2), group: 'Shops', ago: '2h' },
    { id: id(3), pipeline: 'Nightly', ago: '1h' },
  ];
  const on = await running({}, { seed: { history } });
  expect((await on.job(id(1))).status).toBe(3);
  expect(await on.data('GET', `${GROUPS}/runs/${id(2)}`)).toMatchObject({
    startedCount: 2,
    jobs: { length: 2 },
  });
  expect(await on.data('GET', `${PIPELINES}/runs/${id(3)}`)).toMatchObject({ status: 'Completed' });
  const refusal = (...ids: string[]) =>
    running({}, { seed: { history: ids.map((each) => ({ id: each, agent: 'acme', ago: '1h' })) } });
  await expect(refusal(id(1), id(1).toLowerCase())).rejects.toThrow(/history\[1\]\.id is used twice/);
  await expect(refusal('job-1')).rejects.toThrow(/history\[0\]\.id is not a GUID/);
});

test('history: starts count for nth, one that is refused leaves no job, and each has its owner', async () => {
  const on = await running(
    { acme: { outcomes: [{ nth: 2, result: 'refuse' }, { nth: 3, result: 'fail' }, { seconds: 10 }] } },
    {
      seed: {
        history: [
          { agent: 'acme', ago: '3h' },
          { agent: ACME, ago: '2h' },
          { agent: 'globex', ago: '1h', owner: 'colleague' },
        ],
      },
    },
  );
  expect((await on.data('GET', `${AGENTS}/jobs`)).items).toHaveLength(1);
  expect((await on.data('GET', `${AGENTS}/jobs`, undefined, COLLEAGUE)).items).toHaveLength(1);
  const third = await on.start();
  on.seconds(60);
  expect((await on.job(third)).status).toBe(5);
});

test('history: the dataset of a start is shared, and has saved queries of its owner', async () => {
  const definition = { filters: [{ column: 'price', operator: 'lt', value: '10' }] };
  const on = await withHistory([
    { agent: 'acme', ago: '2h', accessLevel: 'Company', savedQueries: [{ name: 'Cheap', definition }] },
    { agent: 'globex', ago: '1h', savedQueries: [{ name: 'All', definition: {} }] },
  ]);
  const shared = (await on.data('GET', `${AGENTS}/cached-exports`, undefined, COLLEAGUE)).items;
  expect(shared.map((each: Body) => [each.agentName, each.accessLevel, each.canManage])).toEqual([
    ['Acme', 'Company', false],
  ]);
  const queries = await on.data('GET', '/api/data-explorer/saved-queries');
  expect(queries.map(({ name }: Body) => name)).toEqual(['All', 'Cheap']);
  expect(queries[1]).toMatchObject({ datasetId: shared[0].id, definition });
  expect(await on.data('GET', '/api/data-explorer/saved-queries', undefined, COLLEAGUE)).toEqual([]);
});

test('history: a start after the time of the sandbox is refused, also when a file is read for a set time', async () => {
  const startedAt = '2026-11-20T06:00:00Z';
  await expect(withHistory([{ agent: 'acme', startedAt }])).rejects.toThrow(
    'history[0].startedAt is after the start of the sandbox',
  );
  const seed = { history: [{ agent: 'prices', startedAt }] };
  expect(() => parseSeed(JSON.stringify(seed), NOW)).toThrow(/^1:\d+: history\[0\]\.startedAt/);
  expect(parseSeed(JSON.stringify(seed), new Date(startedAt))).toEqual(seed);
});

test('history: examples/migration/seed.json has finished, failed and expired jobs', async () => {
  const file = join(import.meta.dirname, '../../examples/migration/seed.json');
  const { history = [], ...seed } = parseSeed(readFileSync(file, 'utf8'), NOW);
  const on = await running({}, { seed: { ...seed, agents: undefined as never, history } });
  const { items } = await on.data('GET', `${AGENTS}/jobs`);
  expect(items.map((job: Body) => job.status).sort()).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 5]);
  const { items: files } = await on.data('GET', `${AGENTS}/cached-exports`);
  expect(new Set(files.map((file: Body) => file.status))).toEqual(new Set(['Available', 'Expired']));
});
