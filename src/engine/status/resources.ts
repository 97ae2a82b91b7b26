import type { Hold } from '../../model/hold.js';
import type { Kind } from '../../model/kind.js';
import type { Address, ObjectRef, Observed } from '../../model/resource.js';
import type { Sync } from '../../model/status.js';
import type { Observation } from '../plan.js';
import { kindsWithRuns } from './kinds-with-runs.js';
import { SyncStates } from './sync.js';

/** A declared resource, with what the service and the inventory show of it. */
export interface DeclaredResource {
  readonly address: Address;
  readonly kind: Kind;
  /** Null where it does not exist. */
  readonly observed: Observed | null;
  readonly sync: Sync;
  readonly hold: Hold | null;
  /** What it starts; null for what runs itself, and where that cannot be read. */
  readonly target: ObjectRef | null;
  /** Its timing was changed outside roster, nobody knows when. */
  readonly hasOtherTimes: boolean;
}

/** Everything declared that can run. */
export function declaredResources({ reconciled }: Observation, now: Date): readonly DeclaredResource[] {
  const states = new SyncStates(reconciled, now);
  const managed = reconciled.matches.flatMap((match): DeclaredResource[] => {
    const { address, kind, entry, observed, hold = null } = match;
    if (entry === null || kind.startByHand === undefined) return [];
    const fields = kind.timetable?.fields ?? [];
    return [
      {
        ...{ address, kind, observed, hold },
        sync: states.of(match),
        target: targetOf(kind, observed),
        hasOtherTimes: states.hasDrifted(address, fields),
      },
    ];
  });
  const others = [...reconciled.externals].flatMap(([address, observed]): DeclaredResource[] => {
    const kind = kindsWithRuns.find(({ name }) => name === observed.kind);
    if (kind === undefined) return [];
    const rest = { sync: 'external', hold: null, hasOtherTimes: false } as const;
    return [{ address, kind, observed, target: targetOf(kind, observed), ...rest }];
  });
  return [...managed, ...others];
}

/** What an object starts in place of itself. */
function targetOf(kind: Kind, observed: Observed | null): ObjectRef | null {
  const spec = observed?.spec ?? null;
  return spec === null ? null : (kind.startByHand?.target?.(spec).of ?? null);
}
