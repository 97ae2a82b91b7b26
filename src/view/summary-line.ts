import { type Plan, summarise } from '../model/plan.js';
import type { ChangeOutcome, Outcome, Report } from '../model/report.js';
import { actingActions, actionLabels } from './change-labels.js';

/** The last line of a text plan (contract §6). */
export function planLine(plan: Plan): string {
  const summary = summarise(plan.changes);
  const acting = actingActions.map((action) => `${summary[action]} to ${actionLabels[action].verb}`);
  if (actingActions.every((action) => summary[action] === 0)) {
    return `No changes. The service matches the manifests (${summary.unchanged} unchanged).`;
  }
  return `Plan: ${acting.join(', ')}, ${summary.unchanged} unchanged.`;
}

/** The last line of a text report (contract §6). */
export function reportLine(report: Report): string {
  const { plan } = report;
  if (!isComplete(report)) {
    const { done, failed, skipped, unknown } = outcomeCounts(report);
    return `Apply incomplete: ${done} done, ${failed} failed, ${skipped} not tried, ${unknown} unknown.`;
  }
  const summary = summarise(plan.changes);
  if (actingActions.every((action) => summary[action] === 0)) return planLine(plan);
  const acting = actingActions.map((action) => `${summary[action]} ${actionLabels[action].past}`);
  return `Apply complete: ${acting.join(', ')}.`;
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
