import { exists, type Kind } from '../model/kind.js';
import type { Plan, Step } from '../model/plan.js';
import type { Reader } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { hasValues } from './values.js';

export interface BulkRemainder {
  readonly step: Step;
  readonly kind: Kind;
  readonly reader: Reader;
  readonly records: Plan['records'];
  readonly ids: ReadonlyMap<Address, string>;
}

/**
 * What a bulk call has not done, as one step for each change, with its address as the id. The list is read again,
 * because the counts in the answer do not say which objects were skipped. Deletes of objects that are gone are not repeated, nor changes that
 * were made.
 */
export async function bulkRemainder(inputs: BulkRemainder): Promise<readonly Step[]> {
  const { step, kind, reader } = inputs;
  const listed = (await reader.readAll(kind.list())).filter((each) => exists(kind, each));
  const byId = new Map(listed.map((each) => [each.id, each]));
  return step.singles.flatMap((request, index): Step[] => {
    const address = step.addresses[index];
    if (address === undefined) throw new Error(`step ${step.id} has more requests than addresses`);
    const id = inputs.ids.get(address);
    const observed = id === undefined ? undefined : byId.get(id);
    const isDone =
      request.method === 'DELETE'
        ? observed === undefined
        : observed !== undefined && isAsApplied(address, observed, inputs);
    return isDone
      ? []
      : [{ ...step, id: address, addresses: [address], request, singles: [], after: [], last: false }];
  });
}

function isAsApplied(address: Address, { spec }: Observed, { kind, records, ids }: BulkRemainder): boolean {
  const applied = records[address]?.applied;
  return applied !== undefined && hasValues(kind, spec, applied, ids);
}
