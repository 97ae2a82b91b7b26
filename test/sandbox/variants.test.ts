import { describe, expect, test } from 'vitest';
import { isVariant, VARIANTS, type Variant } from '../support/sandbox.js';
import {
  ACME,
  type Body,
  GLOBEX,
  GROUP,
  HIDDEN_GROUP,
  INITECH,
  PIPELINE,
  SEED,
  type Service,
  service,
  UNKNOWN,
} from './service.js';

/** A check for each variant, which fails on a sandbox without it. */

type Check = (service: Service) => Promise<void>;

const GROUPS = '/api/search-groups';
const PIPELINES = '/api/pipelines';
const SCHEDULES = '/api/schedules';
const KEYS = '/api/api-keys';
const QUERIES = '/api/data-explorer/saved-queries';

const CRON = {
  targetId: ACME,
  scheduleType: 'Cron',
  cronExpression: '0 30 2 * * MON',
  startTime: '2026-12-01T06:00:00',
  timeZoneId: 'Asia/Kolkata',
  inputParameters: '{"a":1,"b":"x"}',
};
const BASIC = {
  targetId: ACME,
  scheduleType: 'Basic',
  intervalValue: 6,
  intervalUnit: 'Hours',
  startTime: '2026-12-01T06:00:00',
};
const ONCE = { targetId: ACME, scheduleType: 'Once', startTime: '2020-01-01T00:00:00' };

const data = async ({ call }: Service, method: string, path: string, body?: unknown): Promise<Body> =>
  (await call(method, path, body)).body.data;
const status = async ({ call }: Service, method: string, path: string, body?: unknown): Promise<number> =>
  (await call(method, path, body)).status;
const list = (on: Service, path: string): Promise<Body> => data(on, 'GET', path);
const made = (on: Service, body: object): Promise<Body> => data(on, 'POST', SCHEDULES, body);
const ids = (records: { id: unknown }[]): unknown[] => records.map((record) => record.id);

/** The path of a dataset. */
async function collected(on: Service): Promise<string> {
  const { agentJobHistoryId } = await data(on, 'POST', '/api/scraper-agents/acme/start-job');
  on.advance(60_000);
  const { datasetId } = await list(on, `/api/scraper-agents/jobs/${agentJobHistoryId}/dataset`);
  return `/api/data-explorer/datasets/${datasetId}`;
}

const isReturned =
  (body: object, change: object): Check =>
  async (on) => {
    expect(await made(on, body)).toMatchObject(change);
    expect((await list(on, SCHEDULES))[0]).toMatchObject(change);
    expect((await list(on, `${SCHEDULES}/page`)).items[0]).toMatchObject(change);
  };

