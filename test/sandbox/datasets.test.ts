import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { sendPieces } from '../../src/sandbox/http.js';
import { isLong } from '../support/size.js';
import { AGENTS, COLLEAGUE, EXPLORER, LONER, type Running, running, STRANGER } from './running.js';
import { ACME, type Body, UNKNOWN } from './service.js';

/** interface.md §2 Dataset and Saved query, §3 Dataset, §4 Datasets and Saved queries, §7. */

const LIST = `${AGENTS}/cached-exports`;
const BULK = `${EXPLORER}/bulk`;
const SAVED = `${EXPLORER}/saved-queries`;
const one = (id: string, rest: string) => `${EXPLORER}/datasets/${id}/${rest}`;

/** Runs an agent, and returns the id of its dataset. */
async function collect(on: Running, agent = 'acme', key?: string): Promise<string> {
  const job = await on.start(agent, key);
  on.seconds(60);
  return (await on.data('GET', `${AGENTS}/jobs/${job}/dataset`, undefined, key)).datasetId;
}

async function download(on: Running, path: string, init: RequestInit = {}) {
  const headers = { 'X-Api-Key': on.apiKey, 'Content-Type': 'application/json' };
  const response = await fetch(on.url + path, { headers, ...init });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

describe('§2 Dataset', () => {
  test('§2: a successful job stores a dataset with the documented fields', async () => {
    const on = await running();
    const job = await on.start();
    expect((await on.data('GET', LIST)).items).toEqual([]);
    on.seconds(60);
    const [run] = await on.runs(job);
    const { items, ...totals } = await on.data('GET', LIST);
    expect(items).toEqual([
      {
        id: expect.any(String),
        agentName: 'Acme',
        scraperAgentId: ACME,
        agentJobHistoryId: job,
        agentRunHistoryId: run.agentRunHistoryId,
        groupRunId: null,
        status: 'Available',
        sizeBytes: expect.any(Number),
        fileName: 'acme-20261101T120010.csv',
        expiresAt: '2026-12-01T12:00:10.000Z',
        isExpired: false,
        accessLevel: 'Private',
        canManage: true,
      },
    ]);
    expect(totals).toEqual({ total: 1, availableCount: 1, totalBytes: items[0].sizeBytes });
    const file = await download(on, `${AGENTS}/jobs/${job}/export`);
    expect(file.bytes).toHaveLength(items[0].sizeBytes);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="acme-20261101T120010.csv"');
    expect(file.text.trim().split('\r\n')).toHaveLength(31);
    expect((await download(on, `${AGENTS}/runs/${run.agentRunHistoryId}/export`)).text).toBe(file.text);
    expect((await download(on, one(items[0].id, 'download'))).text).toBe(file.text);
  });

  test('§2: a job of several runs exports as one zip, and each run has a file of its own', async () => {
    const on = await running({ acme: { sessions: 3, format: 'json' } });
    const job = await on.start();
    on.seconds(60);
    const zip = unzipSync((await download(on, `${AGENTS}/jobs/${job}/export`)).bytes);
    expect(Object.keys(zip)).toHaveLength(3);
    expect(Object.values(zip).map((bytes) => JSON.parse(new TextDecoder().decode(bytes)).length)).toEqual([
      30, 30, 30,
    ]);
    const [run] = await on.runs(job);
    const { datasetId } = await on.data('GET', `${AGENTS}/runs/${run.agentRunHistoryId}/dataset`);
    expect(JSON.parse((await download(on, one(datasetId, 'download'))).text)).toHaveLength(30);
    const scopes = async (scope: string) => (await on.data('GET', `${LIST}?scope=${scope}`)).total;
    expect([await scopes('Job'), await scopes('Run'), await scopes('')]).toEqual([1, 3, 4]);
  });

  test('§2: the same start of the same agent has the same data in every sandbox', async () => {
    const texts = await Promise.all(
      [0, 1].map(async () => {
        const on = await running();
        return (await download(on, one(await collect(on), 'download'))).text;
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  test('§3: retention removes the file and keeps the record', async () => {
    const on = await running({}, { seed: { settings: { retentionDays: 2 } } });
    const id = await collect(on);
    on.seconds(2 * 86_400);
    expect((await on.data('GET', LIST)).items).toMatchObject([{ id, status: 'Expired', isExpired: true }]);
    expect(await on.data('GET', `${LIST}?status=Available`)).toMatchObject({ total: 0, availableCount: 0 });
    const [job] = (await on.data('GET', `${AGENTS}/jobs`)).items;
    for (const path of [
      one(id, 'download'),
      one(id, 'preview'),
      `${AGENTS}/jobs/${job.agentJobHistoryId}/export`,
      `${AGENTS}/jobs/${job.agentJobHistoryId}/dataset`,
    ])
      expect(await on.refusal('GET', path)).toEqual([410, 'EXPORT_EXPIRED']);
    expect(await on.refusal('POST', one(id, 'query'), {})).toEqual([410, 'EXPORT_EXPIRED']);
    expect(await on.refusal('POST', `${BULK}/export`, { datasetIds: [id] })).toEqual([
      404,
      'DATASETS_NOT_FOUND',
    ]);
  });

  test('§4: the list is filtered by text, status and section', async () => {
    const outcomes = [{ nth: 1, dataset: 'Stale' }, { nth: 2, dataset: 'Failed' }, { seconds: 5 }] as const;
    const on = await running({ acme: { outcomes: [...outcomes] }, globex: { demo: true } });
    await collect(on);
    await on.start();
    on.seconds(60);
    await collect(on, 'globex');
    const total = async (query: string) => (await on.data('GET', `${LIST}?${query}`)).total;
    expect([await total(''), await total('section=demo'), await total('section=production')]).toEqual([
      2, 1, 2,
    ]);
    expect([await total('status=Stale'), await total('status=Failed')]).toEqual([1, 1]);
    expect([await total('q=ACME'), await total('q=globex')]).toEqual([2, 0]);
  });
});

describe('§7 Errors of downloads', () => {
  test('§7: 400 NO_FILE_EXPORT for a job or run without a file', async () => {
    const outcomes = [
      { nth: 1, result: 'fail' },
      { nth: 2, dataset: 'None' },
      { nth: 3, dataset: 'Failed' },
    ] as const;
    const on = await running({ acme: { outcomes: [...outcomes] } });
    const jobs = [await on.start(), await on.start(), await on.start(), await on.start('globex')];
    const check = async (job: string) => {
      const [run] = await on.runs(job);
      for (const rest of ['export', 'dataset']) {
        expect(await on.refusal('GET', `${AGENTS}/jobs/${job}/${rest}`)).toEqual([400, 'NO_FILE_EXPORT']);
        expect(await on.refusal('GET', `${AGENTS}/runs/${run.agentRunHistoryId}/${rest}`)).toEqual([
          400,
          'NO_FILE_EXPORT',
        ]);
      }
    };
    await check(jobs[3] ?? ''); // not finished
    on.seconds(60);
    for (const job of jobs.slice(0, 3)) await check(job);
  });

  test('§7: 402 PAYMENT_REQUIRED while the payment has not settled', async () => {
    const on = await running({ acme: { unpaid: true } });
    const job = await on.start();
    on.seconds(60);
    const [{ id }] = (await on.data('GET', LIST)).items;
    for (const path of [
      one(id, 'download'),
      one(id, 'preview'),
      `${AGENTS}/jobs/${job}/export`,
      `${AGENTS}/jobs/${job}/dataset`,
    ])
      expect(await on.refusal('GET', path)).toEqual([402, 'PAYMENT_REQUIRED']);
  });

  test('§7: 404 JOB_NOT_FOUND and RUN_NOT_FOUND, also for the jobs and runs of others', async () => {
    const on = await running();
    const job = await on.start();
    on.seconds(60);
    const [{ agentRunHistoryId: run }] = await on.runs(job);
    const keys = [undefined, COLLEAGUE];
    for (const [index, key] of keys.entries()) {
      const [jobId, runId] = index === 0 ? [UNKNOWN, UNKNOWN] : [job, run];
      for (const rest of ['export', 'dataset', 'runs'])
        expect(await on.refusal('GET', `${AGENTS}/jobs/${jobId}/${rest}`, undefined, key)).toEqual([
          404,
          'JOB_NOT_FOUND',
        ]);
      for (const rest of ['export', 'dataset'])
        expect(await on.refusal('GET', `${AGENTS}/runs/${runId}/${rest}`, undefined, key)).toEqual([
          404,
          'RUN_NOT_FOUND',
        ]);
      for (const rest of ['stop', 'refresh', 'dismiss-attention', 'restore-attention'])
        expect(await on.refusal('POST', `${AGENTS}/runs/${runId}/${rest}`, undefined, key)).toEqual([
          404,
          'RUN_NOT_FOUND',
        ]);
    }
    expect((await on.data('GET', `${AGENTS}/jobs`, undefined, COLLEAGUE)).items).toEqual([]);
  });
});

describe('§4 Preview and query', () => {
  const FIELDS = ['title', 'price', 'country', 'inStock'];
  const queried = async (body: object = {}) => {
    const on = await running({ acme: { fields: FIELDS, outcomes: [{ seconds: 1, records: 400 }] } });
    const id = await collect(on);
    const all: Body[] = JSON.parse(
      JSON.stringify(
        (
          await Promise.all([1, 2].map((page) => on.data('POST', one(id, 'query'), { page, pageSize: 200 })))
        ).flatMap(({ rows }) => rows),
      ),
    );
    return { on, id, all, answer: await on.data('POST', one(id, 'query'), body) };
  };

  test('§4: a preview has the columns, the first rows, and whether it was cut', async () => {
    const { on, id, all } = await queried();
    const preview = await on.data('GET', one(id, 'preview'));
    expect(preview).toEqual({ columns: FIELDS, rows: all.slice(0, 20), isTruncated: true });
  });

  test('§4: a query has 50 rows a page by default and 200 at most', async () => {
    const { on, id, all, answer } = await queried();
    expect(all).toHaveLength(400);
    expect(answer).toMatchObject({
      columns: FIELDS,
      totalMatches: 400,
      page: 1,
      pageSize: 50,
      rows: all.slice(0, 50),
    });
    expect(await on.data('POST', one(id, 'query'), { page: 2, pageSize: 999 })).toMatchObject({
      pageSize: 200,
      rows: all.slice(200),
    });
    expect(await on.data('POST', one(id, 'query'), { page: 99 })).toMatchObject({
      totalMatches: 400,
      rows: [],
    });
  });

  const text = (value: unknown) => (value === null ? '' : String(value).toLowerCase());
  test.each<[string, string, unknown, (value: never) => boolean]>([
    ['contains', 'title', 'LAMP', (value) => text(value).includes('lamp')],
    ['equals', 'country', 'de', (value) => value === 'DE'],
    ['notequals', 'country', 'de', (value) => value !== 'DE'],
    ['startswith', 'title', 'red', (value) => text(value).startsWith('red')],
    ['endswith', 'title', '7', (value) => text(value).endsWith('7')],
    ['isempty', 'country', undefined, (value) => value === null],
    ['isnotempty', 'country', undefined, (value) => value !== null],
    ['gt', 'price', '500', (value) => value > 500],
    ['gte', 'price', 500.5, (value) => value >= 500.5],
    ['lt', 'price', '99.9', (value) => value < 99.9],
    ['lte', 'country', 'fr', (value) => value !== null && text(value) <= 'fr'],
  ])('§4: the operator %s on %s', async (operator, column, value, applies) => {
    const { all, answer } = await queried({ filters: [{ column, operator, value }] });
    const expected = all.filter((row) => applies(row[column] as never));
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(400);
    expect(answer.totalMatches).toBe(expected.length);
    expect(answer.rows).toEqual(expected.slice(0, 50));
  });

  test('§4: contains is the default operator, filters combine, search is free text, sort goes both ways', async () => {
    const { on, id, all } = await queried();
    const query = (body: object) => on.data('POST', one(id, 'query'), body);
    const lamps = all.filter(({ title, price }) => title.includes('lamp') && price > 300);
    const filters = [
      { column: 'title', value: 'lamp' },
      { column: 'price', operator: 'gt', value: '300' },
    ];
    const prices = ({ rows }: Body) => rows.map((row: Body) => row.price);
    const ascending = lamps.map(({ price }) => price).sort((a, b) => a - b);
    expect(prices(await query({ filters, sortColumn: 'price' }))).toEqual(ascending);
    expect(prices(await query({ filters, sortColumn: 'PRICE', sortDirection: 'desc' }))).toEqual(
      ascending.reverse(),
    );
    const found = all.filter((row) => Object.values(row).some((value) => text(value).includes('café')));
    expect((await query({ search: 'CAFÉ' })).totalMatches).toBe(found.length);
  });

  test.each([
    [{ filters: [{ column: 'nothing' }] }],
    [{ filters: [{ column: 'price', operator: 'like' }] }],
    [{ filters: {} }],
    [{ sortColumn: 'nothing' }],
    [{ sortColumn: 'price', sortDirection: 'up' }],
    [{ page: '1' }],
    [{ search: 5 }],
  ])('§4: the query %j gives 400', async (body) => {
    const on = await running();
    expect(await on.refusal('POST', one(await collect(on), 'query'), body)).toEqual([400, undefined]);
  });
});

describe('§3 Access', () => {
  test('§3: only the owner shares a dataset, and then the company can read it but not change it', async () => {
    const on = await running();
    const id = await collect(on);
    const statusFor = async (key: string) =>
      (await on.refusal('GET', one(id, 'download'), undefined, key))[0];
    expect([await statusFor(COLLEAGUE), await statusFor(STRANGER)]).toEqual([404, 404]);
    expect(await on.data('GET', one(id, 'access'))).toEqual({ accessLevel: 'Private' });
    await on.data('PUT', one(id, 'access'), { accessLevel: 'Company' });
    expect([await statusFor(COLLEAGUE), await statusFor(STRANGER), await statusFor(LONER)]).toEqual([
      200, 404, 404,
    ]);
    const [shared] = (await on.data('GET', LIST, undefined, COLLEAGUE)).items;
    expect(shared).toMatchObject({ id, accessLevel: 'Company', canManage: false });
    expect(await on.refusal('PUT', one(id, 'access'), { accessLevel: 'Private' }, COLLEAGUE)).toEqual([
      404,
      undefined,
    ]);
    expect(await on.refusal('DELETE', `${LIST}/${id}`, undefined, COLLEAGUE)).toEqual([404, undefined]);
    expect(await on.data('POST', `${BULK}/delete`, { datasetIds: [id] }, COLLEAGUE)).toEqual({
      processed: 0,
      skipped: 1,
    });
    await on.data('PUT', one(id, 'access'), { accessLevel: 'Private' });
    expect(await statusFor(COLLEAGUE)).toBe(404);
    for (const body of [{}, { accessLevel: 'Public' }])
      expect(await on.refusal('PUT', one(id, 'access'), body)).toEqual([400, undefined]);
  });

  test('§7: 400 INVALID_ACCESS_POLICY for a user without a company', async () => {
    const on = await running();
    const id = await collect(on, 'acme', LONER);
    const share = (accessLevel: string) => on.refusal('PUT', one(id, 'access'), { accessLevel }, LONER);
    expect(await share('Company')).toEqual([400, 'INVALID_ACCESS_POLICY']);
    expect(await share('Private')).toEqual([200, undefined]);
  });

  test('§2 Lineage: the agent, the job and the dataset, and what leads from one to the next', async () => {
    const on = await running();
    const id = await collect(on);
    const { nodes, edges } = await on.data('GET', one(id, 'lineage'));
    expect(nodes.map((node: Body) => node.type)).toEqual(['agent', 'job', 'dataset']);
    expect(edges.map(({ from, to }: Body) => [from, to])).toEqual([
      [nodes[0].id, nodes[1].id],
      [nodes[1].id, id],
    ]);
  });
});

describe('§4 Bulk', () => {
  const body = (datasetIds: unknown) => ({ method: 'POST', body: JSON.stringify({ datasetIds }) });

  test('§4: a bulk export is one zip, and its header counts the files; what has none is left out', async () => {
    const on = await running();
    const ids = [await collect(on), await collect(on, 'globex')];
    const { status, headers, bytes } = await download(
      on,
      `${BULK}/export`,
      body([...ids, UNKNOWN, 'x', ids[0]]),
    );
    expect(status).toBe(200);
    expect(headers.get('x-export-file-count')).toBe('2');
    expect(Object.keys(unzipSync(bytes))).toHaveLength(2);
    expect(await on.refusal('POST', `${BULK}/export`, { datasetIds: [UNKNOWN] })).toEqual([
      404,
      'DATASETS_NOT_FOUND',
    ]);
    for (const each of [undefined, Array.from({ length: 51 }, () => UNKNOWN)])
      for (const rest of ['export', 'delete'])
        expect(await on.refusal('POST', `${BULK}/${rest}`, { datasetIds: each })).toEqual([400, undefined]);
  });

  test('§8: a second bulk export at the same time gives 429 with Retry-After: 5', async () => {
    const on = await running({}, { seed: { settings: { bulkExportSeconds: 30 } } });
    const id = await collect(on);
    expect((await download(on, `${BULK}/export`, body([id]))).status).toBe(200);
    const second = await on.call('POST', `${BULK}/export`, { datasetIds: [id] });
    expect(second).toMatchObject({ status: 429, body: { errorCode: 'BULK_EXPORT_CAPACITY_EXCEEDED' } });
    expect(second.headers.get('retry-after')).toBe('5');
    expect((await on.refusal('POST', `${BULK}/export`, { datasetIds: [id] }, COLLEAGUE))[1]).toBe(
      'DATASETS_NOT_FOUND',
    );
    on.seconds(30);
    expect((await download(on, `${BULK}/export`, body([id]))).status).toBe(200);
  });

  test('§8: an export that is not read to its end is over when the client goes', async () => {
    let isSent = false;
    const pieces = () => Array.from({ length: 9 }, () => new Uint8Array(100_000));
    const answer = { fileName: 'x.zip', contentType: 'application/zip', pieces, sent: () => (isSent = true) };
    const client = new PassThrough({ highWaterMark: 1 });
    sendPieces(answer, client);
    await once(client, 'data');
    client.pause();
    expect(isSent).toBe(false);
    client.destroy();
    await expect.poll(() => isSent).toBe(true);
  });

  test.runIf(isLong)(
    '§8: an export that is not read to its end holds its place until the client goes',
    async () => {
      const on = await running({ acme: { outcomes: [{ seconds: 1, records: 200_000 }] } });
      const id = await collect(on);
      const controller = new AbortController();
      const headers = { 'X-Api-Key': on.apiKey, 'Content-Type': 'application/json' };
      const init = { ...body([id]), headers, signal: controller.signal };
      const open = await fetch(`${on.url}${BULK}/export`, init);
      const statusOf = async () => (await on.call('POST', `${BULK}/export`, { datasetIds: [id] })).status;
      expect([open.status, await statusOf()]).toEqual([200, 429]);
      controller.abort();
      await expect.poll(statusOf).toBe(200);
    },
  );

  test('§4: a delete removes the file and its saved queries; the run stays in history', async () => {
    const on = await running();
    const ids = [await collect(on), await collect(on)];
    for (const datasetId of ids) await on.data('POST', SAVED, { name: 'q', datasetId, definition: {} });
    await on.data('DELETE', `${LIST}/${ids[0]}`);
    expect(await on.data('GET', SAVED)).toMatchObject([{ datasetId: ids[1] }]);
    expect(await on.data('POST', `${BULK}/delete`, { datasetIds: [...ids, UNKNOWN] })).toEqual({
      processed: 1,
      skipped: 2,
    });
    expect(await on.data('GET', SAVED)).toEqual([]);
    expect((await on.data('GET', `${AGENTS}/runs`)).items).toHaveLength(2);
    for (const id of ids) expect(await on.refusal('GET', one(id, 'download'))).toEqual([404, undefined]);
  });
});

describe('§4 Saved queries', () => {
  test('§4: saved queries are private, newest first, and at most 100 are listed', async () => {
    const on = await running();
    const datasetId = await collect(on);
    const definition = { filters: [{ column: 'price', operator: 'gt', value: '10' }], pageSize: 20 };
    for (let count = 0; count < 101; count += 1)
      await on.data('POST', SAVED, { name: `query ${count}`, datasetId, definition });
    const list = await on.data('GET', SAVED);
    expect(list).toHaveLength(100);
    expect(list[0]).toMatchObject({ id: expect.any(String), name: 'query 100', datasetId, definition });
    expect(await on.data('GET', SAVED, undefined, COLLEAGUE)).toEqual([]);
    const path = `${SAVED}/${list[0].id}`;
    expect(await on.refusal('DELETE', path, undefined, COLLEAGUE)).toEqual([404, undefined]);
    await on.data('DELETE', path);
    expect((await on.data('GET', SAVED))[0].name).toBe('query 99');
  });

  test.each([
    [{ datasetId: 'ID', definition: {} }, 400],
    [{ name: 'q', definition: {} }, 400],
    [{ name: 'q', datasetId: UNKNOWN, definition: {} }, 404],
    [{ name: 'q', datasetId: 'ID' }, 400],
    [{ name: 'q', datasetId: 'ID', definition: { sortColumn: 'nothing' } }, 400],
  ])('§4: the saved query %j is refused', async (body, status) => {
    const on = await running();
    const datasetId = 'datasetId' in body && body.datasetId === 'ID' ? { datasetId: await collect(on) } : {};
    expect(await on.refusal('POST', SAVED, { ...body, ...datasetId })).toEqual([status, undefined]);
  });
});

describe('§2 Sample output', () => {
  test('§2: a sample is described and can be downloaded; without one, data is null and the download 404', async () => {
    const on = await running({ globex: { sample: false } });
    const path = (agent: string) => `${AGENTS}/${agent}/sample-output`;
    const sample = await on.data('GET', path(ACME));
    expect(sample).toMatchObject({
      recordCount: 3,
      fieldCount: 7,
      recordPath: 'records',
      schema: { length: 7 },
    });
    expect(JSON.parse(sample.rawJson).records).toHaveLength(3);
    const file = await download(on, `${path(ACME)}/download`);
    expect(JSON.parse(file.text)).toEqual(JSON.parse(sample.rawJson));
    const globex = [...on.world.agents.values()].find(({ name }) => name === 'Globex')?.id ?? '';
    expect(await on.data('GET', path(globex))).toBeNull();
    expect(await on.refusal('GET', `${path(globex)}/download`)).toEqual([404, 'SAMPLE_OUTPUT_NOT_FOUND']);
    expect(await on.refusal('GET', path('acme'))).toEqual([404, undefined]);
  });
});
