import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonOf } from '../support/json.js';
import { program, start } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

const id = '5a2f3c1e-7d4b-4e0a-9b3c-2f1d6e8a7c90';
const piece = Buffer.alloc(65_536, 'a,b,c\r\n');

let folder: string;
let server: Server;
let url: string;
/** How a download is answered. */
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
  server = createServer(({ url: path = '' }, response) => {
    if (path.endsWith('/download')) return answer(response);
    response.setHeader('Content-Type', 'application/json');
    response.end('{"success":true,"data":{"items":[],"total":0}}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
});

const environment = () => ({ ROSTER_URL: url, ROSTER_API_KEY: 'svc_live_test_0000000000' });
const get = (preload?: string) =>
  start(['data', 'get', id, '--out', 'out'], {
    cwd: folder,
    env: environment(),
    ...(preload === undefined ? {} : { preload }),
  });
const files = () => readdirSync(join(folder, 'out'));

/** A file of so many pieces, of which `pause` holds back the rest. */
function sending(pieces: number, pause: (sent: number) => Promise<void> = async () => undefined) {
  async function* sent() {
    for (let count = 0; count < pieces; count += 1) {
      await pause(count);
      yield piece;
    }
  }
  return (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Length': pieces * piece.length });
    pipeline(Readable.from(sent()), response).catch(() => undefined);
  };
}

/** Resolves when a download has written something, with the process still waiting for the rest. */
async function partial(): Promise<string> {
  for (;;) {
    await new Promise((done) => setTimeout(done, 20));
    const [name] = readdirSync(folder).includes('out') ? files() : [];
    if (name !== undefined && statSync(join(folder, 'out', name)).size > 0) return name;
  }
}

const never = () => new Promise<void>(() => undefined);
const afterTen = (sent: number) => (sent < 10 ? Promise.resolve() : never());

test('a killed download leaves a hidden file, which the next one removes', async () => {
  answer = sending(100, afterTen);
  const killed = get();
  expect(await partial()).toMatch(/^\..*\.roster-tmp$/);
  killed.kill('SIGKILL');
  await killed.ended;
  expect(files()).toHaveLength(1);
  answer = sending(3);
  expect((await get().ended).exit).toBe(0);
  expect(files()).toEqual([expect.stringMatching(/^dataset-5a2f3c1e\.csv$/)]);
});

test('an interrupted download ends at once, and leaves nothing', async () => {
  answer = sending(100, afterTen);
  const interrupted = get();
  await partial();
  interrupted.kill('SIGINT');
  const { exit, stderr } = await interrupted.ended;
  expect([exit, files(), stderr]).toEqual([130, [], expect.stringContaining('interrupted')]);
});

test('an interrupt while the service prepares the file ends the command at once', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((done) => {
    asked = done;
  });
  answer = () => asked();
  const interrupted = get();
  await isAsked;
  interrupted.kill('SIGINT');
  const late = new Promise<string>((done) => setTimeout(done, 7_000, 'still waits for the response').unref());
  expect(await Promise.race([interrupted.ended, late])).toMatchObject({ exit: 130 });
});

test('a process that was stopped for longer than the timeout reads what is waiting', async () => {
  let requests = 0;
  answer = (response) => {
    requests += 1;
    setTimeout(() => sending(3)(response), 300);
  };
  const stopped = start(['data', 'get', id, '--out', 'out', '--timeout', '1s'], {
    cwd: folder,
    env: environment(),
  });
  while (requests === 0) await new Promise((done) => setTimeout(done, 20));
  stopped.kill('SIGSTOP');
  await new Promise((done) => setTimeout(done, 1_500));
  stopped.kill('SIGCONT');
  expect([(await stopped.ended).exit, requests]).toEqual([0, 1]);
});

test('a file is saved where folders cannot be flushed, as on some network drives', async () => {
  answer = sending(3);
  const preload = join(import.meta.dirname, '../support/unflushable-folders.cjs');
  mkdirSync(join(folder, 'out'));
  const { exit, stdout } = await get(preload).ended;
  expect([exit, stdout, files()]).toEqual([0, expect.stringMatching(/^saved /), ['dataset-5a2f3c1e.csv']]);
});

test('the file of another get in progress is left alone, and both are whole', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  answer = sending(20, (sent) => (sent < 10 ? Promise.resolve() : held));
  const first = get();
  await partial();
  answer = sending(20);
  expect((await get().ended).exit).toBe(0);
  release();
  expect((await first.ended).exit).toBe(0);
  const hashes = files().map((name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'out', name)))
      .digest('hex'),
  );
  expect([files().sort(), new Set(hashes).size]).toEqual([
    ['dataset-5a2f3c1e-2.csv', 'dataset-5a2f3c1e.csv'],
    1,
  ]);
});

test('a large file needs hardly more memory than a small one', async () => {
  const preload = join(import.meta.dirname, '../support/peak-memory.cjs');
  const peak = async (megabytes: number) => {
    answer = sending(megabytes * 16);
    const { exit, stderr } = await get(preload).ended;
    expect(exit).toBe(0);
    return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1_000;
  };
  // Not smaller: the memory that every process may use for new objects is in both.
  const small = await peak(20);
  const large = await peak(isLong ? 1_000 : 200);
  expect(large - small).toBeLessThan(60);
});

/** The command looks for the end of a run every few seconds. */
test.runIf(isLong)('a reader that ends early ends the records, and not the run', async () => {
  const agents = [{ externalAgentId: 'acme', name: 'Acme', outcomes: [{ seconds: 1, records: 1_000 }] }];
  const sandbox = await startSandbox({ seed: { agents }, speed: 60, keepRequests: 1_000 });
  const line = `"${process.execPath}" "${program}" run agent/acme --save - 2>err | head -n 1; cat err >&2`;
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  const { stdout, stderr } = await start([], { cwd: folder, env, shell: line }).ended;
  expect(jsonOf({ stdout })).toMatchObject({ agent: 'agent/acme', record: { currency: expect.any(String) } });
  expect(stderr).toContain('Run complete: 1 succeeded.');
  await sandbox.close();
});

test.runIf(isLong && existsSync('/dev/full'))(
  'records that a full disk behind stdout loses are all reported',
  async () => {
    const outcomes = [{ seconds: 1, records: 10 }];
    const agents = ['acme', 'globex'].map((name) => ({ externalAgentId: name, name, outcomes }));
    const sandbox = await startSandbox({ seed: { agents }, speed: 60, keepRequests: 1_000 });
    const line = `"${process.execPath}" "${program}" run agent/acme agent/globex --save - >/dev/full`;
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const { exit, stderr } = await start([], { cwd: folder, env, shell: line }).ended;
    expect([exit, stderr]).toEqual([3, expect.stringContaining('but the data of 2 was not saved')]);
    await sandbox.close();
  },
);
