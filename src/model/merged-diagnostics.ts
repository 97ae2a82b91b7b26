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
  /** By item and message, without the first of an item: most have no other. Undefined is no item. */
  readonly others: Map<string | undefined, Map<string, Merged>>;
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
    const items = itemsOf(diagnostic);
    const { file, line, column } = place ?? {};
    const key = JSON.stringify([severity, code, policy, file, line, column, items.length > 0]);
    const at = this.places.get(key) ?? { merged: [], others: new Map() };
    this.places.set(key, at);
    const joined =
      items.length === 0
        ? [this.join(at, undefined, diagnostic)]
        : items.map(({ item, message }) => this.join(at, item, { ...diagnostic, message }));
    const entries = entriesOf(diagnostic);
    for (const each of new Set(joined)) for (const entry of entries) each.entries.add(entry);
  }

  private join(at: AtPlace, item: string | undefined, diagnostic: Diagnostic): Merged {
    const { message } = diagnostic;
    const [first] = at.merged;
    const said = item === undefined ? undefined : (first?.items.get(item) ?? message);
    if (said === message) return this.put(at, first, item, diagnostic);
    const own = at.others.get(item) ?? new Map<string, Merged>();
    at.others.set(item, own);
    const known = own.get(message) ?? (item === undefined ? undefined : at.merged[own.size + 1]);
    const found = this.put(at, known, item, diagnostic);
    own.set(message, found);
    return found;
  }

  private put(
    at: AtPlace,
    known: Merged | undefined,
    item: string | undefined,
    diagnostic: Diagnostic,
  ): Merged {
    const found = known ?? { diagnostic, items: new Map(), entries: new Set() };
    const { message } = found.diagnostic;
    // One text for all that say the same.
    if (item !== undefined)
      found.items.set(item, diagnostic.message === message ? message : diagnostic.message);
    if (known !== undefined) return found;
    at.merged.push(found);
    this.list.push(found);
    return found;
  }

  get diagnostics(): Diagnostic[] {
    return this.list.map(({ diagnostic, items, entries }) => ({
      ...diagnostic,
      items: items.size > 0 ? [...items].map(([item, message]) => ({ item, message })) : diagnostic.items,
      entries: entries.size > 0 ? [...entries] : diagnostic.entries,
    }));
  }
}

/** Each problem once, in the order of the first. */
export function merged(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const once = new MergedDiagnostics();
  for (const each of diagnostics) once.add(each);
  return once.diagnostics;
}

/** The entries that a diagnostic is about. */
export function entriesOf({ entries, address }: Diagnostic): readonly Address[] {
  return entries ?? (address === undefined ? [] : [address]);
}
