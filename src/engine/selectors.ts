import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { Problem, problem } from '../model/diagnostic.js';
import { Glob } from '../model/glob.js';
import type { Address } from '../model/resource.js';
import { matchingNothing, type Selectable } from '../reconcile/select.js';
import type { Selector } from '../reconcile/world.js';

/** Addresses, which may be globs such as `schedule/*`, as selectors; null when there are none. Throws a Problem for an empty one. */
export function selectorsOf(addresses: readonly string[]): readonly Selector[] | null {
  if (addresses.length === 0) return null;
  return addresses.map((pattern) => {
    if (pattern.trim() === '') {
      const help =
        'Omit it to select everything, or pass an address such as `group/retail-prices`. Check that no shell variable is empty.';
      throw problem('usage', 'an address is empty', help);
    }
    const glob = new Glob(pattern);
    return { pattern, matches: (address) => glob.matches(address) };
  });
}

/** Which of these addresses are selected; all of them without selectors. Throws a Problem for a pattern that matches none. */
export function selectedOf(
  selectors: readonly Selector[] | null,
  selectable: Selectable,
): (address: Address) => boolean {
  if (selectors === null) return () => true;
  const errors = matchingNothing(selectors, selectable, suggestWithin(limits.comparisons));
  if (errors.length > 0) throw new Problem(errors);
  return (address) => selectors.some((each) => each.matches(address));
}

/** A glob for names, in which `*` also stands for slashes. */
export function nameGlob(pattern: string): (name: string) => boolean {
  const glob = new Glob(pattern, { crossing: true });
  return (name) => glob.matches(name);
}
