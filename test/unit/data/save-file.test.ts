import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveFile } from '../../../src/operate/data/download.js';
import { createDownloader } from '../../../src/service/downloads.js';

let folder: string;
let server: Server;
/** The connection is reset instead of the rest. */
let isReset = false;
beforeEach(() => {
  isReset = false;
  folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  server.close();
});

/** Answers every request with these bytes, and ends the connection. The bytes after `pauseAt` come a little later. */
async function serve(text: string, pauseAt = 0): Promise<string> {
  const bytes = Buffer.from(text, 'latin1');
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(bytes.subarray(0, pauseAt));
      const rest = () => (isReset ? reset(socket) : socket.end(bytes.subarray(pauseAt)));
      setTimeout(rest, pauseAt === 0 ? 0 : 100);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** `resetAndDestroy` ends the connection properly before it resets it. */
function reset(socket: Socket): void {
  (Reflect.get(socket, '_handle') as { reset(done: () => void): void }).reset(() => socket.destroy());
}

async function save(text: string, name = 'a.csv', pauseAt = 0) {
  const downloads = createDownloader({
    baseUrl: await serve(text, pauseAt),
    apiKey: 'svc_live_test',
    concurrency: 1,
    timeoutMs: 60_000,
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

test('a file that begins with hundreds of HTML comments is read at once', async () => {
  const text = `${'<!---->'.repeat(500)}x`;
  expect((await save(`${head(`Content-Length: ${text.length}`)}${text}`)).bytes).toBe(text.length);
  await expect(save(`${head()}${'<!-- a -->'.repeat(300)}<html>`)).rejects.toThrow('an HTML page');
});

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

test('a file without a length is not kept when the connection is reset', async () => {
  isReset = true;
  await expect(save(`${head('Connection: close')}a,b\r\n`, 'a.csv', 40)).rejects.toThrow('broke off');
  expect(readdirSync(folder)).toEqual([]);
});

test('a zip whose end is missing is not kept, although nothing says how long it is', async () => {
  await expect(save(`${head('Connection: close')}PK\u0003\u0004rest`, 'a.zip')).rejects.toThrow(
    'not a whole zip',
  );
  expect(readdirSync(folder)).toEqual([]);
});

/** The end record of a zip whose list of files begins at `offset` and has `size` bytes. */
function zipEnd(count: number, { comment = '', offset = 0, size = 0 } = {}): string {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(offset, 16);
  bytes.writeUInt16LE(comment.length, 20);
  return `${bytes.toString('latin1')}${comment}`;
}

test('the end of a zip is found before a comment, and not in the middle of a file', async () => {
  const start = `PK..${zipEnd(9)}....`;
  const zip = `${start}${zipEnd(2, { comment: 'a comment', offset: 4, size: start.length - 4 })}`;
  expect(await save(`${head(`Content-Length: ${zip.length}`)}${zip}`, 'a.zip')).toMatchObject({ entries: 2 });
});

test('a zip64 is kept, although its numbers are elsewhere', async () => {
  const locator = `PK\u0006\u0007${'\0'.repeat(16)}`;
  const zip = `PK..${locator}${zipEnd(0xffff, { offset: 0xffffffff, size: 0xffffffff })}`;
  const headers = head(`Content-Length: ${zip.length}`, 'X-Export-File-Count: 70000');
  expect(await save(`${headers}${zip}`, 'b.zip')).toMatchObject({ file: 'b.zip', entries: null });
});

test.each([
  ['lost a piece', zipEnd(1, { offset: 900, size: 100 })],
  ['been cut at the end of a zip inside of it', `PK\u0003\u0004 inner.zip ${zipEnd(1)}`],
])('a zip that has %s is not kept, although it ends like a zip', async (_, zip) => {
  await expect(save(`${head('Connection: close')}${zip}`, 'a.zip')).rejects.toThrow('not a whole zip');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['a page', '<!DOCTYPE html><p>Log in', 'an HTML page'],
  ['a page after a byte order mark', '\u00ef\u00bb\u00bf<html>', 'an HTML page'],
  ['a page after a comment', '<!-- a proxy -->\n<!-- - -->\n<html>', 'an HTML page'],
  ['an error whose message is first', '{"message":"no","success":false}', 'an error'],
  ['an error with a code', '{"errorCode":"EXPORT_EXPIRED","success":false}', 'an error'],
])('%s that arrives piece by piece is not kept as data', async (_, text, what) => {
  const start = head('Content-Type: text/csv', `Content-Length: ${text.length}`);
  await expect(save(`${start}${text}`, 'a.csv', start.length + 1)).rejects.toThrow(
    `${what} instead of a file`,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('data that only resembles a page or an error is kept', async () => {
  for (const text of ['<htm', '{"success":true,"message":"no"}', '{"rows":[{"success":false}]}', '<!-- csv'])
    expect(await save(`${head(`Content-Length: ${text.length}`)}${text}`)).toMatchObject({
      bytes: text.length,
    });
});
