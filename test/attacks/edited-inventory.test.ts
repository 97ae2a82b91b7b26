import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import type { PlanJson } from '../../src/view/json/plan-json.js';
import { command } from '../support/command.js';
import { inventoryAt, jsonOf } from '../support/json.js';
import { git } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

/** A pull request may edit an inventory file. What an apply has recorded in it is known from git. */

let sandbox: Sandbox;
let root: string;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  pushed = {};
  root = mkdtempSync(join(tmpdir(), 'roster-attack-'));
  folder = join(root, 'work');
  git(root, 'init', '--quiet', '--initial-branch=main', folder);
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
});

const kept = { members: ['acme-shop'] };
const old = { members: ['globex'] };
const INVENTORY = 'roster.inventory.json';

function declare(groups: object, more: object = {}): void {
  writeFileSync(join(folder, 'roster.yaml'), JSON.stringify({ project: 'p', groups, ...more }));
}

function commit(...paths: string[]): void {
  git(folder, 'add', '--', ...paths);
  git(folder, 'commit', '--quiet', '-m', 'change');
}

function edit(
  change: (entries: Record<string, Record<string, unknown>>, all: Record<string, unknown>) => void,
) {
  const inventory = inventoryAt(folder, INVENTORY);
  change(inventory.entries, inventory);
  writeFileSync(join(folder, INVENTORY), `${JSON.stringify(inventory, null, 2)}\n`);
}

const unprotect = () =>
  edit((entries) => {
    Object.assign(entries['group/old'] ?? {}, { protect: false });
  });

/** What the job of a push is told. */
let pushed: { readonly ROSTER_FORMER_COMMIT?: string };

function run(args: readonly string[], cwd = folder) {
  return command(args, { cwd, env: { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, ...pushed } });
}

async function apply(...args: string[]): Promise<void> {
  const { exit, stderr } = await run(['apply', '--yes', ...args]);
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
}

async function plan(cwd = folder, ...args: string[]) {
  const { exit, stdout } = await run(['plan', '--format', 'json', ...args], cwd);
  const {
    diagnostics,
    changes,
    risks = [],
  } = jsonOf({ stdout }) as PlanJson & {
    readonly risks?: readonly { readonly message: string }[];
  };
  return {
    exit,
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    actions: changes.map(({ action, address }) => `${action} ${address}`),
    risks: [...risks, ...changes.flatMap((each) => each.risks)].map(({ message }) => message),
  };
}

/** As CI does it: the manifests, and after the apply the inventory alone. */
async function recorded(groups: object, more: object = {}): Promise<void> {
  declare(groups, more);
  commit('roster.yaml');
  await apply();
  commit(INVENTORY);
}

