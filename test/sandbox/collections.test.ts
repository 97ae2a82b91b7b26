import { describe, expect, test } from 'vitest';
import {
  ACME,
  GLOBEX,
  GROUP,
  HIDDEN,
  HIDDEN_GROUP,
  HIDDEN_PIPELINE,
  INITECH,
  OPERATOR_GROUP,
  OPERATOR_PIPELINE,
  PIPELINE,
  service,
  UNKNOWN,
} from './service.js';

describe('agents', () => {
  test('agents: the list has the assigned agents with the documented fields', async () => {
    const { call } = await service();
    const { data } = (await call('GET', '/api/scraper-agents')).body;
    expect(data.map((agent: { id: string }) => agent.id)).toEqual([ACME, GLOBEX, INITECH]);
    expect(data[0]).toEqual({
      id: ACME,
      externalAgentId: 'acme',
      name: 'Acme',
      version: '1.0.0',
      inputParameters: [{ key: 'q', defaultValue: '' }],
    });
  });

  test.each([
    ['a GUID', ACME, 200],
    ['a GUID in upper case', ACME.toUpperCase(), 200],
    ['an externalAgentId', 'acme', 404],
    ['an unassigned agent', HIDDEN, 404],
    ['an unknown one', UNKNOWN, 404],
  ])('agents: GET by %s has the right status', async (_name, id, status) => {
    const { call } = await service();
    expect((await call('GET', `/api/scraper-agents/${id}`)).status).toBe(status);
  });
});

const KINDS = [
  {
    kind: 'group',
    base: '/api/search-groups',
    agents: 'members',
    count: 'memberCount',
    ours: GROUP,
    theirs: OPERATOR_GROUP,
    unseen: HIDDEN_GROUP,
  },
  {
    kind: 'pipeline',
    base: '/api/pipelines',
    agents: 'steps',
    count: 'stepCount',
    ours: PIPELINE,
    theirs: OPERATOR_PIPELINE,
    unseen: HIDDEN_PIPELINE,
  },
];

describe.each(KINDS)('$kind', ({ kind, base, agents, count, ours, theirs, unseen }) => {
  const idsOf = (record: Record<string, { scraperAgentId: string }[]>) =>
    record[agents]?.map((entry) => entry.scraperAgentId);

  test(`${kind}: the list omits those with an unassigned agent`, async () => {
    const { call } = await service();
    const { data } = (await call('GET', base)).body;
    expect(data.map((record: { id: string }) => record.id)).toEqual([ours, theirs]);
    expect(data[0]).toMatchObject({
      isActive: true,
      canManage: true,
      activeRunCount: 0,
      lastRunStatus: null,
    });
    expect(data[0]).toMatchObject({ description: '', lastRunAt: null, [count]: 2 });
    expect(data[1].canManage).toBe(false);
  });

  test(`${kind}: it can be created, read, changed and deleted`, async () => {
    const { call } = await service();
    const created = await call('POST', base, { name: 'New', description: 'd', agentIds: [GLOBEX, ACME] });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ success: true, message: expect.any(String), data: { name: 'New' } });
    expect(idsOf(created.body.data)).toEqual([GLOBEX, ACME]);
    const path = `${base}/${created.body.data.id}`;

    const changed = await call('PUT', path, { isActive: false });
    expect(changed.body.data).toMatchObject({ name: 'New', description: 'd', isActive: false });
    await call('PUT', path, { description: '' });
    await call('PUT', `${path}/${agents}`, { agentIds: [INITECH] });
    const { data } = (await call('GET', path)).body;
    expect(data).toMatchObject({ name: 'New', description: '', isActive: false, [count]: 1 });
    expect(idsOf(data)).toEqual([INITECH]);

    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('DELETE', path)).status).toBe(404);
  });

  test.each<[string, unknown]>([
    ['no name', { agentIds: [ACME] }],
    ['an empty name', { name: ' ', agentIds: [ACME] }],
    ['a name of 201 characters', { name: 'x'.repeat(201), agentIds: [ACME] }],
    ['a name that is not a string', { name: 1, agentIds: [ACME] }],
    ['no agentIds', { name: 'x' }],
    ['agentIds that are not an array', { name: 'x', agentIds: ACME }],
    ['an externalAgentId', { name: 'x', agentIds: ['acme'] }],
    ['an unassigned agent', { name: 'x', agentIds: [ACME, HIDDEN] }],
    ['an unknown agent', { name: 'x', agentIds: [UNKNOWN] }],
  ])(`${kind}: a create with %s returns 400`, async (_name, body) => {
    const { call } = await service();
    const reply = await call('POST', base, body);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ success: false, message: expect.any(String) });
    expect((await call('GET', base)).body.data).toHaveLength(2);
  });

  test(`${kind}: a refused edit changes nothing`, async () => {
    const { call } = await service();
    expect((await call('PUT', `${base}/${ours}`, { name: 'x', isActive: 'no' })).status).toBe(400);
    expect((await call('PUT', `${base}/${ours}/${agents}`, { agentIds: [HIDDEN] })).status).toBe(400);
    const { data } = (await call('GET', `${base}/${ours}`)).body;
    expect(data.name).not.toBe('x');
    expect(idsOf(data)).toEqual([ACME, GLOBEX]);
  });

  test(`${kind}: two can have the same name`, async () => {
    const { call } = await service();
    await call('POST', base, { name: 'Twin', agentIds: [] });
    expect((await call('POST', base, { name: 'Twin', agentIds: [] })).status).toBe(200);
  });

  test.each([
    ['canManage false', theirs],
    ['an unassigned agent', unseen],
    ['an unknown id', UNKNOWN],
    ['an id that is not a GUID', 'shops'],
  ])(`${kind}: an edit of one with %s returns 404`, async (_name, id) => {
    const { call } = await service();
    expect((await call('PUT', `${base}/${id}`, { name: 'x' })).status).toBe(404);
    expect((await call('PUT', `${base}/${id}/${agents}`, { agentIds: [ACME] })).status).toBe(404);
    expect((await call('DELETE', `${base}/${id}`)).status).toBe(404);
  });

  test(`${kind}: one with canManage false can be read, one with an unassigned agent cannot`, async () => {
    const { call } = await service();
    expect((await call('GET', `${base}/${theirs}`)).status).toBe(200);
    expect((await call('GET', `${base}/${unseen}`)).status).toBe(404);
  });

  test(`${kind}: it becomes invisible when one of its agents is unassigned`, async () => {
    const { call, world } = await service();
    const agent = world.agents.get(GLOBEX);
    if (agent) agent.assigned = false;
    expect((await call('GET', `${base}/${ours}`)).status).toBe(404);
    expect((await call('GET', base)).body.data).toHaveLength(1);
  });

  test(`${kind}: a disabled one cannot be run`, async () => {
    const { call } = await service();
    expect((await call('POST', `${base}/${ours}/run`)).body.data).toMatchObject({ [count]: 2 });
    expect((await call('POST', `${base}/${theirs}/run`)).status).toBe(200);
    await call('PUT', `${base}/${ours}`, { isActive: false });
    expect((await call('POST', `${base}/${ours}/run`)).status).toBe(400);
  });
});

