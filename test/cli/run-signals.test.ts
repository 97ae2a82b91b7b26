import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { roster, type Started, start } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

/** Interrupts and kills while runs are started and followed (I37): no second start, and no doubt about what is running. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const agents = ['a', 'b', 'c'].map((externalAgentId) => ({
  externalAgentId,
  name: externalAgentId,
  outcomes: [{ seconds: 600 }],
}));

interface Scene {
  readonly sandbox: Sandbox;
  readonly starts: string[];
  go(...words: string[]): Started;
  ended(...words: string[]): ReturnType<typeof roster>;
}

/** `when`: called for each start, before or after it takes effect. */
async function arrange(when: (starts: number, isDone: boolean) => Promise<void> | void): Promise<Scene> {
  const sandbox = await startSandbox({ seed: { agents } });
  const cwd = mkdtempSync(join(tmpdir(), 'roster-run-'));
  writeFileSync(join(cwd, 'roster.yaml'), 'project: signals\n');
  cleanups.push(() => rmSync(cwd, { recursive: true }));
  const starts: string[] = [];
  sandbox.faults.intercept = async ({ method, path }, next) => {
    if (method !== 'POST' || !path.endsWith('/start-job')) return next();
    starts.push(path);
    await when(starts.length, false);
    await next();
    await when(starts.length, true);
  };
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  return {
    sandbox,
    starts,
    go: (...words) => start(words, { cwd, env }),
    ended: (...words) => roster(words, { cwd, env }),
  };
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(10);
}

const isInterrupted = (running: Started) => until(() => running.stderr().includes('Interrupted'));

test('Ctrl-C while runs are followed: they go on, and the output says how to follow them', async () => {
  const { sandbox, go, ended } = await arrange(() => undefined);
  const running = go('run', 'agent/a', 'agent/b', '--format', 'json');
  await until(() => sandbox.world.jobs.size === 2);
  await pause(500);
  running.kill('SIGINT');
  const { exit, stdout } = await running.ended;
  const ids = [...sandbox.world.jobs.keys()];
  const { runs, diagnostics } = jsonOf({ stdout });
  expect([exit, runs.map(({ state }: { state: string }) => state)]).toEqual([130, ['running', 'running']]);
  expect(diagnostics.at(-1)).toMatchObject({
    code: 'interrupted',
    help: `Follow them with \`roster wait ${ids.join(' ')}\`.`,
  });
  sandbox.advance(3_600_000);
  expect((await ended('wait', ...ids)).exit).toBe(0);
});

test('Ctrl-C with --stop-on-interrupt stops what was started', async () => {
  const { sandbox, go } = await arrange(() => undefined);
  const running = go('run', 'agent/a', 'agent/b', '--stop-on-interrupt', '--format', 'json');
  await until(() => sandbox.world.jobs.size === 2);
  await pause(500);
  running.kill('SIGINT');
  const { exit, stdout } = await running.ended;
  expect([exit, jsonOf({ stdout }).runs.map(({ state }: { state: string }) => state)]).toEqual([
    130,
    ['stopped', 'stopped'],
  ]);
});

test('a second Ctrl-C ends at once, and says that runs may still be active', async () => {
  const { sandbox, go } = await arrange(() => undefined);
  const running = go('run', 'agent/a', '--stop-on-interrupt');
  await until(() => sandbox.world.jobs.size === 1);
  sandbox.faults.faults = [{ act: 'hang' }];
  await pause(500);
  running.kill('SIGINT');
  await isInterrupted(running);
  running.kill('SIGINT');
  const { exit, stderr } = await running.ended;
  expect([exit, stderr]).toEqual([
    130,
    expect.stringMatching(/`roster runs --state active` lists them\.\n$/),
  ]);
});

test('Ctrl-C during a start: it is finished and followed up, and nothing else is sent', async () => {
  let running: Started | null = null;
  const scene = await arrange(async (count, isDone) => {
    if (count !== 2 || !isDone) return;
    running?.kill('SIGINT');
    if (running !== null) await isInterrupted(running);
  });
  running = scene.go('run', 'agent/a', 'agent/b', 'agent/c', '--format', 'json');
  const { exit, stdout } = await running.ended;
  const { runs } = jsonOf({ stdout });
  expect([exit, scene.starts.length]).toEqual([130, 2]);
  expect(runs.map(({ id, state }: { id: string | null; state: string }) => [id !== null, state])).toEqual([
    [true, 'running'],
    [true, 'running'],
    [false, 'notStarted'],
  ]);
});

describe('a kill leaves what was started, and nothing is sent for it again', () => {
  const moments = [
    ['before the first start takes effect', 1, false],
    ['after the first start', 1, true],
    ['before the second start takes effect', 2, false],
    ['after the second start', 2, true],
  ] as const;
  test.each(sampleOf(moments, 2))('killed %s', async (_what, nth, whenDone) => {
    let running: Started | null = null;
    const scene = await arrange(async (count, isDone) => {
      if (count !== nth || isDone !== whenDone) return;
      running?.kill('SIGKILL');
      await running?.ended;
    });
    running = scene.go('run', 'agent/a', 'agent/b');
    expect((await running.ended).signal).toBe('SIGKILL');
    await until(() => scene.sandbox.world.jobs.size === nth);
    expect(scene.starts.length).toBe(nth);
    scene.sandbox.advance(30_000);
    const { exit, stdout } = await scene.ended(
      'wait',
      'agent/a',
      'agent/b',
      '--for',
      '0s',
      '--format',
      'json',
    );
    expect([exit, jsonOf({ stdout }).runs.map(({ id }: { id: string }) => id)]).toEqual([
      6,
      [...scene.sandbox.world.jobs.keys()],
    ]);
    expect(scene.starts.length).toBe(nth);
  });
});
