import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type Ended, roster } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { experiments } from './support/experiments.js';
import { requestsOf, withFixture } from './support/fixture.js';
import { type Listener, listen, nothing } from './support/listener.js';
import { scenario } from './support/scenarios.js';

/** I15: the key is sent to one origin, over TLS. Anything that would send it elsewhere is refused. */

const key = 'svc_live_of_the_origin_0123456789';
const flat = (text: string) => text.replace(/\s+/g, ' ');
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function withListener<T>(work: (listener: Listener) => Promise<T>): Promise<T> {
  await using listener = await listen();
  const result = await work(listener);
  expect(listener.received()).toEqual(nothing);
  return result;
}

describe('redirects', async () => {
  const targets: Record<string, (port: number, own: string) => string> = {
    'another port': (port) => `http://127.0.0.1:${port}/api/search-groups`,
    'another host': (port) => `http://localhost:${port}/api/search-groups`,
    'another address': (port) => `http://127.0.0.2:${port}/`,
    'another scheme': (port) => `https://127.0.0.1:${port}/`,
    'another host without its scheme': (port) => `//127.0.0.1:${port}/`,
    'a host with a user name': (port) => `http://user:word@127.0.0.1:${port}/`,
    'the same origin': (_, own) => `${own}/api/search-groups`,
    'a path of the same origin': () => '/api/schedules',
    'no URL': () => 'http://[',
  };
  const requests = await Promise.all(
    ['S2', 'S3'].map(async (name) => upTo(await requestsOf(scenario(name))).map((nth) => ({ name, nth }))),
  );
  const list = requests.flat().flatMap(({ name, nth }) =>
    Object.keys(targets).map((to, index) => ({
      name,
      nth,
      to,
      status: [301, 302, 303, 307, 308][(nth + index) % 5] ?? 302,
    })),
  );
  experiments(
    'I15',
    'origin: a redirect of a read or a write is refused and not followed',
    list,
    ({ name, nth, to, status }) =>
      withListener((listener) =>
        withFixture(scenario(name), async (fixture) => {
          const location = targets[to]?.(listener.port, fixture.sandbox.url) ?? '';
          fixture.inject({ act: 'redirect', nth, status, location });
          const ran = await fixture.apply();
          const output = flat(ran.stdout + ran.stderr);
          // The check of a new object that fails is made up for by the list.
          if (ran.exit === 0) return fixture.expectDesired();
          // A read that fails before the first write has changed nothing.
          expect([ran.exit, output], output).toEqual([
            fixture.writes().length === 0 ? 1 : 3,
            expect.stringContaining(`returned ${status}, a redirect`),
          ]);
          expect(output).not.toContain('word@');
          fixture.inject();
          expect((await fixture.apply()).exit).toBe(0);
          await fixture.expectDesired();
        }),
      ),
  );
});

const manifest = (url?: string) =>
  JSON.stringify({ project: 'origin', groups: {}, ...(url === undefined ? {} : { service: { url } }) });

/** Runs `roster plan` as a process with a URL in one of the places where it can be set. */
async function planAt(place: string, url: string, more: Record<string, string> = {}): Promise<Ended> {
  const workspace = new Workspace(
    { 'roster.yaml': manifest(place === 'manifest' ? url : undefined) },
    { url: '', apiKey: key },
  );
  const { PATH = '' } = process.env;
  const env = { PATH, ROSTER_API_KEY: key, ...(place === 'variable' ? { ROSTER_URL: url } : {}), ...more };
  const args = ['plan', '--allow-empty', ...(place === 'flag' ? ['--url', url] : [])];
  return await roster(args, { cwd: workspace.root, env });
}

const places = ['variable', 'flag', 'manifest'];
const refusals: Readonly<Record<string, RegExp>> = {
  variable: /error\[insecure-url\]: `ROSTER_URL`/,
  flag: /error\[insecure-url\]: `--url`/,
  // A value that is not an https URL does not match the schema.
  manifest: /error\[(insecure-url|schema)\]: `url`/,
};

describe('addresses', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
  );
  const urls: Record<string, (port: number) => string> = {
    'http to any address': (port) => `http://0.0.0.0:${port}`,
    'http to a mapped address': (port) => `http://[::ffff:127.0.0.1]:${port}`,
    'http to a name that looks like a loopback one': (port) => `http://127.0.0.1.example:${port}`,
    'http to localhost with a dot': (port) => `http://localhost.:${port}`,
    ...Object.fromEntries(
      own.map((address) => [`http to ${address}`, (port) => `http://${address}:${port}`]),
    ),
    'a user name': (port) => `http://user@127.0.0.1:${port}`,
    'a password': (port) => `http://:hunter2@127.0.0.1:${port}`,
    'a user name and a password over TLS': (port) => `https://user:hunter2@127.0.0.1:${port}`,
    'a query': (port) => `http://127.0.0.1:${port}/?hunter2`,
    'a fragment': (port) => `http://127.0.0.1:${port}/#hunter2`,
    'a backslash': (port) => `http:\\\\127.0.0.1:${port}`,
    'a space': (port) => ` http://127.0.0.1:${port}`,
    'another scheme': (port) => `ws://127.0.0.1:${port}`,
    'no scheme': (port) => `127.0.0.1:${port}`,
  };
  experiments(
    'I15',
    'origin: an address that must not get the key is refused before any request',
    Object.keys(urls).flatMap((what) => places.map((place) => ({ what, place }))),
    ({ what, place }) =>
      withListener(async ({ port }) => {
        const { exit, stderr } = await planAt(place, urls[what]?.(port) ?? '');
        expect([exit, flat(stderr)]).toEqual([1, expect.stringMatching(refusals[place] ?? /^$/)]);
        // The line of a manifest is shown, because it is public; other values are not.
        if (place !== 'manifest') expect(stderr).not.toContain('hunter2');
      }),
  );

  experiments(
    'I15',
    'origin: with the certificate check turned off, no request is sent',
    places.flatMap((place) => ['http', 'https'].map((scheme) => ({ place, scheme }))),
    ({ place, scheme }) =>
      withListener(async ({ port }) => {
        const url = `${scheme}://127.0.0.1:${port}`;
        const { exit, stderr } = await planAt(place, url, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
        expect([exit, flat(stderr)]).toEqual([
          1,
          expect.stringMatching(/error\[insecure-url\].*NODE_TLS_REJECT_UNAUTHORIZED/),
        ]);
      }),
    5,
  );
});

