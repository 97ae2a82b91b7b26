import { describe, expect, test } from 'vitest';
import { NOW, SEED, service } from './service.js';

const KEY = 'svc_live_sandbox_0000000000000000';

describe('authentication', () => {
  test.each<[string, Record<string, string>, number]>([
    ['X-Api-Key', { 'X-Api-Key': KEY }, 200],
    ['a bearer token', { Authorization: `Bearer ${KEY}` }, 200],
    ['no key', {}, 401],
    ['an empty key', { 'X-Api-Key': '' }, 401],
    ['an unknown key', { 'X-Api-Key': 'svc_live_other' }, 401],
    ['a key without the prefix', { 'X-Api-Key': 'sandbox' }, 401],
    ['a dashboard session', { Authorization: 'Bearer eyJhbGciOi' }, 401],
    ['basic authentication', { Authorization: `Basic ${KEY}` }, 401],
  ])('authentication: a request with %s has the right status', async (_name, headers, status) => {
    const { call } = await service();
    for (const path of ['/api/scraper-agents', '/api/schedules', '/api/api-keys']) {
      const reply = await call('GET', path, undefined, headers);
      expect(reply.status).toBe(status);
      expect(reply.body.success).toBe(status === 200);
    }
  });

  test('authentication: an unknown path returns 401 without a key and 404 with a key', async () => {
    const { call } = await service();
    expect((await call('GET', '/api/nothing', undefined, {})).status).toBe(401);
    expect((await call('GET', '/api/nothing')).body).toMatchObject({
      success: false,
      message: expect.any(String),
    });
    expect((await call('GET', '/api/nothing')).status).toBe(404);
  });

  test('authentication: an expired key returns 401, and only a valid key updates lastUsedDate', async () => {
    const expired = { name: 'old', key: 'svc_live_expired', expires: '2026-01-01T00:00:00Z' };
    const { call, world } = await service({ seed: { ...SEED, keys: [expired] } });
    expect((await call('GET', '/api/api-keys', undefined, { 'X-Api-Key': 'svc_live_expired' })).status).toBe(
      401,
    );
    const keys = (await call('GET', '/api/api-keys')).body.data;
    expect(keys[0]).toMatchObject({ name: 'old', isActive: false, isRevoked: false, lastUsedDate: null });
    expect(keys[1]).toMatchObject({ lastUsedDate: NOW.toISOString() });
    expect(JSON.stringify([...world.keys.values()])).not.toContain('svc_live_expired');
  });

  test('authentication: a key with other scopes gets 403, except for schedules and keys', async () => {
    const seed = { ...SEED, keys: [{ name: 'reader', key: 'svc_live_reader', scopes: ['reports.read'] }] };
    const { call } = await service({ seed });
    const headers = { 'X-Api-Key': 'svc_live_reader' };
    const statusOf = async (path: string) => (await call('GET', path, undefined, headers)).status;
    expect(await statusOf('/api/scraper-agents')).toBe(403);
    expect(await statusOf('/api/search-groups')).toBe(403);
    expect(await statusOf('/api/pipelines')).toBe(403);
    expect(await statusOf('/api/schedules')).toBe(200);
    expect(await statusOf('/api/api-keys')).toBe(200);
  });
});

describe('requests', () => {
  test.each([
    ['PATCH', '/api/search-groups', 'GET, POST'],
    ['GET', '/api/schedules/preview', 'POST'],
    ['PUT', '/api/schedules/page', 'GET'],
    ['GET', '/api/schedules/1', 'PUT, DELETE'],
    ['DELETE', '/api/scraper-agents', 'GET'],
    ['PUT', '/api/api-keys', 'GET, POST'],
  ])('requests: %s %s returns 405', async (method, path, allow) => {
    const { call } = await service();
    const reply = await call(method, path);
    expect(reply.status).toBe(405);
    expect(reply.body.success).toBe(false);
    expect(reply.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['not JSON', '{', 400],
    ['an array', [], 400],
    ['null', null, 400],
    ['larger than a megabyte', JSON.stringify({ name: 'x'.repeat(1_048_577) }), 413],
  ])('requests: a body that is %s is refused', async (_name, body, status) => {
    const { call, world } = await service();
    const before = world.groups.size;
    expect((await call('POST', '/api/search-groups', body)).status).toBe(status);
    expect(world.groups.size).toBe(before);
  });

  test('requests: a streamed body has the same limit, and another content type returns 415', async () => {
    const { url, apiKey } = await service();
    const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
    const stream = new Blob(['x'.repeat(2_000_000)]).stream();
    const init = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit;
    expect((await fetch(`${url}/api/search-groups`, init)).status).toBe(413);
    const text = { method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' }, body: '{}' };
    expect((await fetch(`${url}/api/search-groups`, text)).status).toBe(415);
  });

  test('requests: every request is recorded with path, query, body and status', async () => {
    const { call, requests } = await service();
    await call('GET', '/api/schedules?agentId=x');
    await call('POST', '/api/search-groups', { name: '' });
    await call('POST', '/api/search-groups', '{');
    await call('GET', '/api/api-keys', undefined, {});
    expect(requests).toEqual([
      { method: 'GET', path: '/api/schedules?agentId=x', body: null, status: 200 },
      { method: 'POST', path: '/api/search-groups', body: { name: '' }, status: 400 },
      { method: 'POST', path: '/api/search-groups', body: null, status: 400 },
      { method: 'GET', path: '/api/api-keys', body: null, status: 401 },
    ]);
  });

  test('sandbox: several sandboxes share no state, and a port in use is an error', async () => {
    const [one, two] = [await service(), await service()];
    one.world.groups.clear();
    expect((await two.call('GET', '/api/search-groups')).body.data).toHaveLength(2);
    expect(two.requests).toHaveLength(1);
    await expect(service({ port: Number(new URL(one.url).port) })).rejects.toThrow(/port \d+ .* is in use/);
  });
});
