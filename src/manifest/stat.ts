import { lstatSync, type Stats } from 'node:fs';
import { errnoOf } from '../files/errno.js';

/** What is at a path, without following links; null when nothing there can be read. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}
