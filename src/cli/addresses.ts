import picomatch from 'picomatch';
import type { Address } from '../model/resource.js';

/** The addresses given on the command line, which may be globs such as `schedule/*`; null when none were. */
export function selectionOf(patterns: readonly string[]): ((address: Address) => boolean) | null {
  return patterns.length === 0 ? null : picomatch([...patterns], { dot: true });
}