const CHECKS: Record<Variant, Check> = {
  'lists-as-items': async (on) => {
    for (const path of [GROUPS, PIPELINES, SCHEDULES, KEYS]) {
      expect((await list(on, path)).items).toBeInstanceOf(Array);
    }
    expect(await list(on, '/api/scraper-agents')).toBeInstanceOf(Array);
  },
  'lists-paged': async (on) => {
    for (let index = 0; index < 28; index += 1) await made(on, BASIC);
    expect(await list(on, SCHEDULES)).toMatchObject({ total: 28, items: { length: 25 } });
    expect(await list(on, `${SCHEDULES}?page=2`)).toMatchObject({ total: 28, items: { length: 3 } });
    expect(await list(on, `${GROUPS}?pageSize=1&page=2`)).toMatchObject({ total: 2, items: { length: 1 } });
  },
  'lists-cursor': async (on) => {
    for (let index = 0; index < 28; index += 1) await made(on, BASIC);
    const { items, nextCursor } = await list(on, SCHEDULES);
    const rest = await list(on, `${SCHEDULES}?cursor=${nextCursor}`);
    expect(rest.nextCursor).toBeNull();
    expect(new Set(ids([...items, ...rest.items])).size).toBe(28);
    expect(await status(on, 'GET', `${SCHEDULES}?cursor=zzz`)).toBe(400);
  },
  'lists-newest-first': async (on) => {
    const { id } = await made(on, BASIC);
    await made(on, CRON);
    expect((await list(on, SCHEDULES)).at(-1).id).toBe(id);
  },
  'items-without-members': async (on) => {
    expect((await list(on, GROUPS))[0]).toMatchObject({ id: GROUP, memberCount: 2 });
    expect((await list(on, GROUPS))[0]).not.toHaveProperty('members');
    expect((await list(on, PIPELINES))[0]).not.toHaveProperty('steps');
    expect((await list(on, `${GROUPS}/${GROUP}`)).members).toHaveLength(2);
  },
  'items-minimal': async (on) => {
    expect((await list(on, GROUPS))[0]).toEqual({ id: GROUP, name: 'Shops' });
    expect((await list(on, PIPELINES))[0]).toEqual({ id: PIPELINE, name: 'Nightly' });
    expect((await list(on, `${GROUPS}/${GROUP}`)).isActive).toBe(true);
  },
  'revoked-keys-hidden': async (on) => {
    const { key } = await data(on, 'POST', KEYS);
    const keys = await on.call('GET', KEYS, undefined, { 'X-Api-Key': key });
    expect(keys.body.data).toHaveLength(1);
  },
  'no-data-answers': async (on) => {
    const created = await on.call('POST', GROUPS, { name: 'x', agentIds: [] });
    expect(created.body).toEqual({ success: true, message: expect.any(String) });
    expect(await list(on, GROUPS)).toHaveLength(3);
    const { id } = await made(on, CRON);
    expect(await data(on, 'PUT', `${SCHEDULES}/${id}`, CRON)).toBeUndefined();
    expect(await data(on, 'POST', `${SCHEDULES}/${id}/enabled`, { isEnabled: false })).toBeUndefined();
    expect((await data(on, 'POST', KEYS)).key).toMatch(/^svc_live_/);
  },
  'answers-id-only': async (on) => {
    expect(await data(on, 'PUT', `${GROUPS}/${GROUP}`, { name: 'x' })).toEqual({ id: GROUP });
  },
  'answers-bare-id': async (on) => {
    expect(await data(on, 'PUT', `${PIPELINES}/${PIPELINE}/steps`, { agentIds: [ACME] })).toBe(PIPELINE);
  },
  'created-201': async (on) => {
    expect(await status(on, 'POST', GROUPS, { name: 'x', agentIds: [] })).toBe(201);
    expect(await status(on, 'PUT', `${GROUPS}/${GROUP}`, {})).toBe(200);
    expect(await status(on, 'POST', KEYS)).toBe(201);
  },
  'deleted-204': async (on) => {
    expect(await on.call('DELETE', `${GROUPS}/${GROUP}`)).toMatchObject({ status: 204, text: '' });
  },
  'errors-nested': async (on) => {
    const { body } = await on.call('GET', `${GROUPS}/${UNKNOWN}`);
    expect(body).toEqual({ error: { message: expect.any(String) } });
  },
  'errors-text': async (on) => {
    const { text, headers } = await on.call('GET', `${GROUPS}/${UNKNOWN}`);
    expect(text).toBe('The group was not found.');
    expect(headers.get('content-type')).toContain('text/plain');
  },
  'errors-problem': async (on) => {
    const { body } = await on.call('GET', `${GROUPS}/${UNKNOWN}`);
    expect(body).toEqual({ title: 'Refused', detail: expect.any(String) });
  },
  'errors-page': async (on) => {
    expect((await on.call('GET', `${GROUPS}/${UNKNOWN}`)).text).toContain('<title>The group was not found.');
  },
  'errors-empty': async (on) => {
    expect(await on.call('GET', `${GROUPS}/${UNKNOWN}`)).toMatchObject({ status: 404, text: '' });
  },
  'pages-refused': async (on) => {
    for (const query of ['page=0', 'pageSize=101', 'pageSize=x'])
      expect(await status(on, 'GET', `${SCHEDULES}/page?${query}`)).toBe(400);
    expect(await status(on, 'GET', `${SCHEDULES}/page?page=1&pageSize=100`)).toBe(200);
  },
  'counts-as-objects': async (on) => {
    expect(await list(on, '/api/scraper-agents/jobs/active-count')).toEqual({ count: 0 });
  },
  'rows-as-lists': async (on) => {
    const { columns, rows } = await list(on, `${await collected(on)}/preview`);
    expect([columns[0], rows[0].length]).toEqual([{ name: 'id' }, columns.length]);
  },
  'truncation-unnamed': async (on) => {
    expect(await list(on, `${await collected(on)}/preview`)).not.toHaveProperty('isTruncated');
  },
  'reasons-as-text': async (on) => {
    for (const agent of on.world.agents.values()) agent.outcomes = [{ result: 'refuse', message: 'Busy.' }];
    const { groupRunId } = await data(on, 'POST', `${GROUPS}/${GROUP}/run`);
    on.advance(60_000);
    expect((await list(on, `${GROUPS}/runs/${groupRunId}`)).notStarted).toEqual(['Busy.', 'Busy.']);
  },
  'extra-fields': async (on) => {
    expect((await on.call('GET', GROUPS)).body).toHaveProperty('traceId');
    expect((await list(on, GROUPS))[0].members[0]).toHaveProperty('tenantId');
    expect((await list(on, '/api/scraper-agents'))[0].inputParameters[0]).toHaveProperty('tags');
  },
  'nulls-absent': async (on) => {
    expect((await list(on, GROUPS))[0]).not.toHaveProperty('lastRunAt');
    expect(await made(on, CRON)).not.toHaveProperty('intervalValue');
  },
  'numeric-schedule-ids': async (on) => {
    expect([(await made(on, CRON)).id, (await made(on, CRON)).id]).toEqual([1, 2]);
    expect(await status(on, 'PUT', `${SCHEDULES}/1`, CRON)).toBe(200);
    expect(await data(on, 'POST', `${SCHEDULES}/bulk/delete`, { ids: [1, '2', 3] })).toMatchObject({
      affected: 2,
    });
  },
  'text-schedule-ids': async (on) => {
    expect([(await made(on, CRON)).id, (await made(on, CRON)).id]).toEqual(['S-1', 'S-2']);
    expect(await status(on, 'PUT', `${SCHEDULES}/S-1`, CRON)).toBe(200);
    expect(ids(await list(on, SCHEDULES))).toEqual(['S-1', 'S-2']);
  },
  'query-id-named': async (on) => {
    const path = await collected(on);
    const body = { name: 'all', datasetId: path.split('/').at(-1), definition: {} };
    const { savedQueryId, ...rest } = await data(on, 'POST', QUERIES, body);
    expect(rest).not.toHaveProperty('id');
    expect((await list(on, QUERIES))[0].savedQueryId).toBe(savedQueryId);
    expect(await status(on, 'DELETE', `${QUERIES}/${savedQueryId}`)).toBe(200);
  },
  'schedule-id-named': async (on) => {
    const { scheduleId, ...rest } = await made(on, CRON);
    expect(rest).not.toHaveProperty('id');
    expect(await status(on, 'DELETE', `${SCHEDULES}/${scheduleId}`)).toBe(200);
  },
  'uppercase-guids': async (on) => {
    const [group] = await list(on, GROUPS);
    expect(group).toMatchObject({
      id: GROUP.toUpperCase(),
      members: [{ scraperAgentId: ACME.toUpperCase() }, {}],
    });
    expect(await status(on, 'DELETE', `${GROUPS}/${group.id}`)).toBe(200);
  },
  'null-descriptions': async (on) => expect((await list(on, GROUPS))[0].description).toBeNull(),
  'absent-descriptions': async (on) => expect((await list(on, GROUPS))[0]).not.toHaveProperty('description'),
  'names-trimmed': async (on) => {
    const body = { name: '  x ', agentIds: [] };
    expect((await data(on, 'POST', GROUPS, body)).name).toBe('x');
  },
  'names-decomposed': async (on) => {
    const body = { name: 'Müller', agentIds: [] };
    expect((await data(on, 'POST', PIPELINES, body)).name).toBe('Mu\u0308ller');
  },
  'timestamps-short': async (on) => expect((await made(on, CRON)).nextRunTime).toMatch(/:00Z$/),
  'timestamps-ticks': async (on) => expect((await list(on, KEYS))[0].createdDate).toMatch(/:00\.0000000Z$/),
  'flags-by-id': async (on) => {
    expect((await list(on, GROUPS))[0]).toMatchObject({ isActive: null, canManage: null });
    expect((await list(on, PIPELINES))[0]).toMatchObject({ isActive: null, canManage: null });
    expect(await list(on, `${GROUPS}/${GROUP}`)).toMatchObject({ isActive: true, canManage: true });
  },
  'members-reversed': async (on) => {
    const { members } = await list(on, `${GROUPS}/${GROUP}`);
    expect(members[0].scraperAgentId).toBe(GLOBEX);
  },
  'steps-from-one': async (on) => {
    const { steps } = await list(on, `${PIPELINES}/${PIPELINE}`);
    expect(steps).toMatchObject([{ sortOrder: 1 }, { sortOrder: 2 }]);
  },
  'steps-shuffled': async (on) => {
    expect((await list(on, PIPELINES))[0].steps).toMatchObject([{ sortOrder: 1 }, { sortOrder: 0 }]);
    const { steps } = await list(on, `${PIPELINES}/${PIPELINE}`);
    expect(steps).toMatchObject([{ sortOrder: 0 }, { sortOrder: 1 }]);
  },
  'hidden-by-id': async (on) => {
    expect(await list(on, GROUPS)).toHaveLength(2);
    expect(await status(on, 'GET', `${GROUPS}/${HIDDEN_GROUP}`)).toBe(200);
    expect(await status(on, 'PUT', `${GROUPS}/${HIDDEN_GROUP}/members`, { agentIds: [ACME] })).toBe(200);
  },
  'empty-hidden': async (on) => {
    for (const path of [GROUPS, PIPELINES]) {
      const { id } = await data(on, 'POST', path, { name: 'x', agentIds: [] });
      expect(ids(await list(on, path))).not.toContain(id);
      expect(ids(await list(on, path))).toContain(path === GROUPS ? GROUP : PIPELINE);
      expect(await status(on, 'GET', `${path}/${id}`)).toBe(200);
    }
  },
  'create-honours-active': async (on) => {
    const body = { name: 'x', agentIds: [], isActive: false };
    expect((await data(on, 'POST', GROUPS, body)).isActive).toBe(false);
  },
  'empty-refused': async (on) => {
    expect(await status(on, 'POST', GROUPS, { name: 'x', agentIds: [] })).toBe(400);
    expect(await status(on, 'PUT', `${PIPELINES}/${PIPELINE}/steps`, { agentIds: [] })).toBe(400);
  },
  'duplicate-names-refused': async (on) => {
    expect(await status(on, 'POST', GROUPS, { name: 'Shops', agentIds: [] })).toBe(400);
    expect(await status(on, 'PUT', `${GROUPS}/${GROUP}`, { name: 'Shops' })).toBe(200);
    expect(await status(on, 'POST', PIPELINES, { name: 'Shops', agentIds: [] })).toBe(200);
  },
  'duplicate-members-refused': async (on) => {
    expect(await status(on, 'POST', GROUPS, { name: 'x', agentIds: [ACME, ACME] })).toBe(400);
  },
  'delete-cascades': async (on) => {
    await made(on, { ...CRON, targetType: 'Group', targetId: GROUP });
    await made(on, CRON);
    await on.call('DELETE', `${GROUPS}/${GROUP}`);
    expect(await list(on, SCHEDULES)).toMatchObject([{ targetId: ACME }]);
  },
  'delete-refuses-targeted': async (on) => {
    const { id } = await made(on, { ...CRON, targetType: 'Group', targetId: GROUP });
    expect(await status(on, 'DELETE', `${GROUPS}/${GROUP}`)).toBe(409);
    await on.call('DELETE', `${SCHEDULES}/${id}`);
    expect(await status(on, 'DELETE', `${GROUPS}/${GROUP}`)).toBe(200);
  },
  'delete-missing-ok': async (on) => {
    for (const path of [GROUPS, PIPELINES, SCHEDULES, KEYS]) {
      expect(await status(on, 'DELETE', `${path}/${UNKNOWN}`)).toBe(200);
    }
  },
  'inputs-reserialised': async (on) => {
    const { inputParameters } = await made(on, CRON);
    expect(inputParameters).not.toBe(CRON.inputParameters);
    expect(JSON.parse(inputParameters)).toEqual({ a: 1, b: 'x' });
    expect(Object.keys(JSON.parse(inputParameters))).toEqual(['b', 'a']);
  },
  'null-inputs': isReturned(BASIC, { inputParameters: null }),
  'start-time-short': isReturned(CRON, { startTime: '2026-12-01T06:00' }),
  'start-time-fraction': isReturned(CRON, { startTime: '2026-12-01T06:00:00.000' }),
  'start-time-ticks': isReturned(CRON, { startTime: '2026-12-01T06:00:00.0000000' }),
  'zone-alias': isReturned(CRON, { timeZoneId: 'Asia/Calcutta' }),
  'cron-spaces': isReturned(CRON, { cronExpression: ' 0  30  2  *  *  mon ' }),
  'enabled-by-status': async (on) => {
    const disabled = await made(on, { ...CRON, isEnabled: false });
    expect(disabled.status).toBe('Disabled');
    expect(disabled).not.toHaveProperty('isEnabled');
  },
  'numbers-as-strings': async (on) => {
    await isReturned(BASIC, { intervalValue: '6' })(on);
    const pipeline = await list(on, `${PIPELINES}/${PIPELINE}`);
    expect(pipeline).toMatchObject({ stepCount: '2', steps: [{ sortOrder: '0' }, { sortOrder: '1' }] });
  },
  'unused-timing-defaults': isReturned(CRON, { intervalValue: 0, intervalUnit: 'Minutes' }),
  'past-once-refused': async (on) => {
    expect(await status(on, 'POST', SCHEDULES, ONCE)).toBe(400);
    expect(await status(on, 'POST', SCHEDULES, { ...ONCE, startTime: '2027-01-01T00:00:00' })).toBe(200);
  },
  'frequent-refused': async (on) => {
    const often = { ...BASIC, intervalValue: 4, intervalUnit: 'Minutes' };
    for (const path of [SCHEDULES, `${SCHEDULES}/preview`]) {
      expect(await status(on, 'POST', path, often)).toBe(400);
      expect(await status(on, 'POST', path, { ...often, intervalValue: 5 })).toBe(200);
    }
  },
  'unknown-target-404': async (on) => {
    expect(await status(on, 'POST', SCHEDULES, { ...CRON, targetId: UNKNOWN })).toBe(404);
  },
  'agents-reordered': async (on) => {
    expect(ids(await list(on, '/api/scraper-agents'))).toEqual([INITECH, GLOBEX, ACME]);
  },
  'last-page-repeats': async (on) => {
    await made(on, BASIC);
    expect(await list(on, `${SCHEDULES}/page?page=9`)).toMatchObject({ total: 1, items: { length: 1 } });
  },
  'uneven-latency': async (on) => {
    const order: number[] = [];
    const read = async (index: number) => {
      await on.call('GET', '/api/scraper-agents');
      order.push(index);
    };
    // With many requests at once, some overtake others.
    await Promise.all(Array.from({ length: 40 }, (_, index) => read(index)));
    const { intercept } = on.faults;
    expect(intercept).not.toBeNull();
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  },
  'no-error-empty': async (on) => {
    await data(on, 'POST', '/api/scraper-agents/acme/start-job');
    const { items } = await list(on, '/api/scraper-agents/jobs');
    expect(items[0].errorMessage).toBe('');
  },
  'cron-plain': async (on) => {
    for (const cronExpression of [
      '0 0 6 ? * MON',
      '0 0 6 L * *',
      '0 0 6 * * 5L',
      '0 0 6 15W * *',
      '0 0 6 * * 1#2',
    ])
      expect(await status(on, 'POST', SCHEDULES, { ...CRON, cronExpression })).toBe(400);
    for (const cronExpression of ['0 0 6 * JUL WED', '0 0/5 6 1-7 * 1,3'])
      expect(await status(on, 'POST', SCHEDULES, { ...CRON, cronExpression })).toBe(200);
  },
  'cron-days-from-one': async (on) => {
    const cron = {
      ...CRON,
      cronExpression: '0 0 6 * * 2',
      timeZoneId: 'UTC',
      startTime: '2026-12-01T00:00:00',
    };
    // A Monday; the shipped sandbox starts on Tuesdays.
    expect((await data(on, 'POST', `${SCHEDULES}/preview`, cron))[0]).toBe('2026-12-07T06:00:00.000Z');
    const named = { ...cron, cronExpression: '0 0 6 * * TUE' };
    expect((await data(on, 'POST', `${SCHEDULES}/preview`, named))[0]).toBe('2026-12-01T06:00:00.000Z');
  },
  'skipped-times-dropped': async (on) => {
    const night = { ...CRON, cronExpression: '0 30 2 * * *', timeZoneId: 'Europe/Berlin' };
    const times = await data(on, 'POST', `${SCHEDULES}/preview`, {
      ...night,
      startTime: '2027-03-27T00:00:00',
    });
    expect(times.slice(0, 2)).toEqual(['2027-03-27T01:30:00.000Z', '2027-03-29T00:30:00.000Z']);
    const later = { ...night, cronExpression: '0 30 3 * * *', startTime: '2027-03-28T00:00:00' };
    expect((await data(on, 'POST', `${SCHEDULES}/preview`, later))[0]).toBe('2027-03-28T01:30:00.000Z');
  },
  'repeated-times-twice': async (on) => {
    const night = { ...CRON, cronExpression: '0 30 2 * * *', timeZoneId: 'Europe/Berlin' };
    const times = await data(on, 'POST', `${SCHEDULES}/preview`, {
      ...night,
      startTime: '2027-10-31T00:00:00',
    });
    expect(times.slice(0, 3)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-10-31T01:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ]);
  },
  'days-elapsed': async (on) => {
    const daily = { ...BASIC, intervalValue: 1, intervalUnit: 'Days', timeZoneId: 'Europe/Berlin' };
    const times = await data(on, 'POST', `${SCHEDULES}/preview`, {
      ...daily,
      startTime: '2027-03-27T06:00:00',
    });
    expect(times.slice(0, 2)).toEqual(['2027-03-27T05:00:00.000Z', '2027-03-28T05:00:00.000Z']);
  },
  'preview-objects': async (on) => {
    const [first] = await data(on, 'POST', `${SCHEDULES}/preview`, BASIC);
    expect(first).toEqual({ runTime: '2026-12-01T06:00:00.000Z' });
  },
  'preview-run-times': async (on) => {
    const { runTimes } = await data(on, 'POST', `${SCHEDULES}/preview`, BASIC);
    expect(runTimes[0]).toBe('2026-12-01T06:00:00.000Z');
  },
  'preview-short': async (on) => {
    expect(await data(on, 'POST', `${SCHEDULES}/preview`, BASIC)).toHaveLength(3);
  },
  'preview-an-hour-late': async (on) => {
    const [first] = (await data(on, 'POST', `${SCHEDULES}/preview`, BASIC)) as string[];
    expect(first).toBe('2026-12-01T07:00:00.000Z');
  },
  'preview-doubled': async (on) => {
    const [first, second] = (await data(on, 'POST', `${SCHEDULES}/preview`, BASIC)) as string[];
    expect(second).toBe(first);
  },
  'preview-never': async (on) => {
    expect(await data(on, 'POST', `${SCHEDULES}/preview`, BASIC)).toEqual([]);
  },
  'preview-unavailable': async (on) => {
    expect(await status(on, 'POST', `${SCHEDULES}/preview`, BASIC)).toBe(404);
  },
  'keys-without-id': async (on) => {
    expect((await list(on, KEYS))[0]).not.toHaveProperty('id');
    expect(await data(on, 'POST', KEYS)).not.toHaveProperty('id');
  },
  'key-id-named': async (on) => {
    expect((await list(on, KEYS))[0]).toMatchObject({ keyId: expect.any(String) });
    expect((await list(on, KEYS))[0]).not.toHaveProperty('id');
  },
  'key-answers-bare': async (on) => {
    expect(Object.keys(await data(on, 'POST', KEYS))).toEqual(['key']);
  },
  'key-answers-top-level': async (on) => {
    const { body } = await on.call('POST', KEYS);
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      key: expect.stringMatching(/^svc_live_/),
    });
  },
  'key-prefix-short': async (on) => expect((await list(on, KEYS))[0].keyPrefix).toBe('svc_live_san'),
  'key-prefix-masked': async (on) => expect((await list(on, KEYS))[0].keyPrefix).toBe('svc_live_sandbox...'),
  'key-prefix-constant': async (on) => expect((await list(on, KEYS))[0].keyPrefix).toBe('svc_live_'),
  'scopes-reordered': async (on) => {
    const body = { scopes: ['agents.run', 'second'] };
    expect((await data(on, 'POST', KEYS, body)).scopes).toEqual(['second', 'agents.run']);
  },
  'scopes-null': async (on) => expect((await list(on, KEYS))[0].scopes).toBeNull(),
  'scopes-absent': async (on) => expect((await list(on, KEYS))[0]).not.toHaveProperty('scopes'),
  'revokes-calling-key-only': async (on) => {
    await data(on, 'POST', KEYS);
    expect(await status(on, 'GET', KEYS)).toBe(401);
    const other = await on.call('GET', KEYS, undefined, { 'X-Api-Key': 'svc_live_another_key' });
    expect(other.status).toBe(200);
  },
};