describe('protection that an edit of the inventory file takes off', () => {
  beforeEach(() => recorded({ kept, old: { ...old, protect: true } }));

  test.each(['not committed', 'committed with the manifests', 'merged', 'squashed after others'])(
    'still holds: %s',
    async (how) => {
      if (how === 'merged') git(folder, 'checkout', '--quiet', '-b', 'request');
      unprotect();
      if (how === 'merged') commit(INVENTORY);
      declare({ kept });
      if (how !== 'not committed') commit('.');
      if (how === 'squashed after others') {
        writeFileSync(join(folder, 'README.md'), 'hello');
        commit('.');
      }
      if (how === 'merged') {
        git(folder, 'checkout', '--quiet', 'main');
        git(folder, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'request');
      }
      const { exit, errors } = await plan();
      expect([exit, errors]).toEqual([4, ['protected']]);
      expect((await run(['apply', '--yes'])).exit).toBe(4);
      expect(sandbox.world.groups.size).toBe(2);
      await apply('--allow-edited-inventory');
      expect(sandbox.world.groups.size).toBe(1);
    },
  );

  /** As a rebase or a fast-forward merges them: each commit is one of the branch. */
  test.each([
    ['taken off, then no longer declared', () => undefined],
    [
      'and another commit between them',
      () => {
        declare({ kept: { members: ['initech'] }, old: { ...old, protect: true } });
        commit('.');
      },
    ],
    [
      'and the record of a partial apply',
      async () => {
        declare({ kept: { members: ['initech'] } });
        commit('.');
        await apply('group/kept');
        commit(INVENTORY);
      },
    ],
    [
      'and another edit of the file alone',
      () => {
        edit((_entries, all) => Object.assign(all, { drafts: {} }));
        writeFileSync(join(folder, INVENTORY), `${readFileSync(join(folder, INVENTORY), 'utf8')}\n`);
        commit(INVENTORY);
      },
    ],
  ])('still holds over several commits: %s', async (_how, between) => {
    unprotect();
    commit(INVENTORY);
    await between();
    declare({ kept });
    git(folder, 'commit', '--quiet', '--allow-empty', '--all', '-m', 'no longer declared');
    expect(await plan()).toMatchObject({ exit: 4, errors: ['protected'] });
    expect((await run(['apply', '--yes'])).exit).toBe(4);
    const clone = join(root, 'clone');
    git(root, 'clone', '--quiet', '--depth', '2', `file://${folder}`, clone);
    expect((await plan(clone)).exit).toBe(4);
    expect(sandbox.world.groups.size).toBe(2);
  });

  /** As a rebase or a fast-forward merge brings them into the branch, with one push. */
  describe('in a push whose commits look like those of an apply', () => {
    const tip = () => git(folder, 'rev-parse', 'HEAD');
    let former: string;
    beforeEach(() => {
      former = tip();
      declare({ kept, old });
      commit('roster.yaml');
      unprotect();
      commit(INVENTORY);
    });

    test('still holds for the job of the push', async () => {
      pushed = { ROSTER_FORMER_COMMIT: former };
      expect(await plan()).toMatchObject({
        exit: 0,
        risks: ['group/old is no longer protected from deletion'],
      });
      declare({ kept });
      commit('roster.yaml');
      expect(await plan()).toMatchObject({ exit: 4, errors: ['protected'] });
      expect((await run(['apply', '--yes'])).exit).toBe(4);
      expect(sandbox.world.groups.size).toBe(2);
    });

    test('still holds when the branch was merged into first', async () => {
      git(folder, 'checkout', '--quiet', '-b', 'main-branch', former);
      declare({ kept: { members: ['initech'] }, old: { ...old, protect: true } });
      commit('roster.yaml');
      pushed = { ROSTER_FORMER_COMMIT: tip() };
      git(folder, 'checkout', '--quiet', 'main');
      git(folder, 'merge', '--quiet', '--strategy=ours', '-m', 'merge', 'main-branch');
      declare({ kept });
      commit('roster.yaml');
      expect(await plan()).toMatchObject({ exit: 4, errors: ['protected'] });
    });

    test.each([
      ['a new branch', () => '0'.repeat(40)],
      ['the same commit', tip],
      ['a commit of another branch', () => git(folder, 'commit-tree', 'HEAD^{tree}', '-m', 'other')],
      ['none', () => '--all'],
    ])('is as it is without a push: %s', async (_, before) => {
      declare({ kept });
      commit('roster.yaml');
      const without = await plan();
      pushed = { ROSTER_FORMER_COMMIT: before() };
      expect(await plan()).toEqual(without);
    });

    test('is no more in the push after that of the record of an apply', async () => {
      pushed = { ROSTER_FORMER_COMMIT: tip() };
      declare({ kept });
      commit('roster.yaml');
      expect(await plan()).toMatchObject({ exit: 0, errors: [], actions: ['delete group/old'] });
    });
  });

  test('is no more once `removed` has let it go and it was declared and adopted again', async () => {
    declare({ kept }, { removed: ['group/old'] });
    commit('.');
    await apply();
    commit(INVENTORY);
    await recorded({ kept, old });
    declare({ kept });
    commit('.');
    expect(await plan()).toMatchObject({ exit: 0, errors: [], actions: ['delete group/old'] });
  });

  test('still holds when the entry or the whole file is gone, and everything undeclared is pruned', async () => {
    declare({ kept }, { prune: 'all' });
    edit((entries) => {
      delete entries['group/old'];
    });
    commit('.');
    expect((await plan(folder, '--allow-self-revoke')).errors).toEqual(['protected']);
    git(folder, 'rm', '--quiet', INVENTORY);
    git(folder, 'commit', '--quiet', '-m', 'gone');
    expect((await plan(folder, '--allow-self-revoke')).errors).toEqual(['protected']);
  });

  test('is a risk while the entry is still declared', async () => {
    unprotect();
    declare({ kept, old });
    commit('.');
    expect(await plan()).toMatchObject({
      exit: 0,
      actions: [],
      risks: ['group/old is no longer protected from deletion'],
    });
  });

  test('is no more once an apply has lifted it and the file was committed alone', async () => {
    declare({ kept, old });
    commit('.');
    await apply();
    commit(INVENTORY);
    declare({ kept });
    expect(await plan()).toMatchObject({ exit: 0, errors: [], actions: ['delete group/old'] });
    commit('.');
    expect(await plan()).toMatchObject({ exit: 0, errors: [], actions: ['delete group/old'] });
  });
});

