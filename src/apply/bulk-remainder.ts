import type { Kind } from '../model/kind.js';
import type { Plan, Step } from '../model/plan.js';
import type { Reader, Request } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { hasValues } from './values.js';

export interface BulkRemainder {
  readonly step: Step;
  readonly kind: Kind;
  readonly reader: Reader;
  readonly records: Plan['records'];
  readonly ids: ReadonlyMap<Address, string>;
}

/** One change of a bulk call, by itself. */
export interface Single {
  readonly address: Address;
  readonly request: Request;
}

/**
 * What a bulk call has left undone, as single requests: the list is read again, for the counts of the answer do not say
 * which objects were skipped. Deletes of what is gone are not repeated, nor changes that are there.
 */
export async function bulkRemainder(inputs: BulkRemainder): Promise<readonly Single[]> {
  const { step, kind, reader } = inputs;
  const listed = (await reader.readAll(kind.list())).filter((each) => kind.exists(each));
  const byId = new Map(listed.map((each) => [each.id, each]));
  return step.singles.flatMap((request, index): Single[] => {
    const address = step.addresses[index];
    if (address === undefined) throw new Error(`step ${step.id} has more requests than addresses`);
    const id = inputs.ids.get(address);
    const observed = id === undefined ? undefined : byId.get(id);
    const isDone =
      request.method === 'DELETE'
        ? observed === undefined
        : observed !== undefined && isAsApplied(address, observed, inputs);
    return isDone ? [] : [{ address, request }];
  });
}

function isAsApplied(address: Address, { spec }: Observed, { kind, records, ids }: BulkRemainder): boolean {
  const applied = records[address]?.applied;
  return applied !== undefined && hasValues(kind, spec, applied, ids);
}
