import type { Change, Plan, Step } from '../model/plan.js';

/** A request as a person or a program is told of it. */
export interface ShownCall {
  readonly method: string;
  readonly path: string;
}

/** Looks up the calls of a change. Ids that are not known before the plan runs read `{id}`. */
export function callsOf(plan: Plan): (change: Change) => ShownCall[] {
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  return (change) =>
    change.steps
      .map((id) => steps.get(id))
      .filter((step): step is Step => step !== undefined)
      .map(({ request }) => ({ method: request.method, path: request.path.replace(/\{[^{}]*\}/g, '{id}') }));
}
