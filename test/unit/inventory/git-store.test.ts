import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { print } from '../../../src/inventory/format.js';
import { gitStore } from '../../../src/inventory/git-store.js';
import { runsOf } from '../../../src/inventory/run-history.js';
import { Problem } from '../../../src/model/diagnostic.js';
import { emptyInventory, type Inventory } from '../../../src/model/inventory.js';
import { git, Remote } from '../../support/repository.js';
import { isLong, sampleOf } from '../../support/size.js';

/** Each of these starts dozens of git processes. */
const inLongRun = test.runIf(isLong);
/** Milliseconds: only against waits that never end. */
const SLOWEST = 600_000;

const ref = 'refs/heads/roster-inventory';
const facts = { service: 'https://collect.example.com', digest: 'sha256:abc', plan: '1 to create' };
const complete = { result: 'complete', changes: ['done group/a'] };

let remote: Remote;
beforeEach(() => {
  remote = new Remote();
});
afterEach(() => {
  vi.useRealTimers();
  remote.remove();
});

function optionsIn(folder: string, env: Record<string, string> = {}, environment: string | null = null) {
  const variables = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', ...env };
  return { folder, remote: 'origin', ref, project: 'p', environment, env: variables };
}

/** Of one machine: what `monotonic` says, and how far its wall clock is off. */
class TestClock {
  elapsed = 0;
  offset = 0;
  now = () => new Date(Date.now() + this.elapsed + this.offset);
  monotonic = () => this.elapsed;
}

/** With requests of 30 s. */
const LEASE_MS = 200_000;

const storeIn = (...words: Parameters<typeof optionsIn>) => gitStore(optionsIn(...words));
const quickStoreIn = (folder: string) => gitStore({ ...optionsIn(folder), waits: Array(40).fill(100) });

function owning(...keys: string[]): Inventory {
  const entry = { kind: 'group', name: 'A', protect: false, applied: {}, sensitive: [] };
  const entries = new Map(keys.map((key) => [`group/${key}`, { ...entry, id: key }]));
  return { ...emptyInventory('p', null), entries };
}

/** One whole apply: takes the lock with the intent, gives it back with the outcome. */
async function applyIn(folder: string, after: Inventory, env: Record<string, string> = {}): Promise<void> {
  const store = storeIn(folder, env);
  const lock = await store.lock(facts, await store.load());
  await lock.save(await store.load());
  await lock.save(after);
  await lock.release(complete);
}

async function unlockIn(folder: string): Promise<void> {
  const holder = await storeIn(folder).holder();
  if (holder !== null) await storeIn(folder).unlock(holder);
}

async function reportedBy(work: () => Promise<unknown>): Promise<{ code: string; message: string } | null> {
  try {
    await work();
    return null;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    const [first] = failure.diagnostics;
    return { code: first?.code ?? '', message: first?.message ?? '' };
  }
}

const log = (format: string) => remote.git('log', `--format=${format}`, ref).split('\n');

describe('whoever can push can give refs names that end like the branch', () => {
  const names = ['refs/heads/a/', 'refs/heads/', 'refs/tags/'].map((each) => `${each}${ref}`);

  test.each(names)('%s is never read in its place, nor written to', async (name) => {
    await applyIn(remote.clone(), owning('a'));
    remote.git('update-ref', name, ref);
    expect([...(await storeIn(remote.clone()).load()).entries.keys()]).toEqual(['group/a']);
    remote.git('update-ref', '-d', ref);
    const folder = remote.clone();
    expect([...(await storeIn(folder).load()).entries.keys()]).toEqual([]);
    const before = remote.git('rev-parse', name);
    const refused = await reportedBy(() => applyIn(folder, owning('b')));
    if (name.includes('/a/')) expect(refused).toBeNull();
    else
      expect(refused).toEqual({
        code: 'inventory-unavailable',
        message: `the remote origin has the ref ${name}, which git takes for ${ref}`,
      });
    expect(remote.git('rev-parse', name)).toBe(before);
  });
});

