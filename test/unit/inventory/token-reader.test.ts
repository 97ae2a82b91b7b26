import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TokenReader } from '../../../src/inventory/file-lock.js';
import { readLockFile } from '../../../src/inventory/lock-state.js';

let folder = '';
let path = '';
let now = 0;
let reads = 0;
let reader: TokenReader;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-token-'));
  path = join(folder, 'i.json.lock');
  [now, reads] = [0, 0];
  write(path, 'ours');
  reader = new TokenReader(
    path,
    () => now,
    (file) => {
      reads += 1;
      return readLockFile(file);
    },
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, token: string): void {
  writeFileSync(file, `${JSON.stringify({ token, pid: 1, host: 'h', since: '' })}\n`);
}

/** Until the times of the file tell any further change. */
function settle(): void {
  reader.read();
  now += 2_001;
  reader.read();
  reads = 0;
}

/** The tokens have the same length, so only what the test says differs. */
const changes: Record<string, () => void> = {
  'another file is moved into its place': () => {
    write(`${path}.new`, 'them');
    renameSync(`${path}.new`, path);
  },
  'it was removed and written again, perhaps with the same inode': () => {
    rmSync(path);
    write(path, 'them');
  },
  'its content was replaced and its modification time put back': () => {
    const { atime, mtime } = statSync(path);
    write(path, 'them');
    utimesSync(path, atime, mtime);
  },
};

test.each(Object.entries(changes))('the next look sees that %s', (_name, change) => {
  settle();
  change();
  expect(reader.read()).toBe('them');
});

test('the next look sees that the lock is gone', () => {
  settle();
  rmSync(path);
  expect(reader.read()).toBeUndefined();
});

test('a lock that nobody touches is read once', () => {
  settle();
  for (let look = 0; look < 1_000; look += 1) expect(reader.read()).toBe('ours');
  expect(reads).toBe(0);
});

test('a lock is read at every look for 2 seconds after a change, which another one could hide', () => {
  settle();
  utimesSync(path, new Date(), new Date(1_000));
  for (const at of [0, 1_000, 2_000]) {
    now = 10_000 + at;
    expect(reader.read()).toBe('ours');
  }
  expect(reads).toBe(3);
  expect(readFileSync(path, 'utf8')).toContain('ours');
});
