import type { Kind } from '../../model/kind.js';
import { namedIds } from '../../model/named-ids.js';
import type { Desired, EntryProblem, Observed } from '../../model/resource.js';

/** Several objects have the natural key of an entry. */
export function ambiguousName(
  { section, identity }: Kind,
  entry: Desired,
  candidates: readonly Observed[],
): Omit<EntryProblem, 'severity'> {
  const ids = candidates.map((each) => each.id ?? 'an object without an id').sort();
  const description = identity.describe(entry.spec);
  return {
    code: 'ambiguous-name',
    path: [],
    message: `the service has ${ids.length} ${section} ${description}: ${namedIds(ids)}`,
    help: `Bind the entry to one of them: \`id: ${ids[0]}\`.`,
  };
}
