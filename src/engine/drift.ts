import { hasErrors, Problem } from '../model/diagnostic.js';
import type { Drift } from '../model/drift.js';
import { driftOf, notInInventory } from '../reconcile/drift.js';
import { objectionDiagnostic, observeAndPlan, planOf } from './plan.js';
import type { ReadSession } from './session.js';

/**
 * What was changed outside roster since the last apply. Sends reads only.
 * @throws Problem when the manifests or the service do not allow a plan, or the inventory is not that of this account.
 */
export async function drift(session: ReadSession): Promise<Drift> {
  const observation = await observeAndPlan(session, {});
  const { matches, names } = observation.reconciled;
  const { project, environment, service, unmanaged, objections, diagnostics } = planOf(session, observation);
  // An object that the inventory does not describe has been changed: that is drift.
  const otherAccount = objections.filter(
    (each) => each.code === 'inventory-mismatch' && each.address === null,
  );
  if (otherAccount.length > 0) throw new Problem(otherAccount.map(objectionDiagnostic));
  const unknown = notInInventory(matches, session.store.name);
  const all = [...diagnostics, ...unknown];
  if (hasErrors(unknown)) throw new Problem(all);
  const found = driftOf(matches, names, session.clock.now());
  return { project, environment, service, unmanaged, diagnostics: all, ...found };
}
