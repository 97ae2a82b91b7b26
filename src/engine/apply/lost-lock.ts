import type { Applied } from '../../apply/apply.js';
import { isSent } from '../../apply/recover-create.js';
import { extrasOf, type Withdrawn, withdrawExtras } from '../../apply/withdraw.js';
import type { Writer } from '../../apply/writer.js';
import { kinds } from '../../kinds/index.js';
import type { Inventory } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import { type Address, type KindName, type Observed, objectKey } from '../../model/resource.js';
import { type Observation, observe } from '../observe.js';
import type { Session } from '../session.js';

export interface LostRun {
  readonly session: Session;
  readonly plan: Plan;
  /** From before the run. */
  readonly observation: Observation;
  readonly applied: Applied;
  /** Not bound to the lock: for these deletes only. */
  readonly writer: Writer;
}

/**
 * After another run took the lock: deletes this run's duplicates of what that run created. Only this run knows the
 * ids of its own. Objects in the other run's inventory, or without a duplicate, stay: the next plan finds them by name.
 */
export async function withdrawDoubles({
  session,
  plan,
  observation,
  applied,
  writer,
}: LostRun): Promise<readonly Withdrawn[]> {
  if (applied.created.size === 0 && applied.claimed.size === 0) return [];
  const inventory = await session.store.load();
  const { state } = await observe(session, { inventory });
  const created = ownIds(plan, applied, state.objects, inventory);
  const inputs = { kinds, created, before: observation.state.objects, after: state.objects };
  return withdrawExtras(extrasOf(inputs), inputs, writer);
}

/** An id that could not be checked is this run's own only if its object is what was sent. */
function ownIds(
  plan: Plan,
  { created, claimed, outcomes }: Applied,
  objects: ReadonlyMap<KindName, readonly Observed[]>,
  inventory: Inventory,
): ReadonlyMap<Address, string> {
  const ids = new Map(outcomes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])));
  const kindOf = new Map(
    plan.changes.map((change) => [change.address, kinds.find(({ name }) => name === change.kind)]),
  );
  const isOwn = (address: Address, id: string) => {
    const [kind, intent, record] = [kindOf.get(address), plan.createIntents[address], plan.records[address]];
    const object = kind && objects.get(kind.name)?.find((each) => each.id === id);
    if (kind === undefined || object === undefined || intent === undefined || record === undefined)
      return false;
    return isSent(object, { ...record, kind, identity: intent.identity, ids });
  };
  const held = new Set([...inventory.entries.values()].map(({ kind, id }) => objectKey(kind, id)));
  const all = [...created, ...[...claimed].filter(([address, id]) => isOwn(address, id))];
  return new Map(all.filter(([address, id]) => !held.has(objectKey(kindOf.get(address)?.name ?? '', id))));
}
