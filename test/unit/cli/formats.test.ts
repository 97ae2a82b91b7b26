import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { git, initWithOrigin } from '../../support/repository.js';
import { type Ran, Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { isLong, sampleOf } from '../../support/size.js';

/** What roster 0.2 wrote is read by every command, and what a newer one wrote is refused by name and left as it is. */

const fixtures = join(import.meta.dirname, '../../fixtures/roster-0.2');
/** JSON and YAML end in .txt, because the formatter would lay them out in its own way. */
const fileOf = (name: string) => join(fixtures, /\.(json|yaml)$/.test(name) ? `${name}.txt` : name);
/** It was written for a service at this URL. */
const URL_OF_FIXTURES = 'http://127.0.0.1:45987';
const fixture = (name: string) => readFileSync(fileOf(name), 'utf8');
/** As if it had been written for the sandbox. The export of git states lengths: both ports have five digits. */
const forSandbox = (text: string) => text.replaceAll(URL_OF_FIXTURES, new URL(sandbox.url).origin);

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: parseSeed(fixture('seed.json')) });
  workspace = new Workspace({ 'roster.yaml': fixture('roster.yaml') }, sandbox);
  workspace.env['SHOP_TOKEN'] = 'first-token-value';
});

const stores = ['file', 'git'] as const;
type Store = (typeof stores)[number];

