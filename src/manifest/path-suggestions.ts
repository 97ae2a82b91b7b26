import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../files/errno.js';
import { statOf } from './stat.js';
import type { Suggestions } from './suggest.js';

/** Finds the file that was most likely meant by a path that does not exist. */
export class PathSuggestions {
  /** By folder: many paths may be wrong in the same one. */
  private readonly names = new Map<string, readonly string[]>();

  constructor(
    private readonly root: string,
    private readonly suggestions: Suggestions,
  ) {}

  /** The path of a regular file, followed from the root one name at a time and never through a link; null for none. */
  find(path: string): string | null {
    let folder = this.root;
    const found: string[] = [];
    for (const name of path.split('/')) {
      const names = this.namesIn(folder);
      const next = names.includes(name) ? name : this.suggestions.of(name, names, names.length);
      if (next === null) return null;
      found.push(next);
      folder = join(folder, next);
    }
    return statOf(folder)?.isFile() ? found.join('/') : null;
  }

  private namesIn(folder: string): readonly string[] {
    const known = this.names.get(folder);
    if (known !== undefined) return known;
    const names = statOf(folder)?.isDirectory() ? list(folder) : [];
    this.names.set(folder, names);
    return names;
  }
}

/** Sorted, because the order of the disk differs between machines. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    // A hint is not a reason to fail: a folder that cannot be listed has no suggestions.
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}
