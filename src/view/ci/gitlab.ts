import { type Plan, summarise } from '../../model/plan.js';

/** The counts that GitLab's merge-request widget reads from a `terraform` report. A replaced object is made and deleted. */
export function planGitlab(plan: Plan) {
  const summary = summarise(plan.changes);
  return {
    create: summary.create + summary.replace,
    update: summary.update,
    delete: summary.delete + summary.replace,
  } as const;
}
