import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { roster, start } from '../support/program.js';
import { type Proxy as Between, startProxy } from '../support/proxy.js';
import { startSandbox } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const manifest = `project: signals
groups:
  a: { members: [acme-shop] }
  b: { members: [globex], active: false }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2027-01-01T06:00:00 }
  t: { target: group/b, every: 6 hours, startTime: 2027-01-01T06:00:00 }
`;

interface Scene {
  readonly sandbox: Sandbox;
  readonly proxy: Between;
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** A service of which every write takes 150 ms, so that there is a middle to interrupt. */
async function arrange(): Promise<Scene> {
  const sandbox = await startSandbox();
  const proxy = await startProxy(sandbox.url, 150);
  const cwd = mkdtempSync(join(tmpdir(), 'roster-signals-'));
  writeFileSync(join(cwd, 'roster.yaml'), manifest);
  cleanups.push(
    () => rmSync(cwd, { recursive: true }),
    () => proxy.close(),
  );
  return { sandbox, proxy, cwd, env: { ROSTER_URL: proxy.url, ROSTER_API_KEY: sandbox.apiKey } };
}

async function writesOf(proxy: Between, count: number): Promise<void> {
  while (proxy.writes.length < count) await new Promise((done) => setTimeout(done, 5));
}

async function finishes({ sandbox, cwd, env }: Scene): Promise<void> {
  expect((await roster(['apply', '--yes'], { cwd, env })).exit).toBe(0);
  expect([sandbox.world.groups.size, sandbox.world.schedules.size]).toEqual([2, 2]);
  expect((await roster(['plan', '--detailed-exitcode'], { cwd, env })).exit).toBe(0);
}

describe.each(sampleOf(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 1))('%s', (signal) => {
  test('during an apply: requests in flight finish and are recorded, the rest is not sent', async () => {
    const scene = await arrange();
    const { proxy, sandbox, cwd, env } = scene;
    const running = start(['apply', '--yes', '--concurrency', '1', '--report', 'report.json'], { cwd, env });
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    sandbox.faults.intercept = async ({ method, path }, next) => {
      if (method === 'POST' && path === '/api/search-groups') await held;
      await next();
    };
    await writesOf(proxy, 1);
    running.kill(signal);
    while (!running.stderr().includes('Interrupted')) await new Promise((done) => setTimeout(done, 5));
    release();
    const { exit } = await running.ended;
    expect([exit, proxy.writes.length, sandbox.world.groups.size]).toEqual([130, 1, 1]);
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as {
      changes: { address: string; outcome: string }[];
    };
    expect(report.changes.map(({ address, outcome }) => `${address} ${outcome}`)).toEqual([
      'group/a done',
      'group/b skipped',
      'schedule/s skipped',
      'schedule/t skipped',
    ]);
    expect(existsSync(join(cwd, 'roster.inventory.json.lock'))).toBe(false);
    await finishes(scene);
  });
});

test.each(sampleOf([1, 2, 3, 4, 5], 1))(
  'killed at write %i and run again, it converges: nothing doubled, nothing lost',
  async (nth) => {
    const scene = await arrange();
    const { proxy, cwd, env } = scene;
    const running = start(['apply', '--yes', '--concurrency', '1'], { cwd, env });
    await writesOf(proxy, nth);
    running.kill('SIGKILL');
    expect((await running.ended).signal).toBe('SIGKILL');
    // What had arrived takes effect although nobody waits for the answer.
    await new Promise((done) => setTimeout(done, 250));
    await finishes(scene);
  },
);

test('a run is killed, and its entries are removed before the next run: that run deletes what was created', async () => {
  const { sandbox, cwd, env } = await arrange();
  const running = start(['apply', '--yes', '--concurrency', '1'], { cwd, env });
  while (sandbox.world.groups.size === 0) await new Promise((done) => setTimeout(done, 2));
  running.kill('SIGKILL');
  await running.ended;
  expect(readFileSync(join(cwd, 'roster.inventory.json'), 'utf8')).toContain('"drafts": {\n');
  writeFileSync(join(cwd, 'roster.yaml'), 'project: signals\ngroups:\n  c: { members: [initech] }\n');
  expect((await roster(['apply', '--yes'], { cwd, env })).exit).toBe(0);
  expect([...sandbox.world.groups.values()].map(({ name }) => name)).toEqual(['c']);
  expect((await roster(['plan', '--detailed-exitcode'], { cwd, env })).exit).toBe(0);
});

test('an interrupted plan still prints JSON, and no text on stdout', async () => {
  const scene = await arrange();
  scene.sandbox.faults.faults = [{ act: 'hang', path: '/api/search-groups' }];
  for (const format of ['json', 'text']) {
    const running = start(['plan', '--format', format], { cwd: scene.cwd, env: scene.env });
    const asked = () => scene.sandbox.requests.some(({ path }) => path === '/api/search-groups');
    while (!asked()) await new Promise((done) => setTimeout(done, 5));
    scene.sandbox.requests.length = 0;
    running.kill('SIGINT');
    const { exit, stdout, stderr } = await running.ended;
    expect([exit, stderr]).toEqual([130, expect.stringContaining('Interrupted.\n')]);
    if (format === 'text') expect(stdout).toBe('');
    else
      expect(jsonOf({ stdout })).toMatchObject({ formatVersion: 1, diagnostics: [{ code: 'interrupted' }] });
  }
});

test('apply --format json reports what failed', async () => {
  const { sandbox, cwd, env } = await arrange();
  sandbox.faults.faults = [{ act: 'status', status: 400, path: '/api/search-groups', method: 'POST' }];
  const { exit, stdout } = await roster(['apply', '--yes', '--format', 'json'], { cwd, env });
  const { diagnostics } = jsonOf({ stdout }) as {
    diagnostics: { severity: string; code: string; message: string }[];
  };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  expect([exit, errors.map(({ code }) => code)]).toEqual([3, ['service-error', 'service-error']]);
  expect(errors[0]?.message).toMatch(/^group\/a: .*400/);
});
