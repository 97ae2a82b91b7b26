import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkWritable, readRegular, writeAtomic } from '../../../src/files/atomic.js';
import { errnoOf, reasonOf } from '../../../src/files/errno.js';
import { makeFolders, removeAbandoned } from '../../../src/files/new-file.js';
import { moveSecret, readSecret, writeSecret } from '../../../src/files/secret-file.js';
import { Problem } from '../../../src/model/diagnostic.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

async function codeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (failure) {
    return failure instanceof Problem ? failure.diagnostics[0]?.code : errnoOf(failure);
  }
}

describe('writeAtomic', () => {
  test('replaces a file and keeps its permissions', async () => {
    writeFileSync(at('a'), 'old');
    chmodSync(at('a'), 0o640);
    await writeAtomic(at('a'), 'new');
    expect([readFileSync(at('a'), 'utf8'), statSync(at('a')).mode & 0o777]).toEqual(['new', 0o640]);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('sets the permissions that are given', async () => {
    await writeAtomic(at('a'), 'new', 0o600);
    expect(statSync(at('a')).mode & 0o777).toBe(0o600);
  });

  test.each<[string, () => unknown]>([
    ['a symbolic link', () => symlinkSync('elsewhere', at('a'))],
    ['a folder', () => mkdirSync(at('a'))],
  ])('does not replace %s', async (_, arrange) => {
    arrange();
    expect(await codeOf(() => writeAtomic(at('a'), 'new'))).toBe('unwritable-file');
    expect(await codeOf(() => checkWritable(at('a')))).toBe('unwritable-file');
    expect(existsSync(at('elsewhere'))).toBe(false);
  });

  test('does not create folders', async () => {
    expect(await codeOf(() => writeAtomic(at('nowhere/a'), 'new'))).toBe('unwritable-file');
    expect(await codeOf(() => checkWritable(at('nowhere/a')))).toBe('unwritable-file');
  });
});

describe('readRegular', () => {
  test('returns null for a missing file, and refuses anything but a regular file', async () => {
    expect(readRegular(at('a'), 'the file')).toBeNull();
    expect(await codeOf(() => readRegular(folder, 'the file'))).toBe('unreadable-file');
    writeFileSync(at('a'), 'text');
    expect(readRegular(at('a'), 'the file')).toBe('text');
  });
});

describe('writeSecret', () => {
  test('creates a file that only its owner can read, and its folder', () => {
    writeSecret(at('secrets/key'), 'x');
    expect(readFileSync(at('secrets/key'), 'utf8')).toBe('x\n');
    const modes = ['secrets', 'secrets/key'].map((name) => statSync(at(name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    expect(readdirSync(at('secrets'))).toEqual(['key']);
  });

  test.each<[string, () => unknown]>([
    ['an existing file', () => writeFileSync(at('key'), 'old')],
    ['a symbolic link', () => symlinkSync('elsewhere', at('key'))],
  ])('does not write over %s, and leaves nothing behind', async (_, arrange) => {
    arrange();
    expect(await codeOf(() => writeSecret(at('key'), 'x'))).toBe('EEXIST');
    expect([readdirSync(folder), existsSync(at('elsewhere'))]).toEqual([['key'], false]);
  });
});

describe('moveSecret', () => {
  test('moves a secret into a new folder', () => {
    writeSecret(at('a/key'), 'x');
    moveSecret(at('a/key'), at('b/c/key'));
    expect([readSecret(at('b/c/key')), readdirSync(at('a')), readdirSync(at('b/c'))]).toEqual([
      'x',
      [],
      ['key'],
    ]);
    expect(statSync(at('b/c/key')).mode & 0o777).toBe(0o600);
  });

  test.each(['refuse', 'replace'] as const)('says that a secret is not there (%s)', async (ifExists) => {
    expect(await codeOf(() => moveSecret(at('missing'), at('key'), ifExists))).toBe('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('replaces a file only when it is told to', async () => {
    writeSecret(at('new'), 'new');
    writeSecret(at('old'), 'old');
    expect(await codeOf(() => moveSecret(at('new'), at('old')))).toBe('EEXIST');
    expect([readSecret(at('new')), readSecret(at('old'))]).toEqual(['new', 'old']);
    moveSecret(at('new'), at('old'), 'replace');
    expect([readSecret(at('old')), readdirSync(folder)]).toEqual(['new', ['old']]);
  });
});

test('only temporary files that are older than an hour are removed', () => {
  const names = ['.a.0.roster-tmp', '.b.0.roster-tmp', 'c.roster-tmp', '.d'];
  for (const name of names) writeFileSync(at(name), '');
  const old = new Date(Date.now() - 2 * 60 * 60_000);
  for (const name of names.slice(1)) utimesSync(at(name), old, old);
  removeAbandoned(folder);
  expect(readdirSync(folder).sort()).toEqual(['.a.0.roster-tmp', '.d', 'c.roster-tmp']);
});

test('a system error is described without its path', () => {
  expect(reasonOf(Object.assign(new Error('EACCES: /secret/path'), { code: 'EACCES' }))).toBe(
    'permission denied (EACCES)',
  );
  expect(reasonOf(Object.assign(new Error('x'), { code: 'EOTHER' }))).toBe('EOTHER');
  expect(reasonOf(new Error('the command ended with exit code 1'))).toBe(
    'the command ended with exit code 1',
  );
  expect([errnoOf(new Error('x')), errnoOf('EACCES'), errnoOf({ code: 'EACCES' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe('makeFolders', () => {
  test('makes a folder with those above it, and keeps what exists', () => {
    makeFolders(at('a/b/c'), 0o700);
    makeFolders(at('a/b/c'));
    expect(statSync(at('a/b')).mode & 0o777).toBe(0o700);
    expect(statSync(at('a/b/c')).isDirectory()).toBe(true);
  });

  test('a file or a link to nothing in its way is an error', async () => {
    writeFileSync(at('file'), '');
    symlinkSync(at('nothing'), at('link'));
    expect(await codeOf(() => makeFolders(at('file')))).toBe('EEXIST');
    expect(await codeOf(() => makeFolders(at('file/a/b')))).toBe('ENOTDIR');
    expect(await codeOf(() => makeFolders(at('link')))).toBe('EEXIST');
  });

  // With `recursive`, Node looks for a folder in which it could make this one for ever.
  test.runIf(process.platform === 'linux')('below /proc it fails', async () => {
    expect(await codeOf(() => makeFolders('/proc/roster/a'))).toBe('ENOENT');
  });
});