describe('the inventory on a branch', () => {
  test('is empty until the first save, and then the same in every clone', async () => {
    const [first, second] = [remote.clone(), remote.clone()];
    expect(print(await storeIn(first).load())).toBe(print(emptyInventory('p', null)));
    await applyIn(first, owning('a'));
    expect(print(await storeIn(second).load())).toBe(print(owning('a')));
  });

  test('has a log with two commits per apply, which show who changed what', async () => {
    await applyIn(remote.clone(), owning('a'), {
      GITHUB_ACTOR: 'octocat',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'team/shop',
      GITHUB_RUN_ID: '77',
    });
    expect(log('%s')).toEqual(['roster apply: complete', 'roster apply: 1 to create']);
    expect(log('%an')[0]).toBe('octocat');
    const whole = remote.git('log', '-1', '--format=%B', ref);
    expect(whole).toContain('done group/a');
    expect(whole).toContain('Roster-Plan: sha256:abc');
    expect(whole).toContain('https://github.com/team/shop/actions/runs/77');
  });

  test('has the prefix of the project before each title, which the log leaves out', async () => {
    const store = gitStore({ ...optionsIn(remote.clone()), messagePrefix: 'OPS-1: roster apply: it' });
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    await lock.release(complete);
    expect(log('%s')).toEqual([
      'OPS-1: roster apply: it roster apply: complete',
      'OPS-1: roster apply: it roster apply: 1 to create',
    ]);
    const history = await store.history?.();
    if (history === undefined) throw new Error('the store has no history');
    expect(runsOf(history, new Date())).toMatchObject([
      { command: 'apply', outcome: 'complete', plan: '1 to create', changes: [{ address: 'group/a' }] },
    ]);
  });

  inLongRun('has the author that git knows', async () => {
    const folder = remote.clone();
    git(folder, 'config', 'user.name', 'Ada');
    git(folder, 'config', 'user.email', 'ada@example.com');
    await applyIn(folder, owning('a'));
    expect(log('%an <%ae>')[0]).toBe('Ada <ada@example.com>');
  });

  test('does not change the working tree, the index and the branches of the clone', async () => {
    const folder = remote.clone();
    writeFileSync(join(folder, 'README'), 'changed\n');
    writeFileSync(join(folder, 'new'), 'staged\n');
    git(folder, 'add', 'new');
    const look = () => [
      git(folder, 'status', '--porcelain=v2', '--branch'),
      git(folder, 'branch'),
      git(folder, 'stash', 'list'),
      git(folder, 'diff', '--cached'),
    ];
    const before = look();
    await applyIn(folder, owning('a'));
    expect(look()).toEqual(before);
    expect(existsSync(join(folder, 'roster.inventory.json'))).toBe(false);
  });

  const clones: [string, (folder: string) => void, string[]][] = [
    ['a shallow clone', () => undefined, ['--depth=1']],
    ['a clone of one branch', () => undefined, ['--single-branch']],
    ['a detached HEAD', (folder) => git(folder, 'checkout', '--quiet', '--detach'), []],
    ['a clone without blobs', () => undefined, ['--filter=blob:none']],
  ];
  test.each(sampleOf(clones, 1))('works in %s', async (_, prepare, options) => {
    await applyIn(remote.clone(), owning('a'));
    const folder = remote.clone(...options);
    prepare(folder);
    await applyIn(folder, owning('a', 'b'));
    expect(print(await storeIn(remote.clone()).load())).toBe(print(owning('a', 'b')));
  });

  inLongRun('works in a folder below the root', async () => {
    const folder = join(remote.clone(), 'projects/pricing');
    mkdirSync(folder, { recursive: true });
    await applyIn(folder, owning('a'));
    expect(print(await storeIn(remote.clone()).load())).toBe(print(owning('a')));
  });

  inLongRun('is in the repository of the project, even inside a git hook', async () => {
    const other = new Remote();
    const elsewhere = join(other.clone(), '.git');
    await applyIn(remote.clone(), owning('a'), {
      GIT_DIR: elsewhere,
      GIT_INDEX_FILE: join(elsewhere, 'index'),
    });
    expect(log('%s')).toHaveLength(2);
    expect(other.git('branch', '--list')).not.toContain('roster-inventory');
    other.remove();
  });

  const authors: [string, string[], Record<string, string>, string][] = [
    ['only a name', ['user.name=Ada'], {}, 'Ada <'],
    [
      'an address alone',
      ['user.email=ada@example.com'],
      { GITHUB_ACTOR: 'octocat' },
      'octocat <ada@example.com>',
    ],
    [
      'variables',
      [],
      { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_COMMITTER_NAME: 'Ada' },
      'Ada <ada@example.com>',
    ],
  ];
  test.each(sampleOf(authors, 1))('keeps the author that git knows: %s', async (_, settings, env, author) => {
    const folder = remote.clone();
    for (const each of settings) git(folder, 'config', ...each.split('='));
    await applyIn(folder, owning('a'), env);
    expect(log('%an <%ae>')[0]).toContain(author);
  });

  test.each<[string, string]>([
    ['contains other files', 'main'],
    ['contains an inventory and other files', 'mixed'],
  ])('is not written to a branch that %s', async (_, branch) => {
    const folder = remote.clone();
    if (branch === 'mixed') {
      git(folder, 'checkout', '--quiet', '-b', 'mixed');
      writeFileSync(join(folder, 'roster.inventory.json'), print(owning('a')));
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '-m', 'mixed');
      git(folder, 'push', '--quiet', 'origin', 'mixed');
    }
    const env = { PATH: process.env['PATH'] ?? '' };
    const store = gitStore({
      folder,
      remote: 'origin',
      ref: `refs/heads/${branch}`,
      project: 'p',
      environment: null,
      env,
    });
    expect(await reportedBy(() => store.load())).toMatchObject({
      code: 'invalid-inventory',
      message: expect.stringContaining('README'),
    });
  });

  test.each(sampleOf(['refs/roster/inventory', 'refs/tags/inventory'], 1))(
    'may be on any ref, such as %s',
    async (ref) => {
      const [writing, reading] = [remote.clone(), remote.clone()];
      const store = gitStore({ ...optionsIn(writing), ref });
      for (const own of ['a', 'b']) {
        const lock = await store.lock(facts, await store.load());
        await lock.save(owning(own));
        await lock.release(complete);
      }
      expect(remote.git('log', '--format=%s', ref).split('\n')).toHaveLength(4);
      expect(print(await gitStore({ ...optionsIn(reading), ref }).load())).toBe(print(owning('b')));
    },
  );

  inLongRun('is found among refs whose names end with its own', async () => {
    await applyIn(remote.clone(), owning('a'));
    remote.git('update-ref', `refs/archive/${ref}`, 'main');
    expect(print(await storeIn(remote.clone()).load())).toBe(print(owning('a')));
  });

  test.each(['tree', 'file'] as const)(
    'is read although an interrupted fetch wrote its commit without its %s',
    async (missing) => {
      const folder = remote.clone();
      await applyIn(remote.clone(), owning('a'));
      git(folder, 'fetch', '--quiet', '--refmap=', 'origin', ref);
      const tree = git(folder, 'rev-parse', 'FETCH_HEAD^{tree}');
      const file = git(folder, 'rev-parse', 'FETCH_HEAD:roster.inventory.json');
      const hash = missing === 'tree' ? tree : file;
      rmSync(join(folder, '.git/objects', hash.slice(0, 2), hash.slice(2)));
      expect(print(await storeIn(folder).load())).toBe(print(owning('a')));
    },
  );

  inLongRun('can be read by several processes in one clone at the same time', async () => {
    const folder = remote.clone();
    for (const round of ['a', 'b', 'c']) {
      await applyIn(remote.clone(), owning(round));
      const found = await Promise.all([1, 2, 3, 4].map(() => storeIn(folder).load()));
      expect(found.map(print)).toEqual([1, 2, 3, 4].map(() => print(owning(round))));
    }
  });

  inLongRun('runs none of the hooks of the user', async () => {
    const folder = remote.clone();
    const hook = join(folder, '.git/hooks/pre-push');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    await applyIn(folder, owning('a'));
    expect(log('%s')).toHaveLength(2);
  });

  inLongRun('is refused in another project or environment', async () => {
    const folder = remote.clone();
    await applyIn(folder, owning('a'));
    expect(await reportedBy(() => storeIn(folder, {}, 'staging').load())).toMatchObject({
      code: 'inventory-mismatch',
    });
  });
});

