import { type Diagnostic, itemsOf } from './diagnostic.js';
import type { Address } from './resource.js';

interface Merged {
  readonly diagnostic: Diagnostic;
  /** What is said of each item of `each`. */
  readonly items: Map<string, string>;
  readonly entries: Set<Address>;
}

/** Problems with one code, of one policy, at one place. */
interface AtPlace {
  readonly merged: Merged[];
  /** By item and message; undefined is no item. */
  readonly byItem: Map<string | undefined, Map<string, Merged>>;
}

/**
 * Diagnostics, each once: an anchored value is reported for each entry that uses it, and a repeated entry for each item.
 * What one code says of one place is one problem for all items (contract §14), whatever values of theirs it names. Of an
 * item that has several problems there, each is a diagnostic of its own.
 */
export class MergedDiagnostics {
  readonly list: Merged[] = [];
  private readonly places = new Map<string, AtPlace>();

  add(diagnostic: Diagnostic): void {
    const { severity, code, policy, place } = diagnostic;
    const key = JSON.stringify([severity, code, policy, place?.file, place?.line, place?.column]);
    const at = this.places.get(key) ?? { merged: [], byItem: new Map() };
    this.places.set(key, at);
    const items = itemsOf(diagnostic);
    const joined =
      items.length === 0
        ? [this.join(at, undefined, diagnostic)]
        : items.map(({ item, message }) => this.join(at, item, { ...diagnostic, message }));
    const entries = entriesOf(diagnostic);
    for (const each of new Set(joined)) for (const entry of entries) each.entries.add(entry);
  }

  private join({ merged, byItem }: AtPlace, item: string | undefined, diagnostic: Diagnostic): Merged {
    const { message } = diagnostic;
    const own = byItem.get(item) ?? new Map<string, Merged>();
    byItem.set(item, own);
    const known = own.get(message) ?? (item === undefined ? undefined : merged[own.size]);
    const found = known ?? { diagnostic, items: new Map(), entries: new Set() };
    own.set(message, found);
    if (item !== undefined) found.items.set(item, message);
    if (known !== undefined) return found;
    merged.push(found);
    this.list.push(found);
    return found;
  }

  get diagnostics(): Diagnostic[] {
    return this.list.map(({ diagnostic, items, entries }) => ({
      ...diagnostic,
      ...(items.size > 0 ? { items: [...items].map(([item, message]) => ({ item, message })) } : {}),
      ...(entries.size > 0 ? { entries: [...entries] } : {}),
    }));
  }
}

/** The entries that a diagnostic is about. */
export function entriesOf({ entries, address }: Diagnostic): readonly Address[] {
  return entries ?? (address === undefined ? [] : [address]);
}
