import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import { codesPrinted, inventoryAt, jsonOf } from '../support/json.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

/** A pull request may write roster.yaml and roster.inventory.json. Neither may decide unseen what an apply does. */

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'roster-attack-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const groups = { kept: { members: ['acme-shop'] }, old: { members: ['globex'] } };

function declare(project: object, more: object = {}): void {
  writeFileSync(join(folder, 'roster.yaml'), JSON.stringify({ project: 'p', groups: project, ...more }));
}

interface Known {
  kind: string;
  id: string | null;
  name: string | null;
  protect: boolean;
  applied: Record<string, unknown>;
  sensitive: string[];
}

interface Stored {
  entries: Record<string, Known>;
  drafts: Record<string, object>;
  [property: string]: unknown;
}

const file = () => join(folder, 'roster.inventory.json');
const stored = () => inventoryAt<Stored>(folder);

function poison(change: (inventory: Stored) => void): void {
  const inventory = stored();
  change(inventory);
  writeFileSync(file(), JSON.stringify(inventory));
}

function known(inventory: Stored, address: string): Known {
  const found = inventory.entries[address];
  if (found === undefined) throw new Error(`the inventory has no ${address}`);
  return found;
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  const own = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, ...env };
  return command(args, { cwd: folder, env: own });
}

async function apply(...args: string[]): Promise<void> {
  const { exit, stderr } = await run(['apply', '--yes', ...args]);
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
  sandbox.requests.length = 0;
}

interface PlanShown {
  readonly digest: string;
  readonly risks?: readonly { readonly code: string; readonly message: string }[];
  readonly changes: readonly {
    readonly address: string;
    readonly action: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly adopted: boolean;
    readonly fields: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
    readonly calls: readonly object[];
    readonly risks: readonly { readonly code: string }[];
  }[];
  readonly diagnostics: readonly { readonly code: string }[];
}

async function plan(...args: string[]): Promise<PlanShown & { readonly exit: number | null }> {
  const { exit, stdout } = await run(['plan', '--format', 'json', ...args]);
  return { ...jsonOf<PlanShown>({ stdout }), exit };
}

/** Someone else's group, and its id. */
function foreignGroup(name: string): string {
  const id = '99999999-0000-4000-8000-000000000001';
  const [one] = sandbox.world.groups.values();
  if (one === undefined) throw new Error('apply a project with a group first');
  sandbox.world.groups.set(id, { ...one, id, name, description: 'Not yours' });
  return id;
}

const writes = () =>
  sandbox.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

async function refusesToApply(code: string): Promise<void> {
  const planned = await plan();
  expect([planned.exit, planned.diagnostics.map((each) => each.code)]).toEqual([
    4,
    expect.arrayContaining([code]),
  ]);
  expect((await run(['apply', '--yes'])).exit).toBe(4);
  expect(writes()).toEqual([]);
}

describe('an entry of the inventory with the id of a foreign object', () => {
  beforeEach(async () => {
    declare(groups);
    await apply();
  });

  test('deletes nothing under a harmless address', async () => {
    const id = foreignGroup('Payroll');
    poison((inventory) => {
      known(inventory, 'group/old').id = id;
    });
    declare({ kept: groups.kept });
    await refusesToApply('inventory-mismatch');
    expect(sandbox.world.groups.has(id)).toBe(true);
  });

  test('deletes nothing when it does not describe the object', async () => {
    const id = foreignGroup('Payroll');
    poison((inventory) => {
      Object.assign(known(inventory, 'group/old'), { id, name: null, applied: {} });
    });
    declare({ kept: groups.kept });
    await refusesToApply('inventory-mismatch');
  });

  test('does not rename the object into a declared one', async () => {
    const id = foreignGroup('Payroll');
    poison((inventory) => {
      known(inventory, 'group/old').id = id;
    });
    await refusesToApply('inventory-mismatch');
    expect(sandbox.world.groups.get(id)?.name).toBe('Payroll');
  });

  test('shows the name and the id of what would be deleted, although it lists them as secret', async () => {
    const id = foreignGroup('Payroll');
    poison((inventory) => {
      Object.assign(known(inventory, 'group/old'), {
        id,
        applied: { name: 'Payroll' },
        sensitive: ['name', 'description', 'members', 'active'],
      });
    });
    declare({ kept: groups.kept });
    const [change] = (await plan()).changes;
    expect([change?.action, change?.name, change?.id]).toEqual(['delete', 'Payroll', id]);
    expect(change?.fields).toContainEqual(expect.objectContaining({ path: 'name', before: 'Payroll' }));
    for (const format of ['text', 'markdown']) {
      const { stdout } = await run(['plan', '--format', format]);
      expect([stdout.includes('Payroll'), stdout.includes(id)]).toEqual([true, true]);
    }
  });

  test('and a name that is a property of every JavaScript object is an entry like any other', async () => {
    const text = readFileSync(file(), 'utf8').replace('"group/old":', '"group/__proto__":');
    writeFileSync(file(), text.replace('"applied":{', '"applied":{"__proto__":{"name":"kept"},'));
    declare({ kept: groups.kept });
    const { exit, changes } = await plan();
    expect([exit, changes.map(({ action, address }) => `${action} ${address}`)]).toEqual([
      0,
      ['delete group/__proto__'],
    ]);
  });
});

