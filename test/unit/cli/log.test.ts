import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { gitStore } from '../../../src/inventory/git-store.js';
import { emptyInventory } from '../../../src/model/inventory.js';
import type { Log, LogEntry } from '../../../src/model/log.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { danger } from '../../support/inert.js';
import { jsonOf } from '../../support/json.js';
import { git, Remote } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let remote: Remote;
let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  remote = new Remote();
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
  git(workspace.root, 'init', '--quiet');
  git(workspace.root, 'remote', 'add', 'origin', `file://${remote.path}`);
  git(workspace.root, 'config', 'user.name', 'Ada');
  git(workspace.root, 'config', 'user.email', 'ada@example.com');
  Object.assign(workspace.env, { GIT_CONFIG_GLOBAL: '/dev/null' });
});

const declare = (groups: string) =>
  writeFileSync(join(workspace.root, 'roster.yaml'), `project: p\ninventory: { git: {} }\n${groups}`);

async function run(line: string) {
  const ran = await workspace.command(line.split(' '));
  expect([ran.exit, ran.exit === 0 ? '' : ran.stderr + ran.stdout]).toEqual([0, '']);
  return ran.stdout;
}

/** Needs neither the service nor a key. */
function alone(): void {
  workspace.env = Object.fromEntries(Object.entries(workspace.env).filter(([name]) => !/^ROSTER/.test(name)));
}

async function entries(): Promise<LogEntry[]> {
  return jsonOf<Log>({ stdout: await run('log --format json') }).entries as LogEntry[];
}

/** Makes a commit on the branch without roster: the same files, another message. */
function commitOn(ref: string, message: string, author = 'Eve'): void {
  const tree = remote.git('rev-parse', `${ref}^{tree}`);
  const env = ['-c', `user.name=${author}`, '-c', 'user.email=eve@example.com'];
  const commit = git(
    workspace.root,
    '-C',
    remote.path,
    ...env,
    'commit-tree',
    tree,
    '-p',
    ref,
    '-m',
    message,
  );
  remote.git('update-ref', `refs/heads/${ref}`, commit);
}

const branch = 'roster-inventory';
const one = 'groups:\n  a: { members: [acme-shop] }\n';
const two = `${one.replace('}', ', description: x }')}  b: { members: [acme-shop] }\n`;

