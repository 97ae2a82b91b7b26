import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { undeliverable } from '../../../src/apply/deliver.js';
import { parseSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, type Variant } from '../../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function arrange(
  deliver: object,
  options: { scopes?: string[]; variants?: Variant[]; known?: string[] } = {},
) {
  const { scopes = ['agents.run'], variants = [], known = ['agents.run'] } = options;
  const sandbox = await startSandbox({ variants, seed: parseSeed(JSON.stringify({ scopes: known })) });
  const manifest = { project: 'k', scopes, keys: { ci: { scopes, deliver } } };
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, sandbox);
  return { sandbox, workspace };
}

const posts = (sandbox: Sandbox) =>
  sandbox.requests.filter(({ method, path }) => method === 'POST' && path === '/api/api-keys');
const active = (sandbox: Sandbox) =>
  [...sandbox.world.keys.values()].filter((key) => !key.isRevoked).map((key) => key.name);

describe('a new key', () => {
  test('is delivered to its file, which only its owner can read, and nowhere else', async () => {
    const { sandbox, workspace } = await arrange({ file: '.secrets/ci.key' });
    const ran = await workspace.apply({ allowSelfRevoke: true, report: 'report.json' });
    const path = join(workspace.root, '.secrets/ci.key');
    const key = readFileSync(path, 'utf8').trim();
    expect([ran.exit, key]).toEqual([0, sandbox.world.apiKey]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = ['report.json', 'roster.inventory.json'].map((name) =>
      readFileSync(join(workspace.root, name), 'utf8'),
    );
    for (const text of [ran.stdout, ran.stderr, ...written]) expect(text).not.toContain(key.slice(20));
  });

  test('is delivered to the standard input of a command, without a shell and without the old key', async () => {
    const script =
      'const fs=require("node:fs");fs.writeFileSync("got",fs.readFileSync(0)+String(process.env.ROSTER_API_KEY))';
    const { sandbox, workspace } = await arrange({ command: [process.execPath, '-e', script] });
    expect((await workspace.apply({ allowSelfRevoke: true })).exit).toBe(0);
    expect(readFileSync(join(workspace.root, 'got'), 'utf8')).toBe(`${sandbox.world.apiKey}\nundefined`);
  });

  test('is kept in the folder of roster itself when the command fails', async () => {
    const { sandbox, workspace } = await arrange({ command: ['false'] });
    const ran = await workspace.apply({ allowSelfRevoke: true });
    const file =
      /kept in\s+(\/\S+\/\.roster\/rescued\/\S+\.key)/.exec(ran.stderr.replace(/\n\s+/g, ' '))?.[1] ?? '';
    expect([ran.exit, readFileSync(file, 'utf8').trim()]).toEqual([3, sandbox.world.apiKey]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is revoked at once when the service dropped its scopes', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' }, { scopes: ['agents.bogus'] });
    const ran = await workspace.apply({ allowSelfRevoke: true });
    expect([ran.exit, active(sandbox), existsSync(join(workspace.root, 'ci.key'))]).toEqual([3, [], false]);
    expect(ran.stdout).toContain('full access');
  });

  test('is revoked when its answer shows too many scopes, even if the list cannot be read', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' }, { scopes: ['agents.bogus'] });
    const unreadable = { act: 'status', method: 'GET', path: '/api/api-keys', nth: 2, status: 500 } as const;
    sandbox.faults.faults = [{ ...unreadable }, { ...unreadable }, { ...unreadable }];
    const ran = await workspace.apply({ allowSelfRevoke: true });
    expect([ran.exit, active(sandbox), existsSync(join(workspace.root, 'ci.key'))]).toEqual([3, [], false]);
  });

  test('is reported with the place of its delivery when its scopes cannot be checked', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' });
    workspace.sleep = () => Promise.resolve();
    const unreadable = { act: 'status', method: 'GET', path: '/api/api-keys', nth: 2, status: 500 } as const;
    sandbox.faults.faults = [{ ...unreadable }, { ...unreadable }, { ...unreadable }];
    const ran = await workspace.apply({ allowSelfRevoke: true });
    const said = ran.stdout.replace(/\s+/g, ' ');
    expect([ran.exit, active(sandbox)]).toEqual([3, ['ci']]);
    expect(said).toContain('it was delivered to ci.key');
    expect(said).toContain('check them in the dashboard');
  });

  test('is awaited in a list that lags', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' }, { variants: ['key-answers-bare'] });
    sandbox.faults.lagMs = 600;
    const ran = await workspace.apply({ allowSelfRevoke: true, verify: false });
    expect([ran.exit, active(sandbox)]).toEqual([0, ['ci']]);
  });

  test('is reported as known only from its answer when the list does not show it in time', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' });
    workspace.sleep = () => Promise.resolve();
    sandbox.faults.lagMs = 60_000;
    const ran = await workspace.apply({ allowSelfRevoke: true, verify: false });
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('from the')]);
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain('only from the response to its creation');
  });

  test.each([
    ['--report', { report: 'ci.key' }],
    ['--write', { write: ['json=./ci.key'] }],
  ])('is not delivered to the file of %s', async (_, flags) => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' });
    const ran = await workspace.apply({ allowSelfRevoke: true, ...flags });
    expect([ran.exit, posts(sandbox)]).toEqual([4, []]);
    expect(ran.stderr).toContain('undeliverable-key');
  });

  test('is reported by every run while the backup of an earlier run exists', async () => {
    const { sandbox, workspace } = await arrange({ command: ['false'] });
    await workspace.apply({ allowSelfRevoke: true });
    workspace.env['ROSTER_API_KEY'] = sandbox.world.apiKey;
    const { stderr } = await workspace.plan();
    expect(stderr).toMatch(/\.roster\/rescued\/\S+\s+holds an API\s+key/);
  });

  test('is looked up in the list when its answer shows no scopes', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' }, { variants: ['key-answers-bare'] });
    expect((await workspace.apply({ allowSelfRevoke: true })).exit).toBe(0);
    expect(active(sandbox)).toEqual(['ci']);
  });

  test('is created once when its answer is lost, and replaced when nobody can read it', async () => {
    const { sandbox, workspace } = await arrange({ file: 'ci.key' });
    // Its list does not lag.
    workspace.sleep = () => new Promise((done) => setImmediate(done));
    workspace.write(
      'roster.inventory.json',
      JSON.stringify({
        version: 1,
        project: 'k',
        environment: null,
        entries: {},
        drafts: {
          'key/ci': {
            kind: 'key',
            name: 'ci',
            identity: 'ci',
            applied: { name: 'ci', scopes: ['agents.run'] },
          },
        },
      }),
    );
    const [first] = sandbox.world.keys.values();
    if (first !== undefined)
      sandbox.world.keys.set('lost', {
        ...first,
        id: 'lost',
        name: 'ci',
        scopes: ['agents.run'],
        hash: 'x',
        keyPrefix: 'svc_live_lost',
      });
    const plan = await workspace.planJson({ allowSelfRevoke: true });
    expect(plan.changes.map(({ address, action }) => [address, action])).toEqual([['key/ci', 'replace']]);
    expect((await workspace.apply({ allowSelfRevoke: true })).exit).toBe(0);
    expect([posts(sandbox).length, active(sandbox)]).toEqual([1, ['ci']]);
  });
});