describe('a draft in the inventory', () => {
  const draft = { kind: 'group', name: 'Payroll', identity: 'Payroll' };

  test.each([
    ['without values', draft],
    ['with an empty list of values', { ...draft, applied: {} }],
    ['with other values', { ...draft, applied: { name: 'Payroll', members: [] } }],
  ])('%s deletes no object of that name', async (_, each) => {
    declare(groups);
    await apply();
    const id = foreignGroup('Payroll');
    poison((inventory) => {
      inventory.drafts['group/harmless'] = each;
    });
    const { changes } = await plan();
    expect(changes.filter(({ action }) => action === 'delete')).toEqual([]);
    await apply();
    expect(sandbox.world.groups.has(id)).toBe(true);
  });

  test('does not claim an object of that name for an entry: it is adopted, which is a risk', async () => {
    declare(groups);
    await apply();
    foreignGroup('Payroll');
    poison((inventory) => {
      inventory.drafts['group/new'] = { ...draft, applied: {} };
    });
    declare({ ...groups, new: { name: 'Payroll', members: ['globex'] } });
    const [change] = (await plan()).changes;
    expect([change?.action, change?.adopted, change?.risks.map(({ code }) => code)]).toEqual([
      'update',
      true,
      ['adopt'],
    ]);
  });
});

describe('protection', () => {
  beforeEach(async () => {
    declare({ ...groups, old: { ...groups.old, protect: true } });
    await apply();
  });

  test('is lifted by a change in the plan and in the digest, which is a risk', async () => {
    const before = await plan();
    declare(groups);
    const after = await plan('--detailed-exitcode');
    const [change] = after.changes;
    expect([after.exit, change?.address, change?.action, change?.calls]).toEqual([
      2,
      'group/old',
      'update',
      [],
    ]);
    expect(change?.fields).toEqual([{ path: 'protect', before: true, after: false, sensitive: false }]);
    expect(change?.risks.map(({ code }) => code)).toEqual(['protection']);
    expect(after.digest).not.toBe(before.digest);
    const { stdout } = await run(['plan']);
    expect(stdout).toContain('update  group/old  protect true → false');
    await apply('--expect', after.digest);
    expect(known(stored(), 'group/old').protect).toBe(false);
    expect((await plan('--detailed-exitcode')).exit).toBe(0);
  });

  test('is not lifted unseen by renaming the key of the entry', async () => {
    declare({ kept: groups.kept, renamed: { ...groups.old, name: 'old' } });
    const [change] = (await plan()).changes;
    expect([change?.action, change?.risks.map(({ code }) => code)]).toEqual(['adopt', ['protection']]);
  });

  test('is not lifted by a second entry for the object', async () => {
    poison((inventory) => {
      inventory.entries['group/another'] = { ...known(inventory, 'group/old'), protect: false };
      known(inventory, 'group/old').protect = true;
    });
    declare({ kept: groups.kept });
    await refusesToApply('protected');
  });

  test('that the inventory file lost still holds in a plan against a snapshot', async () => {
    expect((await run(['snapshot', '--out', 'state.json'])).exit).toBe(0);
    poison((inventory) => {
      known(inventory, 'group/old').protect = false;
    });
    declare({ kept: groups.kept });
    const planned = await plan('--snapshot', 'state.json');
    expect([planned.exit, planned.diagnostics.map(({ code }) => code)]).toEqual([4, ['protected']]);
    // A plan without the protection is another one, so no digest of a review lets it pass.
    expect((await run(['apply', '--expect', planned.digest])).exit).toBe(4);
    expect(writes()).toEqual([]);
  });
});

