import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { environment, scenarios } from '../../faults/support/scenarios.js';
import { git, Remote } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';

/** Whole applies with the inventory in git: what the read-back rests on is on no branch by then. */

let remote: Remote;
let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  remote = new Remote();
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
  git(workspace.root, 'init', '--quiet');
  git(workspace.root, 'remote', 'add', 'origin', `file://${remote.path}`);
  Object.assign(workspace.env, environment, { GIT_CONFIG_GLOBAL: '/dev/null' });
});

const declare = (manifest: string) =>
  writeFileSync(join(workspace.root, 'roster.yaml'), `inventory: { git: {} }\n${manifest}`);

async function applies(): Promise<void> {
  const { exit, stdout, stderr } = await workspace.apply();
  expect([exit, exit === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  expect((await workspace.plan({ detailedExitcode: true })).exit).toBe(0);
}

const inventory = () => remote.git('show', 'roster-inventory:roster.inventory.json');

test.each(sampleOf(scenarios, 1))('$name applies, and nothing is left', async ({ before, manifest }) => {
  if (before !== null) {
    declare(before);
    await applies();
  }
  declare(manifest);
  await applies();
});

const group = (name: string, more = '') => `  ${name}: { members: [acme-shop]${more} }\n`;

test('one apply that adopts, changes, creates and deletes updates the inventory for each of them', async () => {
  declare(`project: p\ngroups:\n${group('a')}${group('gone')}`);
  await applies();
  declare(`project: p\ngroups:\n${group('b', ', name: a')}${group('c', ", name: 'Other', protect: true")}`);
  await applies();
  expect(inventory()).toMatch(/"group\/b"[\s\S]*"group\/c"/);
  expect(inventory()).not.toContain('"group/gone"');
});

test('a duplicate created by another run leaves the rest of the inventory intact', async () => {
  declare(`project: p\ngroups:\n${group('kept')}`);
  await applies();
  sandbox.faults.intercept = async ({ method, path }, handle) => {
    await handle();
    if (method !== 'POST' || path !== '/api/search-groups') return;
    const twin = [...sandbox.world.groups.values()].find((each) => each.name === 'twin');
    const id = '99999999-0000-4000-8000-000000000000';
    if (twin !== undefined) sandbox.world.groups.set(id, { ...twin, id });
  };
  declare(
    `project: p\ngroups:\n${group('kept', ', description: new')}${group('twin')}${group('safe', ', protect: true')}`,
  );
  const ran = await workspace.apply();
  expect([ran.exit, ran.stderr]).toEqual([
    3,
    expect.stringMatching(/object\s+that\s+this\s+command\s+created/),
  ]);
  sandbox.faults.intercept = null;
  const entries = Object.keys((JSON.parse(inventory()) as { entries: object }).entries);
  expect(entries).toEqual(['group/kept', 'group/safe']);
  await applies();
  declare(`project: p\ngroups:\n${group('kept', ', description: new')}${group('twin')}`);
  expect((await workspace.plan()).exit).toBe(4);
});