test('names the person before the process or the job', async () => {
  declare(one);
  await run('apply --yes');
  workspace.env['CI_JOB_URL'] = 'https://ci.example.com/jobs/7';
  declare(two);
  await run('apply --yes');
  delete workspace.env['CI_JOB_URL'];
  const said = (await run('log')).replace(/\s+/g, ' ');
  expect(said).toMatch(/by Ada, digest \w+, commit \w+,? CI https:\/\/ci\.example\.com\/jobs\/7 \(process /);
  expect(said).toMatch(/by Ada, digest \w+, commit \w+,? process \d+ on /);
});

test('a hold and its end are entries of their own, with who, why and until when', async () => {
  declare(`groups: { a: { members: [acme-shop] } }
schedules: { s: { target: group/a, every: 1 day, startTime: 2099-01-01T06:00:00 } }
`);
  await run('apply --yes');
  await run('hold schedule/s --reason incident-42 --until 8h --yes');
  await run('hold schedule/s --reason incident-43 --yes');
  expect(await run('list schedules')).toMatch(/held by Ada: "incident-43"/);
  const calendar = await workspace.command(['calendar']);
  expect(calendar.stderr.replace(/\s+/g, ' ')).toContain('the inventory is in git, and is not read offline');
  await run('resume --all --yes');
  const found = await entries();
  expect(found.map(({ command, plan }) => [command, plan])).toEqual([
    ['resume', '1 to resume'],
    ['hold', 'nothing to change'],
    ['hold', '1 to hold'],
    ['apply', '2 to create'],
  ]);
  expect(await run('log 2')).toMatch(/hold: .*held by Ada until .*incident-42/s);
  expect(await run('log 3')).toMatch(/incident-42.*→.*incident-43/s);
  expect(await run('log 4')).toContain('hold:');
  expect(await run('plan')).toContain('No changes.');
});

/** Notes when each git of the command begins and ends, and returns how to read the most that ran at once. */
function watchGit(): () => { readonly most: number; readonly all: number } {
  const folder = join(workspace.root, 'bin');
  const notes = join(workspace.root, 'git.txt');
  mkdirSync(folder);
  const own = process.env['PATH'] ?? '';
  const script = `#!/bin/sh\necho + >>'${notes}'\nsleep 0.1\nPATH='${own}' git "$@"\ncode=$?\necho - >>'${notes}'\nexit $code\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  workspace.env = { ...workspace.env, PATH: `${folder}${delimiter}${own}` };
  return () => {
    const marks = readFileSync(notes, 'utf8').trim().split('\n');
    let running = 0;
    let most = 0;
    for (const mark of marks) {
      running += mark === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    return { most, all: marks.length / 2 };
  };
}

/** Commits on the branch that read like the intents of deletes, with other files in them; the newest is as it should be. */
function foreignIntents(count: number, files: number): void {
  const bare = (...words: string[]) => git(workspace.root, '-C', remote.path, ...words);
  const author = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
  const good = remote.git('rev-parse', `${branch}^{tree}`);
  const blob = remote.git('rev-parse', `${branch}:roster.inventory.json`);
  const lines = Array.from({ length: files }, (_, index) => `100644 blob ${blob}\tf${index}\n`).join('');
  const tree = execFileSync('git', ['-C', remote.path, 'mktree'], { input: lines }).toString().trim();
  let tip = remote.git('rev-parse', branch);
  for (let each = 0; each < count; each += 1)
    tip = bare(
      ...author,
      'commit-tree',
      tree,
      '-p',
      tip,
      '-m',
      'roster apply: 1 to delete',
      '-m',
      `Roster-Step: intent\nRoster-Run: ${each}`,
    );
  remote.git(
    'update-ref',
    `refs/heads/${branch}`,
    bare(...author, 'commit-tree', good, '-p', tip, '-m', 'x'),
  );
}

test('commits of anyone that read like deletes are looked at one after the other, and only at their inventory', async () => {
  declare(one);
  await run('apply --yes');
  foreignIntents(6, 10);
  const watched = watchGit();
  const found = await entries();
  expect(found).toHaveLength(8);
  const { most, all } = watched();
  expect(most).toBeLessThanOrEqual(4);
  expect(all).toBeLessThan(40);
});

describe('after three runs', () => {
  /** The remote and the clone, as they are after the runs. Made once. */
  let made: readonly [bare: string, clone: string] | null = null;
  beforeEach(async () => {
    made ??= await runThree();
    for (const [from, to] of [
      [made[0], remote.path],
      [made[1], workspace.root],
    ] as const) {
      rmSync(to, { recursive: true });
      cpSync(from, to, { recursive: true });
    }
    git(workspace.root, 'remote', 'set-url', 'origin', `file://${remote.path}`);
    alone();
  });

  async function runThree() {
    declare(one);
    await run('apply --yes');
    declare(two);
    await run('apply --yes');
    const { digest } = jsonOf({ stdout: await run('plan --destroy --format json') });
    await run(`destroy --yes --expect ${digest}`);
    const folder = mkdtempSync(join(tmpdir(), 'roster-log-'));
    const copies = [join(folder, 'bare'), join(folder, 'clone')] as const;
    cpSync(remote.path, copies[0], { recursive: true });
    cpSync(workspace.root, copies[1], { recursive: true });
    return copies;
  }

  test('log lists who applied what, with which result, the newest first, without a key', async () => {
    const found = await entries();
    expect(found.map(({ number, command, outcome, plan }) => [number, command, outcome, plan])).toEqual([
      [3, 'destroy', 'complete', '2 to delete'],
      [2, 'apply', 'complete', '1 to create, 1 to update'],
      [1, 'apply', 'complete', '1 to create'],
    ]);
    expect(found[1]?.by).toEqual({ name: 'Ada', email: 'ada@example.com' });
    expect(found[1]?.changes.map(({ address, action }) => [address, action])).toEqual([
      ['group/a', 'update'],
      ['group/b', 'create'],
    ]);
    const text = await run('log --limit 2');
    expect(text).toMatch(
      /#3 .*destroy complete: 2 deleted\n.*by Ada.*\n\n#2 .*apply complete: 1 created, 1 updated/,
    );
    expect(text).toContain('1 older entry not shown');
  });

  test('log ID shows each change with the recorded values, by number, commit or digest', async () => {
    const [, second] = await entries();
    const text = await run('log 2');
    expect(text).toContain('~ updated  group/a');
    expect(text).toContain('description:  "" → "x"');
    expect(text).toContain('+ created  group/b');
    for (const id of [
      '#2',
      second?.commits[0],
      second?.commits[1]?.slice(0, 7),
      second?.digest?.slice(0, 20),
    ])
      expect(await run(`log ${id}`), id).toBe(text);
    const { entry } = jsonOf({ stdout: await run('log 2 --format json') });
    expect(entry.changes[0]).toMatchObject({
      address: 'group/a',
      action: 'update',
      outcome: 'done',
      fields: [{ path: 'description', before: '', after: 'x', sensitive: false }],
    });
  });

  test('an entry that does not exist is an error', async () => {
    for (const id of ['4', '99', 'feedfeed', 'abc', 'latest!']) {
      const { exit, stderr } = await workspace.command(['log', id]);
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/\[usage\]: the log .* has no entry/)]);
    }
  });

  test('other commits on the branch are listed with their title and their author, and nothing in them is obeyed', async () => {
    commitOn(branch, 'roster hold: 2 held until 2026-12-01T08:00:00Z');
    commitOn(branch, 'fix\u001b[31m \u202eeviL ::error::x ##[error]', 'Mal\u001b[2Jlory');
    const [foreign, hold, destroy] = await entries();
    expect([foreign?.command, foreign?.outcome]).toEqual([null, null]);
    expect([hold?.command, hold?.title]).toEqual(['hold', 'roster hold: 2 held until 2026-12-01T08:00:00Z']);
    expect(destroy?.number).toBe(3);
    for (const line of ['log', 'log 5', 'log --format json', 'log 5 --format json'])
      expect(danger(await run(line)), line).toBe(null);
    expect(await run('log')).toMatch(/#4 .*roster hold: 2 held until/);
    expect(await run('log 5')).toContain('not a commit of roster');
  });

  test('a digest that was applied twice is not guessed', async () => {
    const [, second] = await entries();
    for (const step of ['intent', 'outcome'])
      commitOn(
        branch,
        `roster apply: complete\n\nRoster-Step: ${step}\nRoster-Plan: ${second?.digest}\nRoster-Run: x\n`,
      );
    const { exit, stderr } = await workspace.command(['log', second?.digest ?? '']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Use one of the numbers: 2, 4')]);
  });
});