test('two branches that own different things merge without a conflict', () => {
  const all = ['b', 'd', 'f', 'h', 'j', 'l'];
  const folder = remote.clone();
  const path = join(folder, 'i.json');
  const put = (...keys: string[]) => {
    writeFileSync(path, print(owning(...keys)));
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '-m', 'x');
  };
  put(...all);
  git(folder, 'checkout', '--quiet', '-b', 'other');
  put(...all, 'c');
  git(folder, 'checkout', '--quiet', 'main');
  put(...all.filter((key) => key !== 'h'));
  git(folder, 'merge', '--quiet', 'other', '-m', 'merged');
  expect(readFileSync(path, 'utf8')).toBe(print(owning('b', 'c', 'd', 'f', 'j', 'l')));
});

describe('the lock', () => {
  test('names its holder, and is free when the run has ended', async () => {
    const folder = remote.clone();
    git(folder, 'config', 'user.name', 'Ada Lovelace');
    const [mine, other] = [storeIn(folder), storeIn(remote.clone())];
    const empty = await mine.load();
    const lock = await mine.lock(facts, empty);
    await lock.save(empty);
    expect(await reportedBy(() => other.lock(facts, empty))).toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect((await other.holder())?.name).toMatch(new RegExp(`^Ada Lovelace, process ${process.pid} on `));
    await lock.release(complete);
    expect(await other.holder()).toBeNull();
    await (await other.lock(facts, await other.load())).release(complete);
  });

  test('is taken by only one of two runs at the same time', async () => {
    const stores = [storeIn(remote.clone()), storeIn(remote.clone())];
    const locks = await Promise.all(stores.map(async (store) => store.lock(facts, await store.load())));
    const took = await Promise.all(locks.map((lock) => reportedBy(() => lock.save(owning('x')))));
    expect(took.filter((each) => each === null)).toHaveLength(1);
    expect(took.find((each) => each !== null)).toMatchObject({ code: 'locked' });
  });

  test('is refused when another run applied between plan and lock', async () => {
    const folder = remote.clone();
    const planned = await storeIn(folder).load();
    await applyIn(remote.clone(), owning('a'));
    expect(await reportedBy(() => storeIn(folder).lock(facts, planned))).toMatchObject({
      code: 'stale-plan',
    });
  });

  test('of a dead run is taken over once it was watched for its lease, together with its intent', async () => {
    const folder = remote.clone();
    const store = storeIn(folder);
    const lock = await store.lock(facts, await store.load());
    const intent = {
      ...owning(),
      drafts: new Map([['group/a', { kind: 'group', name: 'A', identity: 'A' }]]),
    };
    await lock.save(intent);
    const clock = new TestClock();
    clock.offset = 3_600_000;
    const next = gitStore({ ...optionsIn(remote.clone()), clock });
    const found = await next.load();
    // Its lease looks over, but only a lock that was watched for that long is known to be abandoned.
    expect(await reportedBy(() => next.lock(facts, found))).toMatchObject({ code: 'locked' });
    clock.elapsed += LEASE_MS - 1;
    expect((await next.holder())?.takeOverMs).toBe(1);
    clock.elapsed += 1;
    expect([...found.drafts.keys()]).toEqual(['group/a']);
    const taken = await next.lock(facts, found);
    await taken.save(found);
    await taken.release(complete);
    expect(log('%b').join('\n')).toMatch(/Takes over the lock of .*\bprocess/);
    // The first one was not dead after all: it says so, and spoils nothing.
    expect(await reportedBy(() => lock.release(complete))).toMatchObject({ code: 'locked' });
  });

  test('is renewed while the run is in progress', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const store = storeIn(remote.clone());
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    const first = (await store.holder())?.until ?? '';
    vi.advanceTimersByTime(150_000);
    await vi.waitFor(() => expect(log('%s')[0]).toBe('roster apply: in progress'), SLOWEST);
    expect(((await store.holder())?.until ?? '') > first).toBe(true);
    expect(print(await store.load())).toBe(print(owning('a')));
    expect(lock.lost()).toBe(false);
    await lock.release(complete);
    expect(await store.holder()).toBeNull();
  });

  test.each(sampleOf([-60, -11, 11, 60], 2))(
    'is not taken over by a clock that differs by %i minutes',
    async (minutes) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const store = storeIn(remote.clone());
      const lock = await store.lock(facts, await store.load());
      await lock.save(owning('a'));
      const clock = new TestClock();
      clock.offset = minutes * 60_000;
      const other = gitStore({ ...optionsIn(remote.clone()), clock });
      const found = await other.load();
      expect(await reportedBy(() => other.lock(facts, found))).toMatchObject({ code: 'locked' });
      clock.elapsed += LEASE_MS - 1;
      vi.advanceTimersByTime(60_000);
      await vi.waitFor(() => expect(log('%s')[0]).toBe('roster apply: in progress'), SLOWEST);
      clock.elapsed += 1;
      expect(await reportedBy(() => other.lock(facts, found))).toMatchObject({ code: 'locked' });
      expect(lock.lost()).toBe(false);
      await lock.release(complete);
    },
  );

  test('is lost when no renewal arrives, before another run may take it', async () => {
    const clock = new TestClock();
    const store = gitStore({ ...optionsIn(remote.clone()), clock, longestRequestMs: 300_000 });
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    const other = gitStore({ ...optionsIn(remote.clone()), clock });
    expect((await other.holder())?.takeOverMs).toBe(470_000);
    clock.elapsed += 130_000;
    expect(lock.lost()).toBe(false);
    clock.elapsed += 20_000;
    expect(lock.lost()).toBe(true);
    expect((await other.holder())?.takeOverMs).toBe(320_000);
    // It may still record what it did, as long as nobody else has the lock.
    await lock.save(owning('a', 'b'));
    await lock.release(complete);
    expect(print(await other.load())).toBe(print(owning('a', 'b')));
  });

  inLongRun('counts the lease from before the push that renewed it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const clock = new TestClock();
    const folder = remote.clone();
    const store = gitStore({ ...optionsIn(folder), clock });
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    // The answer to this push was lost: how long others have seen it is not known.
    rewriteLock((text) => `${text} `);
    clock.elapsed += 60_000;
    vi.advanceTimersByTime(60_000);
    await new Promise((done) => setTimeout(done, 1_000));
    clock.elapsed += 90_000;
    expect(lock.lost()).toBe(true);
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => expect(lock.lost()).toBe(false), SLOWEST);
    await lock.release(complete);
  });

  inLongRun('is known to be lost at the next renewal after it was removed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    // Its lease does not end.
    const store = gitStore({ ...optionsIn(remote.clone()), clock: new TestClock() });
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    await unlockIn(remote.clone());
    vi.advanceTimersByTime(150_000);
    await vi.waitFor(() => expect(lock.lost()).toBe(true), 60_000);
  });

  test('is removed by unlock', async () => {
    const store = storeIn(remote.clone());
    await (await store.lock(facts, await store.load())).save(owning('a'));
    const other = storeIn(remote.clone());
    await unlockIn(remote.clone());
    expect(await other.holder()).toBeNull();
    expect(print(await other.load())).toBe(print(owning('a')));
    expect(log('%s')[0]).toMatch(/^roster unlock: remove the lock of .*\bprocess/);
  });

  test('counts as a lock even if it cannot be read', async () => {
    const store = storeIn(remote.clone());
    await (await store.lock(facts, await store.load())).save(owning('a'));
    rewriteLock(() => 'nonsense');
    expect(await reportedBy(async () => store.lock(facts, await store.load()))).toMatchObject({
      code: 'locked',
    });
  });

  inLongRun.each(['until', 'since'])('counts as a lock even if it has no valid time: %s', async (field) => {
    const store = storeIn(remote.clone());
    await (await store.lock(facts, await store.load())).save(owning('a'));
    rewriteLock((text) => JSON.stringify({ ...JSON.parse(text), [field]: 'soon' }));
    expect(await reportedBy(async () => store.lock(facts, await store.load()))).toMatchObject({
      code: 'locked',
    });
  });

  inLongRun('is not removed by unlock when another run has taken it meanwhile', async () => {
    const store = storeIn(remote.clone());
    const first = await store.lock(facts, await store.load());
    await first.save(owning('a'));
    const agreed = await store.holder();
    await first.release(complete);
    const second = await store.lock(facts, await store.load());
    await second.save(owning('a', 'b'));
    if (agreed === null) throw new Error('nobody held it');
    expect(await reportedBy(() => storeIn(remote.clone()).unlock(agreed))).toMatchObject({ code: 'locked' });
    expect(await store.holder()).not.toBeNull();
  });

  inLongRun('shows the last saved inventory, pushed or not', async () => {
    const store = storeIn(remote.clone());
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    await lock.save(owning('a', 'b'));
    expect(print(lock.current())).toBe(print(owning('a', 'b')));
    expect(print(await store.load())).toBe(print(owning('a')));
  });

  inLongRun('is still held after a renewal whose answer was lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const folder = remote.clone();
    const store = storeIn(folder);
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    // As a push of its own that it knows nothing of: the same lock, a commit further.
    rewriteLock((text) => `${text} `);
    vi.advanceTimersByTime(150_000);
    await vi.waitFor(async () => expect(log('%s')[0]).toBe('by hand'), SLOWEST);
    await lock.save(owning('a', 'b'));
    await lock.release(complete);
    expect(print(await storeIn(remote.clone()).load())).toBe(print(owning('a', 'b')));
    expect(await store.holder()).toBeNull();
  });

  inLongRun('is released after the remote was unavailable for a moment', async () => {
    const folder = remote.clone();
    const store = quickStoreIn(folder);
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    await lock.save(owning('a', 'b'));
    const address = git(folder, 'remote', 'get-url', 'origin');
    git(folder, 'remote', 'set-url', 'origin', '/nowhere/at/all.git');
    const given = lock.release(complete);
    await new Promise((done) => setTimeout(done, 100));
    git(folder, 'remote', 'set-url', 'origin', address);
    await given;
    expect(print(await storeIn(remote.clone()).load())).toBe(print(owning('a', 'b')));
  });

  test('says when it expires if it cannot be released', async () => {
    const folder = remote.clone();
    const store = gitStore({ ...optionsIn(folder), waits: [] });
    const lock = await store.lock(facts, await store.load());
    await lock.save(owning('a'));
    git(folder, 'remote', 'set-url', 'origin', '/nowhere/at/all.git');
    expect(await reportedBy(() => lock.release(complete))).toMatchObject({
      code: 'inventory-unavailable',
      message: expect.stringContaining('the changes of this command are not recorded'),
    });
  });

  inLongRun('does not need to be released if it was never taken', async () => {
    const store = storeIn(remote.clone());
    await (await store.lock(facts, await store.load())).release(complete);
    expect(remote.git('branch', '--list', 'roster-inventory')).toBe('');
  });
});

