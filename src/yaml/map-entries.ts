import type { Anchors } from './anchors.js';
import { duplicateKey } from './checks.js';
import type { ProblemList } from './problem.js';
import { type Entry, isPartial } from './tree.js';

/** Collects the entries of one map. Each key may be there once. */
export class MapEntries {
  readonly entries = new Map<string, Entry>();
  private merged: Entry | null = null;

  constructor(
    private readonly problems: ProblemList,
    /** True at the top level of a document. */
    private readonly isTop: boolean,
  ) {}

  add(entry: Entry): void {
    const { text } = entry.key;
    const first = this.entries.get(text);
    if (first === undefined) this.entries.set(text, entry);
    else {
      this.problems.add(duplicateKey(entry.key, first));
      // What it contains may be referred to. No key contains U+0000, so this one is unique.
      if (this.isTop) this.entries.set(`${text}\u0000${this.entries.size}`, { ...entry, repeated: true });
    }
  }

  /** Takes an entry with the key `<<`. */
  addMerge(entry: Entry): void {
    const help = 'Merge several maps with one key: `<<: [*a, *b]`. The first map takes precedence.';
    if (this.merged === null) this.merged = entry;
    else this.problems.add(duplicateKey(entry.key, this.merged, help));
  }

  /** Adds what is merged. True when some of it could not be read. */
  merge(anchors: Anchors): boolean {
    if (this.merged === null) return false;
    const { key, value } = this.merged;
    anchors.merge(value, key, this.entries);
    return isPartial(value);
  }
}