describe('collection rules', () => {
  test('group: members are a set', async () => {
    const { call } = await service();
    const body = { name: 'x', agentIds: [ACME, GLOBEX, ACME.toUpperCase()] };
    expect((await call('POST', '/api/search-groups', body)).body.data.members).toEqual([
      { scraperAgentId: ACME, externalAgentId: 'acme' },
      { scraperAgentId: GLOBEX, externalAgentId: 'globex' },
    ]);
  });

  test('pipeline: steps are numbered in order', async () => {
    const { call } = await service();
    expect((await call('GET', `/api/pipelines/${PIPELINE}`)).body.data.steps).toEqual([
      { sortOrder: 0, scraperAgentId: ACME, externalAgentId: 'acme' },
      { sortOrder: 1, scraperAgentId: GLOBEX, externalAgentId: 'globex' },
    ]);
  });

  const many = Array.from({ length: 26 }, (_, index) => ({
    externalAgentId: `a${index}`,
    name: `A${index}`,
  }));

  test.each([
    [25, 200],
    [26, 400],
  ])('pipeline: %i stages return %i, on create and on /steps', async (length, status) => {
    const { call, world } = await service({ seed: { agents: many } });
    const agentIds = [...world.agents.keys()].slice(0, length);
    expect((await call('POST', '/api/pipelines', { name: 'x', agentIds })).status).toBe(status);
    const { id } = (await call('POST', '/api/pipelines', { name: 'y', agentIds: [] })).body.data;
    expect((await call('PUT', `/api/pipelines/${id}/steps`, { agentIds })).status).toBe(status);
  });

  test('pipeline: a repeated agent returns 400, in upper and in lower case', async () => {
    const { call } = await service();
    const agentIds = [ACME, ACME.toUpperCase()];
    expect((await call('POST', '/api/pipelines', { name: 'x', agentIds })).status).toBe(400);
    expect((await call('PUT', `/api/pipelines/${PIPELINE}/steps`, { agentIds })).status).toBe(400);
  });

  test('pipeline: a run with an unassigned agent returns 403 FORBIDDEN', async () => {
    const { call } = await service();
    const reply = await call('POST', `/api/pipelines/${HIDDEN_PIPELINE}/run`);
    expect(reply).toMatchObject({ status: 403, body: { success: false, errorCode: 'FORBIDDEN' } });
    expect((await call('POST', `/api/search-groups/${HIDDEN_GROUP}/run`)).status).toBe(404);
  });
});
