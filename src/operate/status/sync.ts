import type { Drifted } from '../../model/drift.js';
import { isExpired } from '../../model/kind.js';
import type { Action } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import type { Sync } from '../../model/status.js';
import { driftOf } from '../../reconcile/drift.js';
import type { Match } from '../../reconcile/match/match.js';
import type { Reconciled } from '../../reconcile/plan.js';

/** How declared resources compare: as `roster drift` and `roster plan` see them. */
export class SyncStates {
  readonly #drifted: ReadonlyMap<Address, Drifted>;
  readonly #actions: ReadonlyMap<Address, Action>;

  constructor(
    { matches, names, actions }: Reconciled,
    private readonly now: Date,
  ) {
    const { changes } = driftOf(matches, names, now);
    this.#drifted = new Map(changes.map((each) => [each.address, each]));
    this.#actions = actions;
  }

  of({ address, kind, entry, observed, known }: Match): Sync {
    if (observed === null) {
      const isOver = entry !== null && isExpired(kind, entry.declared, this.now);
      return isOver ? 'in-sync' : 'missing';
    }
    if (known === null) return 'unmanaged';
    if (this.#drifted.has(address)) return 'drifted';
    return (this.#actions.get(address) ?? 'none') === 'none' ? 'in-sync' : 'pending';
  }

  /** Whether one of these fields was changed outside roster: nobody knows when. */
  hasDrifted(address: Address, fields: readonly string[]): boolean {
    return this.#drifted.get(address)?.fields.some(({ path }) => fields.includes(path)) === true;
  }
}
