import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Fault,
  JsonFileError,
  parseFaults,
  type Sandbox,
  startSandbox,
} from '../../src/sandbox/index.js';
import { type ClientFault, FaultInjector } from '../support/client-faults.js';

let sandbox: Sandbox;
afterEach(() => {
  vi.useRealTimers();
  return sandbox?.close();
});

async function start(...faults: Fault[]): Promise<void> {
  sandbox = await startSandbox({ faults: { faults } });
}

function call(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  return fetch(sandbox.url + path, {
    method,
    redirect: 'manual',
    headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const groups = '/api/search-groups';
const create = (name = 'a', signal?: AbortSignal) =>
  call('POST', groups, { name, description: '', agentIds: [] }, signal);
const made = () => sandbox.world.groups.size;
const names = async () =>
  ((await (await call('GET', groups)).json()) as { data: { name: string }[] }).data.map((each) => each.name);

describe('fault types', () => {
  test('drop: the request has no effect and the connection is reset', async () => {
    await start({ act: 'drop', method: 'POST' });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(made()).toBe(0);
  });

  test('lose: the request takes effect and the connection is reset', async () => {
    await start({ act: 'lose', method: 'POST' });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(made()).toBe(1);
  });

  test('late: the request takes effect after two more requests', async () => {
    await start({ act: 'late', method: 'POST', requests: 2, nth: 1 });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(await names()).toEqual([]);
    expect(await names()).toEqual(['a']);
  });

  test.each<[Fault['act'], number]>([
    ['hang', 0],
    ['hang-after', 1],
  ])('%s: the client waits in vain; %i group is created', async (act, done) => {
    await start({ act, method: 'POST' });
    const client = new AbortController();
    const answer = expect(create('a', client.signal)).rejects.toThrow('abort');
    while (sandbox.requests.length === 0) await new Promise((done) => setTimeout(done, 5));
    setTimeout(() => client.abort(), 100);
    await answer;
    expect(made()).toBe(done);
  });

  test.each<[Fault['act'], number]>([
    ['status', 0],
    ['status-after', 1],
  ])('%s: the response is that of the fault; %i group is created', async (act, done) => {
    await start({
      act,
      method: 'POST',
      status: 429,
      body: '{"message":"slow down"}',
      headers: { 'Retry-After': '7' },
    });
    const answer = await create();
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      429,
      '7',
      '{"message":"slow down"}',
    ]);
    expect(made()).toBe(done);
  });

  test('redirect: the request has no effect and the response is a redirect', async () => {
    await start({ act: 'redirect', location: 'https://elsewhere.example.com/' });
    const answer = await create();
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://elsewhere.example.com/']);
    expect(made()).toBe(0);
  });

  test('cut: the request takes effect and the response breaks off', async () => {
    await start({ act: 'cut', method: 'POST' });
    await expect(create().then((answer) => answer.text())).rejects.toThrow();
    expect(made()).toBe(1);
  });

  test('drip: the response arrives slowly but complete', async () => {
    await start({ act: 'drip', method: 'GET', ms: 1 });
    const { body } = await call('GET', groups);
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ data: [] });
    expect(pieces.length).toBeGreaterThan(3);
  });

  test.each<[ClientFault['act'], NodeJS.Signals, number]>([
    ['kill-before', 'SIGKILL', 0],
    ['kill-after', 'SIGKILL', 1],
    ['signal', 'SIGINT', 1],
  ])('%s: the client process gets %s; %i group is created', async (act, expected, done) => {
    await start();
    const client = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const ended = new Promise((resolve) => client.once('exit', (_, signal) => resolve(signal)));
    const faults = new FaultInjector(sandbox);
    faults.targetPid = client.pid ?? null;
    faults.inject({ act, method: 'POST', signal: 'SIGINT' });
    if (act === 'signal') expect((await create()).status).toBe(200);
    else await expect(create()).rejects.toThrow('fetch failed');
    expect([await ended, made()]).toEqual([expected, done]);
    faults.inject();
    expect((await create('b')).status).toBe(200);
  });
});

test('a fault with nth affects only the nth request that matches', async () => {
  await start({ act: 'status', method: 'POST', path: '/api/search-*', nth: 2, status: 503 });
  const seen: number[] = [];
  for (const name of ['a', 'b', 'c']) seen.push((await create(name)).status);
  await call('GET', groups);
  expect([seen, made()]).toEqual([[200, 503, 200], 2]);
});

test('lagMs: lists show an earlier state, reads by id the current one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  sandbox = await startSandbox({ faults: { lagMs: 250 } });
  const { data } = (await (await create()).json()) as { data: { id: string } };
  expect(await names()).toEqual([]);
  expect((await call('GET', `${groups}/${data.id}`)).status).toBe(200);
  vi.setSystemTime(Date.now() + 300);
  expect(await names()).toEqual(['a']);
});

test('a faults file is read', () => {
  expect(parseFaults('{"faults":[{"act":"lose","method":"POST","nth":1}],"lagMs":5}')).toEqual({
    faults: [{ act: 'lose', method: 'POST', nth: 1 }],
    lagMs: 5,
  });
});

test.each([
  ['{', '1:2: the file is not valid'],
  ['[]', '1:1: the top level is not an object'],
  ['{"fault":[]}', 'the top level has an unknown property "fault"'],
  ['{"lagMs":"1"}', '1:10: lagMs is not a number from 0'],
  ['{"faults":{}}', '1:11: faults is not an array'],
  ['{"faults":[1]}', '1:12: faults[0] is not an object'],
  ['{"faults":[{"act":"explode"}]}', 'faults[0].act is not one of drop'],
  ['{"faults":[{"act":"kill-after"}]}', 'faults[0].act is not one of drop'],
  ['{"faults":[{"act":"drop"},{"act":"drop","nht":1}]}', '1:41: faults[1] has an unknown property "nht"'],
  ['{"faults":[{"act":"drop","nth":"1"}]}', 'faults[0].nth is not an integer'],
  ['{"faults":[{"act":"drop","path":1}]}', 'faults[0].path is not a string'],
  ['{"faults":[{"act":"status","headers":[]}]}', 'faults[0].headers is not an object'],
  ['{"faults":[{"act":"status"}]}', '1:12: faults[0] has no "status". Add it.'],
  ['{"faults":[{"act":"redirect"}]}', '1:12: faults[0] has no "location". Add it.'],
  [
    '{"faults":[{"act":"status","status":503,\n"headers":{"Retry-After":2}}]}',
    '2:26: faults[0].headers.Retry-After is not a string',
  ],
])('the faults file %s is refused: %s', (text, message) => {
  expect(() => parseFaults(text)).toThrow(JsonFileError);
  expect(() => parseFaults(text)).toThrow(message);
});
