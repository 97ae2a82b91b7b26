import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import type { PlanJson } from '../../src/view/json/plan-json.js';
import { command } from '../support/command.js';
import { codesPrinted, jsonOf } from '../support/json.js';
import type { Ended } from '../support/program.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

/** Contract §3: a checkout without the commit last applied would delete what that commit added. */

const manifest = (inventory: string, ...groups: readonly string[]) =>
  `project: shop\ninventory: ${inventory}\ngroups:\n${groups.map((each) => `  ${each}: { members: [acme-shop] }\n`).join('')}`;

let sandbox: Sandbox;
let remote: Remote;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  remote.remove();
});

function run(cwd: string, words: string, env: Record<string, string> = {}): Promise<Ended> {
  const service = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, HOME: remote.root };
  return command(words.split(' '), { cwd, env: { ...service, ...env } });
}

function commit(folder: string, text: string): string {
  writeFileSync(join(folder, 'roster.yaml'), text);
  git(folder, 'commit', '--quiet', '--all', '-m', 'change');
  return git(folder, 'rev-parse', 'HEAD');
}

const codesOf = (ran: Ended) => [...new Set(codesPrinted(ran))];
const groups = () => [...sandbox.world.groups.values()].map(({ name }) => name).sort();
const inventoryIn = (ref = 'roster-inventory') =>
  JSON.parse(remote.git('show', `${ref}:roster.inventory.json`)) as { readonly commit?: string };

/** A colleague has added a group to the main branch and applied it. This clone does not have that commit. */
async function staleClone(
  ...options: string[]
): Promise<{ stale: string; colleague: string; applied: string }> {
  remote = new Remote({ 'roster.yaml': manifest('{ git: {} }', 'a') });
  const [stale, colleague] = [remote.clone(...options), remote.clone()];
  const applied = commit(colleague, manifest('{ git: {} }', 'a', 'b'));
  const { exit, stderr } = await run(colleague, 'apply --yes');
  expect([exit, stderr]).toEqual([0, expect.anything()]);
  return { stale, colleague, applied };
}

