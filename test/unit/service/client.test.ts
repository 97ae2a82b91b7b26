import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { Request } from '../../../src/model/request.js';
import { BudgetError, ByteBudget } from '../../../src/service/byte-budget.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import * as agents from '../../../src/service/operations/agents.js';
import * as groups from '../../../src/service/operations/groups.js';
import * as keys from '../../../src/service/operations/keys.js';
import { apiKey, type Handler, json, ok, serve } from './server.js';

const read = {
  request: { method: 'GET', path: '/api/pipelines', effect: 'read' },
  parse: (data: unknown) => data,
} as const;
const create = groups.createGroup({ name: 'a', description: '', agentIds: [] });
const update = groups.updateGroup('g1', { name: 'b' });

async function failureOf(promise: Promise<unknown>): Promise<ServiceFailure> {
  const error: unknown = await promise.then(
    () => new Error('it went well'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceFailure) return error;
  throw error;
}

function code(failure: ServiceFailure): string | undefined {
  return failure.diagnostics[0]?.code;
}

test('sends the key, the accept headers and the JSON body below a base path', async () => {
  await using server = await serve((_seen, response) => ok(response, { id: 'g1' }));
  const client = server.client({ baseUrl: `${server.url}/base/` });
  expect(await client.send(create)).toEqual({ data: { id: 'g1' } });
  const [seen] = server.seen;
  expect(seen).toMatchObject({ method: 'POST', url: '/base/api/search-groups' });
  expect(seen?.headers).toMatchObject({
    'x-api-key': apiKey,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'roster/test',
  });
  expect(JSON.parse(seen?.body ?? '')).toEqual({ name: 'a', description: '', agentIds: [] });
});

test('a closed client leaves nothing on the signal, which may outlive it', async () => {
  await using server = await serve((_seen, response) => ok(response, []));
  const { signal } = new AbortController();
  const client = server.client({ signal });
  await client.read(read);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await client.close();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('each item of a list is parsed once, however many pages it has', async () => {
  await using server = await serve(({ url }, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    ok(response, { items: [{ id: `i${page}` }], nextCursor: page < 3 ? String(page + 1) : null });
  });
  const parsed: unknown[] = [];
  const parse = (item: unknown) => parsed.push(item);
  await server.client().readAll({ request: read.request, noun: 'pipeline', parse });
  // Later work would be extra work.
  await new Promise((resolve) => setImmediate(resolve));
  expect(parsed).toEqual(['i0', 'i1', 'i2', 'i3'].map((id) => ({ id })));
});

test('a list whose header refers to a next page is not taken for the whole list', async () => {
  const link = '<https://example.com/api/x?page=1>; rel="prev", </api/x?page=2>; rel="next"';
  await using server = await serve((_seen, response) => {
    response.setHeader('link', link);
    ok(response, []);
  });
  const failure = await failureOf(server.client().readAll(groups.listGroups()));
  expect([code(failure), failure.message]).toEqual(['unexpected-response', expect.stringContaining('Link')]);
});

test('a guard with a reason keeps a request from being sent, and so does one that gets a reason before a retry', async () => {
  let reason: string | null = 'the lock is lost';
  await using server = await serve((_seen, response) => {
    reason = 'the lock is lost';
    response.writeHead(503).end();
  });
  const client = server.client();
  const unsent = await failureOf(client.send(update, () => reason));
  expect([unsent.certainty, server.seen.length]).toEqual(['not-sent', 0]);
  expect(unsent.diagnostics[0]).toMatchObject({
    code: 'locked',
    message: expect.stringContaining('was not sent'),
  });
  reason = null;
  const unrepeated = await failureOf(client.send(update, () => reason));
  // The first attempt may have taken effect, although the second one was not sent.
  expect([unrepeated.certainty, server.seen.length]).toEqual(['unknown', 1]);
  reason = 'the lock is lost';
  await failureOf(client.reader(() => reason).read(read));
  expect(server.seen).toHaveLength(1);
});

test('a guard that gets a reason during a pause for a rate limit stops all waiting requests', async () => {
  let reason: string | null = null;
  await using server = await serve((_seen, response) => json(response, 429, {}, { 'retry-after': '5' }));
  const sleep = async () => {
    reason = 'the lock is lost';
  };
  const client = server.client({ sleep, concurrency: 1 });
  const sent = [client.send(update, () => reason), client.send(create, () => reason)].map(failureOf);
  const failures = await Promise.all(sent);
  expect(server.seen).toHaveLength(1);
  expect(failures.map(({ certainty, facts }) => [certainty, facts.code])).toEqual([
    ['not-sent', 'locked'],
    ['not-sent', 'locked'],
  ]);
});

test('a 429 counts neither as an attempt of its request nor in the retries of the run, also for a create', async () => {
  await using server = await serve((_seen, response, index) =>
    index <= 12 ? json(response, 429, {}) : ok(response, { id: 'g1' }),
  );
  const client = server.client();
  expect(await client.send(create)).toEqual({ data: { id: 'g1' } });
  expect(client.stats).toEqual({ requests: 1, attempts: 13, retries: 0 });
});

test('a reader cannot write, neither by type nor by effect', async () => {
  await using server = await serve((_seen, response) => ok(response, null));
  const reader = server.client().reader();
  expect(Object.keys(reader).sort()).toEqual(['read', 'readAll']);
  await expect(reader.read({ request: update, parse: () => null })).rejects.toThrow('not a read');
  expect(server.seen).toHaveLength(0);
});

test.each(['/api/../x', '/api/{group/a}', '/api/a?b', '/other', '/api//x', '/api/%2e%2E/x', '/api/.'])(
  'the path %s is a bug and never sent',
  async (path) => {
    await using server = await serve((_seen, response) => ok(response, null));
    await expect(server.client().send({ method: 'DELETE', path, effect: 'repeatable' })).rejects.toThrow(
      'not a path of the service',
    );
    expect(server.seen).toHaveLength(0);
  },
);

test('a new key is used by the next attempt', async () => {
  await using server = await serve((_seen, response) => ok(response, null));
  const client = server.client();
  await client.send(update);
  client.useKey('svc_live_second');
  await client.send(update);
  expect(server.seen.map((each) => each.headers['x-api-key'])).toEqual([apiKey, 'svc_live_second']);
});

test('without a key nothing is sent', async () => {
  await using server = await serve((_seen, response) => ok(response, null));
  await expect(server.client({ apiKey: null }).read(read)).rejects.toThrow('missing-setting');
  expect(server.seen).toHaveLength(0);
});

test('the concurrency limit holds, and time in the queue does not count towards the deadline', async () => {
  const waiting: ServerResponse[] = [];
  let most = 0;
  await using server = await serve((_seen, response) => {
    most = Math.max(most, waiting.push(response));
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const client = server.client({ concurrency: 2, timeoutMs: 250 });
    const all = Promise.all(Array.from({ length: 8 }, () => client.read(read)));
    for (let seen = 2; seen <= 8; seen += 2) {
      while (server.seen.length < seen) await new Promise((done) => setImmediate(done));
      vi.advanceTimersByTime(100);
      for (const response of waiting.splice(0)) ok(response, 1);
    }
    await all;
    expect(most).toBe(2);
    expect(client.stats).toEqual({ requests: 8, attempts: 8, retries: 0 });
  } finally {
    vi.useRealTimers();
  }
});

describe('invalid answers', () => {
  const cases: [string, Handler, RegExp][] = [
    [
      'a web page',
      (_s, r) => r.end('<html>Sign in</html>'),
      /expected JSON, got no content type: "<html>Sign in/,
    ],
    ['cut JSON', (_s, r) => r.end('{"success":true,"data":['), /expected JSON/],
    ['nothing', (_s, r) => r.end(), /expected JSON/],
    ['a bare list', (_s, r) => json(r, 200, []), /expected an object with data, got a list/],
    ['no data', (_s, r) => json(r, 200, { success: true, result: 1 }), /got an object with success, result/],
    ['an odd success', (_s, r) => json(r, 200, { success: 'yes', data: 1 }), /success to be true or false/],
    ['broken UTF-8', (_s, r) => r.end(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/],
    [
      'compression nobody asked for',
      (_s, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"success":true,"data":1}')),
      /an uncompressed answer, got "gzip"/,
    ],
  ];
  test.each(cases)('%s', async (_name, handler, message) => {
    await using server = await serve(handler);
    const failure = await failureOf(server.client().read(read));
    expect(code(failure)).toBe('unexpected-response');
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain('GET /api/pipelines');
    expect(server.seen).toHaveLength(1);
  });

  test('a create with an invalid answer is unknown, and is not sent again', async () => {
    await using server = await serve((_seen, response) => response.end('<html>'));
    expect((await failureOf(server.client().send(create))).certainty).toBe('unknown');
    expect(server.seen).toHaveLength(1);
  });
});

test.each([
  [204, '', null],
  [202, '{"success":true,"message":"accepted"}', null],
  [200, '{"success":true,"data":null}', null],
  [200, '{"data":{"id":"x"}}', { id: 'x' }],
  [201, '{"id":"x","name":"a"}', { id: 'x', name: 'a' }],
  [201, '{"success":true,"message":"made","key":"svc_live_new"}', { key: 'svc_live_new' }],
])('a create may be answered %d %s', async (status, body, data) => {
  await using server = await serve((_seen, response) => response.writeHead(status).end(body));
  expect(await server.client().send(create)).toEqual({ data });
});

test('success: false in a 200 is a failure with the message of the service', async () => {
  await using server = await serve((_seen, response) =>
    json(response, 200, { success: false, message: 'no\nway', errorCode: 'NOPE', data: [] }),
  );
  const failure = await failureOf(server.client().read(read));
  expect(failure).toMatchObject({ errorCode: 'NOPE', certainty: 'unknown', status: 200 });
  expect(code(failure)).toBe('service-error');
  expect(failure.message).toContain('no way');
});

test.each([301, 302, 303, 307, 308, 304])(
  '%d is an error and nothing goes to the other host',
  async (status) => {
    await using other = await serve((_seen, response) => ok(response, []));
    await using server = await serve((_seen, response) =>
      response.writeHead(status, { location: `${other.url}/api/pipelines?key=1` }).end(),
    );
    const failure = await failureOf(server.client().read(read));
    expect(code(failure)).toBe('unexpected-response');
    expect(failure.message).toContain(`a redirect to ${other.url};`);
    expect(failure.certainty).toBe('unknown');
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
  },
);

describe('refusals', () => {
  test.each([
    [400, 'service-error', 'refused', 1],
    [401, 'unauthorized', 'refused', 1],
    [402, 'service-error', 'refused', 1],
    [403, 'forbidden', 'refused', 1],
    [404, 'service-error', 'refused', 1],
    [405, 'service-error', 'refused', 1],
    [409, 'service-error', 'refused', 1],
    [410, 'service-error', 'refused', 1],
    [422, 'service-error', 'refused', 1],
    [408, 'service-error', 'unknown', 3],
    [425, 'service-error', 'refused', 3],
    [500, 'service-error', 'unknown', 3],
    [501, 'service-error', 'unknown', 1],
    [502, 'service-error', 'unknown', 3],
    [503, 'service-error', 'unknown', 3],
    [504, 'service-error', 'unknown', 3],
  ])(
    '%d is %s, %s, and a repeatable request is sent %d times',
    async (status, expected, certainty, times) => {
      await using server = await serve((_seen, response) => json(response, status, { message: 'told so' }));
      const failure = await failureOf(server.client().send(update));
      expect(code(failure)).toBe(expected);
      expect(failure).toMatchObject({ status, certainty, attempts: times });
      expect(failure.message).toContain(`PUT /api/search-groups/g1 returned ${status}: told so`);
      expect(server.seen).toHaveLength(times);
    },
  );

  test.each([
    [400, 1],
    [408, 1],
    [425, 1],
    [500, 1],
    [503, 1],
  ])('a create answered %d is sent %d times', async (status, times) => {
    await using server = await serve((_seen, response) => json(response, status, {}));
    await failureOf(server.client().send(create));
    expect(server.seen).toHaveLength(times);
  });

  test('after a 401 no request is sent until there is another key', async () => {
    await using server = await serve((seen, response) =>
      seen.headers['x-api-key'] === apiKey ? json(response, 401, {}) : ok(response, 1),
    );
    const client = server.client();
    await failureOf(client.read(read));
    const second = await failureOf(client.send(create));
    expect(second).toMatchObject({ status: 401, certainty: 'not-sent' });
    expect(server.seen).toHaveLength(1);
    client.useKey('svc_live_second');
    expect(await client.read(read)).toBe(1);
  });

  test('a key that the service echoes is masked in every spelling', async () => {
    const echoes = [
      apiKey,
      encodeURIComponent(apiKey),
      Buffer.from(apiKey).toString('base64'),
      Buffer.from(apiKey).toString('hex').toUpperCase(),
      'svc_live_another_key_of_it',
    ];
    await using server = await serve((_seen, response) =>
      json(response, 400, { message: echoes.join(' '), errorCode: apiKey }),
    );
    const failure = await failureOf(server.client().send(update));
    const shown = JSON.stringify([failure.message, failure.errorCode, failure.diagnostics, failure.stack]);
    for (const echo of echoes) expect(shown).not.toContain(echo);
    expect(shown).not.toContain('SECRET');
  });
});

describe('connection failures', () => {
  const reset: Handler = (_seen, _response, _index, socket) => socket.destroy();

  test('a reset read is tried three times', async () => {
    await using server = await serve(reset);
    const failure = await failureOf(server.client().read(read));
    expect(failure).toMatchObject({ status: null, certainty: 'unknown', attempts: 3 });
    expect(failure.message).toMatch(/GET \/api\/pipelines to \S+ failed: .*\(tried 3 times\)/);
    expect(server.seen).toHaveLength(3);
  });

  test('a reset create is sent once', async () => {
    await using server = await serve(reset);
    expect((await failureOf(server.client().send(create))).certainty).toBe('unknown');
    expect(server.seen).toHaveLength(1);
  });

  test('a read that succeeds at the second attempt succeeds', async () => {
    await using server = await serve((seen, response, index, socket) =>
      index === 1 ? reset(seen, response, index, socket) : ok(response, 7),
    );
    const events: string[] = [];
    const client = server.client({
      onRetry: (event) => events.push(`${event.attempt} ${event.method} ${event.path}`),
    });
    expect(await client.read(read)).toBe(7);
    expect(events).toEqual(['2 GET /api/pipelines']);
    expect(client.stats).toEqual({ requests: 1, attempts: 2, retries: 1 });
  });

  test('a refused connection: nothing was sent, so that even a create is sent again', async () => {
    const gone = await serve(reset);
    await gone[Symbol.asyncDispose]();
    await using server = await serve(reset);
    const failure = await failureOf(server.client({ baseUrl: gone.url }).send(create));
    expect(failure).toMatchObject({ certainty: 'not-sent', attempts: 3 });
    expect(failure.message).toContain('the connection was refused (ECONNREFUSED)');
  });

  test('TLS to a port without TLS: nothing was sent, and nothing is sent again', async () => {
    await using server = await serve(reset);
    const failure = await failureOf(
      server.client({ baseUrl: server.url.replace('http:', 'https:') }).send(create),
    );
    expect(failure).toMatchObject({ certainty: 'not-sent', attempts: 1 });
    expect(server.seen).toHaveLength(0);
  });

  test('a TLS handshake that never ends: nothing was sent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await using server = await serve(reset);
    const client = server.client({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 200 });
    expect(await failureOf(client.send(create))).toMatchObject({ certainty: 'not-sent', attempts: 3 });
    await client.close();
    silent.close();
  });

  test.each<[string, Handler]>([
    ['a hang', () => {}],
    ['a drip', (_seen, response) => drip(response)],
    ['a dripping head', (_seen, _response, _index, socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: ')],
  ])('%s ends at the deadline', async (_name, handler) => {
    await using server = await serve(handler);
    const failure = await failureOf(server.client({ timeoutMs: 300 }).send(create));
    expect(failure.certainty).toBe('unknown');
    expect(failure.message).toContain('no response within 0.3 s');
    expect(server.seen).toHaveLength(1);
  });

  test('a refusal whose body hangs is a refusal', async () => {
    await using server = await serve((_seen, response) => response.writeHead(400).write('{"mess'));
    expect(await failureOf(server.client({ timeoutMs: 300 }).send(create))).toMatchObject({
      status: 400,
      certainty: 'refused',
    });
  });

  describe('the limit of all responses together', () => {
    const list = {
      request: { ...read.request, path: '/api/pipelines' },
      noun: 'pipeline',
      parse: (item: unknown) => item,
    };
    const other = { ...list, request: { ...list.request, path: '/api/search-groups' } };

    test('the list that exceeds it is refused with its name and the limit', async () => {
      await using server = await serve((_seen, response) => ok(response, ['x'.repeat(600)]));
      const client = server.client({ maxTotalBytes: 1_000 });
      await client.readAll(list);
      const failure = await failureOf(client.readAll(other));
      expect(failure.facts).toMatchObject({ code: 'unexpected-response', transient: false });
      expect(failure.message).toContain('GET /api/search-groups');
      expect(failure.message).toContain('larger than the limit of 1000 bytes');
      expect(server.seen).toHaveLength(2);
    });

    test('pages of one list count together', async () => {
      await using server = await serve((_seen, response, index) =>
        ok(response, { items: [{ id: `i${index}`, x: 'x'.repeat(400) }], nextCursor: `c${index}` }),
      );
      const failure = await failureOf(server.client({ maxTotalBytes: 1_000 }).readAll(list));
      expect(failure.message).toContain('1000 bytes');
      expect(server.seen).toHaveLength(3);
    });

    test('a list that is read again counts once', async () => {
      await using server = await serve((_seen, response) => ok(response, ['x'.repeat(600)]));
      const client = server.client({ maxTotalBytes: 1_000 });
      for (let run = 0; run < 5; run += 1) expect(await client.readAll(list)).toHaveLength(1);
    });

    test('lists of one path with different queries count together', async () => {
      await using server = await serve((_seen, response) => ok(response, ['x'.repeat(600)]));
      const client = server.client({ maxTotalBytes: 1_000 });
      const filtered = (value: string) => ({
        ...list,
        request: { ...list.request, query: { group: value } },
      });
      await client.readAll(filtered('a'));
      expect(await client.readAll(filtered('a'))).toHaveLength(1);
      expect((await failureOf(client.readAll(filtered('b')))).message).toContain('1000 bytes');
    });

    test('the same list read twice at once counts twice until one of them has ended', () => {
      const budget = new ByteBudget(10);
      const [one, two] = [budget.hold('list'), budget.hold('list')];
      expect(one.add(6)).toBeNull();
      expect(two.add(6)).toBeInstanceOf(BudgetError);
      one.end();
      expect(two.add(6)).toBeNull();
      two.end();
      expect(budget.hold('another').add(6)).toBeInstanceOf(BudgetError);
      expect(budget.hold('list').add(6)).toBeNull();
    });

    test('single objects do not add up', async () => {
      await using server = await serve((_seen, response) => ok(response, { x: 'x'.repeat(600) }));
      const client = server.client({ maxTotalBytes: 1_000 });
      for (let id = 0; id < 5; id += 1) {
        const request = { ...read.request, path: `/api/search-groups/g${id}` };
        expect(await client.read({ ...read, request })).toBeDefined();
      }
    });

    test('an attempt that failed does not count', async () => {
      await using server = await serve((_seen, response, index) => {
        if (index > 1) return ok(response, ['x'.repeat(600)]);
        response.writeHead(200, { 'content-length': '900' });
        response.write('x'.repeat(800), () => response.destroy());
      });
      expect(await server.client({ maxTotalBytes: 1_000 }).readAll(list)).toHaveLength(1);
    });

    test('an attempt that took too long is taken back once', async () => {
      await using server = await serve((_seen, response, index) => {
        if (index > 1) return ok(response, ['x'.repeat(600)]);
        response.writeHead(200, { 'content-length': '900' }).write('x'.repeat(800));
      });
      const client = server.client({ maxTotalBytes: 1_000, timeoutMs: 300 });
      expect(await client.readAll(list)).toHaveLength(1);
      expect((await failureOf(client.readAll(other))).message).toContain('1000 bytes');
    });
  });

  test.each<[number, Request['effect'], boolean]>([
    [201, 'create', true],
    [202, 'repeatable', true],
    [203, 'repeatable', false],
    [206, 'create', false],
    [207, 'repeatable', false],
    [201, 'read', false],
    [206, 'read', false],
  ])('the status %i of a %s is a success: %s', async (status, effect, isSuccess) => {
    await using server = await serve((_seen, response) =>
      json(response, status, { success: true, data: { id: 'a' } }),
    );
    const { request } = effect === 'read' ? read : { request: { ...create, effect } };
    const result = effect === 'read' ? server.client().read(read) : server.client().send(request);
    if (isSuccess) expect(await result).toMatchObject({ data: { id: 'a' } });
    else
      expect((await failureOf(result)).facts).toMatchObject({
        code: 'unexpected-response',
        certainty: 'unknown',
        transient: false,
        status,
      });
  });

  test('an endless body is refused', async () => {
    await using server = await serve((_seen, response) => {
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
        if (!response.destroyed) response.once('drain', flood);
      };
      flood();
    });
    const failure = await failureOf(server.client({ maxBytes: 1_000_000 }).read(read));
    expect(code(failure)).toBe('unexpected-response');
    expect(failure.message).toContain('larger than the limit of 1000000 bytes');
    expect(server.seen).toHaveLength(1);
  });

  test('a read with a body shorter than announced is repeated', async () => {
    await using server = await serve((_seen, response, index, socket) => {
      if (index > 1) return ok(response, 1);
      response.writeHead(200, { 'content-length': 1_000 }).write('{"success":true,"data":1}');
      setTimeout(() => socket.destroy(), 20);
    });
    expect(await server.client().read(read)).toBe(1);
    expect(server.seen).toHaveLength(2);
  });

  test('a request with an answer that is not HTTP is not repeated', async () => {
    await using server = await serve((_seen, _response, _index, socket) => socket.end('hello\r\n\r\n'));
    expect(code(await failureOf(server.client().read(read)))).toBe('unexpected-response');
    expect(server.seen).toHaveLength(1);
  });
});

describe('lists over HTTP', () => {
  test('pages by number are read at the same time and in order', async () => {
    const all = Array.from({ length: 430 }, (_, n) => ({ id: `a${n}`, externalAgentId: `x${n}`, name: 'n' }));
    await using server = await serve((seen, response) => {
      const query = new URL(seen.url, 'http://x').searchParams;
      const size = Number(query.get('pageSize') ?? 25);
      const from = (Number(query.get('page') ?? 1) - 1) * size;
      ok(response, { items: all.slice(from, from + size), total: all.length });
    });
    const found = await server.client().readAll(agents.listAgents());
    expect(found.map((each) => each.id)).toEqual(all.map((each) => each.id));
    expect(server.seen.map((each) => each.url).sort()).toEqual([
      '/api/scraper-agents',
      ...[1, 2, 3, 4, 5].map((page) => `/api/scraper-agents?page=${page}&pageSize=100`),
    ]);
  });

  test('an item that cannot be read is named', async () => {
    await using server = await serve((_seen, response) =>
      ok(response, [{ isActive: true, isRevoked: false }, {}]),
    );
    const failure = await failureOf(server.client().readAll(keys.listKeys()));
    expect(failure.message).toBe(
      'unexpected-response: API key 2 of GET /api/api-keys: expected isActive to be true or false, got nothing',
    );
  });

  test('a page that fails fails the list', async () => {
    await using server = await serve((seen, response) =>
      seen.url.includes('page=2')
        ? json(response, 400, {})
        : ok(response, { items: [{ id: 'a' }], total: 3 }),
    );
    expect((await failureOf(server.client().readAll(keys.listKeys()))).status).toBe(400);
  });
});

function drip(stream: { write(text: string): unknown; destroyed: boolean }, head = ' '): void {
  stream.write(head);
  const timer = setInterval(() => (stream.destroyed ? clearInterval(timer) : stream.write(' ')), 20);
}
