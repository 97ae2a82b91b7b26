import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
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
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fileStore } from '../../../src/inventory/file-store.js';
import { parse, print } from '../../../src/inventory/format.js';
import { Problem } from '../../../src/model/diagnostic.js';
import { type Inventory, type InventoryEntry, LockProblem } from '../../../src/model/inventory.js';
import { git } from '../../support/repository.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-inventory-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Of one machine: what `monotonic` says, and what its wall clock says. */
class TestClock {
  elapsed = 0;
  wall = Date.parse('2026-03-01T12:00:00Z');
  now = () => new Date(this.wall);
  monotonic = () => this.elapsed;
  pass(milliseconds: number): void {
    this.elapsed += milliseconds;
    this.wall += milliseconds;
  }
}

/** With requests of 30 s. */
const LEASE_MS = 200_000;
const UNKNOWN_LEASE_MS = 600_000;
let clock = new TestClock();
beforeEach(() => {
  clock = new TestClock();
});

const options = { path: '', name: 'a/i.json', project: 'p', environment: null as string | null };
const store = (environment: string | null = null, own = clock, longestRequestMs = 30_000) =>
  fileStore({
    ...options,
    path: join(folder, 'a/i.json'),
    environment,
    env: { PATH: process.env['PATH'] },
    clock: own,
    longestRequestMs,
  });

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
  service: null,
  safeguards: null,
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
  const other = fileStore({ ...options, path: join(folder, 'a/i.json'), project: 'other', env: {} });
  expect(await codesOf(() => other.load())).toEqual(['inventory-mismatch']);
  expect(await codesOf(() => store('staging').load())).toEqual(['inventory-mismatch']);
});

test.each([
  ['text that is not JSON', '{'],
  ['a merge conflict', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n'],
  ['JSON that is not an object', '[]'],
  ['a newer version', '{"version":9,"project":"p","entries":{}}'],
  ['no entries', '{"version":1,"project":"p"}'],
  [
    'an entry without an id',
    '{"version":1,"project":"p","entries":{"group/a":{"kind":"group","applied":{}}}}',
  ],
  [
    'a path segment as an id',
    '{"version":1,"project":"p","entries":{"schedule/a":{"kind":"schedule","id":"runs","applied":{}}}}',
  ],
  [
    'a kind that is not the address’s',
    '{"version":1,"project":"p","entries":{"group/a":{"kind":"key","id":"1","applied":{}}}}',
  ],
])('an inventory with %s is refused, and the message names it', async (_, text) => {
  expect(await codesOf(async () => parse(text, 'i.json'))).toEqual(['invalid-inventory']);
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
  ['that names no lease', holder(1, { host: 'elsewhere', leaseMs: undefined })],
  ['that cannot be read', null],
])('a lock %s is taken over once it was watched for a lease without a renewal', async (_, text) => {
  await plant(text);
  const watching = store();
  const attempt = () => codesOf(async () => watching.lock(run, await watching.load()));
  const lease = text === null || 'leaseMs' in text ? UNKNOWN_LEASE_MS : LEASE_MS;
  expect(await attempt()).toEqual(['locked']);
  clock.pass(lease - 1);
  expect(await attempt()).toEqual(['locked']);
  renewed(lockPath());
  expect(await attempt()).toEqual(['locked']);
  clock.pass(lease - 1);
  expect(await attempt()).toEqual(['locked']);
  clock.pass(1);
  expect(await attempt()).toEqual([]);
});

/** By a holder whose clock is an hour behind. */
function renewed(path: string): void {
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(path, before, before);
}

test.each([-60, -11, -1, 1, 11, 60])(
  'a clock that differs by %i minutes takes no lock over',
  async (minutes) => {
    const first = await lock();
    clock.pass(1_000);
    const other = new TestClock();
    other.wall += minutes * 60_000;
    const watching = store(null, other);
    for (const _ of Array(10).keys()) {
      expect(await codesOf(async () => watching.lock(run, await watching.load()))).toEqual(['locked']);
      renewed(lockPath());
      utimesSync(lockPath(), clock.now(), clock.now());
      for (const each of [clock, other]) each.pass(60_000);
    }
    await first.release(result);
  },
);

test('the inventory is not written through a symbolic link', async () => {
  const taken = await lock();
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'a/i.json'));
  expect(await codesOf(() => taken.save(inventory))).toEqual(['unwritable-file']);
  await taken.release(result);
});

test('a run whose lock was taken over does not overwrite the inventory of the other run', async () => {
  const slow = await lock();
  await slow.save(inventory);
  const watching = store();
  expect(await codesOf(async () => watching.lock(run, await watching.load()))).toEqual(['locked']);
  clock.pass(LEASE_MS);
  const quick = await watching.lock(run, await watching.load());
  await quick.save({ ...inventory, drafts: new Map() });
  await quick.release(result);
  expect(slow.lost()).toBe(true);
  expect(await codesOf(() => slow.save(inventory))).toEqual(['locked']);
  expect((await store().load()).drafts.size).toBe(0);
});

test('a run whose lock was taken over does not remove the lock of the other run', async () => {
  const slow = await lock();
  const watching = store();
  expect(await codesOf(async () => watching.lock(run, await watching.load()))).toEqual(['locked']);
  clock.pass(LEASE_MS);
  const quick = await watching.lock(run, await watching.load());
  await slow.release(result);
  expect([quick.lost(), await codesOf(() => lock())]).toEqual([false, ['locked']]);
  await quick.release(result);
});

