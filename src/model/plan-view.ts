import type { Change, Plan } from './plan.js';

/** The number of changes of each action. */
export interface Summary {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly delete: number;
  readonly adopt: number;
  readonly forget: number;
  readonly unchanged: number;
}

export function summarise(changes: readonly Change[]): Summary {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, forget: 0, unchanged: 0 };
  for (const change of changes) counts[change.action === 'none' ? 'unchanged' : change.action] += 1;
  return counts;
}

export function summaryOf({ changes, leftOut = 0 }: Pick<Plan, 'changes' | 'leftOut'>): Summary {
  const summary = summarise(changes);
  return { ...summary, unchanged: summary.unchanged + leftOut };
}

/** The plan without what only apply needs, which is as large as the project and never shown. */
export function forView(plan: Plan): Plan {
  const changes = plan.changes.filter(({ action }) => action !== 'none');
  const links = changes.length === 0 ? [] : plan.links;
  return {
    ...plan,
    changes,
    leftOut: plan.changes.length - changes.length,
    links,
    records: {},
    createIntents: {},
  };
}
