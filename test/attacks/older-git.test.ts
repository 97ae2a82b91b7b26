import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import type { Ended } from '../support/program.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

let remote: Remote;
let sandbox: Sandbox;
beforeEach(async () => {
  const text = 'project: shop\ninventory: { git: {} }\ngroups: { a: { members: [acme-shop] } }\n';
  remote = new Remote({ 'roster.yaml': text });
  sandbox = await startSandbox();
});
afterEach(async () => {
  remote.remove();
});

/** A `git` that calls itself this version, and refuses the options of later ones as it would. */
function gitOf(version: string): string {
  const folder = join(remote.root, 'bin');
  mkdirSync(folder);
  const newer = [
    '--no-write-fetch-head',
    '--atomic-fetch',
    '--end-of-options',
    '--show-scope',
    '--write-fetch-head',
  ];
  const script = `#!/bin/bash
for word in "$@"; do
  case $word in
    version | --version) echo 'git version ${version}'; exit ;;
    ${newer.join(' | ')} | --pathspec-from-file* | --force-if-includes)
      echo "error: unknown option \\\`\${word#--}'" >&2; echo 'usage: git fetch [<options>]' >&2; exit 129 ;;
  esac
done
exec env PATH="\${PATH#*:}" git "$@"
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

function run(cwd: string, words: string, PATH: string): Promise<Ended> {
  const service = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey, HOME: remote.root };
  return command(words.split(' '), { cwd, env: { ...service, PATH } });
}

test.each(['2.20.1', '2.28.0.windows.1'])(
  'git %s reads and writes the inventory, and leaves FETCH_HEAD as it is',
  async (version) => {
    const [first, second] = [remote.clone(), remote.clone()];
    const path = gitOf(version);
    expect(await run(first, 'apply --yes', path)).toMatchObject({ exit: 0, stderr: expect.anything() });
    git(second, 'fetch', '--quiet', 'origin', 'main');
    const fetched = git(second, 'rev-parse', 'FETCH_HEAD');
    const planned = await run(second, 'plan --detailed-exitcode', path);
    expect([planned.exit, planned.stderr]).toEqual([0, '']);
    expect(git(second, 'rev-parse', 'FETCH_HEAD')).toBe(fetched);
  },
);

test('git 2.19 is refused with the version that is needed', async () => {
  const { exit, stderr } = await run(remote.clone(), 'plan', gitOf('2.19.6'));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('error[inventory-unavailable]')]);
  expect(stderr.replace(/\s+/g, ' ')).toContain('git 2.19.6 is too old');
  expect(stderr).toContain('2.20');
});
