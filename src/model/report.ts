import type { Diagnostic } from './diagnostic.js';
import type { Plan } from './plan.js';
import type { Address } from './resource.js';

export type Outcome = 'done' | 'failed' | 'skipped' | 'unknown';

/** The outcome of one change. */
export interface ChangeOutcome {
  readonly address: Address;
  readonly outcome: Outcome;
  /** Why it failed, was skipped or is unknown. */
  readonly error: string | null;
  /** The id of the object after the change, where known. */
  readonly id: string | null;
}

export interface Report {
  readonly plan: Plan;
  readonly outcomes: readonly ChangeOutcome[];
  /** True when the read-back found nothing left to do; null when there was none. */
  readonly converged: boolean | null;
  readonly interrupted: boolean;
  /** The key that the run began with has been revoked, or may have been: the next command needs another one. */
  readonly keyEnded: boolean;
  readonly diagnostics: readonly Diagnostic[];
}
