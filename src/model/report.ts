import { type Diagnostic, hasErrors } from './diagnostic.js';
import type { Hold } from './hold.js';
import type { Inventory } from './inventory.js';
import type { Plan } from './plan.js';
import type { Address, KindName } from './resource.js';

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
  if (hasErrors(report.diagnostics)) return false;
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

export type HoldAction = 'hold' | 'resume';

/** What `roster hold` or `roster resume` does to one resource, and what it leaves alone. */
export interface HeldResource {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  /**
   * `pause` and `enable` need a request. `keep`, `renew` and `end` only change what is recorded: a hold of what is paused
   * already, a new reason or end, or a hold that has nothing to enable. `none` changes nothing.
   */
  readonly effect: 'pause' | 'keep' | 'renew' | 'enable' | 'end' | 'none';
  /** Why there is nothing to send; null when there is. */
  readonly why: string | null;
  /** The groups and pipelines through which it starts the agent that was named. Empty where it was meant itself. */
  readonly through: readonly Address[];
}

/** A schedule of nobody or of another project that starts what is to be held: it goes on. */
export interface OutsideSchedule {
  readonly id: string | null;
  readonly kind: KindName;
  /** Such as `agent/acme, every 6 hours from 2026-12-01T06:00:00`. */
  readonly inBrief: string;
  readonly through: readonly Address[];
}

export interface HoldPlan {
  readonly action: HoldAction;
  /** Null for `resume`. */
  readonly hold: Hold | null;
  /** What was selected, by address. */
  readonly resources: readonly HeldResource[];
  /** Only for a hold of certain agents, groups or pipelines. */
  readonly outside: readonly OutsideSchedule[];
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
export function isIdle({ resources }: HoldPlan): boolean {
  return resources.every(({ effect }) => effect === 'none');
}
