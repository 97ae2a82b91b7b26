import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Api, ApiFailure } from '../../../src/ci/requests.js';
import { Problem } from '../../../src/model/diagnostic.js';

/** How `roster ci` sends requests to the API of the host. */

import { integer, list, object } from '../../../src/model/shape.js';

type Headers = Readonly<Record<string, string>> | undefined;
type Answer = readonly [status: number, headers?: Headers, body?: string] | 'cut';
let server: Server;
let url: string;
let answers: Answer[];
let seen: string[];
let printed: string[];
let waits: number[];
let stop: AbortController;
let api: Api;

beforeEach(async () => {
  [answers, seen, printed, waits] = [[], [], [], []];
  stop = new AbortController();
  // Of what it waits at most where the response does not say how long.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  server = createServer((incoming, response) => {
    seen.push(incoming.method ?? '');
    const answer = answers.shift() ?? [200];
    if (answer === 'cut') return void incoming.socket.destroy();
    const [status, headers, body = JSON.stringify({ sent: seen.length })] = answer;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = new Api({
    url,
    headers: { Authorization: 'Bearer of-the-job' },
    env: {},
    log: (line) => void printed.push(line),
    helpFor: ({ status }) => (status === 403 ? 'Give the job the permission.' : undefined),
    sleep: async (milliseconds) => void waits.push(milliseconds / 1000),
    signal: stop.signal,
  });
});
afterEach(async () => {
  await api.close();
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

const methods = ['GET', 'PATCH', 'PUT'] as const;
type Method = (typeof methods)[number] | 'POST';
const send = (method: Method): Promise<unknown> =>
  method === 'GET'
    ? api.get('things', object({ sent: integer }), { page: 1 })
    : api.send(method, 'things', {});
const now = { 'retry-after': '0' };
const here = () => url.replace('http://', '');

/** What a person is told. */
async function told(sending: Promise<unknown>): Promise<string> {
  const failure = await sending.catch((thrown: unknown) => thrown);
  if (!(failure instanceof Problem)) throw new Error('no problem', { cause: failure });
  const [first] = failure.diagnostics;
  return `${first?.code} | ${first?.message.replaceAll(here(), 'HOST')} | ${first?.help ?? ''}`;
}

describe.each(methods)('%s', (method) => {
  test.each<[string, Answer]>([
    ['a 429', [429, now]],
    ['a 403 that limits requests', [403, now]],
    ['a 500', [500, now]],
    ['a 503', [503, now]],
    ['a connection that is cut', 'cut'],
  ])('is sent again after %s', async (_, answer) => {
    answers = [answer];
    await send(method);
    expect(seen).toEqual([method, method]);
    expect(printed).toEqual([expect.stringMatching(/\. Trying again in \d s\.\n$/)]);
  });

  test.each([400, 401, 403, 404, 410, 422])('is sent once if the response is %i', async (status) => {
    answers = [[status]];
    await expect(send(method)).rejects.toMatchObject({ status });
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
    await send('POST');
    expect(seen).toEqual(['POST', 'POST']);
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

  test('is sent again if there was no connection: nothing was sent', async () => {
    await new Promise((resolve) => server.close(resolve));
    expect(await told(send('POST'))).toMatch(
      /^ci-host-error \| POST \/things: no response from HOST: .* \| $/,
    );
    expect(printed).toHaveLength(4);
  });
});

test('waits as long as the response says', async () => {
  answers = [[429, { 'retry-after': '7' }], [503]];
  await send('GET');
  // Then half of 2 ** 2, as `Math.random` says.
  expect(waits).toEqual([7, 2]);
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
  expect(await told(send('GET'))).toMatch(
    /responded with 429 \| The host limits requests: .* in (59|60|61) minutes\.$/,
  );
  expect(seen).toEqual(['GET']);
});

const html = { 'content-type': 'text/html; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const login =
  'A proxy or a login page may have answered in place of the API: check its address and the network.';
const moved = 'The repository or the host may have moved: check the git remote and the address of the API.';

/** What came, and what is said of it after `ci-host-error | GET /things: HOST responded with `. */
const odd: readonly (readonly [string, Answer, string])[] = [
  [
    'a 403',
    [403, json, '{"message":"Resource not accessible"}'],
    '403: Resource not accessible | Give the job the permission.',
  ],
  ['a 404 of a page', [404, html, '<h1>Not here</h1>'], '404 | '],
  ['a 410', [410, json, '{"message":"Issues are disabled"}'], '410: Issues are disabled | '],
  [
    'a 422',
    [422, json, '{"message":"Validation Failed","errors":[{"message":"body is too long"},"or so",null]}'],
    '422: Validation Failed: body is too long: or so | ',
  ],
  [
    'the words of GitLab',
    [403, json, '{"error":"insufficient_scope","error_description":"needs api"}'],
    '403: insufficient_scope: needs api | Give the job the permission.',
  ],
  ['a page with 200', [200, html, '<title>Sign in</title>'], `200 and text/html instead of JSON | ${login}`],
  ['null', [200, json, 'null'], `200 and an unexpected answer: expected an object, got null | ${login}`],
  ['nothing', [204], `204 and an unexpected answer: expected an object, got nothing | ${login}`],
  ['JSON that is cut', [200, json, '{"sent": 1'], `200 and JSON that cannot be read | ${login}`],
  ['a list', [200, json, '[]'], `200 and an unexpected answer: expected an object, got a list | ${login}`],
  [
    'another object',
    [200, json, '{"sent":"x"}'],
    `200 and an unexpected answer: expected sent to be a whole number, got the text "x" | ${login}`,
  ],
  [
    'deep JSON',
    [200, json, '['.repeat(5_000) + ']'.repeat(5_000)],
    `200 and JSON that cannot be read | ${login}`,
  ],
  [
    'a redirect',
    [302, { location: 'https://sso.example.com/login?to=secret' }],
    `302 and a redirect to https://sso.example.com/login | ${moved}`,
  ],
  ['a redirect without a location', [301], `301 and a redirect without a location | ${moved}`],
];

test.each(odd)('says what was asked and what came: %s', async (_, answer, words) => {
  const about =
    typeof answer === 'string' || answer[2] !== undefined ? answer : ([answer[0], answer[1], ''] as const);
  answers = [about];
  expect(await told(send('GET'))).toBe(`ci-host-error | GET /things: HOST responded with ${words}`);
  expect(seen).toEqual(['GET']);
});

test.each(odd)('a change that is not confirmed is not taken for done: %s', async (_, answer) => {
  if (answer === 'cut' || answer[2] === '{"sent":"x"}') return;
  answers = [[answer[0], answer[1], answer[2] ?? '']];
  expect(await told(send('POST'))).toMatch(/^ci-host-error \| POST \/things: HOST responded with \d+/);
  expect(seen).toEqual(['POST']);
});

test('says that it may have been done where no answer came', async () => {
  answers = ['cut'];
  expect(await told(send('POST'))).toMatch(
    /^ci-host-error \| POST \/things: no response from HOST: .* \| The request may have succeeded/,
  );
});

test('shows neither the token nor the query', async () => {
  answers = [[403]];
  const failure = await send('GET').catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(`${failure} ${JSON.stringify(failure)}`).not.toMatch(/of-the-job|page=/);
  // Where only the message is printed, the help is in it.
  expect((failure as Error).message).toMatch(/403\. Give the job the permission\.$/);
});

test('an invalid API address is an error', () => {
  for (const wrong of ['', 'api.github.com', 'ftp://api.example.com'])
    expect(
      () => new Api({ url: wrong, headers: {}, env: {}, log: () => {}, helpFor: () => undefined }),
    ).toThrow(/^usage: the API address of the CI host is not a URL/);
});

test('an interrupt ends a wait, and sends nothing more', async () => {
  answers = [[503], [200]];
  const waiting = new Api({
    ...{ url, headers: {}, env: {}, helpFor: () => undefined, signal: stop.signal },
    log: () => stop.abort(),
  });
  vi.spyOn(Math, 'random').mockReturnValue(50);
  expect(await told(waiting.get('things', object({})))).toMatch(/^interrupted \| /);
  expect(seen).toEqual(['GET']);
  await waiting.close();
});

test('sends what creates something over a connection of its own, which the host has not closed', async () => {
  const connections = new Set<unknown>();
  server.on('connection', (socket) => connections.add(socket));
  for (const method of ['GET', 'POST', 'POST', 'GET'] as const) await send(method);
  expect(connections.size).toBeGreaterThanOrEqual(3);
});

describe('a list', () => {
  let asked: string[];
  /** What the host sends for a page, and for the header `Link`. */
  function pages(of: (page: number) => readonly unknown[], link?: (page: number) => string): void {
    asked = [];
    server.removeAllListeners('request');
    server.on('request', (incoming, response) => {
      asked.push(incoming.url ?? '');
      const page = Number(new URL(incoming.url ?? '', url).searchParams.get('page'));
      response.writeHead(200, link === undefined ? {} : { link: link(page) }).end(JSON.stringify(of(page)));
    });
  }
  const all = () => api.all('things', list(integer), { state: 'open' });
  const from = (start: number, length: number) => Array.from({ length }, (_, n) => start + n);

  test('is read to its last page', async () => {
    pages((page) => (page === 1 ? from(0, 100) : [100]));
    expect(await all()).toEqual(from(0, 101));
    expect(asked).toEqual([
      '/things?state=open&per_page=100&page=1',
      '/things?state=open&per_page=100&page=2',
    ]);
  });

  test('is read to its last page where the host sends shorter ones', async () => {
    pages(
      (page) => from(page * 10, 10),
      (page) =>
        `<${url}/things?page=1>; rel="prev"${page < 3 ? `, <https://evil.example.com/?page=9>; rel="next"` : ''}`,
    );
    expect(await all()).toEqual(from(10, 30));
    expect(asked).toHaveLength(3);
  });

  test('ends where the host ignores `page`', async () => {
    pages(() => from(0, 100));
    expect(await all()).toEqual(from(0, 100));
    expect(asked).toHaveLength(2);
  });

  test('ends after 1,000 pages', async () => {
    pages((page) => from(page * 100, 100));
    expect(await told(all())).toMatch(
      /^ci-host-error \| GET \/things: the list has more than 1000 pages \| /,
    );
    expect(asked).toHaveLength(1000);
  });

  test.each([['null'], ['{"message":"x"}'], ['[1, null]'], ['<html>']])(
    'is not taken from %s',
    async (body) => {
      answers = [[200, json, body]];
      expect(await told(all())).toMatch(/^ci-host-error \| GET \/things: HOST responded with 200 and /);
    },
  );
});

describe('what a host may only know a moment later', () => {
  const look = (after: number) => {
    let looks = 0;
    return async () => {
      looks += 1;
      return looks > after ? looks : null;
    };
  };

  test.each([
    [0, 1, []],
    [2, 3, [1, 2]],
    [9, null, [1, 2, 4]],
  ])('is looked for again: there after %i looks', async (after, found, waited) => {
    expect(await api.eventually(look(after))).toBe(found);
    expect(waits).toEqual(waited);
  });
});
