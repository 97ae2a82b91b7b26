import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { codesPrinted, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { mustHide } from '../../support/secrets.js';
import { planAgain } from '../../support/snapshots.js';
import { read, type Schema, validator } from '../schemas/schemas.js';

const country = 'Liechtenstein-7431';
const manifest = (value = country, more = '') => `project: pricing
groups: { shops: { members: [acme-shop] } }
schedules:
  often: { target: group/shops, every: 6 hours, startTime: 2099-12-01T06:00:00, inputs: { country: ${value} } }
${more}`;
const fromEnvironment =
  '  secret: { target: agent/globex, every: 1 day, startTime: 2099-12-01T06:00:00, inputs: { query: "${env.PIN}" } }\n';

let sandbox: Sandbox;
let workspace: Workspace;

beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({ 'roster.yaml': manifest() }, sandbox);
  workspace.now = () => new Date('2026-11-20T06:00:00Z');
  expect((await workspace.apply()).exit).toBe(0);
});
afterEach(async () => {
  vi.restoreAllMocks();
});

const take = () => workspace.command(['snapshot', '--out', 'state.json']);
const plan = (...words: string[]) => workspace.command(['plan', '--snapshot', 'state.json', ...words]);
const saved = () => readFileSync(join(workspace.root, 'state.json'), 'utf8');
const codes = async (...words: string[]) => {
  const { exit, stdout } = await plan('--format', 'json', ...words);
  return [exit, ...codesPrinted({ stdout })];
};

/** A group that somebody else has created. */
async function foreignGroup(description: string): Promise<void> {
  const globex = [...sandbox.world.agents.values()].find((each) => each.externalAgentId === 'globex');
  const created = await fetch(`${sandbox.url}/api/search-groups`, {
    method: 'POST',
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'foreign', description, agentIds: [globex?.id] }),
  });
  expect(created.ok).toBe(true);
}

function changed(change: (value: Record<string, unknown>) => void): void {
  const value = JSON.parse(saved());
  change(value);
  workspace.write('state.json', JSON.stringify(value));
}