describe('settings that allow more', () => {
  const weak = { prune: 'all', limits: { deletes: 1_000_000, startsPerMinute: 100_000 } };

  beforeEach(async () => {
    declare(groups);
    await apply();
  });

  test('are risks of the plan, in every format and in the digest', async () => {
    const before = await plan();
    declare(groups, { limits: weak.limits });
    const after = await plan();
    expect(after.risks?.map(({ message }) => message)).toEqual([
      '`limits.deletes` is 1000000, which allows more than at the last apply (5)',
      '`limits.startsPerMinute` is 100000, which allows more than at the last apply (60)',
    ]);
    expect(after.digest).not.toBe(before.digest);
    expect((await run(['plan'])).stdout).toContain('! `limits.deletes` is 1000000');
    const markdown = (await run(['plan', '--format', 'markdown'])).stdout;
    expect(markdown).toMatch(/### Risks[\s\S]*`limits\.deletes`/);
  });

  test('of a project that was never applied are compared with the defaults', async () => {
    rmSync(file());
    declare(groups, weak);
    expect((await plan()).risks).toHaveLength(3);
  });

  test('are shown although the inventory of the pull request calls them old', async () => {
    poison((inventory) => {
      inventory['safeguards'] = weak;
    });
    declare(groups, { limits: weak.limits });
    for (const format of ['text', 'markdown']) {
      const { stdout } = await run(['plan', '--format', format]);
      expect(stdout.replaceAll('`', '')).toMatch(/Settings:? limits\.deletes 1000000 \(default 5\)/);
    }
  });

  test('are no longer a risk after an apply', async () => {
    declare(groups, { limits: weak.limits });
    await apply();
    expect((await plan()).risks).toEqual([]);
    declare(groups);
    await apply();
    declare(groups, { limits: weak.limits });
    expect((await plan()).risks).toHaveLength(2);
  });
});

describe('the place of the inventory', () => {
  test('is in the plan and in the digest, and a pull request cannot move it when ROSTER_INVENTORY is set', async () => {
    const remote = new Remote();
    const env = {
      ROSTER_INVENTORY: 'git:refs/heads/roster-inventory@origin',
      GIT_CONFIG_GLOBAL: '/dev/null',
    };
    try {
      git(folder, 'init', '--quiet');
      git(folder, 'remote', 'add', 'origin', `file://${remote.path}`);
      declare(groups, { inventory: { git: {} } });
      const applied = await run(['apply', '--yes'], env);
      expect(applied.exit).toBe(0);
      const inGit = await plan();
      expect((await run(['plan'])).stdout).toContain('Inventory refs/heads/roster-inventory of origin\n');
      declare(groups);
      const inFile = await plan();
      expect(inFile.digest).not.toBe(inGit.digest);
      expect(inFile).toMatchObject({ inventory: { file: 'roster.inventory.json' } });
      const { stdout } = await run(['plan', '--format', 'json'], env);
      expect(jsonOf({ stdout })).toMatchObject({ digest: inGit.digest, changes: [] });
    } finally {
      remote.remove();
    }
  });

  test('comes from `--inventory` first, with the rules of roster.yaml', async () => {
    declare(groups);
    await apply('--inventory', 'other.json');
    expect((await run(['plan', '--detailed-exitcode'], { ROSTER_INVENTORY: 'other.json' })).exit).toBe(0);
    for (const wrong of ['../other.json', 'git:HEAD', 'git:refs/heads/a@', '.git/config', '${env.X}'])
      expect([wrong, (await run(['plan', '--inventory', wrong])).exit]).toEqual([wrong, 1]);
    expect((await run(['plan'], { ROSTER_INVENTORY: '' })).stderr).toContain('`ROSTER_INVENTORY` is empty');
  });
});

describe('an inventory of another service', () => {
  test('is refused although all names and ids match, and then belongs to the new one', async () => {
    declare(groups);
    await apply();
    const other = await startSandbox();
    try {
      for (const [id, group] of sandbox.world.groups) other.world.groups.set(id, group);
      const env = { ROSTER_URL: other.url, ROSTER_API_KEY: other.apiKey };
      const refused = await run(['plan', '--format', 'json'], env);
      expect([refused.exit, codesPrinted(refused)]).toEqual([4, ['inventory-mismatch']]);
      expect((await run(['drift'], env)).exit).toBe(4);
      expect((await run(['apply', '--yes', '--allow-account-change'], env)).exit).toBe(0);
      expect((await run(['plan'], env)).exit).toBe(0);
      expect((await run(['plan'])).exit).toBe(4);
    } finally {
      await other.close();
    }
  });

  test('owns nothing there that it does not describe', async () => {
    declare(groups);
    await apply();
    const copy = mkdtempSync(join(tmpdir(), 'roster-attack-'));
    const other = await startSandbox();
    try {
      cpSync(folder, copy, { recursive: true });
      for (const [id, group] of sandbox.world.groups)
        other.world.groups.set(id, { ...group, name: `theirs ${id}`, description: 'Not yours' });
      declare({ kept: groups.kept });
      const env = { ROSTER_URL: other.url, ROSTER_API_KEY: other.apiKey };
      const ran = await run(['apply', '--yes', '--allow-account-change'], env);
      expect(ran.exit).toBe(0);
      expect(other.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
      expect(Object.keys(stored().entries)).toEqual(['group/kept']);
    } finally {
      await other.close();
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
