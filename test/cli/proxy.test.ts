import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import {
  type ConnectProxy,
  type ConnectProxyOptions,
  startConnectProxy,
  startTlsFront,
  type TlsFront,
} from '../support/connect-proxy.js';
import { roster } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';

/** A service that is reached only through a proxy: its name resolves nowhere else. */

const service = 'collect.roster.test';
const folder = mkdtempSync(join(tmpdir(), 'roster-proxy-'));
const file = (name: string) => join(folder, name);
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
const flat = (text: string) => text.replace(/\s+/g, ' ');
const manifest = 'project: proxied\ngroups:\n  shops: { members: [acme-shop] }\n';

let sandbox: Sandbox;
let front: TlsFront;
let proxy: ConnectProxy;

beforeAll(async () => {
  const subject = ['-subj', `/CN=${service}`, '-addext', `subjectAltName=DNS:${service}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const out = ['-keyout', file('key.pem'), '-out', file('certificate.pem')];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...out], { stdio: 'ignore' });
  writeFileSync(
    file('trusted.pem'),
    `${readFileSync(file('certificate.pem'), 'utf8')}${readFileSync(fixture('authority'), 'utf8')}`,
  );
  writeFileSync(file('roster.yaml'), manifest);
  sandbox = await startSandbox();
  const tls = { key: readFileSync(file('key.pem')), cert: readFileSync(file('certificate.pem')) };
  front = await startTlsFront(tls, sandbox.url);
});
afterAll(async () => {
  await front.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => start());
afterEach(() => proxy.close());

async function start(options: Omit<ConnectProxyOptions, 'to'> = {}): Promise<void> {
  await proxy?.close();
  proxy = await startConnectProxy({ to: front.port, ...options });
}

async function plan(env: Record<string, string> = {}) {
  const given = {
    ROSTER_URL: `https://${service}`,
    ROSTER_API_KEY: sandbox.apiKey,
    NODE_EXTRA_CA_CERTS: file('trusted.pem'),
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    ...env,
  };
  const { exit, stdout, stderr } = await roster(['plan', '-v', '--timeout', '5s'], {
    cwd: folder,
    env: given,
  });
  return { exit, stdout, said: flat(stderr), output: stdout + stderr };
}

describe('a service that is reached through a proxy', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('is planned with %s', async (name) => {
    const { exit, stdout } = await plan({ HTTPS_PROXY: '', [name]: `http://127.0.0.1:${proxy.port}` });
    expect([exit, stdout.trim().split('\n').at(-1)]).toEqual([
      0,
      expect.stringContaining('Plan: 1 to create'),
    ]);
    expect(proxy.heads.length).toBeGreaterThan(0);
    expect(proxy.heads.filter((head) => !head.startsWith(`CONNECT ${service}:443 HTTP/1.1\r\n`))).toEqual([]);
  });

  test('gets the API key inside TLS: the proxy sees neither the key nor a request', async () => {
    const before = sandbox.requests.length;
    expect(await plan()).toMatchObject({ exit: 0 });
    expect(sandbox.requests.length).toBeGreaterThan(before);
    const seen = proxy.received();
    expect(seen.length).toBeGreaterThan(500);
    for (const secret of [sandbox.apiKey, 'x-api-key', '/api/'])
      expect([secret, seen.includes(secret)]).toEqual([secret, false]);
  });

  test.each([
    '103 Early Hints\r\nLink: </style.css>\r\n\r\nHTTP/1.1 200 Connection established',
    '102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nVia: 1.1 proxy',
  ])('is reached through a proxy that sends interim responses first', async (answer) => {
    await start({ answer });
    expect(await plan()).toMatchObject({ exit: 0 });
  });

  test.each(['localhost', '127.0.0.1'])('is reached through a proxy over TLS, too: %s', async (host) => {
    await start({
      tls: { key: readFileSync(fixture('test-fixture.key')), cert: readFileSync(fixture('right')) },
    });
    const { exit, said } = await plan({ HTTPS_PROXY: `https://${host}:${proxy.port}` });
    // Node warns of a server name that is an address.
    expect([exit, said]).toEqual([0, expect.not.stringMatching(/warning|DEP0123/i)]);
    expect(proxy.heads.length).toBeGreaterThan(0);
  });

  test('is sent the user name and the password only as credentials of the proxy, and no output shows them', async () => {
    const HTTPS_PROXY = `http://proxy-user:pass%40word@127.0.0.1:${proxy.port}`;
    const { exit, output } = await plan({ HTTPS_PROXY });
    const credentials = Buffer.from('proxy-user:pass@word').toString('base64');
    expect(exit).toBe(0);
    expect(proxy.heads[0]).toMatch(new RegExp(`^proxy-authorization: Basic ${credentials}\r$`, 'im'));
    expect(front.headers.filter((each) => 'proxy-authorization' in each)).toEqual([]);
    expect(front.headers.at(-1)).toMatchObject({ 'x-api-key': sandbox.apiKey, host: service });
    expect(output).not.toMatch(/proxy-user|pass(%40|@)word/);
    expect(output).not.toContain(credentials);
  });
});

