import type { Plan } from '../model/plan.js';
import { summaryOf } from '../model/plan-view.js';
import { isComplete, outcomeCounts, type Report } from '../model/report.js';
import { actingActions, actionLabels } from './change-labels.js';

/** The last line of a text plan (contract §6). */
export function planLine(plan: Plan): string {
  const summary = summaryOf(plan);
  const acting = actingActions.map((action) => `${summary[action]} to ${actionLabels[action].verb}`);
  if (actingActions.every((action) => summary[action] === 0)) {
    return `No changes. ${nothingText(plan)}`;
  }
  return `Plan: ${acting.join(', ')}, ${summary.unchanged} unchanged.`;
}

/** Why a plan has no changes. */
export function nothingText(plan: Plan): string {
  if (plan.destroy === true) return 'The inventory owns nothing that exists.';
  return `The service matches the manifests (${summaryOf(plan).unchanged} unchanged).`;
}

/** What precedes the objections. */
export function refusalTitle({ destroy }: Pick<Plan, 'destroy'>): string {
  return `${destroy === true ? 'Destroy' : 'Apply'} would refuse this plan`;
}

/** The last line of a text report (contract §6). */
export function reportLine(report: Report): string {
  const { plan } = report;
  const work = plan.destroy === true ? 'Destroy' : 'Apply';
  if (!isComplete(report)) {
    const { done, failed, skipped, unknown } = outcomeCounts(report);
    return `${work} incomplete: ${done} done, ${failed} failed, ${skipped} not tried, ${unknown} unknown.`;
  }
  const summary = summaryOf(plan);
  if (actingActions.every((action) => summary[action] === 0)) return planLine(plan);
  const possible = actingActions.filter(
    (action) => plan.destroy !== true || ['delete', 'forget'].includes(action),
  );
  const acting = possible.map((action) => `${summary[action]} ${actionLabels[action].past}`);
  return `${work} complete: ${acting.join(', ')}.`;
}