describe('a checkout without the commit last applied', () => {
  test('is named by plan with both commits, and what to do', async () => {
    const { stale, applied } = await staleClone();
    const { exit, stdout, stderr } = await run(stale, 'plan');
    expect(exit).toBe(4);
    expect(stderr).toContain('warning[stale-checkout]');
    expect(stderr).toContain(applied.slice(0, 10));
    expect(stderr).toContain(git(stale, 'rev-parse', 'HEAD').slice(0, 10));
    expect(stderr + stdout).toContain('git pull');
    expect((await run(stale, 'plan --format markdown')).stdout).toContain(applied.slice(0, 10));
  });

  test('deletes nothing, until the flag allows it', async () => {
    const { stale } = await staleClone();
    const refused = await run(stale, 'apply --yes');
    expect([refused.exit, refused.stderr]).toEqual([4, expect.stringContaining('error[stale-checkout]')]);
    expect(groups()).toEqual(['a', 'b']);
    const allowed = await run(stale, 'apply --yes --allow-stale-checkout');
    expect([allowed.exit, groups()]).toEqual([0, ['a']]);
    // That was a decision: from now on, this is the state that others must have.
    expect(inventoryIn().commit).toBe(git(stale, 'rev-parse', 'HEAD'));
  });

  test('may still create, and does not count as the newest commit after that', async () => {
    const { stale, applied } = await staleClone();
    writeFileSync(join(stale, 'roster.yaml'), manifest('{ git: {} }', 'a', 'c'));
    expect((await run(stale, 'apply group/c --yes')).exit).toBe(0);
    expect(inventoryIn().commit).toBe(applied);
    expect((await run(stale, 'apply --yes')).exit).toBe(4);
    expect(groups()).toEqual(['a', 'b', 'c']);
  });

  test('is up to date after a pull', async () => {
    const { stale, colleague } = await staleClone();
    git(colleague, 'push', '--quiet', 'origin', 'HEAD:main');
    git(stale, 'pull', '--quiet');
    expect(codesOf(await run(stale, 'plan --format json'))).toEqual([]);
  });

  test('has the same digest as a current checkout with the same manifests', async () => {
    const { stale, colleague } = await staleClone();
    const digestIn = async (folder: string) =>
      jsonOf<PlanJson>(await run(folder, 'plan --format json')).digest;
    commit(colleague, manifest('{ git: {} }', 'a'));
    expect(await digestIn(stale)).toBe(await digestIn(colleague));
  });

  test('is recognised when the plan is made from a snapshot', async () => {
    const { stale, colleague } = await staleClone();
    const file = join(remote.root, 'state.json');
    expect((await run(colleague, `snapshot --out ${file}`)).exit).toBe(0);
    const planned = await run(stale, `plan --snapshot ${file} --format json`, { ROSTER_API_KEY: '' });
    expect([planned.exit, codesOf(planned)]).toEqual([4, ['stale-checkout']]);
    expect(codesOf(await run(colleague, `plan --snapshot ${file} --format json`))).toEqual([]);
  });

  test('that is shallow says so, and is not refused', async () => {
    const { stale, colleague } = await staleClone('--depth', '1');
    const { exit, stderr } = await run(stale, 'plan');
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/note\[stale-checkout\][\s\S]*shallow clone/)]);
    git(colleague, 'push', '--quiet', 'origin', 'HEAD:main');
    git(stale, 'fetch', '--quiet', '--unshallow');
    git(stale, 'merge', '--quiet', 'origin/main');
    expect(codesOf(await run(stale, 'plan --format json'))).toEqual([]);
  });

  test('that is shallow and old does not count as the newest commit after an apply', async () => {
    const { stale, applied } = await staleClone('--depth', '1');
    writeFileSync(join(stale, 'roster.yaml'), manifest('{ git: {} }', 'a', 'c'));
    expect((await run(stale, 'apply group/c --yes')).exit).toBe(0);
    expect([groups(), inventoryIn().commit]).toEqual([['a', 'b', 'c'], applied]);
  });

  test('is current where the commit was squashed, also in a clone that has never had it', async () => {
    const { stale, colleague } = await staleClone();
    // As hosts keep the commits of a merged branch that was deleted.
    git(colleague, 'push', '--quiet', 'origin', 'HEAD:refs/pull/1/head');
    commit(stale, manifest('{ git: {} }', 'other', 'a').replace('acme-shop', 'globex'));
    commit(stale, manifest('{ git: {} }', 'other', 'a', 'b').replace('acme-shop', 'globex'));
    commit(stale, manifest('{ git: {} }', 'other', 'a').replace('acme-shop', 'initech'));
    const planned = await run(stale, 'plan --format json');
    expect([planned.exit, codesOf(planned)]).toEqual([0, []]);
    expect(jsonOf<PlanJson>(planned).changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'delete group/b',
      'create group/other',
    ]);
  });

  test('knows nothing of the commit where nobody has its content, and says who applied it', async () => {
    const { stale, colleague, applied } = await staleClone();
    git(colleague, 'commit', '--quiet', '--amend', '-m', 'other words');
    expect((await run(colleague, 'plan')).stderr).not.toContain('stale-checkout');
    const said = (await run(stale, 'plan')).stderr.replace(/\s+/g, ' ');
    expect(said).toContain('warning[stale-checkout]');
    expect(said).toMatch(
      new RegExp(`${applied.slice(0, 10)} \\(by [^,]+, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\)`),
    );
  });
});

