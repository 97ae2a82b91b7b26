import picomatch from 'picomatch';
import { problem } from '../model/diagnostic.js';
import type { Selector } from '../reconcile/select.js';

/** Addresses, which may be globs such as `schedule/*`, as selectors; null when there are none. Throws a Problem for an empty one. */
export function selectorsOf(addresses: readonly string[]): readonly Selector[] | null {
  if (addresses.length === 0) return null;
  return addresses.map((pattern) => {
    if (pattern.trim() === '') {
      const help =
        'Omit it to select everything, or pass an address such as `group/retail-prices`. Check that no shell variable is empty.';
      throw problem('usage', 'an address is empty', help);
    }
    return { pattern, matches: picomatch(pattern, { dot: true }) };
  });
}
