import picomatch from 'picomatch';
import { problem } from '../model/diagnostic.js';
import type { Selector } from '../reconcile/select.js';

/** The addresses given on the command line, which may be globs such as `schedule/*`; null when none were. */
export function selectorsOf(patterns: readonly string[]): readonly Selector[] | null {
  if (patterns.length === 0) return null;
  return patterns.map((pattern) => {
    if (pattern.trim() === '') {
      const help = 'Leave it out to mean all, or name one, such as group/retail-prices. Is a variable empty?';
      throw problem('usage', 'an address is empty', help);
    }
    return { pattern, matches: picomatch(pattern, { dot: true }) };
  });
}
