import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** What `roster drift` says while an apply is running, which changes objects before it records them. */
let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
  declare(['a', 'b']);
  expect((await workspace.apply()).exit).toBe(0);
});

const declare = (names: readonly string[]) =>
  workspace.write(
    'roster.yaml',
    `project: p\ngroups:\n${names.map((name) => `  ${name}: { members: [acme-shop] }\n`).join('')}`,
  );
const inventory = () => join(workspace.root, 'roster.inventory.json');

/** The lock of a run on another machine. It has not been renewed for a day unless the run is alive. */
function lock(isAlive: boolean): void {
  const path = `${inventory()}.lock`;
  const holder = { token: 't', host: 'runner-7', pid: 4711, since: '2026-11-20T10:00:00.000Z' };
  writeFileSync(path, `${JSON.stringify(holder)}\n`);
  const renewed = Date.now() / 1000 - (isAlive ? 0 : 86_400);
  utimesSync(path, renewed, renewed);
}

const change = () => {
  const [first] = sandbox.world.groups.values();
  Object.assign(first ?? {}, { description: 'Changed' });
};

/** As the service has it when a run has created the group and not recorded it yet. */
async function createUnrecorded(name: string): Promise<void> {
  const before = readFileSync(inventory(), 'utf8');
  declare(['a', 'b', name]);
  expect((await workspace.apply()).exit).toBe(0);
  writeFileSync(inventory(), before);
}

async function drift() {
  const { exit, stdout, stderr } = await workspace.command(['drift', '--format', 'json']);
  expect(stderr).toBe('');
  const { changes = [], diagnostics } = jsonOf({ stdout }) as {
    changes?: { address: string }[];
    diagnostics: { severity: string; code: string; message: string }[];
  };
  const said = diagnostics.map(({ severity, code }) => `${severity} ${code}`);
  return { exit, changed: changes.map(({ address }) => address), said, diagnostics };
}

test('a running apply may have made the changes itself, so they are not reported as drift', async () => {
  change();
  lock(true);
  const { diagnostics, ...rest } = await drift();
  expect(rest).toEqual({ exit: 4, changed: [], said: ['error locked'] });
  expect(diagnostics[0]?.message).toMatch(/ is locked by process 4711 on runner-7 since 2026-11-20T10:00:00/);
});

test('what a running apply has created is not reported as missing from the inventory', async () => {
  await createUnrecorded('c');
  expect(await drift()).toMatchObject({ exit: 0, said: ['warning not-in-inventory'] });
  lock(true);
  expect(await drift()).toMatchObject({ exit: 0, changed: [], said: ['warning locked'] });
});

test('without any difference, a running apply is not mentioned', async () => {
  lock(true);
  expect(await drift()).toMatchObject({ exit: 0, changed: [], said: [] });
});

test('the lock of a dead run hides no drift, and is mentioned', async () => {
  change();
  lock(false);
  expect(await drift()).toMatchObject({ exit: 2, changed: ['group/a'], said: ['warning locked'] });
});

test('when an apply ends while drift reads the service, drift reads it again', async () => {
  const text = readFileSync(inventory(), 'utf8');
  change();
  let reads = 0;
  const stop = onRead(() => {
    reads += 1;
    if (reads === 1) writeFileSync(inventory(), text.replace(/"description":""/, '"description":"Changed"'));
  });
  const found = await drift();
  stop();
  expect(found).toMatchObject({ exit: 0, changed: [], said: [] });
  expect(reads).toBe(2);
});

/** Calls back when the groups are listed. */
function onRead(then: () => void): () => void {
  const { groups } = sandbox.world;
  const values = groups.values.bind(groups);
  groups.values = () => {
    then();
    return values();
  };
  return () => {
    groups.values = values;
  };
}
