/** What came of applying a plan to a copy of the service (contract §21). */
export interface Rehearsal {
  /** The writes of an apply that nothing disturbs. */
  readonly calls: number;
  /** How often an apply was killed: after each call, or in a large project after several at a time. */
  readonly kills: number;
  readonly variants: readonly RehearsedVariant[];
}

export interface RehearsedVariant {
  readonly name: RehearsalName;
  /** A plan that was made afterwards is empty. */
  readonly converged: boolean;
  /** What such a plan would still change, or why there is none. */
  readonly left: readonly string[];
}

export type RehearsalName = 'undisturbed' | 'lost-answers' | 'rate-limits' | 'kills';
