import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  checkRemote,
  NoRepository,
  openWorkTree,
  type RemoteNames,
} from '../../../src/inventory/work-tree.js';
import { git } from '../../support/repository.js';

const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

let root = '';
/** A clone with one commit. */
let clone = '';
/** Copied for each test, because making it takes several processes. */
let template = '';
beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'roster-template-'));
  git(template, 'init', '--quiet', '--initial-branch=main');
  git(template, 'commit', '--quiet', '--allow-empty', '-m', 'first');
});
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'roster-work-tree-')));
  clone = join(root, 'clone');
  cpSync(template, clone, { recursive: true });
});

async function topOf(folder: string): Promise<string> {
  try {
    return (await openWorkTree(folder, env)).top;
  } catch (failure) {
    if (failure instanceof NoRepository) return 'refused';
    throw failure;
  }
}

const layouts: [string, () => string, () => string][] = [
  ['a clone', () => clone, () => clone],
  ['a folder below the top', () => made('clone/shop/prices'), () => clone],
  ['a folder whose `.git` has another name elsewhere', separate, () => join(root, 'apart')],
  ['a second work tree', () => added('../second'), () => join(root, 'second')],
  ['a second work tree inside the first one', () => added('second'), () => join(clone, 'second')],
  ['work trees around a bare repository', besideBare, () => join(root, 'many/main')],
  ['a submodule', submodule, () => join(clone, 'module')],
  [
    'work trees of a bare repository in a home folder that is in git',
    inHome,
    () => join(clone, 'projects/main'),
  ],
];

const made = (path: string) => {
  mkdirSync(join(root, path), { recursive: true });
  return join(root, path);
};

function separate(): string {
  git(root, 'init', '--quiet', '--separate-git-dir=store', 'apart');
  return join(root, 'apart');
}

function added(path: string): string {
  git(clone, 'worktree', 'add', '--quiet', '--detach', path);
  return join(clone, path);
}

function besideBare(): string {
  git(root, 'clone', '--quiet', '--bare', clone, 'many/.bare');
  writeFileSync(join(root, 'many/.git'), 'gitdir: ./.bare\n');
  git(join(root, 'many'), 'worktree', 'add', '--quiet', 'main');
  return join(root, 'many/main');
}

/** As with the settings of a home folder: its repository does not know the clones in it. */
function inHome(): string {
  git(root, 'clone', '--quiet', '--bare', clone, 'clone/projects/shop.git');
  git(join(clone, 'projects/shop.git'), 'worktree', 'add', '--quiet', '../main');
  return join(clone, 'projects/main');
}

function submodule(): string {
  git(root, 'clone', '--quiet', clone, 'other');
  git(
    clone,
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(root, 'other'),
    'module',
  );
  return join(clone, 'module');
}

describe('the work tree', () => {
  test.each(layouts)('is found from %s', async (_, make, top) => {
    expect(await topOf(make())).toBe(top());
  });

  test('is not found outside a repository', async () => {
    await expect(openWorkTree(root, env)).rejects.toMatchObject({ outside: true });
  });

  test.each<[string, () => string]>([
    ['in a bare repository', () => bare('bare.git')],
    ['in the folder `.git`', () => join(clone, '.git')],
    ['from a `.git` file that leads to files next to it', () => pointing('clone/shop', './data')],
    ['from a `.git` file that leads to files of an outer work tree', () => pointing('clone/shop', '../data')],
    ['from a `.git` file that leads to the files of another clone', () => pointing('shop', '../clone/data')],
  ])('is refused %s', async (_, make) => {
    expect(await topOf(make())).toBe('refused');
  });
});

function bare(name: string): string {
  git(root, 'clone', '--quiet', '--bare', clone, name);
  return join(root, name);
}

function pointing(folder: string, target: string): string {
  const path = made(folder);
  cpSync(join(clone, '.git'), join(path, target), { recursive: true });
  git(clone, 'add', '--all', '--', ':!shop');
  writeFileSync(join(path, '.git'), `gitdir: ${target}\n`);
  return path;
}

test('settings in the files around a submodule are refused', async () => {
  const module = submodule();
  writeFileSync(join(clone, 'team.gitconfig'), '[user]\n\tname = x\n');
  git(module, 'config', 'include.path', join(clone, 'team.gitconfig'));
  expect(await topOf(module)).toBe('refused');
});

describe('a remote', () => {
  async function check(
    url: string,
    names: RemoteNames = { remote: 'origin', ref: 'refs/heads/x' },
  ): Promise<string> {
    git(clone, 'remote', 'add', 'origin', url);
    try {
      await checkRemote(await openWorkTree(clone, env), names);
      return 'accepted';
    } catch (failure) {
      if (failure instanceof NoRepository) return 'refused';
      throw failure;
    }
  }

  test.each([
    'https://example.com/a.git',
    'git@example.com:a.git',
    'example.com:a.git',
    'ssh://example.com/a.git',
    '../other.git',
    'file:///srv/a.git',
    './.git/modules/x',
  ])('may be %s', async (url) => {
    expect(await check(url)).toBe('accepted');
  });

  test('may be below the home folder', async () => {
    const home = join(root, 'home');
    expect(await check('~/a.git', { remote: 'origin', ref: 'refs/heads/x', home })).toBe('accepted');
  });

  test.each<[string, () => void, () => string]>([
    ['the home folder is in the work tree', () => undefined, () => join(clone, 'home')],
    ['the work tree has a file of this name', () => made('clone/~/a.git'), () => root],
    ['there is no home folder', () => undefined, () => ''],
  ])('may not be `~/a.git` when %s', async (_, prepare, home) => {
    prepare();
    const names = { remote: 'origin', ref: 'refs/heads/x', home: home() };
    expect(await check('~/a.git', names)).toBe('refused');
  });

  test.each(['clone/a.git', 'link'])(
    'of a submodule may not be among the files around it: %s',
    async (path) => {
      const module = submodule();
      mkdirSync(join(clone, 'a.git'));
      symlinkSync(join(clone, 'a.git'), join(root, 'link'));
      git(module, 'remote', 'set-url', 'origin', join(root, path));
      const names = { remote: 'origin', ref: 'refs/heads/x' };
      await expect(checkRemote(await openWorkTree(module, env), names)).rejects.toThrow(NoRepository);
    },
  );

  test.each(['.', './a.git', 'a/../b', '../clone/a.git', '../link'])('may not be %s', async (url) => {
    mkdirSync(join(clone, 'a.git'));
    symlinkSync(join(clone, 'a.git'), join(root, 'link'));
    expect(await check(url)).toBe('refused');
  });

  test.each(['/%61.git', '/a%zz.git'])('may not be a file URL below the top: %s', async (path) => {
    expect(await check(`file://${clone}${path}`)).toBe('refused');
  });

  test.each([
    { remote: '--upload-pack=x', ref: 'refs/heads/x' },
    { remote: 'upstream', ref: 'refs/heads/x' },
    { remote: './a.git', ref: 'refs/heads/x' },
    { remote: 'origin', ref: 'heads/x' },
    { remote: 'origin', ref: '--force' },
    { remote: 'origin', ref: 'refs/heads/x..y' },
    { remote: 'origin', ref: 'refs/heads/x:refs/heads/main' },
    { remote: 'origin', ref: 'refs/heads/*' },
  ])('and a ref are names: %s', async (names) => {
    expect(await check('https://example.com/a.git', names)).toBe('refused');
  });
});
