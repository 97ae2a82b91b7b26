import { exists, type Kind } from '../model/kind.js';
import type { Plan, Step } from '../model/plan.js';
import type { Address, Observed } from '../model/resource.js';
import { hasValues } from './values.js';

/**
 * What a bulk call has not done, as one step for each change, with its address as the id. The list shows it, because the
 * counts in the answer do not say which objects were skipped. Deletes of objects that are gone are not repeated, nor
 * changes that were made.
 */
export function bulkRemainder(
  step: Step,
  kind: Kind,
  listed: readonly Observed[],
  { records, ids }: { readonly records: Plan['records']; readonly ids: ReadonlyMap<Address, string> },
): readonly Step[] {
  const byId = new Map(listed.filter((each) => exists(kind, each)).map((each) => [each.id, each]));
  const isAsApplied = (address: Address, { spec }: Observed) => {
    const record = records[address];
    return record !== undefined && hasValues(kind, spec, record, ids);
  };
  return step.singles.flatMap((request, index): Step[] => {
    const address = step.addresses[index];
    if (address === undefined) throw new Error(`step ${step.id} has more requests than addresses`);
    const id = ids.get(address);
    const observed = id === undefined ? undefined : byId.get(id);
    const isDone =
      request.method === 'DELETE'
        ? observed === undefined
        : observed !== undefined && isAsApplied(address, observed);
    return isDone
      ? []
      : [{ ...step, id: address, addresses: [address], request, singles: [], after: [], last: false }];
  });
}
