import { type Plan, summarise } from '../model/plan.js';
import { isComplete, outcomeCounts, type Report } from '../model/report.js';
import { actingActions, actionLabels } from './change-labels.js';

/** The last line of a text plan (contract §6). */
export function planLine(plan: Plan): string {
  const summary = summarise(plan.changes);
  const acting = actingActions.map((action) => `${summary[action]} to ${actionLabels[action].verb}`);
  if (actingActions.every((action) => summary[action] === 0)) {
    if (plan.destroy === true) return 'No changes. The inventory owns nothing that exists.';
    return `No changes. The service matches the manifests (${summary.unchanged} unchanged).`;
  }
  return `Plan: ${acting.join(', ')}, ${summary.unchanged} unchanged.`;
}

/** The last line of a text report (contract §6). */
export function reportLine(report: Report): string {
  const { plan } = report;
  const work = plan.destroy === true ? 'Destroy' : 'Apply';
  if (!isComplete(report)) {
    const { done, failed, skipped, unknown } = outcomeCounts(report);
    return `${work} incomplete: ${done} done, ${failed} failed, ${skipped} not tried, ${unknown} unknown.`;
  }
  const summary = summarise(plan.changes);
  if (actingActions.every((action) => summary[action] === 0)) return planLine(plan);
  const acting = actingActions.map((action) => `${summary[action]} ${actionLabels[action].past}`);
  return `${work} complete: ${acting.join(', ')}.`;
}