describe('variants', () => {
  const seed = {
    ...SEED,
    scopes: ['agents.run', 'second'],
    keys: [{ name: 'sandbox', key: 'svc_live_sandbox_0000000000000000' }],
  };
  // Only for one variant: a second key would disturb the other checks.
  const withAnother = {
    ...seed,
    keys: [...seed.keys, { name: 'another', key: 'svc_live_another_key', scopes: ['agents.run'] }],
  };

  test.each(Object.entries(CHECKS))('variants: the sandbox behaves as %s', async (name, check) => {
    if (!isVariant(name)) throw new Error(name);
    const needsAnother = name === 'revokes-calling-key-only';
    await check(await service({ variants: [name], seed: needsAnother ? withAnother : seed }));
  });

  test.each(Object.entries(CHECKS))(
    'variants: the check of %s fails on the shipped sandbox',
    async (name, check) => {
      const needsAnother = name === 'revokes-calling-key-only';
      const plain = await service({ seed: needsAnother ? withAnother : seed });
      await expect(check(plain)).rejects.toThrow();
    },
  );
});

test('variants: each has a description of one line', () => {
  for (const text of Object.values(VARIANTS)) expect(text).toMatch(/^[^\n]{10,120}$/);
  expect(isVariant('toString')).toBe(false);
});

test('variants: several can be on at once', async () => {
  const variants: Variant[] = [
    'lists-cursor',
    'items-without-members',
    'uppercase-guids',
    'null-descriptions',
  ];
  const { call } = await service({ variants });
  const { body } = await call('GET', `${GROUPS}?pageSize=1`);
  expect(body.data.items).toHaveLength(1);
  expect(body.data.items[0]).toMatchObject({ id: GROUP.toUpperCase(), description: null });
  expect(body.data.items[0]).not.toHaveProperty('members');
});

test('variants: numeric-schedule-ids also numbers the schedules of a seed, except those with an id', async () => {
  const once = { targetId: INITECH, scheduleType: 'Once' as const, startTime: '2027-01-01T00:00:00' };
  const schedules = [once, { ...once, id: 7 }, { ...once, id: UNKNOWN }];
  const { call } = await service({ seed: { ...SEED, schedules }, variants: ['numeric-schedule-ids'] });
  expect(ids((await call('GET', SCHEDULES)).body.data)).toEqual([1, 7, UNKNOWN]);
});
