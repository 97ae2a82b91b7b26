import { lstatSync, type Stats } from 'node:fs';

/** What stands at a path, links not followed; null when nothing that could be read does. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP'].includes(codeOf(error) ?? '')) return null;
    throw error;
  }
}

/** The name that the system has for what went wrong; undefined for a bug. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
