import { describe, expect, test } from 'vitest';
import { AGENTS, COLLEAGUE, GROUPS, running } from './running.js';
import { ACME, GLOBEX, GROUP, HIDDEN, NOW, UNKNOWN } from './service.js';

/** interface.md §2 Job and Run, §3 Job status and Run state, §4 Starting and stopping, Runs, Jobs. */

const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString();

describe('§4 Starting and stopping', () => {
  test('§4 start-job: the answer has the documented fields, and the job is in progress', async () => {
    const { call, job } = await running();
    const { body } = await call('POST', `${AGENTS}/acme/start-job`, { inputParameters: '{"q":"y"}' });
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      data: {
        agentId: ACME,
        externalAgentId: 'acme',
        agentJobHistoryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        jobRunId: expect.any(Number),
        sessionId: expect.any(String),
        startedAt: NOW.toISOString(),
      },
    });
    expect(await job(body.data.agentJobHistoryId)).toEqual({
      agentJobHistoryId: body.data.agentJobHistoryId,
      agentName: 'Acme',
      status: 1,
      statusName: 'In progress',
      isTerminal: false,
      completedRunCount: 0,
      totalRunCount: 1,
      totalDataCount: 0,
      totalErrors: 0,
      inputParameters: '{"q":"y"}',
      triggerSource: 'Manual',
      scheduleId: null,
      searchGroupRunId: null,
      pipelineRunId: null,
      errorMessage: null,
    });
  });

  test('§4 start-job: an agent that cannot be started gives 400 with a message', async () => {
    const { call } = await running({ acme: { outcomes: [{ result: 'refuse', message: 'It is broken.' }] } });
    expect(await call('POST', `${AGENTS}/acme/start-job`)).toMatchObject({
      status: 400,
      body: { success: false, message: 'It is broken.' },
    });
  });

  test('§4 run: it starts runs without a job, and 400 RUN_START_FAILED says that it cannot', async () => {
    const on = await running({ globex: { outcomes: [{ result: 'refuse' }] }, acme: { sessions: 2 } });
    const data = await on.data('POST', `${AGENTS}/acme/run`);
    expect(data).toEqual({
      started: true,
      lastRunStatus: expect.any(String),
      agentRunHistoryIds: [expect.any(String), expect.any(String)],
    });
    expect((await on.data('GET', `${AGENTS}/jobs`)).items).toEqual([]);
    expect((await on.data('GET', `${AGENTS}/runs`)).items).toHaveLength(2);
    expect(await on.refusal('POST', `${AGENTS}/globex/run`)).toEqual([400, 'RUN_START_FAILED']);
  });

  test.each([
    ['start-job', ACME],
    ['run', ACME],
    ['start-job', 'hidden'],
    ['run', 'nothing'],
  ])('§2 Agent: %s of %s returns 404', async (action, agent) => {
    const { refusal } = await running();
    expect(await refusal('POST', `${AGENTS}/${agent}/${action}`)).toEqual([404, undefined]);
  });

  test.each([[{ inputParameters: 'x' }], [{ inputParameters: {} }], [{ inputParameters: '[]' }]])(
    '§1.5: a start with the body %j is refused',
    async (body) => {
      const { call } = await running();
      expect((await call('POST', `${AGENTS}/acme/start-job`, body)).status).toBe(400);
    },
  );

  test('§3 Run state: a run in progress can be stopped, a finished one cannot', async () => {
    const on = await running();
    const id = await on.start();
    on.seconds(4);
    const [{ agentRunHistoryId }] = await on.runs(id);
    const path = `${AGENTS}/runs/${agentRunHistoryId}/stop`;
    expect((await on.call('POST', path)).status).toBe(200);
    const [run] = await on.runs(id);
    expect(run).toMatchObject({
      isTerminal: true,
      isRunning: false,
      endTime: at(4),
      runTimeSeconds: 4,
      data: 12,
    });
    expect(await on.job(id)).toMatchObject({
      status: 5,
      isTerminal: true,
      errorMessage: 'The run was stopped.',
    });
    expect(await on.refusal('POST', path)).toEqual([400, undefined]);
    expect(await on.refusal('POST', `${AGENTS}/runs/${UNKNOWN}/stop`)).toEqual([404, 'RUN_NOT_FOUND']);
  });

  test('§8: 60 starts a minute and user; the 61st gives 429 until the first is a minute old', async () => {
    const on = await running();
    for (let count = 0; count < 59; count += 1) await on.start();
    on.seconds(10);
    await on.data('POST', `${AGENTS}/acme/run`);
    const refused = await on.call('POST', `${AGENTS}/acme/start-job`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
    expect((await on.call('POST', `${GROUPS}/${GROUP}/run`)).status).toBe(200);
    await on.start('acme', COLLEAGUE);
    on.seconds(50);
    await on.start();
  });
});

