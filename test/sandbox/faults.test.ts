import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { type Fault, FaultError, parseFaults, type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

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

describe('a request that meets', () => {
  test('drop: nothing is done, the connection is reset', async () => {
    await start({ act: 'drop', method: 'POST' });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(made()).toBe(0);
  });

  test('lose: it is done, the connection is reset', async () => {
    await start({ act: 'lose', method: 'POST' });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(made()).toBe(1);
  });

  test('late: it is done after some more requests', async () => {
    await start({ act: 'late', method: 'POST', requests: 2, nth: 1 });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(await names()).toEqual([]);
    expect(await names()).toEqual(['a']);
  });

  test.each<[Fault['act'], number]>([
    ['hang', 0],
    ['hang-after', 1],
  ])('%s: no answer comes', async (act, done) => {
    await start({ act, method: 'POST' });
    await expect(create('a', AbortSignal.timeout(150))).rejects.toThrow('timeout');
    expect(made()).toBe(done);
  });

  test.each<[Fault['act'], number]>([
    ['status', 0],
    ['status-after', 1],
  ])('%s: it is answered as the fault says', async (act, done) => {
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

  test('redirect: it is sent elsewhere', async () => {
    await start({ act: 'redirect', location: 'https://elsewhere.example.com/' });
    const answer = await create();
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://elsewhere.example.com/']);
    expect(made()).toBe(0);
  });

  test('cut: the answer breaks off', async () => {
    await start({ act: 'cut', method: 'POST' });
    await expect(create().then((answer) => answer.text())).rejects.toThrow();
    expect(made()).toBe(1);
  });

  test('drip: the answer comes slowly, and whole', async () => {
    await start({ act: 'drip', method: 'GET', ms: 1 });
    const begun = performance.now();
    const { data } = (await (await call('GET', groups)).json()) as { data: unknown };
    expect(data).toEqual([]);
    expect(performance.now() - begun).toBeGreaterThan(10);
  });

  test.each<[Fault['act'], number]>([
    ['kill-before', 0],
    ['kill-after', 1],
  ])('%s: the client is killed', async (act, done) => {
    await start({ act, method: 'POST' });
    const targetPid = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    sandbox.faults.targetPid = targetPid.pid ?? null;
    const ended = new Promise((resolve) => targetPid.once('exit', (_, signal) => resolve(signal)));
    await expect(create()).rejects.toThrow('fetch failed');
    expect([await ended, made()]).toEqual(['SIGKILL', done]);
  });
});

test('the nth request that fits is met, and no other', async () => {
  await start({ act: 'status', method: 'POST', path: '/api/search-*', nth: 2, status: 503 });
  const seen: number[] = [];
  for (const name of ['a', 'b', 'c']) seen.push((await create(name)).status);
  await call('GET', groups);
  expect([seen, made()]).toEqual([[200, 503, 200], 2]);
});

test('lists that lag show what was there before', async () => {
  sandbox = await startSandbox({ faults: { lagMs: 250 } });
  const { data } = (await (await create()).json()) as { data: { id: string } };
  expect(await names()).toEqual([]);
  expect((await call('GET', `${groups}/${data.id}`)).status).toBe(200);
  await new Promise((done) => setTimeout(done, 300));
  expect(await names()).toEqual(['a']);
});

test('a file of faults is read', () => {
  expect(parseFaults('{"faults":[{"act":"lose","method":"POST","nth":1}],"lagMs":5}')).toEqual({
    faults: [{ act: 'lose', method: 'POST', nth: 1 }],
    lagMs: 5,
  });
});

test.each([
  ['{', 'it is not JSON'],
  ['[]', 'it is no JSON object'],
  ['{"fault":[]}', 'the file has an unknown property "fault"'],
  ['{"lagMs":"1"}', '"lagMs" is no number from 0'],
  ['{"faults":[1]}', 'fault 1 is no object'],
  ['{"faults":[{"act":"explode"}]}', 'fault 1: "act" is none of drop'],
  ['{"faults":[{"act":"drop"},{"act":"drop","nht":1}]}', 'fault 2 has an unknown property "nht"'],
  ['{"faults":[{"act":"drop","nth":"1"}]}', 'fault 1: "nth" is no whole number'],
  ['{"faults":[{"act":"kill-after"}]}', 'fault 1: "kill-after" is for programs'],
])('%s is refused: %s', (text, words) => {
  expect(() => parseFaults(text)).toThrow(FaultError);
  expect(() => parseFaults(text)).toThrow(words);
});
