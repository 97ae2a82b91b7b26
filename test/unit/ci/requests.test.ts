import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Api } from '../../../src/ci/requests.js';

/** How `roster ci` sends requests to the API of the host. */

type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>] | 'cut';
let server: Server;
let url: string;
let answers: Answer[];
let seen: string[];
let printed: string[];
let api: Api;

beforeEach(async () => {
  [answers, seen, printed] = [[], [], []];
  // Of what it waits at most where the response does not say how long.
  vi.spyOn(Math, 'random').mockReturnValue(0.02);
  server = createServer((incoming, response) => {
    seen.push(incoming.method ?? '');
    const answer = answers.shift() ?? [200];
    if (answer === 'cut') return void incoming.socket.destroy();
    const [status, headers] = answer;
    response.writeHead(status, headers).end(JSON.stringify({ sent: seen.length }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = new Api({
    url,
    headers: { Authorization: 'Bearer of-the-job' },
    env: {},
    log: (line) => void printed.push(line),
    helpFor: (status) => (status === 403 ? 'Give the job the permission.' : undefined),
  });
});
afterEach(async () => {
  await api.close();
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

type Method = Parameters<Api['send']>[0];
const send = (method: Method) => api.send(method, 'things?page=1', method === 'GET' ? undefined : {});
const now = { 'retry-after': '0' };

describe.each(['GET', 'PATCH', 'PUT'] as const)('%s', (method) => {
  test.each<[string, Answer]>([
    ['a 429', [429, now]],
    ['a 403 that limits requests', [403, now]],
    ['a 500', [500, now]],
    ['a 503', [503, now]],
    ['a connection that is cut', 'cut'],
  ])('is sent again after %s', async (_, answer) => {
    answers = [answer];
    expect(await send(method)).toEqual({ sent: 2 });
    expect(printed).toEqual([expect.stringMatching(/\. Trying again in \d s\.\n$/)]);
  });

  test.each([400, 401, 403, 404, 422])('is sent once if the response is %i', async (status) => {
    answers = [[status]];
    await expect(send(method)).rejects.toMatchObject({
      status,
      message: expect.stringMatching(
        new RegExp(`${method} /things: 127.0.0.1:\\d+ responded with ${status}$`),
      ),
    });
    expect(seen).toEqual([method]);
  });

  test('is sent five times at most', async () => {
    answers = Array.from({ length: 9 }, () => [503, now]);
    await expect(send(method)).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(5);
  });
});

describe('POST', () => {
  test.each<[string, Answer]>([
    ['a 429', [429, now]],
    ['a 403 that limits requests', [403, { ...now, 'x-ratelimit-remaining': '0' }]],
  ])('is sent again after %s: it was not done', async (_, answer) => {
    answers = [answer];
    expect(await send('POST')).toEqual({ sent: 2 });
  });

  test.each<[string, Answer]>([
    ['a 500', [500, now]],
    ['a 503', [503, now]],
    ['a connection that is cut', 'cut'],
  ])('is sent once with %s: it may have been done', async (_, answer) => {
    answers = [answer];
    await expect(send('POST')).rejects.toThrow('POST /things: ');
    expect(seen).toEqual(['POST']);
  });

  test('is sent again if there was no connection', async () => {
    await new Promise((resolve) => server.close(resolve));
    const { port } = new URL(url);
    setTimeout(() => server.listen(Number(port), '127.0.0.1'), 20);
    vi.spyOn(Math, 'random').mockReturnValue(0.2);
    expect(await send('POST')).toEqual({ sent: 1 });
  });
});

test('waits as long as the response says', async () => {
  answers = [[429, { 'retry-after': '1' }]];
  await send('GET');
  expect(printed).toEqual([expect.stringMatching(/\. Trying again in 1 s\.\n$/)]);
});

test.each([
  ['retry-after', { 'retry-after': '3600' }],
  ['retry-after, as a date', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }],
  [
    'x-ratelimit-reset',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3600) },
  ],
])('does not wait for an hour, which %s asks for', async (_, headers) => {
  answers = [[429, headers]];
  await expect(send('GET')).rejects.toMatchObject({ status: 429 });
  expect(seen).toEqual(['GET']);
});

test('follows no redirect, and asks for none again', async () => {
  answers = [[302, { location: '/other' }]];
  await expect(send('GET')).rejects.toThrow('redirect');
  expect(seen).toEqual(['GET']);
});

test('says which permission is missing, and shows no token', async () => {
  answers = [[403]];
  const failure = await send('GET').catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ problem: { diagnostics: [{ help: 'Give the job the permission.' }] } });
  expect(JSON.stringify(failure)).not.toContain('of-the-job');
});

test('sends what creates something over a connection of its own, which the host has not closed', async () => {
  const connections = new Set<unknown>();
  server.on('connection', (socket) => connections.add(socket));
  for (const method of ['GET', 'POST', 'POST', 'GET'] as const) await send(method);
  expect(connections.size).toBeGreaterThanOrEqual(3);
});

test('reads all pages', async () => {
  const pages = [Array.from({ length: 100 }, (_, n) => n), [100]];
  server.removeAllListeners('request');
  server.on('request', (incoming, response) => {
    seen.push(incoming.url ?? '');
    response.end(JSON.stringify(pages[seen.length - 1]));
  });
  expect(await api.all('things', { state: 'open' })).toHaveLength(101);
  expect(seen).toEqual(['/things?state=open&per_page=100&page=1', '/things?state=open&per_page=100&page=2']);
});