describe('§3 Job status', () => {
  test('§3: a job goes from in progress to succeeded when its run ends', async () => {
    const on = await running();
    const id = await on.start();
    on.seconds(9.9);
    expect(await on.job(id)).toMatchObject({ status: 1, isTerminal: false, totalDataCount: 29 });
    expect((await on.runs(id))[0]).toMatchObject({ isRunning: true, endTime: null, runTimeSeconds: null });
    on.seconds(0.1);
    expect(await on.job(id)).toMatchObject({
      status: 3,
      isTerminal: true,
      totalDataCount: 30,
      completedRunCount: 1,
    });
    expect((await on.runs(id))[0]).toEqual({
      agentRunHistoryId: expect.any(String),
      agentName: 'Acme',
      status: expect.stringMatching(/^(Succeeded|Completed)$/),
      isRunning: false,
      isTerminal: true,
      startTime: at(0),
      endTime: at(10),
      runTimeSeconds: 10,
      pages: 2,
      requests: 6,
      errors: 0,
      data: 30,
      statusMessage: null,
      runtimeAnomaly: 'None',
      triggerSource: 'Manual',
    });
  });

  test('§3: with a failed run the status is 2 in progress, then 4; 5 when all failed', async () => {
    const outcomes = [
      { nth: 1, result: 'fail', failedRuns: 1, seconds: 10 },
      { result: 'fail', message: 'No.' },
    ] as const;
    const on = await running({ acme: { sessions: 3, outcomes: [...outcomes] } });
    const [first, second] = [await on.start(), await on.start()];
    on.seconds(10);
    expect(await on.job(first)).toMatchObject({
      status: 2,
      completedRunCount: 1,
      totalRunCount: 3,
      totalErrors: 1,
    });
    on.seconds(100);
    expect(await on.job(first)).toMatchObject({
      status: 4,
      isTerminal: true,
      errorMessage: expect.any(String),
    });
    expect(await on.job(second)).toMatchObject({ status: 5, isTerminal: true, errorMessage: 'No.' });
  });

  test('§2 Run: runs that are much faster or slower than usual are anomalous', async () => {
    const outcomes = [{ nth: 2, seconds: 3, records: 0 }, { nth: [3], seconds: 40 }, { seconds: 10 }];
    const on = await running({ acme: { outcomes } });
    const ids = [await on.start(), await on.start(), await on.start()];
    on.seconds(60);
    const runs = await Promise.all(ids.map(async (id) => (await on.runs(id))[0]));
    expect(runs.map(({ runtimeAnomaly, runTimeSeconds }) => [runtimeAnomaly, runTimeSeconds])).toEqual([
      ['None', 10],
      ['Fast', 3],
      ['Slow', 40],
    ]);
    expect(runs[1].data).toBe(0);
  });
});

