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
  /** The file with the new key: relative to the project, or absolute. Null or missing without a new key. */
  readonly newKeyFile?: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** True if every change was made and nothing is known to be left. A report with an error is never complete. */
export function isComplete(report: Report): boolean {
  if (report.converged === false || report.interrupted) return false;
  if (report.diagnostics.some((each) => each.severity === 'error')) return false;
  return actingOutcomes(report).every((each) => each.outcome === 'done');
}

/** One outcome for each acting change, in plan order. A change without an outcome was not tried. */
export function actingOutcomes(report: Report): ChangeOutcome[] {
  const known = new Map(report.outcomes.map((each) => [each.address, each]));
  return report.plan.changes
    .filter((change) => change.action !== 'none')
    .map(({ address, id }) => known.get(address) ?? { address, outcome: 'skipped', error: null, id });
}

export function outcomeCounts(report: Report): Record<Outcome, number> {
  const counts = { done: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const each of actingOutcomes(report)) counts[each.outcome] += 1;
  return counts;
}
