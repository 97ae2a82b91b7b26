import type { Plan } from '../../model/plan.js';
import { summaryOf } from '../../model/plan-view.js';

/** The counts that GitLab's merge-request widget reads from a `terraform` report. A replace is a create and a delete. */
export function planGitlab(plan: Plan) {
  const summary = summaryOf(plan);
  return {
    create: summary.create + summary.replace,
    update: summary.update,
    delete: summary.delete + summary.replace,
  } as const;
}
