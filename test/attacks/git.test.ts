import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { command } from '../support/command.js';
import type { Ended } from '../support/program.js';
import { git, Remote } from '../support/repository.js';
import { startSandbox } from '../support/sandbox.js';

/** I30: no file that a pull request can bring names a program that runs. */

let remote: Remote;
let sandbox: Sandbox;
beforeEach(async () => {
  remote = new Remote();
  sandbox = await startSandbox();
});
afterEach(async () => {
  remote.remove();
});

const marker = () => join(remote.root, 'was-run');

/** A program that leaves a mark when it runs. */
function program(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\ntouch '${marker()}'\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

function project(folder: string, inventory: string): string {
  mkdirSync(folder, { recursive: true });
  const text = `project: shop\ninventory: ${inventory}\ngroups: { a: { members: [acme-shop] } }\n`;
  writeFileSync(join(folder, 'roster.yaml'), text);
  return folder;
}

function run(cwd: string, words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const service = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  return command(words, { cwd, env: { ...service, HOME: remote.root, ...env } });
}

/** The remote is reached by `command`, if git obeys this configuration. */
const configuration = (command: string, more = '') =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = ${more === ''}\n${more}\tsshCommand = ${command}\n[remote "origin"]\n\turl = ssh://127.0.0.1/x.git\n`;

/** Ordinary files, which git takes for a bare repository. */
function bareLookalike(folder: string, config: string): void {
  const files = { HEAD: 'ref: refs/heads/main\n', config, 'objects/.keep': '', 'refs/heads/.keep': '' };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const commands = [
  'plan',
  'apply --yes',
  'drift',
  'log',
  'why group/a',
  'unlock --yes',
  'init',
  'snapshot --out state.json',
  'plan --format markdown',
];

describe('a project folder that looks like a bare repository', () => {
  const withWorkTree = '\tworktree = .\n';

  test.each(commands)('runs nothing with roster %s', async (words) => {
    const folder = project(join(remote.clone(), 'shop'), '{ git: {} }');
    bareLookalike(folder, configuration(program(join(remote.root, 'ssh'))));
    const { exit, stderr } = await run(folder, words.split(' '));
    expect(existsSync(marker())).toBe(false);
    const code = words === 'init' ? '[missing-setting]' : '[inventory-unavailable]';
    expect([exit, stderr]).toEqual([1, expect.stringContaining(code)]);
  });

  /** Git before 2.38, which does not know the setting `safe.bareRepository`. */
  function olderGit(): string {
    const folder = join(remote.root, 'bin');
    mkdirSync(folder);
    const script = `#!/bin/bash
words=()
for word in "$@"; do [[ $word == safe.bareRepository=* ]] && word=roster.ignored=1; words+=("$word"); done
exec env PATH="\${PATH#*:}" git "\${words[@]}"
`;
    writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
    return `${folder}:${process.env['PATH']}`;
  }

  test.each([
    ['bare', ''],
    ['with a work tree', withWorkTree],
  ])('runs nothing with an older git: %s', async (_, more) => {
    const folder = project(join(remote.clone(), 'shop'), '{ git: {} }');
    bareLookalike(folder, configuration(program(join(remote.root, 'ssh')), more));
    const { exit, stderr } = await run(folder, ['plan'], { PATH: olderGit() });
    expect(existsSync(marker())).toBe(false);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('[inventory-unavailable]')]);
  });

  test('runs nothing when a `.git` file leads to it', async () => {
    const folder = project(join(remote.clone(), 'shop'), '{ git: {} }');
    bareLookalike(
      join(folder, 'data'),
      configuration(program(join(remote.root, 'ssh')), '\tlogAllRefUpdates = false\n'),
    );
    writeFileSync(join(folder, '.git'), 'gitdir: ./data\n');
    const { exit, stderr } = await run(folder, ['plan']);
    expect(existsSync(marker())).toBe(false);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('[inventory-unavailable]')]);
  });
});

test('git neither adds nor checks out a file named .git', () => {
  const clone = remote.clone();
  const blob = git(clone, 'hash-object', '-w', join(clone, 'README'));
  const add = (path: string) => git(clone, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  for (const path of ['shop/.git', 'shop/.GIT', 'shop/.git/config'])
    expect(() => add(path)).toThrow(/[Ii]nvalid path/);
});

function repositoryWithHooks(path: string): void {
  cpSync(remote.path, path, { recursive: true });
  rmSync(join(path, 'hooks'), { recursive: true, force: true });
  for (const hook of ['pre-receive', 'update', 'post-receive', 'reference-transaction', 'post-update'])
    program(join(path, 'hooks', hook));
}

describe('the remote of the inventory', () => {
  test('is not a repository among the files of the project', async () => {
    const clone = project(remote.clone(), '{ git: { remote: evil.git } }');
    repositoryWithHooks(join(clone, 'evil.git'));
    const { exit, stderr } = await run(clone, ['apply', '--yes']);
    expect(existsSync(marker())).toBe(false);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('[inventory-unavailable]')]);
    expect(stderr).toContain('evil.git');
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test.each(['./evil.git', 'file'])('is refused when its URL leads into the work tree: %s', async (url) => {
    const clone = project(remote.clone(), '{ git: {} }');
    repositoryWithHooks(join(clone, 'evil.git'));
    git(clone, 'remote', 'set-url', 'origin', url === 'file' ? `file://${clone}/evil%2egit` : url);
    const { exit, stderr } = await run(clone, ['apply', '--yes']);
    expect(existsSync(marker())).toBe(false);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('[inventory-unavailable]')]);
  });

  test('is refused when only its push URL leads into the work tree', async () => {
    const clone = project(remote.clone(), '{ git: {} }');
    repositoryWithHooks(join(clone, 'evil.git'));
    git(clone, 'remote', 'set-url', '--push', 'origin', './evil.git');
    expect((await run(clone, ['apply', '--yes'])).exit).toBe(1);
    expect(existsSync(marker())).toBe(false);
  });
});

