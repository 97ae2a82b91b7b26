import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/service/client.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import { apiKey, defaults } from './server.js';

/** What a user reads when the URL leads to something that is not the service, or not reachable as one. */

const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
const tls = { key: pem('test-fixture.key'), cert: pem('right') };
const hello: RequestListener = (_request, response) => void response.end('{}');
const page = (status: number, headers = {}) =>
  createHttp((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end('<!doctype html><html><head><title>A title</title></head></html>');
  });

async function failureAt(server: Pick<Server, 'listen' | 'address' | 'close'>, scheme: string, path = '') {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { ...defaults, apiKey, timeoutMs: 60_000, urlFrom: 'roster.yaml:3' };
  const client = createClient({ ...settings, baseUrl: `${scheme}://${host}${path}` });
  const request = { method: 'GET', path: '/api/pipelines', effect: 'read' } as const;
  try {
    const failure = await client.read({ request, parse: (data) => data }).catch((error: unknown) => error);
    if (!(failure instanceof ServiceFailure)) throw failure;
    const { code, message, help } = failure.facts;
    return { host, code, message, help };
  } finally {
    await client.close();
    server.close();
  }
}

describe('an error of the connection names the host and where its URL came from, in plain words', () => {
  const [https, http] = ['https', 'http'];
  test.each([
    {
      what: 'https to a port without TLS',
      scheme: https,
      server: () => createHttp(hello),
      reason: 'the server does not use TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER)',
      help: /Check the port of the URL/,
    },
    {
      what: 'http to a port with TLS',
      scheme: http,
      server: () => createHttps(tls, hello),
      reason: 'the connection was closed (UND_ERR_SOCKET) (tried 3 times)',
      help: /If the server uses TLS on this port, use a URL that begins with `https:\/\/`/,
    },
    {
      what: 'TLS with HTTP/2 only',
      scheme: https,
      server: () => createSecureServer({ ...tls, allowHTTP1: false }),
      reason:
        'the server does not accept HTTP/1.1, which roster uses (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)',
      help: /Enable HTTP\/1.1/,
    },
    {
      what: 'HTTP/2 only, without TLS',
      scheme: http,
      server: () => createHttp2(),
      reason: 'the server accepts only HTTP/2, and roster uses HTTP/1.1',
      help: /Enable HTTP\/1.1/,
    },
    {
      what: 'another protocol',
      scheme: http,
      server: () => createTcp((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9\r\n')),
      reason: 'the response is not HTTP/1.1',
      help: /Check the port of the URL/,
    },
    {
      what: 'an unknown authority',
      scheme: https,
      server: () => createHttps(tls, hello),
      reason: "the server's certificate is from an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
      help: /NODE_EXTRA_CA_CERTS/,
    },
  ])('$what', async ({ scheme, server, reason, help }) => {
    const failure = await failureAt(server(), scheme);
    expect(failure.message).toBe(
      `GET /api/pipelines to ${failure.host} (from roster.yaml:3) failed: ${reason}`,
    );
    expect(failure.help).toMatch(help);
  });
});

describe('a web page instead of an answer', () => {
  test.each([
    [404, 'service-error', /^The response is a web page, not JSON. Check that .* is the base URL/],
    [401, 'unauthorized', /A proxy or a sign-in page may have responded .* check `ROSTER_API_KEY`/],
    [403, 'forbidden', /A proxy or a sign-in page may have responded/],
    [407, 'service-error', /A proxy on the way to .* requires a sign-in/],
  ])('with %d: the help names the URL and where it came from', async (status, expected, help) => {
    const failure = await failureAt(page(status), 'http', '/wrong/');
    expect([failure.code, failure.message]).toEqual([
      expected,
      `GET /api/pipelines returned ${status}: A title`,
    ]);
    expect(failure.help).toMatch(help);
    expect(failure.help).toContain(`http://${failure.host}/wrong (from roster.yaml:3)`);
  });
});

describe('an answer whose likely reason is the wrong place', () => {
  const answer = (status: number, body: string) =>
    createHttp((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    });

  test.each([
    [401, '{"message":"revoked"}', /^Check that `ROSTER_API_KEY` is a key of /],
    [404, '', /^Check that .* is the base URL of the service\.$/],
    [404, '404 page not found', /^Check that .* is the base URL of the service\.$/],
    [407, '', /^A proxy on the way to .* requires a sign-in\.$/],
    [429, '', /^The limit is that of .* allow more time, such as `--deadline 2h`\.$/],
    [500, '{"message":"away"}', /^The service at .* has a problem: try again later\.$/],
  ])('with %d and "%s": the help names the URL and where it came from', async (status, body, help) => {
    const failure = await failureAt(answer(status, body), 'http', '/base');
    expect(failure.help).toMatch(help);
    expect(failure.help).toContain(`http://${failure.host}/base (from roster.yaml:3)`);
  });

  test('a 404 in the words of the service is about the URL if it answers a list, which is always there', async () => {
    const failure = await failureAt(answer(404, '{"message":"The path was not found."}'), 'http');
    expect(failure.message).toBe('GET /api/pipelines returned 404: The path was not found.');
    expect(failure.help).toMatch(/^Check that http:.* is the base URL of the service\.$/);
  });

  test('a base URL that ends in /api says what to remove', async () => {
    const failure = await failureAt(
      answer(404, '{"message":"The path was not found."}'),
      'http',
      '/base/api',
    );
    expect(failure.help).toBe(
      `Remove \`/api\` from http://${failure.host}/base/api (from roster.yaml:3): roster adds it.`,
    );
  });
});