describe('certificates', () => {
  const pem = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
  const trusted = { NODE_EXTRA_CA_CERTS: pem('authority') };
  const cases: Record<
    string,
    { certificate: string; host?: string; env?: Record<string, string>; code: string | null }
  > = {
    'a valid one': { certificate: 'right', env: trusted, code: null },
    'a valid one for a host name': { certificate: 'right', host: 'localhost', env: trusted, code: null },
    'of an unknown authority': { certificate: 'right', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    'for another host': { certificate: 'wrong-host', env: trusted, code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'for another address': {
      certificate: 'right',
      host: '127.0.0.2',
      env: trusted,
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    },
    expired: { certificate: 'expired', env: trusted, code: 'CERT_HAS_EXPIRED' },
    'self-signed': { certificate: 'self-signed', env: trusted, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  };
  experiments(
    'I15',
    'origin: an invalid certificate is refused with its reason, and no request is sent',
    Object.keys(cases).flatMap((what) => places.map((place) => ({ what, place }))),
    async ({ what, place }) => {
      const { certificate = '', host = '127.0.0.1', env = {}, code = '' } = cases[what] ?? {};
      let requests = 0;
      const server = createServer(
        { key: readFileSync(pem('test-fixture.key')), cert: readFileSync(pem(certificate)) },
        (_, answer) => {
          requests += 1;
          answer.setHeader('content-type', 'application/json').end('{"success":true,"data":[]}');
        },
      );
      await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
      try {
        const { exit, stderr } = await planAt(
          place,
          `https://${host}:${(server.address() as AddressInfo).port}`,
          env,
        );
        if (code === null) {
          expect([exit, stderr, requests > 0]).toEqual([0, '', true]);
          return;
        }
        expect([exit, requests]).toEqual([1, 0]);
        expect(flat(stderr)).toContain(`(${code})`);
        // Trust in an authority helps only where the authority is what is missing.
        const isUntrusted = what === 'of an unknown authority' || what === 'self-signed';
        expect(flat(stderr).includes('NODE_EXTRA_CA_CERTS')).toBe(isUntrusted);
        expect(flat(stderr).includes('openssl')).toBe(false);
      } finally {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
    5,
  );
});

describe('environment and manifest', () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  experiments(
    'I15',
    'origin: a service on this machine is reached without the proxy that a variable names',
    [...names.map((name) => [name]), names, [...names, 'NODE_USE_ENV_PROXY']],
    (set) =>
      withListener(({ port }) =>
        withFixture(scenario('S2'), async (fixture) => {
          for (const name of set)
            fixture.workspace.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${port}`;
          expect(await fixture.process('apply', '--yes')).toMatchObject({ exit: 0 });
          await fixture.expectDesired();
        }),
      ),
    5,
  );

  const settingsWith = (port: number): Record<string, object> => ({
    service: { service: { url: `http://127.0.0.1:${port}` } },
    environment: {
      service: { url: 'https://collect.example' },
      environments: { production: { service: { url: `http://127.0.0.1:${port}` } } },
    },
  });
  experiments(
    'I15',
    'origin: the variable and the flag take precedence over a URL in a manifest',
    Object.keys(settingsWith(0)).flatMap((where) => ['variable', 'flag'].map((place) => ({ where, place }))),
    ({ where, place }) =>
      withListener(({ port }) =>
        withFixture(scenario('S2'), async (fixture) => {
          const { workspace, sandbox } = fixture;
          const sections = fixture.scenario.manifest.slice(fixture.scenario.manifest.indexOf('groups:'));
          workspace.write(
            'roster.yaml',
            JSON.stringify({ project: 'faults', include: ['s2.yaml'], ...settingsWith(port)[where] }),
          );
          workspace.write('s2.yaml', sections);
          if (place === 'flag') delete workspace.env['ROSTER_URL'];
          const env = where === 'environment' ? ['--env', 'production'] : [];
          const flag = place === 'flag' ? ['--url', sandbox.url] : [];
          expect(await fixture.process('apply', '--yes', ...env, ...flag)).toMatchObject({ exit: 0 });
          await fixture.expectDesired();
        }),
      ),
    5,
  );
});
