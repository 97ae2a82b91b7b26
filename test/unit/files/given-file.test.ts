import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiKeyOf } from '../../../src/engine/api-key.js';
import { readGiven } from '../../../src/files/given-file.js';

const KEY = `svc_live_${'a1'.repeat(16)}`;

function fileWith(content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'roster-given-')), 'key');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const keyIn = (path: string) => apiKeyOf({ ROSTER_API_KEY_FILE: path }, '/').key;

test('the byte order mark of a key file is skipped', () => {
  expect(keyIn(fileWith(`\ufeff${KEY}\r\n`))).toBe(KEY);
});

test.each([
  ['with a mark', `\ufeff${KEY}`],
  ['without one', KEY],
])('UTF-16 %s is named', (_what, text) => {
  const path = fileWith(Buffer.from(text, 'utf16le'));
  expect(() => keyIn(path)).toThrow(/the file of ROSTER_API_KEY_FILE is UTF-16/);
});

test.skipIf(process.platform === 'win32')('a pipe is read to its end, however slowly it is written', () => {
  const pipe = `${fileWith('')}.pipe`;
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const half = KEY.length / 2;
  const script = `{ printf %s ${KEY.slice(0, half)}; sleep 0.2; echo ${KEY.slice(half)}; } > ${pipe}`;
  const writer = spawn('sh', ['-c', script], { stdio: 'ignore' });
  expect(keyIn(pipe)).toBe(KEY);
  writer.unref();
});

test.skipIf(process.platform === 'win32')('a pipe that nobody writes to is given up', () => {
  const pipe = `${fileWith('')}.pipe`;
  execFileSync('mkfifo', [pipe]);
  expect(() => readGiven(pipe, 'the file', 40)).toThrow(/its writer did not end within 0.04 seconds/);
});
