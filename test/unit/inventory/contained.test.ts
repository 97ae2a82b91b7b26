import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { containsChanges } from '../../../src/inventory/contained.js';
import { Git } from '../../../src/inventory/git.js';
import { git, Remote } from '../../support/repository.js';

/** A commit on a branch adds a group and changes another one; `main` has gone on. */

let folder: string;
let tree: { git: Git; prefix: string };
let applied: string;

const groups = (names: readonly string[], more = '') =>
  names.map((name) => `  ${name}:\n    members:\n      - acme\n${name === 'a' ? more : ''}`).join('');
const text = (first: string, names: readonly string[], more?: string) =>
  `project: ${first}\n# 1\n# 2\n# 3\ngroups:\n${groups(names, more)}`;
const base = text('p', ['a', 'b', 'c', 'd']);
const theirs = text('p', ['a', 'b', 'c', 'd', 'new'], '      - globex\n');

function commit(files: Readonly<Record<string, string>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'change');
  return git(folder, 'rev-parse', 'HEAD');
}

beforeAll(() => {
  folder = new Remote({ 'shop/roster.yaml': base, README: 'hello\n' }).clone();
  git(folder, 'checkout', '--quiet', '-b', 'branch');
  commit({ 'shop/roster.yaml': text('p', ['a', 'b', 'c', 'd', 'new']) });
  applied = commit({ 'shop/roster.yaml': theirs, 'src/code.ts': 'code\n' });
  const gitDir = join(folder, '.git');
  tree = { git: new Git({ folder, gitDir }, process.env), prefix: 'shop/' };
});

const first = { 'shop/roster.yaml': base.replace('project: p', 'project: q') };
const more = '      - globex\n';
const added = { 'shop/roster.yaml': text('q', ['a', 'b', 'c', 'd', 'new']) };
const squashed = { 'shop/roster.yaml': theirs.replace('project: p', 'project: q') };

test.each<[string, readonly Readonly<Record<string, string>>[], boolean]>([
  ['nothing of it', [first, { README: 'other\n' }], false],
  ['its content', [{ 'shop/roster.yaml': theirs }], true],
  ['its content on top of other changes, without its files of other folders', [first, squashed], true],
  ['its content, and later changes of the same lines', [first, squashed, { 'shop/roster.yaml': base }], true],
  [
    'each of its commits, and a change of the same lines between them',
    [first, added, first, { 'shop/roster.yaml': text('q', ['a', 'b', 'c', 'd'], more) }],
    true,
  ],
  ['a part of it', [first, added], false],
  ['its content with a change', [first, { 'shop/roster.yaml': theirs.replace('globex', 'initech') }], false],
  ['no such file any more', [{ 'shop/roster.yaml': '' }], false],
])('a branch with %s', async (_, commits, expected) => {
  git(folder, 'checkout', '--quiet', '--detach', 'main');
  const head = commits.map(commit).at(-1) ?? '';
  const isManifest = (path: string) => path.endsWith('.yaml');
  expect(await containsChanges(tree, { head, applied, isManifest })).toBe(expected);
});