describe('§4 Jobs', () => {
  test('§4 Jobs: the filters state, jobId, search, from and to; an unknown state is ignored', async () => {
    const on = await running({ globex: { outcomes: [{ seconds: 10, result: 'fail', message: 'A wall.' }] } });
    const acme = await on.start();
    on.seconds(60);
    const globex = await on.start('globex');
    on.seconds(60);
    const active = await on.start();
    const ids = async (query: string) =>
      (await on.data('GET', `${AGENTS}/jobs?${query}`)).items.map(
        (job: { agentJobHistoryId: string }) => job.agentJobHistoryId,
      );
    expect(await ids('')).toEqual([active, globex, acme]);
    expect(await ids('state=active')).toEqual([active]);
    expect(await ids('state=succeeded')).toEqual([acme]);
    expect(await ids('state=failed')).toEqual([globex]);
    expect(await ids('state=nonsense')).toEqual([active, globex, acme]);
    expect(await ids(`jobId=${acme}`)).toEqual([acme]);
    expect(await ids('search=GLOB')).toEqual([globex]);
    expect(await ids(`search=${ACME}`)).toEqual([active, acme]);
    expect(await ids('search=a%20wall')).toEqual([globex]);
    expect(await ids(`from=${at(60)}&to=${at(61)}`)).toEqual([globex]);
    expect(await ids('to=2026-11-01T12:00:30')).toEqual([acme]);
    expect(await on.refusal('GET', `${AGENTS}/jobs?from=yesterday`)).toEqual([400, undefined]);
  });

  test('§1.7: pages by cursor are complete and stable while new jobs start', async () => {
    const on = await running();
    for (let count = 0; count < 30; count += 1) await on.start(count % 2 === 0 ? 'acme' : 'globex');
    const first = await on.data('GET', `${AGENTS}/jobs`);
    expect(first.items).toHaveLength(25);
    await on.start();
    const rest = await on.data('GET', `${AGENTS}/jobs?cursor=${first.nextCursor}&pageSize=100`);
    expect(rest).toMatchObject({ items: { length: 5 }, nextCursor: null });
    const ids = [...first.items, ...rest.items].map((job) => job.agentJobHistoryId);
    expect(new Set(ids).size).toBe(30);
    expect((await on.data('GET', `${AGENTS}/${GLOBEX}/jobs?pageSize=7`)).items).toHaveLength(7);
    expect(await on.refusal('GET', `${AGENTS}/jobs?cursor=zzz`)).toEqual([400, undefined]);
    for (const agent of ['acme', HIDDEN])
      expect((await on.refusal('GET', `${AGENTS}/${agent}/jobs`))[0]).toBe(404);
  });

  test('§4 Jobs: counts by state', async () => {
    const on = await running({ globex: { demo: true, outcomes: [{ result: 'fail', seconds: 1 }] } });
    await on.start();
    await on.start('globex');
    on.seconds(5);
    expect(await on.data('GET', `${AGENTS}/jobs/active-count`)).toBe(1);
    expect(await on.data('GET', `${AGENTS}/jobs/status-counts`)).toEqual({
      all: 2,
      demo: 1,
      inProgress: 1,
      inProgressWithFailure: 0,
      succeeded: 0,
      failure: 0,
      failed: 1,
    });
  });
});

