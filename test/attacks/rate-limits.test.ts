import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { command } from '../support/command.js';
import { jsonOf } from '../support/json.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

/** A rate limit that begins at the worst moment. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** What the proxy does to the nth request: pass it on, refuse it with this Retry-After, or lose the answer. */
type Act = (request: IncomingMessage) => 'pass' | 'lose' | number;

async function project(manifest: object, act: Act) {
  const sandbox = await startSandbox();
  const proxy = createServer((incoming, outgoing) => {
    const what = act(incoming);
    if (typeof what === 'number') {
      incoming.resume();
      outgoing.writeHead(429, { 'retry-after': String(what) }).end('{}');
      return;
    }
    const { method, headers } = incoming;
    const onward = send(`${sandbox.url}${incoming.url}`, { method, headers }, (answer) => {
      if (what === 'lose') return void incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, { ...sandbox, url });
  cleanups.push(
    () => proxy.closeAllConnections(),
    () => proxy.close(),
  );
  const run = (...words: string[]) => command(words, { cwd: workspace.root, env: workspace.env });
  const declare = (next: object) => workspace.write('roster.yaml', JSON.stringify(next));
  return { run, declare };
}

const groups = (names: readonly string[], description = '') => ({
  project: 'limits',
  groups: Object.fromEntries(names.map((name) => [name, { members: ['globex'], description }])),
});

test('a limit on previews of schedules alone holds back neither a plan nor an apply', async () => {
  const every = { target: 'agent/globex', every: '6 hours', startTime: '2030-01-01T00:00:00' };
  const manifest = { project: 'limits', schedules: { often: every } };
  const { run } = await project(manifest, ({ url }) => (url?.endsWith('/preview') ? 3_600 : 'pass'));
  expect(await run('plan', '--deadline', '20')).toMatchObject({ exit: 0 });
  expect(await run('apply', '--yes', '--deadline', '20')).toMatchObject({ exit: 0 });
});

test('an update whose answer was lost before a limit began is UNKNOWN', async () => {
  let puts = 0;
  const act: Act = ({ method }) => (method !== 'PUT' ? 'pass' : ++puts === 1 ? 'lose' : 1);
  const { run, declare } = await project(groups(['a']), act);
  expect(await run('apply', '--yes')).toMatchObject({ exit: 0 });
  declare(groups(['a'], 'changed'));
  const { exit, stdout } = await run('apply', '--yes', '--deadline', '4', '--format', 'json');
  const [change] = jsonOf({ stdout }).changes;
  expect([exit, change.outcome]).toEqual([3, 'unknown']);
});

test('groups that were created before a limit began are checked once, and the others are not tried', async () => {
  let posts = 0;
  let isLimited = false;
  const act: Act = ({ method, url }) => {
    if (method === 'POST' && url === '/api/search-groups' && ++posts > 2) isLimited = true;
    return method === 'POST' && isLimited ? 30 : 'pass';
  };
  const { run } = await project(groups(['a', 'b', 'c', 'd']), act);
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
  const { run } = await project(groups(['a']), () => 'pass');
  const { exit, stderr } = await run('plan', '--deadline', deadline);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(said)]);
});
