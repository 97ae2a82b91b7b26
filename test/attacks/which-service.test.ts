import { afterEach, describe, expect, test } from 'vitest';
import { type Listener, listen, nothing } from '../faults/support/listener.js';
import { command } from '../support/command.js';
import { jsonOf } from '../support/json.js';
import type { Ended } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong, sampleOf } from '../support/size.js';

/** The API key is sent to the service that was meant, or nowhere. */

const key = 'svc_live_0123456789abcdef';
const flat = (text: string) => text.replace(/\s+/g, ' ');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function project(service?: object, more: object = {}): Workspace {
  const manifest = { project: 'which', groups: {}, ...(service === undefined ? {} : { service }), ...more };
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, { url: '', apiKey: key });
  return workspace;
}

function run(workspace: Workspace, words: string[], env: Record<string, string> = {}): Promise<Ended> {
  return command(words, { cwd: workspace.root, env: { ROSTER_API_KEY: key, ...env } });
}

async function listener(): Promise<Listener> {
  const server = await listen();
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server;
}

describe('odd spellings of a loopback address', () => {
  const spellings: readonly ((port: number) => string)[] = [
    (port) => `http://0x7f.1:${port}`,
    (port) => `http://2130706433:${port}`,
    (port) => `http://127.1:${port}`,
    (port) => `http://0177.0.0.1:${port}`,
    (port) => `http://127.0.0.01:${port}`,
    (port) => `http://[0:0:0:0:0:0:0:1]:${port}`,
    (port) => `http://①②⑦.0.0.1:${port}`,
    (port) => `http://127。0。0。1:${port}`,
    (port) => `http://ｌocalhost:${port}`,
    (port) => `http://loc\u00adalhost:${port}`,
    (port) => `http://%6cocalhost:${port}`,
    (port) => `http://LOCALHOST:${port}`,
    (port) => `http://127.0.0.1.:${port}`,
    (port) => `http:127.0.0.1:${port}`,
    (port) => `http:///127.0.0.1:${port}`,
  ];
  test.each(sampleOf(spellings, 5).map((spelling) => [spelling(0).replace(':0', ''), spelling] as const))(
    'no key is sent to %s',
    async (_name, spelling) => {
      const server = await listener();
      const url = spelling(server.port);
      for (const place of ['variable', 'flag', 'manifest']) {
        const workspace = project(place === 'manifest' ? { url } : undefined);
        const words = [
          'plan',
          '--allow-empty',
          '--timeout',
          '2s',
          ...(place === 'flag' ? ['--url', url] : []),
        ];
        const ran = await run(workspace, words, place === 'variable' ? { ROSTER_URL: url } : {});
        expect([ran.exit, ran.stderr]).toEqual([
          1,
          expect.stringMatching(/^error\[(insecure-url|schema|unsafe-text)\]/),
        ]);
      }
      expect(server.received()).toEqual(nothing);
    },
  );
});

describe('a URL that is set and empty', () => {
  test('an empty ROSTER_URL does not fall back to the URL of the manifest', async () => {
    const server = await listener();
    const workspace = project({ url: `http://127.0.0.1:${server.port}` });
    for (const words of [['plan'], ['apply', '--yes'], ['drift'], ['snapshot'], ['why', 'group/a']]) {
      const ran = await run(workspace, [...words, '--timeout', '2s'], { ROSTER_URL: '' });
      expect([ran.exit, flat(ran.stderr)]).toEqual([
        1,
        expect.stringMatching(/^error\[missing-setting\]: `ROSTER_URL` is empty/),
      ]);
    }
    expect(server.received()).toEqual(nothing);
  });

  test('an empty `--url` is an error', async () => {
    const ran = await run(project({ url: 'http://127.0.0.1:1' }), ['plan', '--url', '']);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringMatching(/^error\[usage\]/)]);
  });
});

describe('a service other than the one that the manifest declares', () => {
  const declared = { url: 'https://collect.example.com' };
  const other = 'https://other.example.com:9';
  const commands = [['plan'], ['apply', '--yes'], ['drift'], ['snapshot'], ['why', 'group/a']];

  test.each(isLong ? commands : commands.slice(0, 2))(
    '%s is refused before any request',
    async (...words) => {
      for (const [more, env] of [
        [['--url', other], {}],
        [[], { ROSTER_URL: other }],
      ] as const) {
        const ran = await run(project(declared), [...words, ...more], env);
        const where = more.length > 0 ? '`--url`' : '`ROSTER_URL`';
        expect([ran.exit, flat(ran.stderr)]).toEqual([
          4,
          expect.stringContaining(
            `error[service-mismatch]: ${where} sets the service to ${other}, but roster.yaml:1 declares ${declared.url}`,
          ),
        ]);
        expect(flat(ran.stderr)).toContain('`--allow-service-mismatch`');
      }
    },
  );

  test('the URL of the selected environment counts', async () => {
    const environments = { staging: { service: { url: other } } };
    const ran = await run(project(declared, { environments }), [
      'plan',
      '--env',
      'staging',
      '--url',
      declared.url,
    ]);
    expect([ran.exit, ran.stderr]).toEqual([4, expect.stringMatching(/^error\[service-mismatch\]/)]);
  });

  test('with `--allow-service-mismatch`, the other service is used', async () => {
    const ran = await run(project(declared), ['plan', '--timeout', '2s', '--allow-service-mismatch'], {
      ROSTER_URL: 'https://127.0.0.2:1',
    });
    expect([ran.exit, flat(ran.stderr)]).toEqual([
      1,
      expect.stringMatching(/error\[service-error\]: GET \S+ to 127\.0\.0\.2:1 \(from `ROSTER_URL`\) failed/),
    ]);
  });

  test('a different spelling of the same URL is the same service', async () => {
    const ran = await run(project({ url: 'https://127.0.0.2:1/x' }), ['plan', '--timeout', '2s'], {
      ROSTER_URL: 'https://127.0.0.2:1/x/',
    });
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringMatching(/^error\[service-error\]/)]);
  });

  test('a loopback address needs no flag, and the plan says what has overridden the URL', async () => {
    const sandbox = await startSandbox();
    const workspace = project(declared);
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const plan = (format: string) => run(workspace, ['plan', '--allow-empty', '--format', format], env);
    const [text, markdown, json] = [await plan('text'), await plan('markdown'), await plan('json')];
    expect([text.exit, flat(text.stdout)]).toEqual([
      0,
      expect.stringContaining(`Service ${sandbox.url} (\`ROSTER_URL\` overrides ${declared.url})`),
    ]);
    expect(markdown.stdout).toContain('overrides');
    expect(jsonOf(json)).toMatchObject({
      service: sandbox.url,
      serviceOverride: { setBy: 'ROSTER_URL', declared: declared.url },
    });
  });
});

describe('a service that does not respond', () => {
  test('the error names the host and where its URL comes from', async () => {
    const url = 'http://127.0.0.1:1';
    const cases: readonly [Workspace, string[], Record<string, string>, string][] = [
      [project({ url }), [], {}, 'roster.yaml:1'],
      [project(), ['--url', url], {}, '`--url`'],
      [project(), [], { ROSTER_URL: url }, '`ROSTER_URL`'],
    ];
    for (const [workspace, words, env, place] of cases) {
      const ran = await run(workspace, ['plan', ...words], env);
      expect([ran.exit, flat(ran.stderr)]).toEqual([
        1,
        expect.stringContaining(`to 127.0.0.1:1 (from ${place}) failed: the connection was refused`),
      ]);
    }
  });
});
