import type { InventoryEntry } from '../../model/inventory.js';
import type { Kind } from '../../model/kind.js';
import { namedIds } from '../../model/named-ids.js';
import type { Desired, EntryProblem, Observed } from '../../model/resource.js';
import { mismatch, nameAndId } from './recorded.js';

/** Why an entry cannot be paired with an object. */
export type PairingProblem = Omit<EntryProblem, 'severity'>;

export function mismatchProblem(entry: Desired, known: InventoryEntry, found: Observed): PairingProblem {
  return {
    code: 'inventory-mismatch',
    path: [],
    message: mismatch(entry.address, known, found),
    help: `Restore the inventory. If it is the right object, bind the entry: \`id: ${found.id}\`.`,
  };
}

/** Several objects have the natural key of an entry. */
export function ambiguousName(
  { section, identity }: Kind,
  entry: Desired,
  candidates: readonly Observed[],
): PairingProblem {
  const ids = candidates.map((each) => each.id ?? 'an object without an id').sort();
  const description = identity.describe(entry.spec);
  return {
    code: 'ambiguous-name',
    path: [],
    message: `the service has ${ids.length} ${section} ${description}: ${namedIds(ids)}`,
    help: `Bind the entry to one of them: \`id: ${ids[0]}\`.`,
  };
}

export function notManageable({ name }: Kind, found: Observed): PairingProblem {
  return {
    code: 'not-manageable',
    path: [],
    message: `the ${name} ${nameAndId(found)} was set up by the operator and cannot be changed`,
    help: 'Declare it with `external: true` to refer to it, or give this entry another name.',
  };
}