describe('whether the process that holds a lock is alive', () => {
  afterEach(() => void vi.restoreAllMocks());
  const answer = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };

  test('a process of another user is', async () => {
    await plant(holder(process.ppid));
    vi.spyOn(process, 'kill').mockImplementation(answer('EPERM'));
    expect(await codesOf(() => lock())).toEqual(['locked']);
  });

  test('is asked before the lock is removed, and another run may have taken it by then', async () => {
    await plant(holder(2 ** 22 + 1));
    vi.spyOn(process, 'kill').mockImplementation(() => {
      const dead = readFileSync(lockPath(), 'utf8');
      writeFileSync(lockPath(), dead.replace('"token":"t"', '"token":"of the other run"'));
      return answer('ESRCH')();
    });
    expect(await codesOf(() => lock())).toEqual(['locked']);
    expect(readFileSync(lockPath(), 'utf8')).toContain('of the other run');
  });
});

test('a lock names the person before the process', async () => {
  const mine = fileStore({
    ...options,
    path: join(folder, 'a/i.json'),
    env: { PATH: process.env['PATH'], GIT_AUTHOR_NAME: 'Ada\n Lovelace' },
  });
  const held = await mine.lock(run, await mine.load());
  expect((await store().holder())?.name).toMatch(new RegExp(`^Ada Lovelace, process ${process.pid} on `));
  await held.release(result);
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

describe('a run loses its lock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  test.each<[string, { elapsed: number; wall: number }]>([
    ['when time passes without a renewal', { elapsed: 150_000, wall: 150_000 }],
    ['when only the monotonic clock has run on', { elapsed: 150_000, wall: 0 }],
    ['when only the wall clock has run on', { elapsed: 0, wall: 150_000 }],
    ['when the wall clock was set back meanwhile', { elapsed: 150_000, wall: -3_600_000 }],
  ])('%s', async (_, { elapsed, wall }) => {
    const taken = await lock();
    clock.elapsed += elapsed;
    clock.wall += wall;
    expect(taken.lost()).toBe(true);
    await taken.release(result);
  });

  test('not a moment earlier', async () => {
    const taken = await lock();
    clock.pass(149_999);
    expect(taken.lost()).toBe(false);
    await taken.release(result);
  });

  test('unless it renews it, which it does every minute', async () => {
    const taken = await lock();
    for (const _ of Array(10).keys()) {
      clock.pass(60_000);
      vi.advanceTimersByTime(60_000);
      expect(taken.lost()).toBe(false);
    }
    await taken.release(result);
  });

  test('for good: a renewal that comes too late does not bring it back', async () => {
    const taken = await lock();
    clock.pass(150_000);
    vi.advanceTimersByTime(60_000);
    expect(taken.lost()).toBe(true);
    expect(await codesOf(() => taken.save(inventory))).toEqual(['locked']);
    await taken.release(result);
  });

  test.each([500, 30_000, 300_000])('before another run has it, with requests of %i ms', async (longest) => {
    const holder = store(null, clock, longest);
    const taken = await holder.lock(run, await holder.load());
    const watching = store();
    const attempt = async () => (await codesOf(async () => watching.lock(run, await watching.load()))).length;
    let [lostAt, takenAt] = [0, 0];
    while ((await attempt()) > 0) {
      if (lostAt === 0 && taken.lost()) lostAt = clock.elapsed;
      clock.pass(5_000);
      takenAt = clock.elapsed;
    }
    expect(takenAt - lostAt).toBeGreaterThan(longest);
  });
});

test('a lost lock does not start the run again', async () => {
  const taken = await lock();
  clock.pass(LEASE_MS);
  await expect(taken.save(inventory)).rejects.not.toBeInstanceOf(LockProblem);
  await taken.release(result);
});

describe('what a pull request put in place of the lock', () => {
  const size = 5_000;
  test.each<[string, string, () => void]>([
    ['a link to endless data', 'a symbolic link', () => symlinkSync('/dev/zero', lockPath())],
    ['a link to nothing', 'a symbolic link', () => symlinkSync('nowhere', lockPath())],
    ['a pipe', 'not a regular file', () => void execFileSync('mkfifo', [lockPath()])],
    ['a large file', 'larger than 4 KiB', () => writeFileSync(lockPath(), '"'.padEnd(size))],
  ])('is not read, is named, and can be removed: %s', async (_, what, make) => {
    mkdirSync(join(folder, 'a'));
    make();
    await expect(lock()).rejects.toThrow(`its lock file is ${what}`);
    const found = await store().holder();
    if (found === null) throw new Error('there is no lock');
    await store().unlock(found);
    expect(await codesOf(() => lock())).toEqual([]);
  });

  test('is taken over once it was watched: a link to nothing', async () => {
    mkdirSync(join(folder, 'a'));
    symlinkSync('nowhere', lockPath());
    const watching = store();
    const attempt = () => codesOf(async () => watching.lock(run, await watching.load()));
    expect(await attempt()).toEqual(['locked']);
    clock.pass(UNKNOWN_LEASE_MS);
    expect(await attempt()).toEqual([]);
  });

  test.each([1e300, 1e15])('has no lease that is longer than any timeout allows: %d', async (leaseMs) => {
    await plant(holder(1, { host: 'elsewhere', leaseMs, since: 'soon' }));
    const found = await store().holder();
    expect(found?.takeOverMs).toBe(3_770_000);
    expect(Date.parse(found?.since ?? '')).not.toBeNaN();
  });
});

test('a lock that is committed to git is named as such', async () => {
  git(folder, 'init', '--quiet');
  await plant(holder(1, { host: 'elsewhere' }));
  git(folder, 'add', '--all');
  await expect(lock()).rejects.toThrow(/committed to git/);
});

test('a lock that is gone is noticed at the next look, and by every save', async () => {
  const taken = await lock();
  expect(taken.lost()).toBe(false);
  rmSync(join(folder, 'a/i.json.lock'));
  expect(taken.lost()).toBe(true);
  await expect(taken.save(inventory)).rejects.toThrow(Problem);
});
