import picomatch from 'picomatch';
import type { Selector } from '../reconcile/select.js';

/** The addresses given on the command line, which may be globs such as `schedule/*`; null when none were. */
export function selectorsOf(patterns: readonly string[]): readonly Selector[] | null {
  if (patterns.length === 0) return null;
  return patterns.map((pattern) => ({ pattern, matches: picomatch(pattern, { dot: true }) }));
}