describe('a key is not created when it cannot be delivered to', () => {
  test.each([
    ['a file that exists', { file: 'taken' }],
    ['a file behind a symbolic link', { file: 'link/ci.key' }],
    ['a file in a file', { file: 'taken/ci.key' }],
    ['the inventory', { file: 'roster.inventory.json' }],
    ['a file that could be read as a manifest', { file: 'teams/ci.yaml' }],
    ['a command that does not exist', { command: ['no-such-command-anywhere'] }],
  ])('%s', async (_, deliver) => {
    const { sandbox, workspace } = await arrange(deliver);
    workspace.write('taken', 'x');
    symlinkSync(tmpdir(), join(workspace.root, 'link'));
    const ran = await workspace.apply({ allowSelfRevoke: true });
    expect([ran.exit, posts(sandbox).length]).toEqual([4, 0]);
    expect(ran.stderr).toContain('undeliverable-key');
  });

  test.skipIf(process.getuid?.() === 0)('a folder that cannot be written', () => {
    const root = mkdtempSync(join(tmpdir(), 'roster-deliver-'));
    cleanups.push(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'locked'));
    chmodSync(join(root, 'locked'), 0o500);
    writeFileSync(join(root, 'x'), '');
    const delivery = { to: { file: 'locked/ci.key' }, scopes: [] };
    const checks = { root, prove: true, reserved: [], mayReplace: () => true };
    expect(undeliverable(delivery, checks)).toContain('cannot be written');
  });
});
