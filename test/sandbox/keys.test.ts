import { expect, test } from 'vitest';
import { NOW, SEED, service, UNKNOWN } from './service.js';

const KEYS = '/api/api-keys';

test('keys: the list has the documented fields and an id, and never the key', async () => {
  const { call, apiKey } = await service();
  const reply = await call('GET', KEYS);
  expect(reply.body.data).toEqual([
    {
      id: expect.any(String),
      keyPrefix: 'svc_live_sandbox',
      name: 'sandbox',
      scopes: [],
      isActive: true,
      isRevoked: false,
      createdDate: NOW.toISOString(),
      expires: null,
      lastUsedDate: NOW.toISOString(),
    },
  ]);
  expect(reply.text).not.toContain(apiKey);
});

test('keys: a new key revokes all active keys at once', async () => {
  const { call, world } = await service();
  const created = await call('POST', KEYS, { name: 'ci', scopes: ['agents.run'] });
  const { key } = created.body.data;
  expect(key).toMatch(/^svc_live_/);
  expect(created.body.data).toMatchObject({
    name: 'ci',
    scopes: ['agents.run'],
    keyPrefix: key.slice(0, 16),
  });
  expect((await call('GET', KEYS)).status).toBe(401);
  const list = await call('GET', KEYS, undefined, { 'X-Api-Key': key });
  expect(list.body.data.map((one: { isRevoked: boolean }) => one.isRevoked)).toEqual([true, false]);
  expect(list.text).not.toContain(key);
  expect(JSON.stringify([...world.keys.values()])).not.toContain(key);
});

test.each([
  ['none requested', {}, []],
  ['a known scope', { scopes: ['agents.run'] }, ['agents.run']],
  ['a known and an unknown scope', { scopes: ['agents.run', 'zoo'] }, ['agents.run']],
  ['only unknown scopes, which means full access', { scopes: ['zoo'] }, []],
])('keys: a create returns the recognised scopes: %s', async (_name, body, scopes) => {
  const { call } = await service();
  expect((await call('POST', KEYS, body)).body.data.scopes).toEqual(scopes);
});

test('keys: a create may omit the body', async () => {
  const { call } = await service();
  expect((await call('POST', KEYS)).body.data.name).toBe('API key');
});

test('keys: a revoked key stops working and stays in the list', async () => {
  const seed = {
    ...SEED,
    keys: [
      { name: 'full', key: 'svc_live_full' },
      { name: 'other', key: 'svc_live_other' },
    ],
  };
  const { call, apiKey } = await service({ seed });
  expect(apiKey).toBe('svc_live_full');
  const [, other] = (await call('GET', KEYS)).body.data;
  const headers = { 'X-Api-Key': 'svc_live_other' };
  expect((await call('GET', KEYS, undefined, headers)).status).toBe(200);
  expect((await call('DELETE', `${KEYS}/${other.id}`)).status).toBe(200);
  expect((await call('GET', KEYS, undefined, headers)).status).toBe(401);
  expect((await call('GET', KEYS)).body.data[1]).toMatchObject({ isActive: false, isRevoked: true });
  expect((await call('DELETE', `${KEYS}/${UNKNOWN}`)).status).toBe(404);
});

test("keys: another user's keys can be neither listed nor revoked", async () => {
  const seed = { ...SEED, keys: [{ name: 'hers', key: 'svc_live_hers', user: 'her' }] };
  const { call, world } = await service({ seed });
  const [hers] = [...world.keys.values()];
  expect((await call('GET', KEYS)).body.data).toHaveLength(1);
  expect((await call('DELETE', `${KEYS}/${hers?.id}`)).status).toBe(404);
  await call('POST', KEYS);
  expect((await call('GET', KEYS, undefined, { 'X-Api-Key': 'svc_live_hers' })).status).toBe(200);
});
