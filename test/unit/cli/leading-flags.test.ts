import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ordered } from '../../../src/cli/commands.js';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

test.each<[typed: string, means: string]>([
  ['-e staging plan', 'plan -e staging'],
  ['-v runs show 7', 'runs show -v 7'],
  ['-C teams -f travel.yaml -v plan group/a', 'plan -C teams -f travel.yaml -v group/a'],
  ['--file=a.yaml --env=b data queries run q', 'data queries run --file=a.yaml --env=b q'],
  ['plan -v', 'plan -v'],
  ['--format json plan', '--format json plan'],
  ['-e plan', '-e plan'],
  ['-e', '-e'],
  ['-v nothing', '-v nothing'],
  ['-f', '-f'],
])('%s means %s', (typed, means) => {
  expect(ordered(typed.split(' ')).join(' ')).toBe(means);
});

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
  workspace.write('teams/roster.yaml', 'project: teams\ngroups: { a: { members: [acme-shop] } }\n');
  workspace.write('teams/other.yaml', 'project: other\ngroups: { b: { members: [globex] } }\n');
});

const projectOf = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  Object.assign(workspace.env, env);
  const { stdout } = await workspace.command([...words, '--format', 'json']);
  return JSON.parse(stdout).project;
};

test('-C runs a command as if started in that folder, before and after the command', async () => {
  expect(await projectOf(['-C', 'teams', 'plan'])).toBe('teams');
  expect(await projectOf(['plan', '-C', join(workspace.root, 'teams')])).toBe('teams');
});

test('-f is relative to the folder of -C', async () => {
  expect(await projectOf(['-C', 'teams', '-f', 'other.yaml', 'plan'])).toBe('other');
});

test('ROSTER_FILE names the project, and -f overrides it', async () => {
  const env = { ROSTER_FILE: 'teams/other.yaml' };
  expect(await projectOf(['plan'], env)).toBe('other');
  expect(await projectOf(['plan', '-f', 'teams/roster.yaml'], env)).toBe('teams');
  expect(await projectOf(['-C', 'teams', 'plan'], { ROSTER_FILE: '' })).toBe('teams');
});

test('an output file of -C is written in that folder', async () => {
  await workspace.command(['-C', 'teams', 'plan', '--write', 'json=plan.json']);
  expect(JSON.parse(readFileSync(join(workspace.root, 'teams/plan.json'), 'utf8')).project).toBe('teams');
});
