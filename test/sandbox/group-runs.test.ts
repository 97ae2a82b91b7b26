import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { AGENTS, COLLEAGUE, GROUPS, PIPELINES, type Running, running } from './running.js';
import { ACME, GLOBEX, GROUP, INITECH, NOW, PIPELINE, SEED, UNKNOWN } from './service.js';

/** interface.md §2 and §3 Group run and Pipeline run, §4 Agent groups and Pipelines. */

const RUNS = `${GROUPS}/runs`;
const startGroup = async (on: Running, key?: string) =>
  (await on.data('POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{"q":"y"}' }, key)).groupRunId;
const startPipeline = async (on: Running) =>
  (await on.data('POST', `${PIPELINES}/${PIPELINE}/run`)).pipelineRunId;
const zipNames = async (on: Running, path: string) => {
  const response = await fetch(on.url + path, { headers: { 'X-Api-Key': on.apiKey } });
  return Object.keys(unzipSync(new Uint8Array(await response.arrayBuffer())));
};

describe('§4 Agent groups: runs', () => {
  test('§4: a group run starts its members one after another, with the same inputs', async () => {
    const on = await running();
    const { body } = await on.call('POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{"q":"y"}' });
    const { groupRunId } = body.data;
    expect(body.data).toEqual({ groupId: GROUP, groupRunId: expect.any(String), memberCount: 2 });
    const read = () => on.data('GET', `${RUNS}/${groupRunId}`);
    expect(await read()).toMatchObject({
      memberCount: 2,
      startedCount: 1,
      failedCount: 0,
      jobs: { length: 1 },
    });
    expect(await on.data('GET', `${GROUPS}/${GROUP}`)).toMatchObject({
      activeRunCount: 1,
      lastRunStatus: 'Running',
      lastRunAt: NOW.toISOString(),
    });
    on.seconds(1);
    const { jobs, notStarted } = await read();
    expect(notStarted).toEqual([]);
    expect(jobs).toMatchObject([
      {
        agentName: 'Acme',
        inputParameters: '{"q":"y"}',
        searchGroupRunId: groupRunId,
        triggerSource: 'Manual',
      },
      {
        agentName: 'Globex',
        inputParameters: '{"q":"y"}',
        searchGroupRunId: groupRunId,
        pipelineRunId: null,
      },
    ]);
    on.seconds(10);
    expect((await read()).jobs).toMatchObject([{ status: 3 }, { status: 3 }]);
    expect(await on.data('GET', `${GROUPS}/${GROUP}`)).toMatchObject({
      activeRunCount: 0,
      lastRunStatus: 'Succeeded',
    });
  });

  test('§3: a member that never started is listed with its reason, and a retry starts it', async () => {
    const on = await running({
      globex: { outcomes: [{ nth: [1, 2], result: 'refuse', message: 'Busy.' }, { seconds: 5 }] },
    });
    const id = await startGroup(on);
    on.seconds(60);
    const read = () => on.data('GET', `${RUNS}/${id}`);
    expect(await read()).toMatchObject({
      startedCount: 1,
      failedCount: 0,
      notStarted: [{ scraperAgentId: GLOBEX, externalAgentId: 'globex', reason: 'Busy.' }],
    });
    const retry = (agent: string) => on.refusal('POST', `${RUNS}/${id}/members/${agent}/retry`);
    expect(await retry(GLOBEX)).toEqual([400, undefined]);
    expect(await retry(GLOBEX)).toEqual([200, undefined]);
    expect(await read()).toMatchObject({ startedCount: 2, notStarted: [] });
    expect(await retry(GLOBEX)).toEqual([400, undefined]);
    expect(await retry(INITECH)).toEqual([404, undefined]);
    on.seconds(60);
    expect((await on.data('GET', RUNS)).items).toMatchObject([{ groupRunId: id, status: 'completed' }]);
  });

  test('§3: the derived status is ontrack, completed, atrisk or behind', async () => {
    const fails = { result: 'fail', seconds: 5 } as const;
    const on = await running({
      acme: { outcomes: [{ nth: 3, ...fails }, { seconds: 5 }] },
      globex: { outcomes: [{ nth: [2, 3], ...fails }, { seconds: 5 }] },
    });
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await startGroup(on));
      on.seconds(30);
    }
    ids.push(await startGroup(on));
    const list = (query = '') => on.data('GET', `${RUNS}?${query}`);
    const { items, total, metrics } = await list();
    expect(
      items.map(({ groupRunId, status }: { groupRunId: string; status: string }) => [groupRunId, status]),
    ).toEqual([
      [ids[3], 'ontrack'],
      [ids[2], 'behind'],
      [ids[1], 'atrisk'],
      [ids[0], 'completed'],
    ]);
    expect(total).toBe(4);
    expect(metrics).toEqual({ total: 4, completed: 1, inProgress: 1, issues: 2 });
    expect(await list('status=atrisk')).toMatchObject({ total: 1, metrics, items: [{ groupRunId: ids[1] }] });
    expect(await list(`q=${ids[0]}`)).toMatchObject({ total: 1 });
    expect(await list('q=SHOPS&page=2&pageSize=3')).toMatchObject({ total: 4, items: { length: 1 } });
    expect(await list(`groupId=${UNKNOWN}`)).toMatchObject({ total: 0 });
    expect(await list(`from=${new Date(NOW.getTime() + 80_000).toISOString()}`)).toMatchObject({ total: 1 });
  });

  test('§3: a group whose engine lost the last run is Stalled', async () => {
    const on = await running({ globex: { outcomes: [{ result: 'lose', seconds: 10 }] } });
    await startGroup(on);
    on.seconds(5);
    expect((await on.data('GET', `${GROUPS}/${GROUP}`)).lastRunStatus).toBe('Running');
    on.seconds(60);
    expect((await on.data('GET', `${GROUPS}/${GROUP}`)).lastRunStatus).toBe('Stalled');
  });

  test('§4: the export is one zip with a file for each member; a delete removes jobs and runs', async () => {
    const on = await running({ globex: { format: 'json' } });
    const id = await startGroup(on);
    const path = `${AGENTS}/group-runs/${id}/export`;
    expect(await on.refusal('GET', path)).toEqual([400, 'NO_FILE_EXPORT']);
    on.seconds(60);
    expect((await zipNames(on, path)).map((name) => name.replace(/-.*\./, '.'))).toEqual([
      'acme.csv',
      'globex.json',
    ]);
    expect((await on.refusal('DELETE', `${RUNS}/${id}`, undefined, COLLEAGUE))[0]).toBe(404);
    await on.data('DELETE', `${RUNS}/${id}`);
    expect((await on.data('GET', `${AGENTS}/jobs`)).items).toEqual([]);
    expect((await on.data('GET', `${AGENTS}/runs`)).items).toEqual([]);
    for (const [method, each] of [
      ['GET', path],
      ['GET', `${RUNS}/${id}`],
      ['DELETE', `${RUNS}/${id}`],
    ] as const)
      expect((await on.refusal(method, each))[0]).toBe(404);
  });

  test('§4: a deleted group keeps its past runs', async () => {
    const on = await running();
    const id = await startGroup(on);
    await on.data('DELETE', `${GROUPS}/${GROUP}`);
    on.seconds(60);
    expect((await on.data('GET', `${RUNS}/${id}`)).jobs).toMatchObject([{ status: 3 }, { status: 3 }]);
  });
});

