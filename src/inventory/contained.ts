import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../model/diagnostic.js';
import { type Git, GitFailure } from './git.js';

/** Commits that are looked at, the newest first, and merges that are tried. */
const MOST_COMMITS = 500;
const MOST_MERGES = 200;
/** More changed manifests count as not contained. */
const MOST_FILES = 2_000;
/** Files times commits: with many files, fewer commits are looked at. */
const MOST_BLOBS = 100_000;
/** Of the files of one commit. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface ContentOptions {
  readonly head: string;
  readonly applied: string;
  /** Whether a file may be a manifest, by its path from the top. */
  readonly isManifest: (path: string) => boolean;
}

/**
 * Whether the branch has all that a commit changed in the manifests, although the commit is none of its own: it was
 * squashed, rebased or cherry-picked. It has, if after one of its commits a merge with `applied` would have changed no
 * manifest, or if it has the same patches. What was changed later, and what else the branch has, makes no difference.
 * False where git knows too little, fails, or would have to compare too much.
 */
export async function containsChanges(tree: Tree, options: ContentOptions): Promise<boolean> {
  try {
    return await findChanges(tree, options);
  } catch (failure) {
    if (failure instanceof GitFailure || failure instanceof Problem) return false;
    throw failure;
  }
}

interface Tree {
  readonly git: Git;
  readonly prefix: string;
}

async function findChanges({ git, prefix }: Tree, options: ContentOptions): Promise<boolean> {
  const { head, applied, isManifest } = options;
  const base = await git.answer(['merge-base', applied, head]);
  if (base === null) return false;
  const within = prefix === '' ? [] : [`:(top,literal)${prefix}`];
  const changed = await git.run([
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-only',
    base,
    applied,
    '--',
    ...within,
  ]);
  const files = changed.split('\0').filter((path) => path !== '' && isManifest(path));
  // Its changes are of no manifest.
  if (files.length === 0) return true;
  // Names are passed by lines.
  if (files.length > MOST_FILES || files.some((path) => path.includes('\n'))) return false;
  const paths = `--\n${files.map((path) => `:(top,literal)${path}\n`).join('')}`;
  const most = Math.min(MOST_COMMITS, Math.floor(MOST_BLOBS / files.length));
  const range = ['--first-parent', `--max-count=${most}`, `${base}..${head}`];
  const later = (await git.run(['rev-list', ...range, '--stdin'], paths))
    .split('\n')
    .filter((each) => each !== '');
  const [before, after, ...states] = await blobsAt(git, [base, applied, ...later], files);
  if (before === undefined || after === undefined) return false;
  const isWhole = (state: readonly (string | null)[]) => state.every((blob, at) => blob === after[at]);
  if (states.some(isWhole)) return true;
  if (await new Merges(git).anyUnchanged(states, before, after)) return true;
  return arePicked(git, `${head}...${applied}`, paths);
}

/**
 * Whether the branch has the patch of each commit on the other side. That finds commits that were picked one by one, with
 * changes of the same lines in between. A merge has no patch.
 */
async function arePicked(git: Git, range: string, paths: string): Promise<boolean> {
  const missing = (...options: readonly string[]) =>
    git.run(['rev-list', '--right-only', ...options, range, '--stdin'], paths);
  return (await missing('--merges')) === '' && (await missing('--cherry-pick')) === '';
}

/** For each commit the blobs of the files; null for a file that the commit does not have. */
async function blobsAt(
  git: Git,
  commits: readonly string[],
  files: readonly string[],
): Promise<(string | null)[][]> {
  const names = commits.flatMap((commit) => files.map((file) => `${commit}:${file}\n`)).join('');
  const blobs = (await git.run(['cat-file', '--batch-check'], names))
    .split('\n')
    .map((line) => /^(\w+) blob \d+$/.exec(line)?.[1] ?? null);
  return commits.map((_, index) => blobs.slice(index * files.length, (index + 1) * files.length));
}

type State = readonly (string | null)[];

/** Merges of single files, as git makes them: no attribute of the repository decides how. */
class Merges {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(private readonly git: Git) {}

  async anyUnchanged(states: readonly State[], before: State, after: State): Promise<boolean> {
    for (const state of states) {
      if (await this.isUnchanged(state, before, after)) return true;
      if (this.known.size > MOST_MERGES) return false;
    }
    return false;
  }

  /** Whether a merge would leave each file as it is. */
  private async isUnchanged(state: State, before: State, after: State): Promise<boolean> {
    for (const [at, current] of state.entries()) {
      const [base = null, other = null] = [before[at], after[at]];
      if (current === other) continue;
      // Deleted on one side, and not on the other.
      if (current === null || other === null) return false;
      if (!(await this.keeps(current, base, other))) return false;
    }
    return true;
  }

  private keeps(current: string, base: string | null, other: string): Promise<boolean> {
    const key = [current, base, other].join(' ');
    const known = this.known.get(key) ?? this.merge(current, base, other);
    this.known.set(key, known);
    return known;
  }

  private async merge(current: string, base: string | null, other: string): Promise<boolean> {
    const blobs = [current, other, ...(base === null ? [] : [base])];
    const contents = await this.git.contents(blobs);
    const textOf = (blob: string | null) => contents.get(blob ?? '') ?? Buffer.alloc(0);
    const texts = [current, base, other].map(textOf);
    if (texts.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) return false;
    const folder = mkdtempSync(join(tmpdir(), 'roster-merge-'));
    try {
      const files = texts.map((text, index) => {
        const file = join(folder, `${index}`);
        writeFileSync(file, text, { mode: 0o600 });
        return file;
      });
      // It fails where there are conflicts, and for files that are no text.
      const merged = await this.git.answer(['merge-file', '-p', '-q', ...files]);
      return merged !== null && merged === textOf(current).toString('utf8').replace(/\n$/, '');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
