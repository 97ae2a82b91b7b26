import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

/** How the CI files of `roster init` send requests to the API of the host. */

type Send = (method: string, url: string, options: { headers: object; body?: unknown }) => Promise<unknown>;
const { request } = (await import(
  new URL('../../../src/init/templates/request.mjs', import.meta.url).href
)) as { request: Send };

type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>] | 'cut';
let server: Server;
let url: string;
let answers: Answer[];
let seen: string[];
let printed: string[];

beforeEach(async () => {
  [answers, seen, printed] = [[], [], []];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
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
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`;
});
afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

const send = (method: string) =>
  request(method, url, {
    headers: { Authorization: 'Bearer of-the-job' },
    body: method === 'GET' ? undefined : {},
  });
const now = { 'retry-after': '0' };

describe.each(['GET', 'PATCH', 'PUT'])('%s', (method) => {
  test.each<[string, Answer]>([
    ['a 429', [429, now]],
    ['a 403 that limits requests', [403, now]],
    ['a 500', [500, now]],
    ['a 503', [503, now]],
    ['a connection that is cut', 'cut'],
  ])('is sent again after %s', async (_, answer) => {
    answers = [answer];
    expect(await send(method)).toEqual({ sent: 2 });
    expect(printed).toEqual([expect.stringMatching(/\. Trying again in \d s\.$/)]);
  });

  test.each([400, 401, 403, 404, 422])('is sent once if the response is %i', async (status) => {
    answers = [[status]];
    await expect(send(method)).rejects.toMatchObject({
      status,
      message: expect.stringMatching(
        new RegExp(`^${method} /things: 127.0.0.1:\\d+ responded with ${status}$`),
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
  expect(printed).toEqual([expect.stringMatching(/\. Trying again in 1 s\.$/)]);
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
