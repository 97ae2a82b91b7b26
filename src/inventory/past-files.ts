import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Git } from './git.js';

/** As much as a project may have. */
const MOST_FILES = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Writes the manifests of a commit into a temporary folder for as long as `work` takes: `work` gets the folder of the
 * project in it. Null where they are more than a project may have. Only regular files are written, and their content is
 * what git has stored: no filter runs.
 * @param isManifest whether a file may be one, by its path from the top.
 */
export async function withPastFiles<T>(
  { git, prefix }: { readonly git: Git; readonly prefix: string },
  commit: string,
  isManifest: (path: string) => boolean,
  work: (folder: string) => T,
): Promise<T | null> {
  const within = prefix === '' ? [] : [`:(literal)${prefix}`];
  const list = await git.run(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...within]);
  const files = list.split('\0').flatMap((line) => {
    const [, blob = '', size = '', path = ''] = /^100\d{3} blob (\w+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    return path !== '' && isManifest(path) && isSafe(path) ? [{ blob, path, bytes: Number(size) }] : [];
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > MOST_FILES || bytes > MOST_BYTES) return null;
  const contents = await git.contents(files.map(({ blob }) => blob));
  const top = mkdtempSync(join(tmpdir(), 'roster-commit-'));
  try {
    const folder = join(top, prefix);
    mkdirSync(folder, { recursive: true });
    for (const { blob, path } of files) {
      const file = join(top, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents.get(blob) ?? '', { mode: 0o600 });
    }
    return work(folder);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** A tree can hold names that lead out of the folder, or that this system reads in another way. */
function isSafe(path: string): boolean {
  return path.split('/').every((name) => name !== '' && !/^\.+$|[\\:]/.test(name));
}
