import type { Inventory, RunResult } from '../model/inventory.js';
import type { Plan } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import { actionLabels } from '../view/change-labels.js';

/** What is told of a run in the history of the inventory: no values, and no words of the service. */
export function runResult(
  result: string,
  { changes }: Plan,
  outcomes: readonly ChangeOutcome[],
  before: Inventory,
  after: Inventory,
): RunResult {
  const planned = new Map(changes.map((change) => [change.address, change]));
  const done = outcomes.map(({ address, outcome, id: known }) => {
    const change = planned.get(address);
    const { verb, past } = actionLabels[change?.action ?? 'none'];
    const id = known ?? change?.id ?? null;
    return `${outcome === 'done' ? past : `${outcome}: ${verb}`} ${address}${id === null ? '' : ` ${id}`}`;
  });
  return { result, changes: [...done, ...protections(before, after)] };
}

/** Protection is the inventory's alone: no other place tells that it was given or taken. */
function protections(before: Inventory, after: Inventory): string[] {
  return [...after.entries].flatMap(([address, { protect }]) => {
    const was = before.entries.get(address)?.protect ?? false;
    return was === protect ? [] : [`${protect ? 'protected' : 'no longer protected'} ${address}`];
  });
}
