import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { program, roster } from '../support/program.js';
import { isLong, many, runs } from '../support/size.js';
import { isFlat, soak } from '../support/soak.js';

/** `roster sandbox` as a process. */

const cwd = mkdtempSync(join(tmpdir(), 'roster-sandbox-'));
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, 'SIGKILL');
});

interface Server {
  readonly url: string;
  readonly apiKey: string;
  readonly agents: { externalAgentId: string }[];
  readonly child: ChildProcess;
  readonly stderr: () => string;
  call(method: string, path: string, body?: object): Promise<{ status: number; data: never }>;
}

async function serve(flags: readonly string[] = [], nodeFlags: readonly string[] = []): Promise<Server> {
  const args = [...nodeFlags, program, 'sandbox', '--port', '0', '--format', 'json', ...flags];
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir() },
  });
  children.push(child);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const text = await new Promise<string>((resolve, reject) => {
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
      if (stdout.trimEnd().endsWith('}')) resolve(stdout);
    });
    child.once('close', () => reject(new Error(stderr)));
  });
  const greeting = JSON.parse(text);
  const headers = { 'X-Api-Key': greeting.apiKey, 'Content-Type': 'application/json' };
  return {
    ...greeting,
    child,
    stderr: () => stderr,
    call: async (method, path, body) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(greeting.url + path, { method, headers, ...init });
      const parsed = (await response.json()) as { data: never };
      return { status: response.status, data: parsed.data };
    },
  };
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill(signal);
  });
}

test('sandbox: time starts at --now and passes at --speed, and -v prints each request', async () => {
  const { call, agents, stderr, child } = await serve([
    '--now',
    '2030-01-01T00:00:00Z',
    '--speed',
    '600',
    '-v',
  ]);
  expect(agents.map(({ externalAgentId }) => externalAgentId)).toContain('acme-shop');
  const started = await call('POST', '/api/scraper-agents/acme-shop/start-job', {});
  const { agentJobHistoryId, startedAt } = started.data as { agentJobHistoryId: string; startedAt: string };
  expect(startedAt).toMatch(/^2030-01-01T/);
  const path = `/api/scraper-agents/jobs?jobId=${agentJobHistoryId}`;
  const status = async () =>
    ((await call('GET', path)).data as { items: { status: number }[] }).items[0]?.status;
  await expect.poll(status).toBe(3);
  await ended(child, 'SIGTERM');
  expect(stderr()).toContain('POST /api/scraper-agents/acme-shop/start-job 200\n');
  expect(stderr()).not.toContain('svc_live_');
});

test.each([
  ['--speed', 'fast'],
  ['--speed', '-1'],
  ['--now', 'tomorrow'],
  ['--now', '2026-12-01T06:00:00'],
])('sandbox: %s %s is an error', async (flag, value) => {
  const { exit, stderr } = await roster(['sandbox', flag, value], { cwd });
  expect([exit, stderr.match(/error\[[\w-]+\]/)?.[0]]).toEqual([1, 'error[usage]']);
});

test.each([
  ['--seed', '{\n  "agents": [{ "name": "x" }]\n}\n', 'agents[0] has no "externalAgentId"', '2:14'],
  ['--faults', '{\n  "faults": [{ "act": "explode" }]\n}\n', 'faults[0].act is not one of drop', '2:23'],
  ['--faults', '{\n  "faults": [],,\n}\n', 'the file is not valid', '2:16'],
])('sandbox: an error in the file of %s shows its line: %j', async (flag, text, message, position) => {
  writeFileSync(join(cwd, 'file.json'), text);
  const { exit, stderr } = await roster(['sandbox', flag, 'file.json'], { cwd });
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`file.json:${position}`)]);
  expect(stderr).toContain(`error[schema]: ${message}`);
  expect(stderr).toContain(text.split('\n')[1]);
});

test('sandbox: all errors of a seed are shown', async () => {
  const text = '{\n  "nonsense": 1,\n  "agents": [{ "name": "x" }]\n}\n';
  writeFileSync(join(cwd, 'several.json'), text);
  const { stderr } = await roster(['sandbox', '--seed', 'several.json'], { cwd });
  expect(stderr).toMatch(/several\.json:2:3\b.*several\.json:3:14\b.*2 errors/s);
});

test('sandbox: the greeting lists the agents that its key sees', async () => {
  const agents = [
    { externalAgentId: 'own', name: 'Own' },
    { externalAgentId: 'foreign', name: 'Foreign', assignedTo: ['somebody'] },
    { externalAgentId: 'hidden', name: 'Hidden', assigned: false },
  ];
  writeFileSync(join(cwd, 'agents.json'), JSON.stringify({ agents }));
  const { agents: listed } = await serve(['--seed', join(cwd, 'agents.json')]);
  expect(listed).toEqual([expect.objectContaining({ externalAgentId: 'own' })]);
});

/** Its text, up to the agents. */
async function greeting(flags: readonly string[]): Promise<string> {
  const args = [program, 'sandbox', '--port', '0', ...flags];
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir() },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
      if (stdout.includes('Ctrl-C')) resolve(stdout.slice(0, stdout.indexOf('Agents:')));
    });
    child.once('close', () => reject(new Error(stdout)));
  });
}

test('sandbox: on all addresses, it prints a URL that roster accepts, and what other machines can do', async () => {
  const text = await greeting(['--host', '0.0.0.0']);
  const port = /export ROSTER_URL=http:\/\/127\.0\.0\.1:(\d+)\n/.exec(text)?.[1];
  expect(text).toContain(
    `Other machines can call http://HOST:${port}. roster itself needs https or a loopback`,
  );
  expect(await greeting([])).not.toContain('Other machines');
});