describe('a project in a submodule', () => {
  /** A clone whose `.gitmodules` choose the remote of `shop`. */
  function withSubmodule(urlIn: (clone: string) => string): { clone: string; shop: string } {
    const [clone, source] = [remote.clone(), project(join(remote.root, 'source'), '{ git: {} }')];
    git(source, 'init', '--quiet');
    git(source, 'add', '--all');
    git(source, 'commit', '--quiet', '-m', 'first');
    git(clone, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'shop');
    git(clone, 'config', '--file', '.gitmodules', 'submodule.shop.url', urlIn(clone));
    git(clone, 'submodule', '--quiet', 'sync');
    return { clone, shop: join(clone, 'shop') };
  }

  test.each(['apply --yes', 'apply --yes --inventory git:'])(
    'runs no hook among the files of its superproject: %s',
    async (words) => {
      const { clone, shop } = withSubmodule((top) => join(top, 'evil.git'));
      repositoryWithHooks(join(clone, 'evil.git'));
      const { exit, stderr } = await run(shop, words.split(' '));
      expect(existsSync(marker())).toBe(false);
      expect([exit, stderr]).toEqual([1, expect.stringContaining('git would run hooks')]);
    },
  );

  test('uses a remote only if the user named the inventory', async () => {
    const { shop } = withSubmodule(() => `file://${remote.path}`);
    const refused = await run(shop, ['apply', '--yes']);
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('is in a submodule')]);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const env = { ROSTER_INVENTORY: 'git:refs/heads/roster-inventory@origin' };
    expect((await run(shop, ['apply', '--yes'], env)).exit).toBe(0);
    expect(remote.git('branch', '--list', 'roster-inventory')).not.toBe('');
  });
});

describe('settings of git', () => {
  test('that the repository includes from its own files are refused', async () => {
    const clone = project(remote.clone(), '{ git: {} }');
    const command = program(join(remote.root, 'ssh'));
    writeFileSync(join(clone, 'team.gitconfig'), `[core]\n\tsshCommand = ${command}\n`);
    git(clone, 'config', 'include.path', '../team.gitconfig');
    git(clone, 'remote', 'set-url', 'origin', 'ssh://127.0.0.1/x.git');
    const { exit, stderr } = await run(clone, ['plan']);
    expect(existsSync(marker())).toBe(false);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('team.gitconfig')]);
  });

  test('that lie in the work tree because it is the home folder are refused', async () => {
    const clone = project(remote.clone(), '{ git: {} }');
    const command = program(join(remote.root, 'ssh'));
    writeFileSync(join(clone, '.gitconfig'), `[core]\n\tsshCommand = ${command}\n`);
    git(clone, 'remote', 'set-url', 'origin', 'ssh://127.0.0.1/x.git');
    const ended = await run(clone, ['plan'], { HOME: clone });
    expect(existsSync(marker())).toBe(false);
    expect(ended.exit).toBe(1);
  });

  test('cannot turn hooks among the files of the project into programs that run', async () => {
    const clone = project(remote.clone(), '{ git: {} }');
    for (const hook of ['pre-push', 'reference-transaction', 'post-commit', 'fsmonitor'])
      program(join(clone, 'hooks', hook));
    git(clone, 'config', 'core.hooksPath', 'hooks');
    git(clone, 'config', 'core.fsmonitor', 'hooks/fsmonitor');
    rmSync(marker(), { force: true });
    expect((await run(clone, ['apply', '--yes'])).exit).toBe(0);
    expect(existsSync(marker())).toBe(false);
  });
});

test('a filter that `.gitattributes` chooses does not run', async () => {
  const folder = project(remote.clone(), '{ git: {} }');
  writeFileSync(join(folder, '.gitattributes'), '*.yaml filter=lfs\n');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', 'attributes');
  const clean = program(join(remote.root, 'clean'));
  writeFileSync(
    join(remote.root, '.gitconfig'),
    `[filter "lfs"]\n\tclean = ${clean}\n\tprocess = ${clean}\n`,
  );
  // Git reads a file again whose times differ from those in the index.
  utimesSync(join(folder, 'roster.yaml'), new Date(), new Date(Date.now() + 5_000));
  for (const words of commands) await run(folder, words.split(' '));
  expect(sandbox.world.groups.size).toBe(1);
  expect(existsSync(marker())).toBe(false);
});