describe('an error of the proxy is not taken for one of the service, names the proxy, and shows no credentials', () => {
  const withCredentials = () => `http://proxy-user:hunter2@127.0.0.1:${proxy.port}`;
  test.each([
    ['407 Proxy Authentication Required', undefined, 'requires a user name and a password (407)'],
    ['407 Proxy Authentication Required', withCredentials, 'rejected the user name or the password (407)'],
    ['502 Bad Gateway', withCredentials, `did not connect to ${service}:443: it returned 502`],
    ['403 Forbidden', withCredentials, `did not connect to ${service}:443: it returned 403`],
    ['103 Early Hints\r\n\r\nHTTP/1.1 403 Forbidden', withCredentials, 'did not connect to'],
    ['103 Early Hints', withCredentials, 'failed: the connection was reset (ECONNRESET)'],
    [null, withCredentials, 'failed: the connection was closed (UND_ERR_SOCKET)'],
  ] as const)('%s', async (answer, url, reason) => {
    await start({ answer });
    const { exit, said, output } = await plan(url === undefined ? {} : { HTTPS_PROXY: url() });
    const named = `was not sent: the proxy http://127.0.0.1:${proxy.port} (from \`HTTPS_PROXY\`) ${reason}`;
    expect([exit, said]).toEqual([1, expect.stringContaining(named)]);
    expect(said).toContain('error[proxy-error]');
    expect(output).not.toMatch(/proxy-user|hunter2|error\[(service-error|unauthorized)\]/);
  });

  test('a proxy that cannot be reached', async () => {
    await proxy.close();
    const { exit, said } = await plan({ HTTPS_PROXY: withCredentials() });
    expect(exit).toBe(1);
    expect(said).toContain(
      `the proxy http://127.0.0.1:${proxy.port} (from \`HTTPS_PROXY\`) failed: the connection was refused (ECONNREFUSED)`,
    );
    expect(said).not.toMatch(/proxy-user|hunter2/);
    await start();
  });

  test('a proxy over TLS with an untrusted certificate', async () => {
    await start({
      tls: { key: readFileSync(fixture('test-fixture.key')), cert: readFileSync(fixture('right')) },
    });
    const env = {
      HTTPS_PROXY: `https://localhost:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: file('certificate.pem'),
    };
    const { exit, said } = await plan(env);
    expect([exit, said]).toEqual([1, expect.stringContaining('error[proxy-error]')]);
    expect(said).toContain('from an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)');
    expect(proxy.heads).toEqual([]);
  });

  test('a value that is not the URL of a proxy sends nothing', async () => {
    const before = sandbox.requests.length;
    for (const HTTPS_PROXY of ['socks5://proxy-user:hunter2@127.0.0.1:1080', 'http://proxy-user:hunter2@']) {
      const { exit, said } = await plan({ HTTPS_PROXY });
      expect([exit, said]).toEqual([1, expect.stringMatching(/error\[proxy-error\]: `HTTPS_PROXY`/)]);
      expect(said).not.toMatch(/proxy-user|hunter2/);
    }
    expect(sandbox.requests.length).toBe(before);
  });
});

describe('behind a proxy', () => {
  test('an error of the service names the service, and the proxy on the way', async () => {
    const { exit, said } = await plan({ NODE_EXTRA_CA_CERTS: fixture('authority') });
    expect(exit).toBe(1);
    expect(said).toContain('error[service-error]');
    expect(said).toContain(
      `to ${service} (from \`ROSTER_URL\`) through the proxy http://127.0.0.1:${proxy.port} (from \`HTTPS_PROXY\`) failed: the server's certificate is self-signed`,
    );
    expect(said).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('a loopback service and a host in NO_PROXY are reached without the proxy', async () => {
    expect(await plan({ ROSTER_URL: sandbox.url })).toMatchObject({ exit: 0 });
    const local = { ROSTER_URL: `https://localhost:${front.port}` };
    expect((await plan(local)).said).toContain(`to localhost:${front.port} (from \`ROSTER_URL\`) failed`);
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const { exit, said } = await plan({ [name]: '10.0.0.0/8, .roster.test' });
      expect([exit, said]).toEqual([1, expect.stringMatching(/to collect\.roster\.test .*host name/)]);
    }
    expect(proxy.heads).toEqual([]);
  });
});
