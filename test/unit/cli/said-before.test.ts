import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';

/** What a command says before it does nothing, or nothing that the service sees. */

let sandbox: Sandbox;
let workspace: Workspace;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const groups = 'groups:\n  a: { members: [acme-shop] }\n';

test('an apply without requests shows the risk of what it records, and one result', async () => {
  workspace = new Workspace({ 'roster.yaml': `project: risks\n${groups}` }, sandbox);
  expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
  workspace.write('roster.yaml', `project: risks\nlimits: { deletes: 50 }\n${groups}`);
  const { exit, stdout } = await workspace.command(['apply', '--yes']);
  expect([exit, stdout.match(/! `limits.deletes` is 50/g)?.length]).toEqual([0, 1]);
  expect(stdout.match(/No changes\./g)).toHaveLength(1);
  expect((await workspace.command(['apply', '--yes'])).stdout).not.toContain('risk:');
});

test('apply checks its flags before it asks for a terminal', async () => {
  workspace = new Workspace({ 'roster.yaml': `project: flags\n${groups}` }, sandbox);
  const { exit, stderr } = await workspace.command(['apply', '--concurrency', '0']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('--concurrency')]);
});

describe('a project whose environments have their own services', () => {
  test('names them if none is selected', async () => {
    const environments =
      'environments:\n  staging: { service: { url: "http://127.0.0.1:9" } }\n  production: { service: { url: "http://127.0.0.1:9" } }\n';
    workspace = new Workspace({ 'roster.yaml': `project: envs\n${environments}${groups}` }, sandbox);
    delete workspace.env['ROSTER_URL'];
    const { exit, stderr } = await workspace.command(['plan']);
    expect(exit).toBe(1);
    expect(stderr).toContain('error[missing-setting]');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'Select an environment with `-e`: `staging`, `production`.',
    );
  });
});
