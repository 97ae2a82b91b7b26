import { afterEach, describe, expect, test } from 'vitest';
import { createDownloader, type Downloader, fileNameOf } from '../../../src/service/downloads.js';
import { downloadDataset } from '../../../src/service/operations/datasets.js';
import { downloadSample } from '../../../src/service/operations/samples.js';
import { defaults, type Handler, serve, type TestServer } from './server.js';

let server: TestServer;
let downloader: Downloader;
const stop = new AbortController();
afterEach(async () => {
  await downloader.close();
  await server[Symbol.asyncDispose]();
});

async function download(handler: Handler, timeoutMs: number, signal?: AbortSignal) {
  server = await serve(handler);
  downloader = createDownloader({ ...defaults, baseUrl: server.url, timeoutMs, signal });
  const request = { method: 'GET', path: '/api/x', effect: 'read' } as const;
  return downloader.download({ request, download: true });
}

/** Why it failed. */
async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => new Error('it did not fail')).catch((found: Error) => found);
  return error.message;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('an interrupt ends a download at once', () => {
  test.each<[string, Handler]>([
    ['while the service prepares the file', () => undefined],
    ['in the middle of an error', (_, response) => void response.writeHead(400).write('{"message":')],
  ])('%s', async (_, handler) => {
    const interrupt = new AbortController();
    const answered: Handler = (...about) => {
      handler(...about);
      setTimeout(() => interrupt.abort(), 100);
    };
    const late = sleep(5_000).then(() => 'late');
    const ended = failure(download(answered, 20_000, interrupt.signal)).then(() => 'ended');
    expect(await Promise.race([ended, late])).toBe('ended');
    expect(server.seen).toHaveLength(1);
  });

  test('before it begins, and sends nothing', async () => {
    const interrupt = new AbortController();
    interrupt.abort();
    await failure(download((_, response) => void response.end('a'), 20_000, interrupt.signal));
    expect(server.seen).toHaveLength(0);
  });
});

test('an error that arrives drop by drop takes no longer than any other response', async () => {
  const drops: Handler = (_, response) => {
    response.writeHead(400);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  expect(await failure(download(drops, 500))).toContain('returned 400');
});

test('of an answer in place of a file, only as much is read as a reason takes', async () => {
  let isClosed = false;
  const endless: Handler = (_, response) => {
    response.writeHead(400);
    const timer = setInterval(() => response.write(Buffer.alloc(32_768, ' ')), 10);
    response.on('close', () => {
      isClosed = true;
      clearInterval(timer);
    });
  };
  expect(await failure(download(endless, 20_000))).toContain('returned 400');
  await expect.poll(() => isClosed).toBe(true);
});

test('a slow disk is not a slow service: only the time in which bytes are awaited counts', async () => {
  const bytes = Buffer.alloc(1_000_000, 'a');
  const { body } = await download((_, response) => void response.end(bytes), 200, stop.signal);
  let size = 0;
  for await (const piece of body) {
    if (size === 0) await sleep(700);
    size += piece.length;
  }
  expect(size).toBe(bytes.length);
});

test.each([
  ['a length', 'HTTP/1.1', 'Content-Length: 1000000\r\n'],
  ['no length', 'HTTP/1.1', ''],
  ['a length', 'HTTP/1.0', 'Content-Length: 1000000\r\n'],
])('a connection that ends while the disk is slow ends nothing: %s, %s', async (_, version, headers) => {
  const bytes = Buffer.alloc(1_000_000, 'a');
  const answer: Handler = (__, ___, ____, socket) => {
    socket.write(`${version} 200 OK\r\nConnection: close\r\n${headers}\r\n`);
    socket.end(bytes);
  };
  const { body } = await download(answer, 2_000);
  let size = 0;
  for await (const piece of body) {
    await sleep(20);
    size += piece.length;
  }
  expect(size).toBe(bytes.length);
});

test.each([
  ['compressed', { 'Content-Encoding': 'gzip' }, 'a compressed file'],
  ['a part of the file', { 'Content-Range': 'bytes 0-4/1000' }, 'only a part of the file'],
])('an answer that is %s is refused: under its name, it would pass for the data', async (_, headers, why) => {
  const answer: Handler = (__, response) => void response.writeHead(200, headers).end('a,b\r\n');
  expect(await failure(download(answer, 2_000))).toContain(`GET /api/x returned ${why}`);
});

test('the identity encoding is the file itself', async () => {
  const headers = { 'Content-Encoding': 'Identity' };
  const { body } = await download((_, response) => void response.writeHead(200, headers).end('a'), 2_000);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('a');
});

const id = '00000000-0000-4000-8000-000000000001';
test.each([
  ['a dataset', downloadDataset(id)],
  ['a sample', downloadSample(id)],
])('where the interface shows no method for the download of %s, POST follows a 405', async (_, call) => {
  server = await serve((request, response) => {
    if (request.method !== 'POST') response.writeHead(405);
    response.end('a,b\n');
  });
  downloader = createDownloader({ ...defaults, baseUrl: server.url, timeoutMs: 5_000 });
  const { body } = await downloader.download(call);
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  expect(text).toBe('a,b\n');
  expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test.each([
  ['attachment; filename="acme-2026.csv"', 'acme-2026.csv'],
  ['attachment; filename=acme.csv', 'acme.csv'],
  ["attachment; filename=x.csv; filename*=UTF-8''caf%C3%A9.csv", 'café.csv'],
  ["attachment; filename=x.csv; filename*=utf-8'en'caf%C3%A9.csv", 'café.csv'],
  ['inline; xfilename="a.zip"; filename="a.csv"', 'a.csv'],
  ['attachment;filename=acme.csv', 'acme.csv'],
  ['attachment; filename="../../etc/passwd"', 'etc_passwd'],
  ['attachment; filename="..\\\\..\\\\x.csv"', 'x.csv'],
  ['attachment; filename="/abs/x.csv"', 'abs_x.csv'],
  ['attachment; filename=".bashrc"', 'bashrc'],
  ['attachment; filename="a\u001b[31m\u202eb.csv"', 'a_[31m_b.csv'],
  ['attachment; filename="CON.csv"', 'file-CON.csv'],
  ['attachment; filename="..."', null],
  ['attachment', null],
  [null, null],
  [`attachment; filename="${'x'.repeat(300)}.csv"`, `${'x'.repeat(146)}.csv`],
])('file name: %j gives %j', (header, name) => {
  expect(fileNameOf(header)).toBe(name);
});
