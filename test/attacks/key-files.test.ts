import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import { jsonOf } from '../support/json.js';
import type { Ended } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';

/** Which existing key files a delivery may replace, and which file the hint after a 401 names. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const target = '.secrets/ci.key';
const flat = (text: string) => text.replace(/\s+/g, ' ');
const all = ({ stdout, stderr }: Ended) => flat(stdout + stderr);

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'roster-key-files-'));
  cleanups.push(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

async function service(
  keys: readonly object[] = [],
  onRequest: (request: { readonly method: string }) => void = () => {},
): Promise<Sandbox> {
  const seed = parseSeed(JSON.stringify({ scopes: ['agents.run'], keys }));
  const sandbox = await startSandbox({ seed, onRequest });
  return sandbox;
}

function write(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text, { mode: 0o600 });
}

function declare(root: string, deliver: object, more: object = {}): void {
  const ci = { name: 'roster ci', scopes: ['agents.run'], deliver, ...more };
  const environments = { production: {}, staging: {} };
  write(
    root,
    'roster.yaml',
    JSON.stringify({ project: 'k', scopes: ['agents.run'], environments, keys: { ci } }),
  );
}

const read = (root: string, name = target) => readFileSync(join(root, name), 'utf8').trim();
const creations = ({ requests }: Sandbox) =>
  requests.filter(({ method, path }) => method === 'POST' && path === '/api/api-keys').length;
const rescued = (root: string) =>
  readdirSync(join(root, '.roster/rescued')).map((n) => `.roster/rescued/${n}`);

function age(sandbox: Sandbox): void {
  for (const key of sandbox.world.keys.values()) key.createdDate = '2020-01-01T00:00:00Z';
}

function run(root: string, sandbox: Sandbox, words: readonly string[], key = sandbox.world.apiKey) {
  return command([...words], { cwd: root, env: { ROSTER_URL: sandbox.url, ROSTER_API_KEY: key } });
}

const apply = (root: string, sandbox: Sandbox, environment = 'production') =>
  run(root, sandbox, ['apply', '--yes', '--allow-self-revoke', '-e', environment]);

describe('a file that holds an API key', () => {
  test('of another environment is not replaced, and plan says so before a key is created', async () => {
    const [root, production, staging] = [folder(), await service(), await service()];
    declare(root, { file: target });
    expect((await apply(root, production)).exit).toBe(0);
    for (const words of [['plan'], ['apply', '--yes']]) {
      const ran = await run(root, staging, [...words, '--allow-self-revoke', '-e', 'staging']);
      expect([ran.exit, creations(staging), read(root)], all(ran)).toEqual([4, 0, production.world.apiKey]);
      expect(all(ran)).toMatch(/undeliverable-key.*\.secrets\/ci\.key holds an API key/);
      expect(all(ran)).toContain('use another file for each environment');
    }
  });

  test('of another environment is not replaced when it appears after the plan', async () => {
    const root = folder();
    const other = `svc_live_${'7'.repeat(40)}`;
    const staging = await service([], ({ method }) => {
      if (method === 'POST') write(root, target, `${other}\n`);
    });
    declare(root, { file: target });
    const ran = await apply(root, staging, 'staging');
    expect([ran.exit, read(root)], all(ran)).toEqual([3, other]);
    expect(rescued(root).map((name) => read(root, name))).toEqual([staging.world.apiKey]);
  });

  test('which nothing is known of is replaced in a project without environments', async () => {
    const [root, sandbox] = [folder(), await service()];
    write(
      root,
      'roster.yaml',
      `project: keys\nkeys: { ci: { scopes: [agents.run], deliver: { file: ${target} } } }\n`,
    );
    write(root, target, `svc_live_${'7'.repeat(40)}\n`);
    const ran = await run(root, sandbox, ['apply', '--yes', '--allow-self-revoke']);
    expect([ran.exit, read(root)], all(ran)).toEqual([0, sandbox.world.apiKey]);
  });

  test('which nothing is known of is not replaced where there are environments', async () => {
    const [root, sandbox] = [folder(), await service()];
    declare(root, { file: target });
    write(root, target, `svc_live_${'7'.repeat(40)}\n`);
    expect([(await apply(root, sandbox)).exit, creations(sandbox)]).toEqual([4, 0]);
  });

  test('that a rotation replaces is replaced', async () => {
    const [root, sandbox] = [folder(), await service()];
    declare(root, { file: target }, { rotateAfter: '90 days' });
    expect((await apply(root, sandbox)).exit).toBe(0);
    age(sandbox);
    const ran = await apply(root, sandbox);
    expect([ran.exit, creations(sandbox), read(root)], all(ran)).toEqual([0, 2, sandbox.world.apiKey]);
  });

  test('that a rotation replaces is replaced although the inventory was lost', async () => {
    const [root, sandbox] = [folder(), await service()];
    declare(root, { file: target }, { rotateAfter: '90 days' });
    expect((await apply(root, sandbox)).exit).toBe(0);
    age(sandbox);
    for (const name of readdirSync(root).filter((each) => each.includes('inventory')))
      rmSync(join(root, name));
    const ran = await apply(root, sandbox);
    expect([ran.exit, creations(sandbox), read(root)], all(ran)).toEqual([0, 2, sandbox.world.apiKey]);
  });

  test('that was revoked in the dashboard is replaced by the next one', async () => {
    const [root, sandbox] = [folder(), await service([{ name: 'mine', key: `svc_live_${'5'.repeat(40)}` }])];
    declare(root, { file: target });
    expect((await apply(root, sandbox)).exit).toBe(0);
    const created = sandbox.world.apiKey;
    for (const key of sandbox.world.keys.values()) key.isRevoked = key.name !== 'mine';
    const ran = await run(
      root,
      sandbox,
      ['apply', '--yes', '--allow-self-revoke', '-e', 'production'],
      `svc_live_${'5'.repeat(40)}`,
    );
    expect([ran.exit, read(root) === created, read(root)], all(ran)).toEqual([
      0,
      false,
      sandbox.world.apiKey,
    ]);
  });

  test('of an entry that has another name now is replaced', async () => {
    const [root, sandbox] = [folder(), await service()];
    declare(root, { file: target });
    expect((await apply(root, sandbox)).exit).toBe(0);
    const manifest = JSON.parse(read(root, 'roster.yaml'));
    manifest.keys = { bot: { scopes: ['agents.run'], deliver: { file: target } } };
    write(root, 'roster.yaml', JSON.stringify(manifest));
    const ran = await apply(root, sandbox);
    expect([ran.exit, read(root)], all(ran)).toEqual([0, sandbox.world.apiKey]);
  });
});

describe('after a replace whose delivery failed', () => {
  async function failed(deliver: object) {
    const [root, sandbox] = [folder(), await service()];
    declare(root, { file: target }, { rotateAfter: '90 days' });
    expect((await apply(root, sandbox)).exit).toBe(0);
    age(sandbox);
    declare(root, { command: ['false'] }, { rotateAfter: '90 days' });
    const ran = await apply(root, sandbox);
    expect(ran.exit, all(ran)).toBe(3);
    declare(root, deliver, { rotateAfter: '90 days' });
    return { root, sandbox };
  }

  test.each([
    ['a command', { command: ['false'] }],
    ['the file that holds the revoked key', { file: target }],
  ])('a run with the revoked key names the kept file, also with %s as the destination', async (_, to) => {
    const { root, sandbox } = await failed(to);
    const ran = await run(root, sandbox, ['plan', '-e', 'production'], 'svc_live_sandbox_0000000000000000');
    const [kept] = rescued(root);
    expect([ran.exit, all(ran).replace(/ /g, '')], all(ran)).toEqual([
      1,
      expect.stringContaining(`Set\`ROSTER_API_KEY\`tothekeyin${kept}`),
    ]);
  });

  test('the next plan shows the delivery and nothing else', async () => {
    const { root, sandbox } = await failed({ file: target });
    const plan = await run(root, sandbox, ['plan', '-e', 'production', '--format', 'json']);
    const changes = jsonOf(plan).changes.map((each: { address: string; action: string }) => [
      each.address,
      each.action,
    ]);
    expect(changes).toEqual([['key/ci', 'update']]);
    const ran = await apply(root, sandbox);
    expect([ran.exit, read(root), existsSync(join(root, '.roster/rescued')) && rescued(root)]).toEqual([
      0,
      sandbox.world.apiKey,
      [],
    ]);
    const last = await run(root, sandbox, ['plan', '-e', 'production', '--detailed-exitcode']);
    expect([last.exit, last.stdout], all(last)).toEqual([0, expect.stringContaining('No changes.')]);
  });
});