test('the inventory and the comparison of commits share the work tree that git finds', async () => {
  const { colleague } = await staleClone();
  const [bin, log] = [join(remote.root, 'bin'), join(remote.root, 'log')];
  mkdirSync(bin);
  const script = `#!/bin/bash\necho "$*" >> '${log}'\nexec env PATH="\${PATH#*:}" git "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  expect((await run(colleague, 'plan', { PATH: `${bin}:${process.env['PATH']}` })).exit).toBe(0);
  const calls = readFileSync(log, 'utf8').split('\n');
  for (const words of ['config --list', '--absolute-git-dir', '--verify --quiet HEAD'])
    expect([words, calls.filter((each) => each.includes(words)).length]).toEqual([words, 1]);
});

describe('the commit of the manifests', () => {
  test('is in the inventory and in both commits of an apply, with `-dirty` if the manifests differ from it', async () => {
    const { colleague, applied } = await staleClone();
    expect(inventoryIn().commit).toBe(applied);
    const messages = remote.git('log', '--format=%B', 'roster-inventory');
    expect(messages.match(new RegExp(`^Roster-Commit: ${applied}$`, 'gm'))).toHaveLength(2);
    writeFileSync(join(colleague, 'roster.yaml'), manifest('{ git: {} }', 'a', 'b', 'c'));
    expect((await run(colleague, 'apply --yes')).exit).toBe(0);
    expect(inventoryIn().commit).toBe(`${applied}-dirty`);
    expect(codesOf(await run(colleague, 'plan --format json'))).toEqual([]);
  });

  test('does not change with an apply that has nothing to do', async () => {
    const { colleague, applied } = await staleClone();
    git(colleague, 'commit', '--quiet', '--allow-empty', '-m', 'nothing');
    const before = remote.git('rev-parse', 'roster-inventory');
    expect((await run(colleague, 'apply --yes')).exit).toBe(0);
    expect([inventoryIn().commit, remote.git('rev-parse', 'roster-inventory')]).toEqual([applied, before]);
  });

  test('is recorded by a partial apply', async () => {
    const { colleague } = await staleClone();
    const half = commit(colleague, manifest('{ git: {} }', 'a', 'b', 'c', 'd'));
    sandbox.faults.faults = [{ act: 'status', status: 400, method: 'POST', path: '*', nth: 1 }];
    expect((await run(colleague, 'apply --yes')).exit).toBe(3);
    expect(inventoryIn().commit).toBe(half);
  });
});

describe('an inventory in a file', () => {
  async function applyIn(ignored: boolean): Promise<string> {
    const text = manifest('{ file: state.json }', 'a');
    remote = new Remote({ 'roster.yaml': text, ...(ignored ? { '.gitignore': 'state.json*\n' } : {}) });
    const folder = remote.clone();
    commit(folder, manifest('{ file: state.json }', 'a', 'b'));
    expect((await run(folder, 'apply --yes')).exit).toBe(0);
    return folder;
  }

  test('that git does not track knows the commit', async () => {
    const folder = await applyIn(true);
    git(folder, 'checkout', '--quiet', 'HEAD~1');
    expect((await run(folder, 'apply --yes')).exit).toBe(4);
    expect(groups()).toEqual(['a', 'b']);
  });

  test('that is committed is as old as the manifests next to it, and names no commit that merges could conflict on', async () => {
    const folder = await applyIn(false);
    git(folder, 'add', '--all');
    commit(folder, manifest('{ file: state.json }', 'a', 'b', 'c'));
    expect((await run(folder, 'apply --yes')).exit).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).not.toHaveProperty('commit');
    git(folder, 'commit', '--quiet', '--all', '--amend', '-m', 'squashed');
    expect(codesOf(await run(folder, 'plan --format json'))).toEqual([]);
  });

  test('that is committed cannot tell what `prune: all` deletes in an old checkout, and a note says so', async () => {
    const text = `${manifest('{ file: state.json }', 'a')}prune: all\n`;
    remote = new Remote({ 'roster.yaml': text });
    const [stale, colleague] = [remote.clone(), remote.clone()];
    const apply = async (folder: string) => {
      expect((await run(folder, 'apply --yes')).exit).toBe(0);
      git(folder, 'add', '--all');
      git(folder, 'commit', '--quiet', '-m', 'applied');
    };
    await apply(stale);
    git(colleague, 'pull', '--quiet', stale, 'HEAD');
    commit(colleague, `${manifest('{ file: state.json }', 'a', 'b')}prune: all\n`);
    await apply(colleague);
    expect(codesOf(await run(colleague, 'plan --format json'))).toEqual([]);
    const { exit, stderr } = await run(stale, 'plan');
    const note = stderr.replace(/\s+/g, ' ');
    expect([exit, note]).toEqual([
      0,
      expect.stringMatching(/note\[stale-checkout\].*git tracks the inventory/),
    ]);
    expect((await run(stale, 'plan --prune owned')).stderr).not.toContain('stale-checkout');
  });

  test('needs no git', async () => {
    const folder = await applyIn(true);
    const { stderr, exit } = await run(folder, 'plan', { PATH: join(remote.root, 'nowhere') });
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(/note\[stale-checkout\][\s\S]*git cannot be started/),
    ]);
  });
});
