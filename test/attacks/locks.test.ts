import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Clocks } from '../support/clocks.js';
import { type Ended, type Started, start } from '../support/program.js';
import { type Proxy as ServiceProxy, startProxy } from '../support/proxy.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

/** I27 and I28: never two writers, whatever the clocks say and however long a run was stopped. */

const GROUPS = 20;
/** Seconds that pass in one. Renewals in git need time to arrive. */
const SPEED = { git: 20, file: 60 };

function manifest(inventory: string): string {
  const entries = Array.from({ length: GROUPS }, (_, i) => `  g${i}: { members: [acme-shop] }\n`);
  return `project: race\ninventory: ${inventory}\ngroups:\n${entries.join('')}`;
}

const stores = ['git', 'file'] as const;
type Store = (typeof stores)[number];

let remote: Remote;
let folder = '';
let sandbox: Sandbox;
/** One for each run, so that their writes can be told apart. */
let [first, second]: ServiceProxy[] = [];
let clocks: Clocks;
beforeEach(async () => {
  remote = new Remote({ 'roster.yaml': manifest('{ git: {} }') });
  folder = mkdtempSync(join(tmpdir(), 'roster-locks-'));
  writeFileSync(join(folder, 'roster.yaml'), manifest('{ file: i.json }'));
  sandbox = await startSandbox();
  first = await startProxy(sandbox.url, 500);
  second = await startProxy(sandbox.url);
  clocks = new Clocks();
});
afterEach(async () => {
  await first?.close();
  await second?.close();
  clocks.remove();
  remote.remove();
  rmSync(folder, { recursive: true });
});

interface Run extends Started {
  readonly writes: readonly string[];
}

/** Each run has a clone of its own; a file is on one machine. */
function apply(store: Store, proxy: ServiceProxy | undefined, offset = 0, ...more: string[]): Run {
  if (proxy === undefined) throw new Error('no proxy');
  // Each run reaches the service at an address of its own, which an inventory would otherwise refuse.
  const flags = ['--yes', '--concurrency', '1', '--allow-account-change'];
  const started = start(['apply', ...flags, ...more], {
    cwd: store === 'git' ? remote.clone() : folder,
    env: { ROSTER_URL: proxy.url, ROSTER_API_KEY: sandbox.apiKey, HOME: remote.root },
    preload: clocks.make(SPEED[store], offset),
  });
  return { ...started, writes: proxy.writes };
}

const writing = ({ writes }: Run) => vi.waitFor(() => expect(writes.length).toBeGreaterThan(2), 600_000);

function expectNoDoubles(): void {
  const names = [...sandbox.world.groups.values()].map((each) => each.name);
  expect(names).toHaveLength(GROUPS);
  expect(new Set(names).size).toBe(GROUPS);
}

const differences = [-60, -11, 11, 60].flatMap((minutes) => stores.map((store) => [minutes, store] as const));

test.each(sampleOf(differences, 1, 3))(
  'a run whose clock is off by %i minutes takes no lock from a live run: %s',
  async (minutes, store) => {
    const live = apply(store, first);
    await writing(live);
    const other = apply(store, second, minutes);
    // Refused, unless the live run ends first: then nothing is left to do.
    expect([0, 4]).toContain((await other.ended).exit);
    expect(other.writes).toEqual([]);
    if (first !== undefined) first.delay = 0;
    expect((await live.ended).exit).toBe(0);
    expectNoDoubles();
  },
);

test.each(sampleOf(stores, 1))(
  'a run that was stopped for minutes sends nothing after another run took its lock: %s',
  async (store) => {
    const stopped = apply(store, first);
    await writing(stopped);
    stopped.kill('SIGSTOP');
    await wait(1_000);
    const sent = [...stopped.writes];
    const next = apply(store, second, 0, '--lock-timeout', '60m');
    const taken: Ended = await next.ended;
    expect([taken.exit, taken.stderr]).toEqual([0, expect.stringContaining('Waiting for')]);
    stopped.kill('SIGCONT');
    expect((await stopped.ended).exit).toBe(3);
    expect(stopped.writes).toEqual(sent);
    expectNoDoubles();
  },
);

test('the lock of a dead run is taken over without `--lock-timeout`', async () => {
  const killed = apply('git', first);
  await writing(killed);
  killed.kill('SIGKILL');
  await killed.ended;
  const next = apply('git', second, 11);
  const { exit, stderr } = await next.ended;
  expect([exit, stderr]).toEqual([0, expect.stringContaining('roster unlock')]);
  expectNoDoubles();
});

test('a lock that is committed to git is named as such, with the way to remove it', async () => {
  git(folder, 'init', '--quiet');
  const lock = { token: 't', host: 'runner', processes: 'elsewhere', pid: 7, since: '2026-03-01T12:00:00Z' };
  writeFileSync(join(folder, 'i.json.lock'), `${JSON.stringify(lock)}\n`);
  git(folder, 'add', '--all');
  const { exit, stderr } = await apply('file', second).ended;
  expect([exit, stderr]).toEqual([4, expect.stringContaining('git rm i.json.lock')]);
});
