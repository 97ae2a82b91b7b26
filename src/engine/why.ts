import { suggest } from '../manifest/suggest.js';
import { type Problem, problem } from '../model/diagnostic.js';
import type { Plan } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import type { Why } from '../model/why.js';
import { explain } from '../reconcile/why.js';
import { observeAndPlan, planOf } from './plan.js';
import type { ReadSession } from './session.js';

/** An explanation of one resource, and the plan that it is part of. */
export interface WhyResult {
  readonly why: Why;
  readonly plan: Plan;
}

/**
 * Which remote object a resource is matched with, by which rule, what differs, and what is ignored. Sends reads only.
 * @throws Problem when the manifests or the service do not allow a plan, or when there is no such resource.
 */
export async function why(session: ReadSession, address: Address): Promise<WhyResult> {
  const observation = await observeAndPlan(session, {});
  const plan = planOf(session, observation);
  const { matches, externals, names } = observation.reconciled;
  const { objects } = observation.state;
  const { entries } = session.project;
  const objectsOf = (kind: string) => objects.get(kind) ?? [];
  const found = explain(address, { plan, matches, externals, entries, names, objectsOf });
  if (found !== null) return { why: found, plan };
  const known = plan.changes.map((each) => each.address);
  throw unknown(address, known);
}

function unknown(address: Address, known: readonly Address[]): Problem {
  const near = suggest(address, known);
  const help =
    near === null
      ? 'An address is `kind/key`, such as `group/retail-prices`. `roster plan` lists them.'
      : `Did you mean ${near}?`;
  return problem('usage', `there is no resource "${address}" in this project`, help);
}
