import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** As a job of CI has them. */
const secrets = [
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
  'GITHUB_TOKEN',
  'NODE_AUTH_TOKEN',
  'VAULT_ADDR',
  'LC_ALL',
];
const given = new Map(secrets.map((name) => [name, process.env[name]]));
afterEach(() => {
  for (const [name, value] of given) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test('a command that takes a key gets exactly the variables that programs need, and those that its entry lists', async () => {
  for (const name of secrets) process.env[name] = 'C';
  const script =
    'const fs=require("node:fs");fs.readFileSync(0);fs.writeFileSync("names",JSON.stringify(Object.keys(process.env)))';
  const deliver = { command: [process.execPath, '-e', script], env: ['VAULT_ADDR'] };
  const sandbox = await startSandbox();
  const keys = { ci: { scopes: ['agents.run'], deliver } };
  const workspace = new Workspace(
    { 'roster.yaml': JSON.stringify({ project: 'k', scopes: ['agents.run'], keys }) },
    sandbox,
  );
  const { exit, stderr } = await workspace.apply({ allowSelfRevoke: true });
  expect([exit, stderr]).toEqual([0, expect.any(String)]);
  const names = JSON.parse(readFileSync(join(workspace.root, 'names'), 'utf8')) as string[];
  const needed = 'PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR XDG_CONFIG_HOME'.split(' ');
  const expected = [...needed.filter((name) => process.env[name] !== undefined), 'LC_ALL', 'VAULT_ADDR'];
  // macOS adds one of its own.
  const own = names.filter(
    (name) => !name.startsWith('__CF_') && !(name.startsWith('LC_') && name !== 'LC_ALL'),
  );
  expect(own.sort()).toEqual(expected.sort());
});
