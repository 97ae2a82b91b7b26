import { unzipSync } from 'fflate';
import { afterEach, describe, expect, test } from 'vitest';
import {
  agents,
  type Call,
  callOperation,
  createClient,
  createDownloader,
  type Downloader,
  datasetQueries,
  datasets,
  groupRuns,
  jobs,
  pipelineRuns,
  runs,
  samples,
  savedQueries,
  scheduleRuns,
  schedules,
} from '../../src/index.js';
import { ROUTES } from '../../src/sandbox/app.js';
import { INTERFACE_OPERATIONS } from '../support/interface-operations.js';
import { running } from './running.js';
import { ACME, GLOBEX, GROUP, PIPELINE, UNKNOWN } from './service.js';

/** The library against the sandbox: two readings of the interface that share no code. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function connected(...options: Parameters<typeof running>) {
  const on = await running(...options);
  const settings = {
    baseUrl: on.url,
    apiKey: on.apiKey,
    concurrency: 4,
    timeoutMs: 60_000,
    userAgent: 'test',
  };
  const quick = { ...settings, sleep: async () => on.seconds(5) };
  const [client, downloader] = [createClient(quick), createDownloader(quick)];
  open.push(client, downloader);
  const call = <T>(operation: Call<T>) => callOperation(client, operation);
  return { ...on, client, downloader, call };
}

async function bytesOf(downloader: Downloader, ...parameters: Parameters<Downloader['download']>) {
  const { body, ...about } = await downloader.download(...parameters);
  const chunks = [];
  for await (const chunk of body) chunks.push(chunk);
  return { ...about, bytes: Buffer.concat(chunks) };
}

describe('conformance', () => {
  const line = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

  test('the interface has 74 operations, and the sandbox answers exactly these', () => {
    const routes = ROUTES.map(({ method, path }) => line({ method, path: path.replace(/:\w+/g, '{}') }));
    const operations = INTERFACE_OPERATIONS.map((each) =>
      line({ ...each, path: each.path.replace(/\{\w+\}/g, '{}') }),
    );
    expect(operations).toHaveLength(74);
    expect(new Set(operations).size).toBe(74);
    expect(routes.sort()).toEqual(operations.sort());
  });

  test.each(INTERFACE_OPERATIONS)('$client requests $method $path', ({ method, path, request }) => {
    expect(line(request)).toBe(line({ method, path: path.replace(/[{}]/g, '') }));
    expect(request.effect === 'read').toBe(method === 'GET' || /(preview|query|export)$/.test(path));
  });
});

describe('client', () => {
  test('client: a job is started, followed and exported', async () => {
    const { client, call, downloader, seconds } = await connected();
    const { id } = await call(jobs.startJob('acme', '{"q":"y"}'));
    expect(await call(jobs.activeJobCount())).toBe(1);
    expect(await call(runs.activeRunCount())).toBe(1);
    seconds(60);
    const [job] = await client.readAll(jobs.listJobs({ jobId: id }));
    expect(job).toMatchObject({
      id,
      status: 3,
      isTerminal: true,
      totalDataCount: 30,
      inputParameters: '{"q":"y"}',
    });
    expect(await client.readAll(jobs.listJobsOfAgent(ACME))).toEqual([job]);
    const [run] = await client.readAll(runs.listRunsOfJob(id));
    expect(run).toMatchObject({ isTerminal: true, data: 30, runtimeAnomaly: 'None', runTimeSeconds: 10 });
    const file = await bytesOf(downloader, jobs.exportJob(id));
    expect(file).toMatchObject({
      fileName: 'acme-20261101T120010.csv',
      contentType: 'text/csv; charset=utf-8',
    });
    expect((await bytesOf(downloader, runs.exportRun(run?.id ?? ''))).bytes).toEqual(file.bytes);
    expect(await call(jobs.jobDataset(id))).toBe(await call(runs.runDataset(run?.id ?? '')));
    expect(await call(jobs.jobStatusCounts())).toMatchObject({ all: 1, succeeded: 1 });
    expect(await call(runs.runStatusCounts())).toMatchObject({ all: 1, succeeded: 1 });
    expect(await call(agents.getAgent(ACME))).toMatchObject({ externalAgentId: 'acme', inputKeys: ['q'] });
  });

  test('client: lists by cursor are read to their end, or page by page', async () => {
    const { client, call, start } = await connected();
    for (let count = 0; count < 60; count += 1) await start();
    expect(await client.readAll(jobs.listJobs())).toHaveLength(60);
    expect(await client.readAll(runs.listRuns({ state: 'active' }))).toHaveLength(60);
    expect(await client.readAll(runs.listRunsOfAgent(ACME))).toHaveLength(60);
    const first = await call(jobs.jobPage({}, 40));
    const second = await call(jobs.jobPage({}, 40, first.nextCursor ?? ''));
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([40, 20, null]);
    expect((await call(runs.runPage({ search: 'acme' }, 10))).items).toHaveLength(10);
  });

  test('client: attention, refresh and stop', async () => {
    const { client, call, seconds } = await connected({
      acme: {
        outcomes: [
          { nth: 1, result: 'lose' },
          { nth: 2, seconds: 10 },
          { result: 'fail', seconds: 1 },
        ],
      },
    });
    const [lost, stopped, failed] = (await call(jobs.startRuns('acme'))).runIds.concat(
      (await call(jobs.startRuns('acme'))).runIds,
      (await call(jobs.startRuns('acme'))).runIds,
    );
    seconds(5);
    await call(runs.stopRun(stopped ?? ''));
    await call(runs.refreshRun(lost ?? ''));
    expect(await call(runs.attentionCount())).toBe(2);
    await call(runs.dismissAttention(failed ?? ''));
    const ignored = await client.readAll(runs.listRuns({ state: 'failed', attention: 'ignored' }));
    expect(ignored.map(({ id }) => id)).toEqual([failed]);
    await call(runs.restoreAttention(failed ?? ''));
    expect(await call(runs.attentionCount())).toBe(2);
    await expect(call(runs.stopRun(stopped ?? ''))).rejects.toMatchObject({ status: 400 });
  });

  test('client: group runs and pipeline runs', async () => {
    const { client, call, downloader, seconds } = await connected({
      globex: { outcomes: [{ nth: 1, result: 'refuse', message: 'Busy.' }, { seconds: 5 }] },
    });
    const { id, memberCount } = await call(groupRuns.runGroup(GROUP, '{"q":"y"}'));
    seconds(60);
    const before = await call(groupRuns.getGroupRun(id));
    expect(before).toMatchObject({
      memberCount,
      startedCount: 1,
      notStarted: [{ agentId: GLOBEX, reason: 'Busy.' }],
    });
    await call(groupRuns.retryMember(id, GLOBEX));
    seconds(60);
    expect(await client.readAll(groupRuns.listGroupRuns({ status: 'completed' }))).toMatchObject([
      { id, groupName: 'Shops' },
    ]);
    const page = await call(groupRuns.groupRunPage({ q: 'shops' }));
    expect(page).toMatchObject({ total: 1, metrics: { total: 1, completed: 1, inProgress: 0, issues: 0 } });
    expect(
      Object.keys(unzipSync((await bytesOf(downloader, groupRuns.exportGroupRun(id))).bytes)),
    ).toHaveLength(2);
    const started = await call(pipelineRuns.runPipeline(PIPELINE));
    seconds(60);
    const pipelineRun = await call(pipelineRuns.getPipelineRun(started.id));
    expect(pipelineRun).toMatchObject({
      status: 'Completed',
      stepCount: 3,
      steps: [{ status: 'Succeeded' }, {}, {}],
    });
    expect(await client.readAll(pipelineRuns.listPipelineRuns({ status: 'Completed' }))).toEqual([
      { ...pipelineRun, pipelineId: PIPELINE, pipelineName: 'Nightly' },
    ]);
    expect(await call(pipelineRuns.pipelineRunPage())).toMatchObject({ total: 1, metrics: { completed: 1 } });
    expect((await bytesOf(downloader, pipelineRuns.exportPipelineRun(started.id))).fileName).toMatch(
      /\.zip$/,
    );
    await call(pipelineRuns.deletePipelineRun(started.id));
    await call(groupRuns.deleteGroupRun(id));
    expect(await client.readAll(jobs.listJobs())).toEqual([]);
  });

  test('client: datasets are listed, queried, shared, exported and deleted', async () => {
    const { client, call, downloader, start, seconds } = await connected(
      {},
      { seed: { settings: { bulkExportSeconds: 9 } } },
    );
    await start();
    await start('globex');
    seconds(60);
    const all = await client.readAll(datasets.listDatasets({ status: 'Available', scope: 'Job' }));
    const ids = all.map(({ id }) => id);
    const [id = ''] = ids;
    expect(await call(datasets.datasetPage({ q: 'globex' }))).toMatchObject({
      total: 1,
      availableCount: 1,
      items: [all[0]],
    });
    const preview = await call(datasetQueries.previewDataset(id));
    expect(preview).toMatchObject({ isTruncated: true, rows: { length: 20 } });
    const filters = [{ column: 'price', operator: 'gt', value: 500 }] as const;
    const found = await call(
      datasetQueries.queryDataset(id, { filters, sortColumn: 'price', sortDirection: 'desc' }),
    );
    expect(found.totalMatches).toBe(found.rows.length);
    expect(found.rows.every(({ price }) => Number(price) > 500)).toBe(true);
    const { id: saved } = await call(savedQueries.saveQuery('dear', id, { filters }));
    expect(await client.readAll(savedQueries.listSavedQueries())).toMatchObject([
      { id: saved, name: 'dear', definition: { filters } },
    ]);
    await call(savedQueries.deleteSavedQuery(saved));
    expect((await call(datasets.datasetLineage(id))).nodes).toHaveLength(3);
    await call(datasets.changeAccess(id, 'Company'));
    expect(await call(datasets.readAccess(id))).toBe('Company');
    // The second is answered with 429 until the first is over, which the client waits for.
    for (const _ of [1, 2]) {
      const zip = await bytesOf(downloader, datasets.exportDatasets([...ids, UNKNOWN]));
      expect(zip).toMatchObject({ fileCount: 2, fileName: 'datasets.zip' });
    }
    await call(datasets.deleteDataset(id));
    expect(await call(datasets.deleteDatasets(ids))).toEqual({ processed: 1, skipped: 1 });
    expect(await call(samples.sampleOutput(ACME))).toMatchObject({ recordCount: 3, recordPath: 'records' });
    expect((await bytesOf(downloader, samples.downloadSample(ACME))).fileName).toBe('acme-sample.json');
  });

  test('client: schedules by page, upcoming runs and run-now', async () => {
    const { client, call, seconds } = await connected();
    const body = {
      targetType: 'Agent',
      targetId: ACME,
      scheduleType: 'Cron',
      cronExpression: '0 0 * * * *',
    } as const;
    const timing = { startTime: '2026-11-01T00:00:00', timeZoneId: 'UTC', isEnabled: true };
    const { data } = await client.send(schedules.createSchedule({ ...body, ...timing }));
    const id = schedules.createdId(data) ?? '';
    const { jobId } = await call(scheduleRuns.runSchedule(id, '{"q":"now"}'));
    expect(await client.readAll(jobs.listJobs({ jobId: jobId ?? '' }))).toMatchObject([{ scheduleId: id }]);
    const page = await call(scheduleRuns.schedulePage({ q: 'acme', status: ['Waiting', 'Running'] }));
    expect(page).toMatchObject({
      total: 1,
      totalSchedules: 1,
      enabledCount: 1,
      nextRunTime: '2026-11-01T13:00:00.000Z',
    });
    const range = { from: '2026-11-02T00:00:00Z', to: '2026-11-02T23:59:59Z', agentId: ACME };
    expect(await call(scheduleRuns.upcomingRuns(range))).toHaveLength(24);
    seconds(3_600);
    expect(await client.readAll(jobs.listJobs())).toHaveLength(2);
  });

  test('client: every documented error has its status and code', async () => {
    const { call, downloader, start, seconds } = await connected(
      { acme: { unpaid: true }, globex: { sample: false, outcomes: [{ result: 'refuse' }] } },
      { seed: { settings: { retentionDays: 1 } } },
    );
    const [unpaid, expired] = [await start(), await start('initech')];
    const fails = (operation: Promise<unknown>, status: number, errorCode: string | null) =>
      expect(operation).rejects.toMatchObject({ status, errorCode });
    await fails(downloader.download(jobs.exportJob(expired)), 400, 'NO_FILE_EXPORT');
    seconds(60);
    await fails(downloader.download(jobs.exportJob(unpaid)), 402, 'PAYMENT_REQUIRED');
    seconds(86_400);
    await fails(downloader.download(jobs.exportJob(expired)), 410, 'EXPORT_EXPIRED');
    await fails(call(jobs.jobDataset(UNKNOWN)), 404, 'JOB_NOT_FOUND');
    await fails(call(runs.runDataset(UNKNOWN)), 404, 'RUN_NOT_FOUND');
    await fails(downloader.download(samples.downloadSample(GLOBEX)), 404, 'SAMPLE_OUTPUT_NOT_FOUND');
    await fails(downloader.download(datasets.exportDatasets([UNKNOWN])), 404, 'DATASETS_NOT_FOUND');
    await fails(call(jobs.startRuns('globex')), 400, 'RUN_START_FAILED');
    await fails(call(runs.runPage({ state: 'x' as 'all' })), 400, 'INVALID_STATE');
    await fails(call(runs.runPage({ attention: 'tracked' })), 400, 'INVALID_ATTENTION_FILTER');
  });
});

describe('methods that are not shown', () => {
  test.each([
    ['PUT', 3],
    ['PATCH', 3],
  ])('a service that only allows %s gets the request after a 405', async (allowed) => {
    const {
      call,
      start,
      seconds,
      runs: runsOf,
      faults,
      requests,
    } = await connected({ acme: { outcomes: [{ result: 'fail', seconds: 1 }] } });
    const id = await start();
    seconds(5);
    const [{ agentRunHistoryId }] = await runsOf(id);
    const path = '/api/*/dismiss-attention';
    faults.faults = ['POST', 'PUT', 'PATCH'].map((method) => ({
      act: 'status',
      method,
      path,
      status: method === allowed ? 200 : 405,
      body: '{"success":true,"data":null}',
    }));
    await call(runs.dismissAttention(agentRunHistoryId));
    const sent = requests
      .filter((each) => each.path.endsWith('dismiss-attention'))
      .map(({ method }) => method);
    expect(sent).toEqual(allowed === 'PUT' ? ['POST', 'PUT'] : ['POST', 'PUT', 'PATCH']);
  });

  test.each([
    ['preview', 'GET', ['GET', 'POST']],
    ['lineage', 'GET', ['GET', 'POST']],
    ['query', 'POST', ['POST', 'PUT']],
  ])('of a read: %s', async (name, first, methods) => {
    const { call, faults, requests } = await connected();
    const path = `/api/data-explorer/datasets/${UNKNOWN}/${name}`;
    faults.faults = [
      { act: 'status', method: first, path, status: 405 },
      { act: 'status', path, status: 410, body: '{"message":"Gone."}' },
    ];
    const reads = {
      preview: datasetQueries.previewDataset,
      lineage: datasets.datasetLineage,
      query: datasetQueries.queryDataset,
    };
    const read = reads[name as keyof typeof reads](UNKNOWN) as Call<unknown>;
    await expect(call(read)).rejects.toMatchObject({ status: 410 });
    expect(requests.filter((each) => each.path === path).map(({ method }) => method)).toEqual(methods);
  });

  test('any other refusal is final', async () => {
    const { call, requests } = await connected();
    await expect(call(runs.refreshRun(UNKNOWN))).rejects.toMatchObject({ status: 404 });
    expect(requests).toHaveLength(1);
  });
});

describe('downloads', () => {
  test('a file larger than allowed, and one that breaks off, are errors', async () => {
    const { downloader, start, seconds, faults } = await connected();
    const id = await start();
    seconds(60);
    await expect(bytesOf(downloader, jobs.exportJob(id), 100)).rejects.toMatchObject({
      facts: { code: 'unexpected-response' },
    });
    faults.faults = [{ act: 'cut', path: '*/export' }];
    await expect(bytesOf(downloader, jobs.exportJob(id))).rejects.toMatchObject({
      facts: { code: 'service-error' },
    });
  });

  test('a reader that stops ends the request', async () => {
    const { downloader, start, seconds } = await connected();
    const id = await start();
    seconds(60);
    const { body } = await downloader.download(jobs.exportJob(id));
    for await (const _ of body) break;
    expect((await bytesOf(downloader, jobs.exportJob(id))).bytes.length).toBeGreaterThan(1_000);
  });
});
