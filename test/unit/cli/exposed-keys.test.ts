import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { git, initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => {
  const key = '{ scopes: [agents.run], deliver: { file: keys/ci.key } }';
  workspace = new Workspace({ 'roster.yaml': `project: keys\nkeys:\n  ci: ${key}\n` }, sandbox);
  initRepository(workspace.root);
});
afterAll(() => sandbox.close());

const planned = ['plan', '--allow-self-revoke'];

describe('the file of a new key in a repository', () => {
  test('that git does not ignore is a warning of validate, and refused by plan and apply', async () => {
    const validated = await workspace.command(['validate']);
    expect([validated.exit, validated.stderr]).toEqual([0, expect.stringContaining('warning[exposed-key]')]);
    const plan = await workspace.command(planned);
    expect([plan.exit, plan.stdout]).toEqual([4, expect.stringContaining('keys/ci.key')]);
    const apply = await workspace.command(['apply', '--yes', '--allow-self-revoke']);
    expect([apply.exit, apply.stderr]).toEqual([4, expect.stringContaining('error[exposed-key]')]);
    expect((await workspace.command([...planned, '--allow-exposed-key'])).exit).toBe(0);
  });

  test('that is tracked, although it is ignored by now, is refused', async () => {
    workspace.write('keys/ci.key', '');
    git(workspace.root, 'add', '.');
    workspace.write('.gitignore', 'keys/\n');
    expect((await workspace.command(['validate'])).stderr).toContain('warning[exposed-key]');
  });

  test.each([
    ['.gitignore', '/keys/\n'],
    ['keys/.gitignore', '*\n'],
  ])('that %s ignores is fine', async (file, text) => {
    workspace.write(file, text);
    const validated = await workspace.command(['validate']);
    expect([validated.exit, validated.stderr]).toEqual([0, '']);
    expect((await workspace.command(planned)).exit).toBe(0);
  });
});
