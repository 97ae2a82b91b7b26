import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from './diagnostics.js';
import { codeOf, statOf } from './stat.js';

/** Finds the file that a person most likely meant by a path that leads nowhere. */
export class NearPaths {
  /** By folder: many paths may lead nowhere in the same one. */
  private readonly names = new Map<string, readonly string[]>();

  constructor(
    private readonly root: string,
    private readonly told: Diagnostics,
  ) {}

  /** A path of a regular file, reached without a link, going down from the root one name at a time; null for none. */
  find(path: string): string | null {
    let folder = this.root;
    const found: string[] = [];
    for (const name of path.split('/')) {
      const names = this.namesIn(folder);
      const next = names.includes(name) ? name : this.told.near(name, names, names.length);
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

/** In an order of their own: that of the disk differs between machines. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    // A hint is no reason to fail: what cannot be listed holds nothing that could be meant.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