describe('§4 Pipelines: runs', () => {
  const statuses = async (on: Running, id: string) =>
    (await on.data('GET', `${PIPELINES}/runs/${id}`)).steps.map((step: { status: string }) => step.status);

  test('§3: a stage starts when the previous one has succeeded, with default inputs', async () => {
    const on = await running();
    const { body } = await on.call('POST', `${PIPELINES}/${PIPELINE}/run`);
    expect(body.data).toEqual({ pipelineRunId: expect.any(String), stepCount: 3 });
    const id = body.data.pipelineRunId;
    expect(await statuses(on, id)).toEqual(['Running', 'Pending', 'Pending']);
    on.seconds(12);
    expect(await on.data('GET', `${PIPELINES}/runs/${id}`)).toEqual({
      pipelineRunId: id,
      status: 'Running',
      currentStepIndex: 1,
      stepCount: 3,
      startedAt: NOW.toISOString(),
      finishedAt: null,
      steps: [
        expect.objectContaining({ status: 'Succeeded', error: null, agentJobHistoryId: expect.any(String) }),
        expect.objectContaining({ status: 'Running', agentJobHistoryId: expect.any(String) }),
        expect.objectContaining({ status: 'Pending', agentJobHistoryId: null, scraperAgentId: INITECH }),
      ],
    });
    const { items } = await on.data('GET', `${AGENTS}/jobs`);
    expect(items[1]).toMatchObject({ pipelineRunId: id, inputParameters: '{"q":"x"}' });
    on.seconds(18);
    expect(await on.data('GET', `${PIPELINES}/runs/${id}`)).toMatchObject({
      status: 'Completed',
      finishedAt: new Date(NOW.getTime() + 30_000).toISOString(),
    });
    expect(await on.data('GET', `${PIPELINES}/${PIPELINE}`)).toMatchObject({
      activeRunCount: 0,
      lastRunStatus: 'Completed',
    });
    expect(await zipNames(on, `${PIPELINES}/runs/${id}/export`)).toHaveLength(3);
  });

  test.each([
    ['fails', { result: 'fail', message: 'A wall.' } as const],
    ['cannot be started', { result: 'refuse', message: 'A wall.' } as const],
  ])('§3: when a stage %s, the stages after it are skipped', async (_name, outcome) => {
    const on = await running({ globex: { outcomes: [{ seconds: 10, ...outcome }] } });
    const id = await startPipeline(on);
    on.seconds(60);
    expect(await statuses(on, id)).toEqual(['Succeeded', 'Failed', 'Skipped']);
    const run = await on.data('GET', `${PIPELINES}/runs/${id}`);
    expect(run).toMatchObject({
      status: 'Failed',
      currentStepIndex: 1,
      steps: [{}, { error: 'A wall.' }, { error: null }],
    });
    expect(await zipNames(on, `${PIPELINES}/runs/${id}/export`)).toHaveLength(1);
  });

  test('§3: a stopped stage fails the run', async () => {
    const on = await running();
    const id = await startPipeline(on);
    const [{ agentRunHistoryId }] = (await on.data('GET', `${AGENTS}/runs`)).items;
    await on.data('POST', `${AGENTS}/runs/${agentRunHistoryId}/stop`);
    expect(await statuses(on, id)).toEqual(['Failed', 'Skipped', 'Skipped']);
  });

  test('§4: the list of runs has filters, pages and metrics, and a delete removes the jobs', async () => {
    const on = await running({
      globex: { outcomes: [{ nth: 1, result: 'fail', seconds: 1 }, { seconds: 1 }] },
    });
    const first = await startPipeline(on);
    on.seconds(100);
    const second = await startPipeline(on);
    on.seconds(100);
    const third = await startPipeline(on);
    const ids = async (query = '') =>
      (await on.data('GET', `${PIPELINES}/runs?${query}`)).items.map(
        (run: { pipelineRunId: string }) => run.pipelineRunId,
      );
    expect(await ids()).toEqual([third, second, first]);
    expect(await ids('status=Failed')).toEqual([first]);
    expect(await ids('status=Completed')).toEqual([second]);
    expect(await ids('status=Running')).toEqual([third]);
    expect(await ids(`pipelineId=${PIPELINE}&q=nightly&page=2&pageSize=2`)).toEqual([first]);
    expect(await ids(`pipelineId=${UNKNOWN}`)).toEqual([]);
    expect((await on.data('GET', `${PIPELINES}/runs`)).metrics).toEqual({
      total: 3,
      completed: 1,
      inProgress: 1,
      issues: 1,
    });
    await on.data('DELETE', `${PIPELINES}/runs/${third}`);
    expect((await on.data('GET', `${AGENTS}/runs?state=active`)).items).toEqual([]);
    on.seconds(100);
    expect(await ids()).toEqual([second, first]);
    expect((await on.refusal('GET', `${PIPELINES}/runs/${third}`))[0]).toBe(404);
  });

  test('§7: a pipeline with an agent of others gives 403 FORBIDDEN', async () => {
    const on = await running({}, { seed: { ...SEED } });
    const [hidden] = [...on.world.pipelines.values()].filter(({ name }) => name === 'Unseen');
    expect(await on.refusal('POST', `${PIPELINES}/${hidden?.id}/run`)).toEqual([403, 'FORBIDDEN']);
    expect(on.world.agents.get(ACME)?.assigned).toBe(true);
  });
});
