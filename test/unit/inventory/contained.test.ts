import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { containsChanges } from '../../../src/inventory/contained.js';
import { Git, type GitWords } from '../../../src/inventory/git.js';
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

test('nothing, where git fails or the files cannot be read', async () => {
  git(folder, 'checkout', '--quiet', '--detach', 'main');
  const head = commit(squashed);
  const isManifest = (path: string) => path.endsWith('.yaml');
  expect(await containsChanges(tree, { head, applied, isManifest })).toBe(true);
  const remote = join(folder, '..', 'partial.git');
  git(folder, 'clone', '--quiet', '--bare', folder, remote);
  git(remote, 'config', 'uploadpack.allowFilter', 'true');
  git(remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  git(remote, 'update-ref', 'refs/heads/squashed', head);
  const partial = join(folder, '..', 'partial');
  git(folder, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${remote}`, partial);
  git(partial, 'remote', 'set-url', 'origin', `file://${remote}.gone`);
  const gitDir = join(partial, '.git');
  const lacking = { git: new Git({ folder: partial, gitDir }, process.env), prefix: 'shop/' };
  expect(await containsChanges(lacking, { head, applied, isManifest })).toBe(false);
});

/** A branch that changes so many manifests, none of which is in any other commit. */
class ManyFiles extends Git {
  longest = 0;

  constructor(private readonly count: number) {
    super({ folder, gitDir: join(folder, '.git') }, process.env);
  }

  override run(args: GitWords, input?: string): Promise<string> {
    this.longest = Math.max(this.longest, args.join(' ').length);
    if (args[0] !== 'diff-tree') return super.run(args, input);
    const names = Array.from({ length: this.count }, (_, index) => `shop/${'long-'.repeat(40)}${index}.yaml`);
    return Promise.resolve(names.join('\0'));
  }
}

test.each([
  [2_000, true],
  [100_000, false],
])('%d manifests are no arguments of git; their changes are found: %s', async (count, expected) => {
  const many = new ManyFiles(count);
  const options = { head: git(folder, 'rev-parse', 'main'), applied, isManifest: () => true };
  expect(await containsChanges({ git: many, prefix: 'shop/' }, options)).toBe(expected);
  expect(many.longest).toBeLessThan(500);
});