describe('an inventory file whose record cannot be found', () => {
  beforeEach(() => recorded({ kept, old }));

  test('in a shallow clone refuses deletes, and nothing else', async () => {
    declare({ kept, other: old });
    commit('.');
    const clone = join(root, 'clone');
    git(root, 'clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
    expect(await plan(clone)).toMatchObject({ exit: 4, errors: ['unrecorded-inventory'] });
    expect((await plan(clone, '--allow-edited-inventory')).exit).toBe(0);
    writeFileSync(join(clone, 'roster.yaml'), readFileSync(join(folder, 'roster.yaml'), 'utf8'));
    declare({ kept, old, other: { members: ['initech'] } });
    writeFileSync(join(clone, 'roster.yaml'), readFileSync(join(folder, 'roster.yaml'), 'utf8'));
    expect((await plan(clone)).exit).toBe(0);
  });

  test('because the project names another file now refuses deletes', async () => {
    writeFileSync(join(folder, 'other.json'), readFileSync(join(folder, INVENTORY)));
    declare({ kept }, { inventory: { file: 'other.json' } });
    commit('.');
    expect(await plan()).toMatchObject({ exit: 4, errors: ['unrecorded-inventory'] });
    writeFileSync(join(folder, 'README.md'), 'hello');
    commit('.');
    expect(await plan()).toMatchObject({ exit: 4, errors: ['unrecorded-inventory'] });
  });
});

describe('an inventory file of somebody who works alone deletes as before', () => {
  test.each(['never committed', 'ignored', 'committed with the project', 'added to git later'])(
    '%s',
    async (how) => {
      writeFileSync(join(folder, 'README.md'), 'hello');
      if (how !== 'committed with the project') commit('README.md');
      declare({ kept, old });
      await apply();
      if (how === 'ignored') writeFileSync(join(folder, '.gitignore'), `${INVENTORY}\n`);
      if (how === 'never committed') commit('roster.yaml');
      else commit('.');
      declare({ kept });
      if (how === 'added to git later') commit('.');
      expect(await plan()).toMatchObject({ exit: 0, errors: [], actions: ['delete group/old'] });
    },
  );
});

describe('what else an edit of the inventory file could hide', () => {
  beforeEach(() => recorded({ kept, old }));

  test('the claim of a foreign object is a risk of its delete', async () => {
    const [own] = sandbox.world.groups.values();
    if (own === undefined) throw new Error('there is no group');
    const id = '99999999-0000-4000-8000-000000000001';
    sandbox.world.groups.set(id, { ...own, id, name: 'Payroll' });
    edit((entries) => {
      entries['group/payroll'] = { ...entries['group/kept'], id, name: 'Payroll' };
    });
    commit('.');
    const { risks } = await plan();
    expect(risks).toContain(
      `this project's ownership of it first appears in the latest commit of ${INVENTORY}: make sure that an apply wrote it`,
    );
  });

  test('a weaker limit, and what an entry ignores, are risks', async () => {
    declare({ kept, old: { ...old, ignore: ['description'] } }, { limits: { deletes: 50 } });
    edit((entries, all) => {
      Object.assign(entries['group/old'] ?? {}, { ignore: ['description'] });
      Object.assign(all['safeguards'] as object, {
        limits: { deletes: 50, startsPerMinute: 60, shortestInterval: '5 minutes', runsPerWeek: 'none' },
      });
    });
    commit('.');
    expect((await plan()).risks).toEqual([
      '`limits.deletes` is 50, which allows more than in the previous commit (5)',
      'group/old now ignores `description`, which it did not in the previous commit',
    ]);
  });
});