describe('an unavailable remote', () => {
  test.each<[string, (folder: string) => void]>([
    ['does not exist', (folder) => git(folder, 'remote', 'set-url', 'origin', '/nowhere/at/all.git')],
    ['is not configured', (folder) => git(folder, 'remote', 'remove', 'origin')],
  ])('that %s is reported', async (_, spoil) => {
    const folder = remote.clone();
    spoil(folder);
    expect(await reportedBy(() => storeIn(folder).load())).toMatchObject({ code: 'inventory-unavailable' });
  });

  test('that rejects the push is reported with its message', async () => {
    const hook = join(remote.path, 'hooks/pre-receive');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "this branch is protected" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const store = storeIn(remote.clone());
    const lock = await store.lock(facts, await store.load());
    const reported = await reportedBy(() => lock.save(owning('a')));
    expect(reported).toMatchObject({
      code: 'inventory-unavailable',
      message: expect.stringContaining('protected'),
    });
  });

  // Git itself takes the password out of an address that it understands, and shows these.
  test.each([
    'https://me:secret/canary@127.0.0.1:9/x.git',
    'https://me:secret@canary@127.0.0.1:9/x.git',
    'git://me:canary@127.0.0.1:9/x.git',
  ])('does not appear with a password in messages: %s', async (url) => {
    const folder = remote.clone();
    git(folder, 'remote', 'set-url', 'origin', url);
    const reported = await reportedBy(() => storeIn(folder).load());
    expect(reported?.code).toBe('inventory-unavailable');
    expect(reported?.message).not.toContain('canary');
  });

  test('a folder outside of any repository is reported', async () => {
    expect(await reportedBy(() => storeIn('/').load())).toMatchObject({ code: 'inventory-unavailable' });
  });

  test('a missing git is reported', async () => {
    const folder = remote.clone();
    expect(await reportedBy(() => storeIn(folder, { PATH: '/nowhere' }).load())).toMatchObject({
      code: 'missing-setting',
    });
  });
});

function rewriteLock(change: (text: string) => string): void {
  const folder = remote.clone('--branch=roster-inventory');
  const path = join(folder, 'lock.json');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  git(folder, 'commit', '--quiet', '--all', '-m', 'by hand');
  git(folder, 'push', '--quiet', 'origin', 'HEAD:roster-inventory');
}