const branch = 'roster-inventory';
const remoteGit = (...words: string[]) => git(workspace.root, '-C', remotePath(), ...words);
const remotePath = () => git(workspace.root, 'remote', 'get-url', 'origin').replace(/^file:\/\//, '');

/** Stores the inventory of 0.2, with another version if one is given. */
function given(store: Store, version = 1): void {
  const renumbered = (text: string) => forSandbox(text).replaceAll('"version": 1,', `"version": ${version},`);
  if (store === 'file') {
    workspace.write('roster.inventory.json', renumbered(fixture('roster.inventory.json')));
    return;
  }
  workspace.write('roster.yaml', `inventory: { git: {} }\n${fixture('roster.yaml')}`);
  initWithOrigin(workspace.root);
  workspace.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
  execFileSync('git', ['-C', remotePath(), 'fast-import', '--quiet'], {
    input: renumbered(fixture('roster-inventory.fast-export')),
  });
}

const stored = (store: Store) =>
  store === 'file'
    ? readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8')
    : remoteGit('show', `${branch}:roster.inventory.json`);

function run(line: string): Promise<Ran> {
  return workspace.command(line.split(' '));
}

const noChanges = 'No changes. The service matches the manifests (6 unchanged).';

/** Command lines, with the exit code and a part of the output. */
const commands: readonly (readonly [line: string, exit: number, says: string])[] = [
  ['plan', 0, noChanges],
  ['plan --prune all', 0, '6 unchanged'],
  ['apply --yes', 0, noChanges],
  ['drift', 0, 'No drift. Nothing was changed outside roster since the last apply (6 resources).'],
  ['why schedule/hourly', 0, '2. inventory'],
  ['why group/shops', 0, 'No differences.'],
  ['snapshot', 0, '"group/shops"'],
  ['pull --format diff', 0, 'imported/keys.yaml'],
  ['pull group/* --format diff', 0, ''],
  // 0.2 has recorded its protection.
  ['plan --destroy', 4, '[protected] group/others'],
  [`destroy --yes --expect sha256:${'0'.repeat(64)}`, 4, 'group/others is protected'],
  ['unlock --yes', 0, 'The inventory is not locked.'],
];

/** Each command runs a dozen git processes where the inventory is in git. */
const linesOf = (store: Store) => (store === 'file' ? commands : sampleOf(commands, 1));

describe.each(stores)('the inventory of roster 0.2 in %s', (store) => {
  beforeEach(() => given(store));

  test.each(linesOf(store))('is read by `roster %s`', async (line, exit, says) => {
    const ran = await run(line);
    expect([ran.exit, ran.exit === exit ? '' : ran.stderr]).toEqual([exit, '']);
    expect(ran.stdout + ran.stderr.replace(/\s+/g, ' ')).toContain(says);
  });

  const inFile = test.runIf(isLong || store === 'file');

  inFile('still deletes what it owns, and says who changed what', async () => {
    for (const group of sandbox.world.groups.values())
      if (group.name === 'shops') Object.assign(group, { description: 'By hand' });
    const drifted = await run('drift');
    expect([drifted.exit, drifted.stdout]).toEqual([2, expect.stringContaining('"Every shop" → "By hand"')]);
    const { changes } = await workspace.planJson();
    expect(changes).toMatchObject([{ address: 'group/shops', action: 'update', origin: 'remote' }]);
    workspace.write('roster.yaml', readFile('roster.yaml').replace(/ {2}paused: .*\n/, ''));
    expect((await workspace.planJson()).changes.map(({ address, action }) => [address, action])).toEqual([
      ['group/shops', 'update'],
      ['schedule/paused', 'delete'],
    ]);
    expect((await run('apply --yes')).exit).toBe(0);
    expect((await run('plan')).stdout).toContain('No changes.');
    expect(JSON.parse(stored(store))).toMatchObject({ version: 1, service: expect.stringMatching(/^http/) });
  });

  inFile('pull writes remote values into the files of what it owns', async () => {
    for (const group of sandbox.world.groups.values())
      if (group.name === 'shops') Object.assign(group, { description: 'By hand' });
    expect((await run('pull group/shops')).exit).toBe(0);
    expect(readFile('roster.yaml')).toContain('description: By hand');
    expect((await run('plan')).stdout).toContain('No changes.');
  });

  inFile('destroy deletes what it owns once nothing is protected', async () => {
    workspace.write('roster.yaml', readFile('roster.yaml').replace('protect: true', 'protect: false'));
    expect((await run('apply --yes')).exit).toBe(0);
    const { digest } = await workspace.planJson({ destroy: true });
    expect((await run(`destroy --yes --expect ${digest}`)).stdout).toContain('Destroy complete: 6 deleted');
  });
});

const readFile = (name: string) => readFileSync(join(workspace.root, name), 'utf8');

test('the history that roster 0.2 wrote is read by `roster log`', async () => {
  given('git');
  const { entries } = jsonOf<{ entries: { plan: string }[] }>(await run('log --format json'));
  expect(entries).toMatchObject([
    { number: 3, command: 'apply', outcome: 'complete', plan: '1 to update', commit: null },
    { number: 2, command: 'apply', outcome: 'complete', plan: '1 to update' },
    { number: 1, command: 'apply', outcome: 'complete', plan: '6 to adopt', by: { name: 'Ada' } },
  ]);
  const { stdout } = await run('log 2');
  expect(stdout).toContain('~ updated  group/shops');
  expect(stdout).toContain('"Every shop" → "Each shop"');
});

describe.each(stores)('the inventory of a newer roster in %s', (store) => {
  beforeEach(() => given(store, 9));
  // The lock of an inventory in a file is a file of its own.
  const own = store === 'git' ? sampleOf(['log', 'log 1', 'unlock --yes'], 1) : [];
  const readers = [...own, ...linesOf(store).map(([line]) => line)].filter(
    (line, index) => index < own.length || !line.startsWith('unlock'),
  );

  test.each(readers)('is refused by `roster %s`, and not rewritten', async (line) => {
    const before = stored(store);
    const requests = sandbox.requests.length;
    const { exit, stdout, stderr } = await run(line);
    expect([exit, stdout]).toEqual([4, '']);
    expect(stderr.replace(/\s+/g, ' ')).toContain('has version 9, but this roster reads versions 1 to 3');
    expect(stored(store)).toBe(before);
    expect(sandbox.requests.slice(requests).every(({ method }) => method === 'GET')).toBe(true);
  });
});

test('a snapshot of roster 0.2 is planned against, with its age', async () => {
  // The hashes in a snapshot depend on the service.
  workspace.write('roster.inventory.json', fixture('roster.inventory.json'));
  workspace.write('snapshot.json', fixture('snapshot.json'));
  workspace.env['ROSTER_URL'] = URL_OF_FIXTURES;
  workspace.now = () => new Date('2026-11-28T20:00:00Z');
  const { exit, stdout, stderr } = await run('plan --snapshot snapshot.json');
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
  expect(stdout).toContain('6 unchanged');
});

describe('files of a newer roster', () => {
  const newer = (text: string) => text.replace(/"formatVersion": ?1/, '"formatVersion":9');

  test('a snapshot is refused by name', async () => {
    workspace.write('snapshot.json', newer(fixture('snapshot.json')));
    const { exit, stderr } = await run('plan --snapshot snapshot.json');
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/\[invalid-snapshot\]: .*snapshot\.json/)]);
    expect(stderr).toContain('9');
  });

  test('a saved plan is only compared, and the version is named as a difference', async () => {
    given('file');
    workspace.write('plan.json', newer((await run('plan --format json')).stdout));
    const { exit, stderr } = await run('apply --plan plan.json');
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([
      4,
      expect.stringContaining('the version of roster differs'),
    ]);
  });
});
