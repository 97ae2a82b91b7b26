import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
const project = 'project: p\ngroups:\n  a: { members: [acme-shop] }\n  c: { members: [acme-shop] }\n';

/** A group of the inventory is gone: somebody deleted it, or the list lags. */
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({ 'roster.yaml': project }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  const [first = ''] = sandbox.world.groups.keys();
  sandbox.world.groups.delete(first);
});

test.each([
  [
    'an entry without an object',
    '  b: { id: 70a1ac20-e053-4d3c-9c43-0d6a4f7c2b11, members: [acme-shop] }\n',
    'unknown-id',
  ],
  ['an entry with an unknown agent', '  b: { members: [acme-shop, no-shop] }\n', 'unknown-agent'],
])('an apply reports %s without waiting for a list that may lag', async (_, entry, code) => {
  workspace.write('roster.yaml', `${project}${entry}`);
  const { exit, stderr } = await workspace.apply();
  expect(exit).toBe(1);
  expect(stderr).toContain(`error[${code}]`);
  expect(stderr).not.toContain('Waiting');
});
