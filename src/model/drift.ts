import type { Place } from './diagnostic.js';
import type { FieldChange, Plan } from './plan.js';
import type { Address, KindName } from './resource.js';

/** What changed in one object outside roster since the last apply. */
export interface Drifted {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  readonly name: string | null;
  readonly what: 'changed' | 'deleted';
  /** `before` is what was applied last, `after` what the service says now. `both`: the manifest has changed as well. */
  readonly fields: readonly FieldChange[];
  readonly source: Place | null;
}

export interface Drift extends Pick<Plan, 'project' | 'environment' | 'service' | 'diagnostics'> {
  readonly changes: readonly Drifted[];
  /** The number of resources that were compared: those in the inventory. */
  readonly resources: number;
}
