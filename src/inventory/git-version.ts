import type { Git } from './git.js';

export const OLDEST_GIT = '2.20';

/** The version that git names, such as `2.39.5`; null where it names none. */
export async function gitVersion(git: Git): Promise<string | null> {
  const [, version] = /^git version (\d+(?:\.\d+)+)/.exec((await git.answer(['version'])) ?? '') ?? [];
  return version ?? null;
}

/** An unknown version counts as a new one. */
export function isOlder(version: string | null, than: string): boolean {
  if (version === null) return false;
  const [a = [], b = []] = [version, than].map((each) => each.split('.').map(Number));
  const at = b.findIndex((part, index) => (a[index] ?? 0) !== part);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
