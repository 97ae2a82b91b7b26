import type { Change } from '../../model/plan.js';
import { summarise } from '../../model/plan-view.js';
import { actingActions, actionLabels, deliversSecret, needsCare } from '../change-labels.js';
import type { StepLookup } from '../plan-lookup.js';

/** Acting changes in the order in which a reviewer reads them: what must not be missed first, the inventory last. */
export function byRisk(acting: readonly Change[], stepsOf: StepLookup) {
  const isCareful = (change: Change) => needsCare(change, stepsOf(change));
  const deletes = acting.filter((change) => change.action === 'delete' && !deliversSecret(change));
  const rest = acting.filter((change) => change.action !== 'delete' && !deliversSecret(change));
  const plain = rest.filter((change) => !isCareful(change));
  const risky = plain.filter((change) => change.risks.length > 0);
  const harmless = plain.filter((change) => change.risks.length === 0);
  return {
    deliveries: acting.filter(deliversSecret),
    careful: [...deletes, ...rest.filter(isCareful)],
    // Not even hundreds of other risks may push them over the limit.
    risky: [...risky.filter(isTooFrequent), ...risky.filter((change) => !isTooFrequent(change))],
    others: [...harmless.filter((each) => !isInventoryOnly(each)), ...harmless.filter(isInventoryOnly)],
  };
}

function isTooFrequent({ risks }: Change): boolean {
  return risks.some(({ code }) => code === 'too-frequent');
}

/** Nothing is sent to the service. */
export function isInventoryOnly({ action }: Change): boolean {
  return action === 'adopt' || action === 'forget';
}

export function kindsOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map((change) => change.kind))];
}

/** `2 to create, 1 to update`. */
export function countsOf(changes: readonly Change[]): string {
  const summary = summarise(changes);
  return actingActions
    .filter((action) => summary[action] > 0)
    .map((action) => `${summary[action]} to ${actionLabels[action].verb}`)
    .join(', ');
}
