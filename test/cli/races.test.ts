import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { type Ended, roster, start } from '../support/program.js';
import { startProxy } from '../support/proxy.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong, runs } from '../support/size.js';

type Intercept = NonNullable<Sandbox['faults']['intercept']>;

const races = runs(2, 6);

let remote: Remote;
let sandbox: Sandbox;
beforeAll(async () => {
  remote = new Remote({ 'roster.yaml': manifest(0) });
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  remote.remove();
});

/** Each race declares one group more, in both clones alike. */
function manifest(groups: number): string {
  const entries = Array.from({ length: groups + 1 }, (_, i) => `  g${i}: { members: [acme-shop] }\n`);
  return `project: race\ninventory: { git: {} }\ngroups:\n${entries.join('')}`;
}

function declare(folder: string, groups: number): void {
  mkdirSync(dirname(join(folder, 'roster.yaml')), { recursive: true });
  writeFileSync(join(folder, 'roster.yaml'), manifest(groups));
}

test('of two runs at once, only one writes', async () => {
  const clones = [remote.clone(), remote.clone()];
  for (let race = 0; race < races; race += 1) {
    sandbox.requests.length = 0;
    for (const clone of clones) declare(clone, race);
    // Otherwise the second run might begin when the first has ended, and nothing would be shown.
    if (race === 0) sandbox.faults.intercept = together(clones.length);
    const ended = await Promise.all(clones.map((clone) => run(clone)));
    judge(ended, race);
    if (race === 0) expect(ended.map(({ exit }) => exit).sort()).toEqual([0, 4]);
  }
});

test.runIf(isLong)('a run that waits for the lock goes on when it is free', async () => {
  const clones = [remote.clone(), remote.clone()];
  for (const clone of clones) declare(clone, races);
  const ended = await Promise.all(clones.map((clone) => run(clone, '--lock-timeout', '30s')));
  expect(ended.map(({ exit, stderr }) => [exit, exit === 0 ? '' : stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
});

test.runIf(isLong)(
  'what a killed run had begun is finished by the next one, once its lock is taken away',
  async () => {
    const proxy = await startProxy(sandbox.url, 150);
    // A remote of its own: an inventory belongs to one service, and this one is reached by another address.
    const own = new Remote({ 'roster.yaml': manifest(races + 4) });
    const [mine, other] = [own.clone(), own.clone()];
    const env = { ...environment(), ROSTER_URL: proxy.url };
    const apply = (cwd: string) => roster(['apply', '--yes'], { cwd, env });
    const killed = start(['apply', '--yes'], { cwd: mine, env });
    await vi.waitFor(() => expect(proxy.writes.length).toBeGreaterThan(1), 600_000);
    killed.kill('SIGKILL');
    await killed.ended;
    const refused = await apply(other);
    expect([refused.exit, refused.stderr]).toEqual([4, expect.stringContaining('roster unlock')]);
    const asked = await roster(['unlock'], { cwd: other, env });
    expect([asked.exit, asked.stderr]).toEqual([1, expect.stringContaining('--yes')]);
    expect((await roster(['unlock', '--yes'], { cwd: other, env })).exit).toBe(0);
    expect((await apply(other)).exit).toBe(0);
    const names = [...sandbox.world.groups.values()].map((each) => each.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(races + 5);
    expect((await apply(mine)).stdout).toContain('No changes.');
    await proxy.close();
    own.remove();
  },
);

test.runIf(isLong)(
  'a lost branch is created again: everything is adopted, and nothing is written to the service',
  async () => {
    const clone = remote.clone();
    declare(clone, races + 5);
    expect((await run(clone)).exit).toBe(0);
    remote.git('branch', '-D', 'roster-inventory');
    sandbox.requests.length = 0;
    const { exit, stdout } = await run(clone);
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`${races + 6} adopted`)]);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect((await run(clone)).stdout).toContain('No changes.');
  },
);

/** Holds the first reads of the groups until this many have arrived, one of each run. */
function together(count: number): Intercept {
  let arrived = 0;
  let release: () => void = () => undefined;
  const all = new Promise<void>((done) => {
    release = done;
  });
  return async ({ method, path }, next) => {
    if (method === 'GET' && path === '/api/search-groups') {
      arrived += 1;
      if (arrived === count) release();
      await all;
    }
    await next();
  };
}

function run(cwd: string, ...more: string[]): Promise<Ended> {
  return roster(['apply', '--yes', ...more], { cwd, env: environment() });
}

function environment(): Record<string, string> {
  return {
    ROSTER_URL: sandbox.url,
    ROSTER_API_KEY: sandbox.apiKey,
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: remote.root,
  };
}

function judge(ended: readonly Ended[], race: number): void {
  const posts = sandbox.requests.filter(
    ({ method, path }) => method === 'POST' && path === '/api/search-groups',
  );
  expect(posts).toHaveLength(1);
  expect(sandbox.world.groups.size).toBe(race + 1);
  const losers = ended.filter(({ exit }) => exit !== 0);
  expect(losers.length).toBeLessThan(2);
  for (const { exit, stderr } of losers) {
    expect([exit, stderr]).toEqual([4, expect.stringMatching(/\[(locked|stale-plan)\]/)]);
    if (stderr.includes('[locked]')) expect(stderr).toMatch(/locked by\s+(\S+,\s+)?process \d+/);
  }
  const inventory = remote.git('show', 'refs/heads/roster-inventory:roster.inventory.json');
  expect(Object.keys(JSON.parse(inventory).entries)).toHaveLength(race + 1);
  expect(git(remote.path, 'ls-tree', '--name-only', 'refs/heads/roster-inventory')).toBe(
    'roster.inventory.json',
  );
}
