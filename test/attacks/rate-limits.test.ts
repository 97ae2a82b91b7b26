import { expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.js';
import { type Intercept, type ProxyAnswer, startInterceptingProxy } from '../support/intercepting-proxy.js';
import { jsonOf } from '../support/json.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

/** A rate limit that begins at the worst moment. */

async function project(manifest: object, intercept: Intercept) {
  const sandbox = await startSandbox();
  const { url, close } = await startInterceptingProxy(sandbox.url, intercept);
  onTestFinished(close);
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, { ...sandbox, url });
  const run = (...words: string[]) => command(words, { cwd: workspace.root, env: workspace.env });
  const declare = (next: object) => workspace.write('roster.yaml', JSON.stringify(next));
  return { run, declare };
}

const limited = (seconds: number): ProxyAnswer => ({
  status: 429,
  body: {},
  headers: { 'retry-after': String(seconds) },
});

const groups = (names: readonly string[], description = '') => ({
  project: 'limits',
  groups: Object.fromEntries(names.map((name) => [name, { members: ['globex'], description }])),
});

test('a limit on previews of schedules alone holds back neither a plan nor an apply', async () => {
  const every = { target: 'agent/globex', every: '6 hours', startTime: '2030-01-01T00:00:00' };
  const manifest = { project: 'limits', schedules: { often: every } };
  const { run } = await project(manifest, ({ path }) =>
    path.endsWith('/preview') ? limited(3_600) : undefined,
  );
  expect(await run('plan', '--deadline', '20')).toMatchObject({ exit: 0 });
  expect(await run('apply', '--yes', '--deadline', '20')).toMatchObject({ exit: 0 });
});

test('an update whose answer was lost before a limit began is UNKNOWN', async () => {
  let puts = 0;
  const { run, declare } = await project(groups(['a']), async ({ method }, pass) => {
    if (method !== 'PUT') return undefined;
    puts += 1;
    if (puts > 1) return limited(1);
    await pass();
    return null;
  });
  expect(await run('apply', '--yes')).toMatchObject({ exit: 0 });
  declare(groups(['a'], 'changed'));
  const { exit, stdout } = await run('apply', '--yes', '--deadline', '4', '--format', 'json');
  const [change] = jsonOf({ stdout }).changes;
  expect([exit, change.outcome]).toEqual([3, 'unknown']);
});

test('groups that were created before a limit began are checked once, and the others are not tried', async () => {
  let posts = 0;
  let isLimited = false;
  const { run } = await project(groups(['a', 'b', 'c', 'd']), ({ method, path }) => {
    if (method === 'POST' && path === '/api/search-groups' && ++posts > 2) isLimited = true;
    return method === 'POST' && isLimited ? limited(30) : undefined;
  });
  const words = ['--deadline', '10', '--concurrency', '1', '--format', 'json'];
  const { exit, stdout } = await run('apply', '--yes', ...words);
  const outcomes = jsonOf({ stdout }).changes.map((each: { outcome: string }) => each.outcome);
  expect([exit, outcomes]).toEqual([3, ['done', 'done', 'skipped', 'skipped']]);
});

test.each([
  ['25h', '"25h" is longer than a day'],
  ['100000h', '"100000h" is longer than a day'],
  ['soon', '"soon" is not a duration'],
])('--deadline %s says what is wrong with it', async (deadline, said) => {
  const { run } = await project(groups(['a']), () => undefined);
  const { exit, stderr } = await run('plan', '--deadline', deadline);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(said)]);
});
