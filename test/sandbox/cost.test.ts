import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { parseSeed } from '../../src/sandbox/index.js';
import { GROUP, SEED, service } from './service.js';

/** What the sandbox costs. */

/** Of a request to a bare server, in CPU time, with the client. It was 3.7 with a web framework, and is 1.8. */
const MOST = 2.8;

const agent = new Agent({ keepAlive: true });
const bare = createServer((incoming, outgoing) => {
  let text = '';
  incoming.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  incoming.on('end', () => {
    outgoing.setHeader('Content-Type', 'application/json');
    outgoing.end(JSON.stringify({ success: true, data: JSON.parse(text) }));
  });
});
afterAll(() => {
  agent.destroy();
  bare.close();
});

const schedule = {
  targetType: 'Group',
  targetId: GROUP,
  scheduleType: 'Cron',
  cronExpression: '0 30 6 * * MON-FRI',
  startTime: '2026-01-01T00:00:00',
  timeZoneId: 'Europe/Berlin',
  inputParameters: '{"country":"de"}',
} as const;

async function post(url: string, key: string): Promise<void> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const sent = request(`${url}/api/schedules`, { method: 'POST', headers, agent });
  sent.end(JSON.stringify(schedule));
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  expect(response.statusCode).toBe(200);
}

async function costOfPosts(count: number, url: string, key: string): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < count; sent += 1) await post(url, key);
  const { user } = process.cpuUsage(before);
  return user / 1000;
}

test('sandbox: the create of a schedule costs little more than a request to a bare server', async () => {
  const { url, apiKey } = await service();
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  const costs = { sandbox: 0, bare: 0 };
  for (const round of [0, 1, 2, 3]) {
    const own = await costOfPosts(100, url, apiKey);
    const theirs = await costOfPosts(100, bareUrl, apiKey);
    if (round === 0) continue; // compiles
    costs.sandbox += own;
    costs.bare += theirs;
  }
  expect(costs.sandbox / costs.bare).toBeLessThan(MOST);
});

test('seed: a time zone is looked up once, not for each schedule', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Tokyo'];
  const schedules = Array.from({ length: 300 }, (_, index) => ({
    ...schedule,
    timeZoneId: zones[index % 3],
  }));
  const lookedUp = vi.spyOn(Intl, 'DateTimeFormat');
  parseSeed(JSON.stringify({ ...SEED, schedules }));
  expect(lookedUp.mock.calls.length).toBeLessThanOrEqual(zones.length * 2);
  lookedUp.mockRestore();
});
