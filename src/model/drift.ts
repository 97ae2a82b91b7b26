import type { Place } from './diagnostic.js';
import type { FieldChange, Plan } from './plan.js';
import type { Address, KindName } from './resource.js';

/** A change to one object since the last apply that was not made by roster. */
export interface Drifted {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  readonly name: string | null;
  readonly what: 'changed' | 'deleted';
  /** `before` is the last applied value, `after` the current one. Origin `both`: the manifest has changed as well. */
  readonly fields: readonly FieldChange[];
  readonly source: Place | null;
}

export interface Drift
  extends Pick<Plan, 'project' | 'environment' | 'service' | 'unmanaged' | 'diagnostics'> {
  readonly changes: readonly Drifted[];
  /** How many resources were checked: those in the inventory. */
  readonly resources: number;
}