describe('a run without a result', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const store = (at: Date) =>
    gitStore({
      folder: workspace.root,
      remote: 'origin',
      ref: `refs/heads/${branch}`,
      project: 'p',
      environment: null,
      env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' },
      clock: { now: () => at, monotonic: () => 0 },
    });
  const facts = { service: 'https://collect.example.com', digest: 'sha256:abcd', plan: '1 to create' };
  const draft = { kind: 'group', name: 'A', identity: null };

  beforeEach(async () => {
    declare(one);
    alone();
    const lock = await store(now).lock(facts, await store(now).load());
    await lock.save({ ...emptyInventory('p', null), drafts: new Map([['group/a', draft]]) });
  });

  test('is running while its lock has not expired', async () => {
    workspace.now = () => new Date('2026-03-01T12:01:00Z');
    expect((await entries())[0]).toMatchObject({ outcome: 'running', plan: '1 to create', notes: [] });
  });

  test('is unfinished once its lock has expired, and log ID says what it was about to create', async () => {
    workspace.now = () => new Date('2026-03-01T13:00:00Z');
    const [run1] = await entries();
    expect(run1).toMatchObject({
      outcome: 'unfinished',
      notes: [expect.stringContaining('its lock expired at')],
    });
    const { entry } = jsonOf({ stdout: await run('log 1 --format json') });
    expect(entry.changes).toMatchObject([
      { address: 'group/a', action: 'create', outcome: 'unknown', name: 'A' },
    ]);
    expect(await run('log 1')).toContain('unknown: create  group/a');
  });

  test('is unfinished after its lock was removed, and so is one whose lock was taken over', async () => {
    await run('unlock --yes');
    const found = await entries();
    expect(found.map(({ command, outcome }) => [command, outcome])).toEqual([
      ['unlock', null],
      ['apply', 'unfinished'],
    ]);
    expect(found[1]?.notes).toEqual(['Ada removed its lock']);
  });
});

test('a run that was interrupted has recorded a result', async () => {
  declare(one);
  await run('apply --yes');
  commitOn(branch, 'roster apply: 1 to update\n\nRoster-Step: intent\nRoster-Plan: d\nRoster-Run: r\n');
  const changes = '  skipped: update group/a 1\n  no longer protected group/a\n  failed: create group/b\n';
  commitOn(
    branch,
    `roster apply: interrupted\n\n${changes}\nRoster-Step: outcome\nRoster-Plan: d\nRoster-Run: r\n`,
  );
  expect((await entries())[0]).toMatchObject({
    outcome: 'interrupted',
    changes: [
      { address: 'group/a', action: 'update', outcome: 'skipped', id: '1' },
      { address: 'group/a', action: 'no longer protected', outcome: 'done', id: null },
      { address: 'group/b', action: 'create', outcome: 'failed', id: null },
    ],
  });
  expect(await run('log')).toContain('apply interrupted: 1 no longer protected, 1 failed, 1 not tried');
});

test('each environment has a log of its own, which is empty before its first apply', async () => {
  declare(`environments: { staging: {}, production: {} }\n${one}`);
  await run('apply --yes -e staging');
  expect(jsonOf({ stdout: await run('log -e staging --format json') })).toMatchObject({
    environment: 'staging',
    total: 1,
  });
  expect(await run('log -e production')).toContain('No applies are recorded yet.');
});

test.each(['', ' --format json'])(
  'an inventory in a file records no runs, and log says what to do%s',
  async (format) => {
    writeFileSync(join(workspace.root, 'roster.yaml'), `project: p\n${one}`);
    const { exit, stdout, stderr } = await workspace.command(`log${format}`.split(' '));
    expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('git log -p roster.inventory.json')]);
  },
);
