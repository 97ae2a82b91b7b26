import type { Diagnostic } from './diagnostic.js';
import type { Hold } from './hold.js';
import type { Inventory } from './inventory.js';
import type { Plan } from './plan.js';
import type { ChangeOutcome } from './report.js';
import type { Address, KindName } from './resource.js';

export type HoldAction = 'hold' | 'resume';

/** What `roster hold` or `roster resume` does to one resource, and what it leaves alone. */
export interface HeldResource {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  /**
   * `pause` and `enable` need a request. `renew` and `end` only change what is recorded: a new reason or end, or a hold
   * that has nothing to enable. `none` changes nothing.
   */
  readonly effect: 'pause' | 'renew' | 'enable' | 'end' | 'none';
  /** Why there is nothing to send; null when there is. */
  readonly why: string | null;
}

export interface HoldPlan {
  readonly action: HoldAction;
  /** Null for `resume`. */
  readonly hold: Hold | null;
  /** What was selected, by address. */
  readonly resources: readonly HeldResource[];
  /** The requests, in the form that an apply carries out. */
  readonly plan: Plan;
  /** What is saved before the first request: who holds what. A run that is killed leaves nothing paused that it does not name. */
  readonly intent: Inventory;
}

export interface HoldReport {
  readonly made: HoldPlan;
  readonly outcomes: readonly ChangeOutcome[];
  /** Whether all is as it should be. */
  readonly converged: boolean;
  readonly interrupted: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether there is anything to send or to record. */
export function isIdle({ resources }: Pick<HoldPlan, 'resources'>): boolean {
  return resources.every(({ effect }) => effect === 'none');
}