describe('§4 Runs', () => {
  test('§4 Runs: the filter state, and 400 INVALID_STATE for any other word', async () => {
    const on = await running({ globex: { outcomes: [{ seconds: 10, result: 'fail' }] } });
    await on.start();
    await on.start('globex');
    on.seconds(10);
    await on.start();
    const names = async (query: string, path = `${AGENTS}/runs`) =>
      (await on.data('GET', `${path}?${query}`)).items.map((run: { agentName: string }) => run.agentName);
    expect(await names('')).toEqual(['Acme', 'Globex', 'Acme']);
    expect(await names('state=all')).toHaveLength(3);
    expect(await names('state=active')).toEqual(['Acme']);
    expect(await names('state=succeeded')).toEqual(['Acme']);
    expect(await names('state=failed')).toEqual(['Globex']);
    expect(await names('search=not%20respond')).toEqual(['Globex']);
    expect(await names(`from=${at(10)}`)).toEqual(['Acme']);
    expect(await names('state=failed', `${AGENTS}/${GLOBEX}/runs`)).toEqual(['Globex']);
    for (const path of [`${AGENTS}/runs`, `${AGENTS}/${ACME}/runs`])
      expect(await on.refusal('GET', `${path}?state=Failed`)).toEqual([400, 'INVALID_STATE']);
    expect(await on.refusal('GET', `${AGENTS}/acme/runs`)).toEqual([404, undefined]);
  });

  test('§4 Runs: the filter attention needs state=failed, and follows dismiss and restore', async () => {
    const on = await running({ acme: { outcomes: [{ seconds: 1, result: 'fail' }] } });
    const id = await on.start();
    on.seconds(2);
    const [{ agentRunHistoryId: run }] = await on.runs(id);
    const count = async (attention: string) =>
      (await on.data('GET', `${AGENTS}/runs?state=failed&attention=${attention}`)).items.length;
    expect([await count('tracked'), await count('ignored')]).toEqual([1, 0]);
    expect(await on.data('GET', `${AGENTS}/runs/attention-count`)).toBe(1);
    await on.data('POST', `${AGENTS}/runs/${run}/dismiss-attention`);
    expect([await count('tracked'), await count('ignored')]).toEqual([0, 1]);
    expect(await on.data('GET', `${AGENTS}/runs/attention-count`)).toBe(0);
    await on.data('POST', `${AGENTS}/runs/${run}/restore-attention`);
    expect([await count('tracked'), await count('ignored')]).toEqual([1, 0]);
    for (const query of ['attention=tracked', 'state=active&attention=tracked', 'state=failed&attention=x'])
      expect(await on.refusal('GET', `${AGENTS}/runs?${query}`)).toEqual([400, 'INVALID_ATTENTION_FILTER']);
  });

  test('§3 Run state: a refresh of a run that the engine lost makes it failed, and changes no other', async () => {
    const on = await running({ acme: { outcomes: [{ nth: [1, 2], result: 'lose' }, { seconds: 10 }] } });
    const [lost, other, fine] = [await on.start(), await on.start(), await on.start()];
    on.seconds(86_400);
    expect(await on.job(lost)).toMatchObject({ status: 1, isTerminal: false });
    const runOf = async (id: string) => {
      const runs = (await on.data('GET', `${AGENTS}/runs`)).items;
      return runs[[fine, other, lost].indexOf(id)];
    };
    const refresh = async (id: string) =>
      on.data('POST', `${AGENTS}/runs/${(await runOf(id)).agentRunHistoryId}/refresh`);
    await refresh(fine);
    await refresh(lost);
    expect(await on.job(lost)).toMatchObject({ status: 5, isTerminal: true });
    expect(await runOf(fine)).toMatchObject({ isTerminal: true, statusMessage: null });
    expect(await on.data('GET', `${AGENTS}/runs/active-count`)).toBe(1);
    // §4 Runs: reading the runs of a job re-reads them from the engine, too.
    expect((await on.runs(other))[0]).toMatchObject({ isTerminal: true, statusMessage: expect.any(String) });
  });

  test('§4 Runs: counts by state', async () => {
    const on = await running({ globex: { outcomes: [{ result: 'fail', seconds: 1 }] } });
    const ids = [await on.start(), await on.start('globex'), await on.start()];
    const stopped = (await on.runs(ids[2] ?? ''))[0].agentRunHistoryId;
    const counts = () => on.data('GET', `${AGENTS}/runs/status-counts`);
    const none = {
      all: 3,
      demo: 0,
      starting: 0,
      running: 0,
      delivery: 0,
      succeeded: 0,
      failed: 0,
      stopped: 0,
    };
    expect(await counts()).toEqual({ ...none, starting: 3 });
    await on.data('POST', `${AGENTS}/runs/${stopped}/stop`);
    on.seconds(5);
    expect(await counts()).toEqual({ ...none, running: 1, failed: 1, stopped: 1 });
    on.seconds(4.5);
    expect(await counts()).toEqual({ ...none, delivery: 1, failed: 1, stopped: 1 });
    on.seconds(5);
    expect(await counts()).toEqual({ ...none, succeeded: 1, failed: 1, stopped: 1 });
  });
});
