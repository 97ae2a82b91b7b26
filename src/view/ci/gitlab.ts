import { type Plan, summarise } from '../../model/plan.js';

/** The counts that GitLab's merge-request widget reads from a `terraform` report. A replace is a create and a delete. */
export function planGitlab(plan: Plan) {
  const summary = summarise(plan.changes);
  return {
    create: summary.create + summary.replace,
    update: summary.update,
    delete: summary.delete + summary.replace,
  } as const;
}