test('sandbox: an error of the address is not about the port', async () => {
  const { exit, stderr } = await roster(['sandbox', '--port', '0', '--host', '192.0.2.77'], { cwd });
  expect(exit).toBe(1);
  expect(stderr).toMatch(/the sandbox cannot listen on "192\.0\.2\.77":\s+EADDRNOTAVAIL/);
  expect(stderr).toContain('Use an address of this machine with `--host`');
  expect(stderr).not.toContain('--port');
});

test('sandbox: a seed is for a new data file: the same one may be repeated, and another is an error', async () => {
  const seeds = ['one', 'two'].map((name) => {
    const file = join(cwd, `${name}-seed.json`);
    writeFileSync(file, JSON.stringify({ agents: [{ externalAgentId: name, name }] }));
    return file;
  });
  const [one = '', two = ''] = seeds;
  const start = async (...flags: string[]) => {
    const { agents, child } = await serve(['--data', 'seeded.json', ...flags]);
    await ended(child, 'SIGTERM');
    return agents.map(({ externalAgentId }) => externalAgentId);
  };
  expect(await start('--seed', one)).toEqual(['one']);
  expect(await start('--seed', one)).toEqual(['one']);
  expect(await start()).toEqual(['one']);
  const flags = ['--data', 'seeded.json', '--seed', two];
  const { exit, stderr } = await roster(['sandbox', ...flags], { cwd });
  expect([exit, stderr]).toEqual([
    1,
    expect.stringContaining('`--data` seeded.json was not made from `--seed`'),
  ]);
  expect(await start()).toEqual(['one']);
});

test('schema seed: is the JSON Schema of a seed', async () => {
  expect((await roster(['schema', 'seed'], { cwd })).stdout).toContain('Seed of a roster sandbox');
});

test.each([
  ['a few objects', 0, runs(2, 40)],
  ['many objects', 600, runs(3, 40)],
])(
  'sandbox: killed at any moment, it loses nothing that it has acknowledged: %s',
  async (_, objects, kills) => {
    const folder = mkdtempSync(join(tmpdir(), 'roster-kill-'));
    const seed = join(cwd, 'kill-seed.json');
    const seeded = Array.from({ length: objects }, (_each, index) => ({
      name: `seed ${index}`,
      members: [],
    }));
    writeFileSync(seed, JSON.stringify({ groups: seeded }));
    const data = join(folder, 'state.json');
    const acknowledged = new Set<string>();
    const begin = async () => {
      const server = await serve(['--data', data, '--seed', seed]);
      const list = (await server.call('GET', '/api/search-groups')).data as { name: string }[];
      const names = new Set(list.map(({ name }) => name));
      expect([...acknowledged].filter((name) => !names.has(name))).toEqual([]);
      expect(names.size).toBeGreaterThanOrEqual(objects);
      return server;
    };
    for (let kill = 0; kill < kills; kill += 1) {
      const { call, child } = await begin();
      const create = async (name: string) => {
        await call('POST', '/api/search-groups', { name, agentIds: [] });
        acknowledged.add(name);
      };
      const creates = Array.from({ length: 30 }, (_each, index) =>
        create(`group ${kill}.${index}`).catch(() => undefined),
      );
      // On a busy machine, the first answer may take long.
      await Promise.race(creates);
      await Promise.race([Promise.all(creates), new Promise((done) => setTimeout(done, 5 * kill))]);
      await ended(child, 'SIGKILL');
      await Promise.all(creates);
    }
    await ended((await begin()).child, 'SIGTERM');
    expect(acknowledged.size).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual(['state.json']);
    rmSync(folder, { recursive: true });
  },
);

test.runIf(isLong)('sandbox: answered requests are not kept in memory', async () => {
  const heap = 48;
  // Several times as much as the heap.
  const megabytes = 6 * heap;
  const { call, child } = await serve(['--speed', '1000'], [`--max-old-space-size=${heap}`]);
  const schedule = {
    targetId: 'a9e00000-0000-4000-8000-000000000001',
    scheduleType: 'Cron',
    cronExpression: '0 * * * * *',
    startTime: '2020-01-01T00:00:00',
  };
  await call('POST', '/api/schedules', schedule);
  const large = { ...schedule, inputParameters: JSON.stringify({ text: 'x'.repeat(1_000_000) }) };
  const lists = ['/api/scraper-agents/jobs', '/api/schedules', '/api/scraper-agents/runs?state=failed'];
  for (let sent = 0; sent < megabytes; sent += 1)
    expect((await call('POST', '/api/schedules/preview', large)).status).toBe(200);
  for (const path of lists) expect((await call('GET', path)).status).toBe(200);
  expect(child.exitCode).toBeNull();
});

test('sandbox: its memory stays flat while requests of all areas are answered', async () => {
  const requests = many(400, 20_000);
  const { statuses, memory } = await soak({ program, requests, heapMb: 128, days: many(0, 3) });
  expect(Object.keys(statuses)).toEqual(['200']);
  if (isLong) expect([memory, isFlat(memory)]).toEqual([memory, true]);
});

test.runIf(isLong)('sandbox: starts beyond the limit are refused, and all others are taken', async () => {
  // Slow enough that any machine sends more than the limit.
  const starts = 200;
  const { call } = await serve(['--speed', '10']);
  let taken = 0;
  let refused = 0;
  while (taken < starts) {
    const { status } = await call('POST', '/api/scraper-agents/acme-shop/start-job', {});
    if (status === 200) taken += 1;
    else {
      expect(status).toBe(429);
      refused += 1;
      await new Promise((done) => setTimeout(done, 200));
    }
  }
  expect(refused).toBeGreaterThan(0);
});
