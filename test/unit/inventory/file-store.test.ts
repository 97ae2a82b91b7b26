import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileStore } from '../../../src/inventory/file-store.js';
import { parse, print } from '../../../src/inventory/format.js';
import { Problem } from '../../../src/model/diagnostic.js';
import type { Inventory, InventoryEntry } from '../../../src/model/inventory.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-inventory-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const store = (environment: string | null = null) =>
  fileStore(join(folder, 'a/i.json'), 'a/i.json', 'p', environment);

const run = { service: 'https://x', digest: 'sha256:0', plan: '1 to create' };
const result = { result: 'complete', changes: [] };
const lock = async (environment: string | null = null) =>
  store(environment).lock(run, await store(environment).load());

const entry = {
  kind: 'group',
  id: '1',
  name: 'A',
  protect: true,
  applied: { name: 'A', members: [] },
  sensitive: [],
};
const inventory: Inventory = {
  project: 'p',
  environment: null,
  entries: new Map<string, InventoryEntry>([
    ['group/b', entry],
    ['group/a', { ...entry, id: null, name: null, sensitive: ['name'] }],
  ]),
  drafts: new Map([['group/c', { kind: 'group', name: 'C', identity: null }]]),
};

async function codesOf(work: () => Promise<unknown>): Promise<string[]> {
  try {
    await work();
    return [];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics.map((each) => each.code);
    throw failure;
  }
}

test('the saved inventory is loaded again, and has one line per entry, sorted', async () => {
  const taken = await lock();
  await taken.save(inventory);
  await taken.release(result);
  expect(print(await store().load())).toBe(print(inventory));
  const text = readFileSync(join(folder, 'a/i.json'), 'utf8');
  expect(text.split('\n').filter((line) => line.includes('"kind"'))).toHaveLength(3);
  expect(text.indexOf('group/a')).toBeLessThan(text.indexOf('group/b'));
  expect(readdirSync(join(folder, 'a'))).toEqual(['i.json']);
});

test('an inventory of another project or environment is refused', async () => {
  const taken = await lock();
  await taken.save(inventory);
  await taken.release(result);
  const path = join(folder, 'a/i.json');
  expect(await codesOf(() => fileStore(path, 'i', 'other', null).load())).toEqual(['inventory-mismatch']);
  expect(await codesOf(() => store('staging').load())).toEqual(['inventory-mismatch']);
});

test.each([
  ['text that is not JSON', '{'],
  ['a merge conflict', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n'],
  ['JSON that is not an object', '[]'],
  ['a newer version', '{"version":2,"project":"p","entries":{}}'],
  ['no entries', '{"version":1,"project":"p"}'],
  [
    'an entry without an id',
    '{"version":1,"project":"p","entries":{"group/a":{"kind":"group","applied":{}}}}',
  ],
  [
    'a word of a path as an id',
    '{"version":1,"project":"p","entries":{"schedule/a":{"kind":"schedule","id":"runs","applied":{}}}}',
  ],
  [
    'a kind that is not the address’s',
    '{"version":1,"project":"p","entries":{"group/a":{"kind":"key","id":"1","applied":{}}}}',
  ],
])('an inventory with %s is refused, and the message names it', async (_, text) => {
  expect(await codesOf(async () => parse(text, 'i.json'))).toEqual(['inventory-mismatch']);
});

test('the time of a create is kept, and ignored if it is not a time', () => {
  const created = '2026-11-01T00:00:00.000Z';
  const kept = { ...inventory, entries: new Map([['group/a', { ...entry, created }]]) };
  const text = print(kept);
  expect(print(parse(text, 'i.json'))).toBe(text);
  expect(parse(text.replace(created, 'soon'), 'i.json').entries.get('group/a')).not.toHaveProperty('created');
});

test('a field of a newer roster is ignored', () => {
  const text =
    '{"version":1,"project":"p","new":1,"entries":{"group/a":{"kind":"group","id":"1","applied":{},"new":2}}}';
  expect([...parse(text, 'i.json').entries.keys()]).toEqual(['group/a']);
});

test('a second run is refused, and its message names the first one', async () => {
  const first = await lock();
  expect(await codesOf(() => lock())).toEqual(['locked']);
  await first.release(result);
  const second = await lock();
  await second.release(result);
});

const lockPath = () => join(folder, 'a/i.json.lock');
/** What a lock of this machine says, with these changes. */
const holder = (pid: number, more: object = {}) => ({ token: 't', pid, ...more });
const plant = async (changes: object | null) => {
  const taken = await lock();
  const real = JSON.parse(readFileSync(lockPath(), 'utf8')) as object;
  await taken.release(result);
  writeFileSync(lockPath(), changes === null ? '' : JSON.stringify({ ...real, ...changes }));
};

test.each([
  ['of a process that ended', holder(2 ** 22 + 1)],
  ['of an earlier process with our own id', holder(process.pid)],
  ['with an impossible process id', holder(-1)],
])('a lock %s is taken over at once', async (_, text) => {
  await plant(text);
  expect(await codesOf(() => lock())).toEqual([]);
});

test.each([
  ['of a living process', holder(process.ppid)],
  ['of another machine', holder(1, { host: 'elsewhere' })],
  ['of a container of the same host name', holder(2 ** 22 + 1, { processes: 'others' })],
  ['that cannot be read', null],
])('a lock %s is valid until it expires', async (_, text) => {
  await plant(text);
  expect(await codesOf(() => lock())).toEqual(['locked']);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(folder, 'a/i.json.lock'), longAgo, longAgo);
  expect(await codesOf(() => lock())).toEqual([]);
});

test('the inventory is not written through a symbolic link', async () => {
  const taken = await lock();
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'a/i.json'));
  expect(await codesOf(() => taken.save(inventory))).toEqual(['unwritable-file']);
  await taken.release(result);
});

test('a run whose lock was taken over does not overwrite the inventory of the other run', async () => {
  const slow = await lock();
  await slow.save(inventory);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lockPath(), longAgo, longAgo);
  const quick = await lock();
  await quick.save({ ...inventory, drafts: new Map() });
  await quick.release(result);
  expect(slow.lost()).toBe(true);
  expect(await codesOf(() => slow.save(inventory))).toEqual(['locked']);
  expect((await store().load()).drafts.size).toBe(0);
});

test('unlock does not remove the lock of a run that took it meanwhile', async () => {
  const first = await lock();
  const agreed = await store().holder();
  await first.release(result);
  const second = await lock();
  if (agreed === null) throw new Error('nobody held it');
  expect(await codesOf(() => store().unlock(agreed))).toEqual(['locked']);
  expect(second.lost()).toBe(false);
});
