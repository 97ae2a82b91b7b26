import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { git } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';

/** `roster init --verify`: what it writes, and when it refuses to. */

let workspace: Workspace;
beforeEach(() => {
  workspace = new Workspace({}, { url: '', apiKey: '' });
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  git(workspace.root, 'remote', 'add', 'origin', 'git@github.com:acme/config.git');
});

const read = (path: string) => readFileSync(join(workspace.root, path), 'utf8');

async function init(...flags: string[]): Promise<void> {
  workspace.write('vendor/rosterctl.tgz', 'a tarball');
  const { exit, stderr } = await workspace.command(['init', '--install', 'vendor/rosterctl.tgz', ...flags]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
}

const applyFile = '.github/workflows/roster-environment.yml';
const check = /roster ci apply .* --verify$/m;
const refusal = '--verify: the inventory is a file, which does not record when it was applied';
const refused = async (...flags: string[]) => {
  const { exit, stderr } = await workspace.command(['init', '--verify', ...flags]);
  expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(refusal)]);
  expect(existsSync(join(workspace.root, '.github'))).toBe(false);
};

it('the apply job for GitHub ends with a check of what was applied, and only with --verify', async () => {
  await init('--promote', 'staging,production', '--verify');
  expect(read(applyFile)).toMatch(check);
  await init('--promote', 'staging,production');
  expect(read(applyFile)).not.toMatch(check);
});

it('with --verify=start, the apply job starts what it has applied, too', async () => {
  await init('--promote', 'staging,production', '--verify=start');
  expect(read(applyFile)).toMatch(/roster ci apply .* --verify=start$/m);
  await init('--ci', 'gitlab', '--verify', 'start');
  expect(read('.gitlab/roster.yml')).toMatch(/ ci apply .* --verify=start$/m);
});

it('refuses another way to verify', async () => {
  const { exit, stderr } = await workspace.command(['init', '--verify=run']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('--verify: unknown value "run"')]);
});

it('each apply job for GitLab ends with a check of the environment', async () => {
  await init('--ci', 'gitlab', '--promote', 'staging,production', '--verify');
  const [, jobs] = parseAllDocuments(read('.gitlab/roster.yml')).map((each) => each.toJS());
  const { script, rules } = jobs['roster-apply_$[[ inputs.environment ]]'];
  expect(script).toMatch(/ ci apply .* --verify$/);
  // With `allow_failure`, GitLab would apply to production after a failed staging.
  expect(rules).toEqual([{ if: expect.any(String), when: 'manual', allow_failure: false }]);
});

it.each(['project: pricing\n', 'project: pricing\ninventory: { file: kept.json }\n'])(
  'refuses an inventory in a file, and writes nothing: %j',
  async (text) => {
    workspace.write('roster.yaml', text);
    await refused();
    await refused('--ci', 'gitlab');
  },
);

it('accepts an inventory in git that roster.yaml or ROSTER_INVENTORY names', async () => {
  workspace.write('roster.yaml', 'project: pricing\ninventory: { git: {} }\n');
  await init('--verify');
  expect(read(applyFile)).toMatch(check);
  rmSync(join(workspace.root, applyFile));
  workspace.write('roster.yaml', 'project: pricing\n');
  workspace.env = { ...workspace.env, ROSTER_INVENTORY: 'git:refs/heads/kept' };
  await init('--verify');
  expect(read(applyFile)).toMatch(check);
});

it('refuses a new project without a git remote, because its inventory would be a file', async () => {
  git(workspace.root, 'remote', 'remove', 'origin');
  await refused();
  await init('--ci', 'github', '--verify');
  expect(read(applyFile)).toMatch(check);
});
