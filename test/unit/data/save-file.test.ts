import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveFile } from '../../../src/engine/data/save-file.js';
import { createDownloader } from '../../../src/service/downloads.js';

let folder: string;
let server: Server;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  server.close();
});

/** Answers every request with these bytes, and ends the connection. */
async function serve(text: string): Promise<string> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function save(text: string, name = 'a.csv') {
  const downloads = createDownloader({
    baseUrl: await serve(text),
    apiKey: 'svc_live_test',
    concurrency: 1,
    timeoutMs: 2_000,
    userAgent: 'test',
    sleep: async () => undefined,
  });
  try {
    const request = { method: 'GET', path: '/api/x', effect: 'read' } as const;
    const found = await downloads.download({ request, download: true });
    return await saveFile(found, { folder, name, fileCount: found.fileCount, onBytes: () => undefined });
  } finally {
    await downloads.close();
  }
}

const head = (...headers: string[]) => `HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n`;

test('a file as long as announced is kept', async () => {
  expect(await save(`${head('Content-Length: 5')}a,b\r\n`)).toEqual({
    file: 'a.csv',
    bytes: 5,
    entries: null,
  });
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('a,b\r\n');
});

test('a file that ends with the connection is kept when nothing says how long it is', async () => {
  expect(await save(`${head('Connection: close')}a,b\r\n`)).toMatchObject({ bytes: 5 });
});

test.each([
  ['shorter than announced', `${head('Content-Length: 1000')}a,b\r\n`],
  ['cut between its chunks', `${head('Transfer-Encoding: chunked')}5\r\na,b\r\n\r\n`],
  ['cut in a chunk', `${head('Transfer-Encoding: chunked')}500\r\na,b`],
  ['encoded in no known way', `${head('Transfer-Encoding: chunked')}zz\r\na,b`],
])('a file that is %s is not kept', async (_, text) => {
  await expect(save(text)).rejects.toThrow(/broke off|instead of/);
  expect(readdirSync(folder)).toEqual([]);
});

test('a zip whose end is missing is not kept, although nothing says how long it is', async () => {
  await expect(save(`${head('Connection: close')}PK\u0003\u0004rest`, 'a.zip')).rejects.toThrow(
    'not a whole zip',
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('the end of a zip is found before a comment, and not in the middle of a file', async () => {
  const end = (count: number, comment: string) => {
    const bytes = Buffer.alloc(22);
    bytes.writeUInt32LE(0x06054b50, 0);
    bytes.writeUInt16LE(count, 10);
    bytes.writeUInt16LE(comment.length, 20);
    return `${bytes.toString('latin1')}${comment}`;
  };
  const zip = `PK..${end(9, '')}....${end(2, 'a comment')}`;
  expect(await save(`${head(`Content-Length: ${zip.length}`)}${zip}`, 'a.zip')).toMatchObject({ entries: 2 });
  const big = end(0xffff, '');
  const headers = head(`Content-Length: ${big.length}`, 'X-Export-File-Count: 70000');
  expect(await save(`${headers}${big}`, 'b.zip')).toMatchObject({ file: 'b.zip', entries: null });
});
