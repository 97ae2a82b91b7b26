import { lstatSync, type Stats } from 'node:fs';

/** What is at a path, without following links; null when nothing there can be read. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP'].includes(codeOf(error) ?? '')) return null;
    throw error;
  }
}

/** The system's code of an error; undefined for a bug. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