describe('a snapshot', () => {
  test('fits its schema, which knows every kind and every field', async () => {
    expect((await take()).exit).toBe(0);
    const fits = validator('snapshot.schema.json');
    expect(fits(JSON.parse(saved())) || fits.errors).toBe(true);
    const definitions = read('snapshot')['definitions'] as Record<string, Schema>;
    for (const { name, fields, snapshot } of kinds) {
      const properties = definitions[name]?.['properties'] as Record<string, Schema>;
      expect(Object.keys(properties['spec']?.['properties'] as object)).toEqual(Object.keys(fields));
      expect(Object.keys(properties['facts']?.['properties'] as object)).toEqual(snapshot.facts ?? []);
    }
  });

  test('is the same on stdout and in its file, which everyone may read', async () => {
    await take();
    expect((await workspace.command(['snapshot'])).stdout.replace(/"lastUsedDate":"[^"]*"/, '')).toBe(
      saved().replace(/"lastUsedDate":"[^"]*"/, ''),
    );
    const plain = join(workspace.root, 'plain');
    workspace.write('plain', '');
    expect(statSync(join(workspace.root, 'state.json')).mode).toBe(statSync(plain).mode);
  });

  test('names the time-zone data of the command that took it', async () => {
    const { stdout } = await take();
    expect(stdout).toContain(`\nTime-zone data: ${process.versions['tz']}\n`);
    expect(JSON.parse(saved()).timeZoneData).toBe(process.versions['tz']);
  });

  test('is taken with reads only', async () => {
    sandbox.requests.length = 0;
    await take();
    expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('contains no API key, no part of one, and no value of an input', async () => {
    for (const each of sandbox.world.schedules.values())
      each.inputParameters = JSON.stringify({ country, other: ['canary-list'] });
    await take();
    const prefixes = [...sandbox.world.keys.values()].map(({ keyPrefix }) => keyPrefix);
    mustHide('the snapshot', saved(), [sandbox.apiKey, ...prefixes, country, 'canary-list']);
    expect(prefixes.length).toBeGreaterThan(0);
  });

  test('contains no value from the environment, not even as a hash', async () => {
    workspace.write('roster.yaml', manifest(country, fromEnvironment));
    workspace.env['PIN'] = '4711';
    expect((await workspace.apply()).exit).toBe(0);
    await take();
    const { objects, inventory } = JSON.parse(saved());
    const specs = objects.schedule.map(({ withheld, spec }: { withheld: []; spec: { inputs: object } }) => [
      withheld,
      Object.values(spec.inputs),
    ]);
    expect(specs.sort()).toContainEqual([[], [null]]);
    expect(inventory.entries['schedule/secret'].applied.inputs).toEqual({ query: expect.any(String) });
    expect(saved()).not.toContain('4711');
  });

  test('contains no description of an object that is not in the inventory, and plans like the service', async () => {
    await foreignGroup('held elsewhere');
    await take();
    mustHide('the snapshot', saved(), ['held elsewhere']);
    for (const description of ['held elsewhere', 'another one']) {
      const groups = (more: string) => manifest().replace('groups: { ', `groups: { ${more}`);
      workspace.write('roster.yaml', groups(`foreign: { members: [globex], description: ${description} }, `));
      workspace.write('snapshot.json', saved());
      const both = await planAgain(sandbox, workspace, {});
      expect(both.saved).toEqual(both.live);
      const { stdout } = await plan('--format', 'json');
      const actions = jsonOf({ stdout }).changes.map(({ action }: { action: string }) => action);
      expect(actions).toEqual([description === 'held elsewhere' ? 'adopt' : 'update']);
    }
    workspace.write('roster.yaml', `${manifest()}prune: all\n`);
    const both = await planAgain(sandbox, workspace, {});
    expect(both.saved).toEqual(both.live);
    expect((await plan('--allow-deletes', '99')).stdout).toContain('(not in the snapshot)');
  });

  test('is taken of a project with errors, also where it uses values from the environment', async () => {
    workspace.write('roster.yaml', manifest().replace('acme-shop', 'nobody'));
    expect((await take()).exit).toBe(0);
    workspace.write('roster.yaml', manifest(country, fromEnvironment).replace('acme-shop', 'nobody'));
    workspace.env['PIN'] = '4711';
    expect((await take()).exit).toBe(0);
    expect(saved()).not.toContain('4711');
  });
});

describe('a plan against a snapshot', () => {
  test('needs no API key, URL, network, or branch of the inventory', async () => {
    await take();
    const inventory = 'inventory: { git: { ref: refs/heads/roster-inventory, remote: origin } }\n';
    workspace.write('roster.yaml', manifest('France', inventory));
    execFileSync('git', ['init', '--quiet'], { cwd: workspace.root });
    execFileSync('git', ['remote', 'add', 'origin', 'https://git.invalid/none.git'], { cwd: workspace.root });
    workspace.env = { PATH: '' };
    sandbox.requests.length = 0;
    const connect = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
      throw new Error('a connection was made');
    });
    const { exit, stdout } = await plan('--format', 'json');
    expect([exit, jsonOf({ stdout }).changes.map(({ address }: { address: string }) => address)]).toEqual([
      0,
      ['schedule/often'],
    ]);
    expect(connect).not.toHaveBeenCalled();
    expect(sandbox.requests).toEqual([]);
  });

  test('has the digest of the live plan, and shows an unknown previous input as hidden', async () => {
    for (const each of sandbox.world.schedules.values())
      each.inputParameters = JSON.stringify({ country: 'unknown here', query: country });
    await take();
    workspace.write('roster.yaml', manifest('France'));
    workspace.write('snapshot.json', saved());
    const both = await planAgain(sandbox, workspace, {});
    expect(both.saved).toEqual(both.live);
    const { changes } = jsonOf(await plan('--format', 'json'));
    expect(changes[0].fields[0]).toMatchObject({
      before: { country: '(not in the snapshot)', query: '(not in the snapshot)' },
      after: { country: 'France' },
    });
  });

  test('never treats a similar value as the hidden one', async () => {
    for (const each of sandbox.world.schedules.values())
      each.inputParameters = JSON.stringify({ country: 'unknown here' });
    await take();
    const [hash] = /"country":"([^"]+)"/.exec(saved())?.slice(1) ?? [];
    for (const value of ['(not in the snapshot)', String(hash), `{ hidden: "", hash: "${hash}" }`]) {
      workspace.write('roster.yaml', manifest(value));
      expect(jsonOf(await plan('--format', 'json')).summary.update).toBe(1);
    }
  });

  test('shows the age of the snapshot in every format', async () => {
    await take();
    workspace.now = () => new Date('2026-11-21T08:30:00Z');
    const words = 'snapshot of 2026-11-20 06:00 UTC, 26 hours old';
    for (const format of ['text', 'markdown', 'github'])
      expect((await plan('--format', format)).stdout.replaceAll('`', '')).toContain(words);
    const { snapshot } = jsonOf(await plan('--format', 'json'));
    expect(snapshot).toEqual({ takenAt: '2026-11-20T06:00:00.000Z', ageSeconds: 95_400 });
    expect((await plan('--format', 'gitlab')).stderr).toContain('old-snapshot');
    const fits = validator('plan.schema.json');
    expect(fits(jsonOf(await plan('--format', 'json'))) || fits.errors).toBe(true);
  });

  test.each([
    ['2026-11-20T06:00:00Z', [0]],
    ['2026-11-21T06:00:00Z', [0]],
    ['2026-11-21T06:00:01Z', [0, 'old-snapshot']],
    ['2026-11-20T05:59:59Z', [0, 'old-snapshot']],
  ])('at %s gives %j', async (now, expected) => {
    await take();
    workspace.now = () => new Date(now);
    expect(await codes()).toEqual(expected);
  });

  test('treats values from the environment as unchanged, and reports it', async () => {
    workspace.write('roster.yaml', manifest(country, fromEnvironment));
    workspace.env['PIN'] = '4711';
    await workspace.apply();
    await take();
    workspace.env['PIN'] = 'anything';
    expect(await codes()).toEqual([0, 'not-in-snapshot']);
    expect(jsonOf(await plan('--format', 'json')).changes).toEqual([]);
  });

  test.each<[string, () => void]>([
    ['another project', () => workspace.write('roster.yaml', manifest().replace('pricing', 'other'))],
    ['another service', () => Object.assign(workspace.env, { ROSTER_URL: 'https://other.example.com' })],
    ['another environment', () => changed((value) => Object.assign(value, { environment: 'staging' }))],
    ['a newer version', () => changed((value) => Object.assign(value, { formatVersion: 2 }))],
    ['a field too many', () => changed((value) => Object.assign(value, { more: true }))],
    ['an agent twice', () => changed(({ agents }) => (agents as []).push((agents as [never])[0]))],
    ['no date', () => changed((value) => Object.assign(value, { takenAt: '2026-99-99T99:99:99.999Z' }))],
    ['half of it', () => workspace.write('state.json', saved().slice(0, 500))],
    ['a merge conflict', () => workspace.write('state.json', `<<<<<<< ours\n${saved()}`)],
  ])('is refused for %s', async (_, spoil) => {
    await take();
    spoil();
    expect(await codes()).toEqual([1, 'invalid-snapshot']);
  });

  test('is refused when the file cannot be read', async () => {
    expect(await codes()).toEqual([1, 'unreadable-file']);
    mkdirSync(join(workspace.root, 'state.json'));
    expect(await codes()).toEqual([1, 'unreadable-file']);
    symlinkSync('/dev/zero', join(workspace.root, 'endless'));
    const endless = await workspace.command(['plan', '--snapshot', 'endless', '--format', 'json']);
    expect([endless.exit, jsonOf(endless).diagnostics[0].code]).toEqual([1, 'unreadable-file']);
    workspace.write('large', '');
    truncateSync(join(workspace.root, 'large'), 300 * 1024 * 1024);
    const large = await workspace.command(['plan', '--snapshot', 'large', '--format', 'json']);
    expect([large.exit, jsonOf(large).diagnostics[0].code]).toEqual([1, 'limit-exceeded']);
  });

  test('cannot be saved for apply, and apply accepts no snapshot', async () => {
    await take();
    expect(await codes('--out', 'plan.json')).toEqual([1, 'usage']);
    const applied = await workspace.command(['apply', '--yes', '--snapshot', 'state.json']);
    expect([applied.exit, applied.stderr.includes('usage')]).toEqual([1, true]);
  });
});
