import type { Inventory, RunResult } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import type { ChangeOutcome } from '../../model/report.js';
import { actionLabels } from '../../view/change-labels.js';

/** What the history of the inventory says about a run: no values, and no text of the service. */
export function runResult(
  result: string,
  { changes }: Plan,
  outcomes: readonly ChangeOutcome[],
  inventory: { readonly before: Inventory; readonly after: Inventory },
): RunResult {
  const planned = new Map(changes.map((change) => [change.address, change]));
  const done = outcomes.map(({ address, outcome, id: known }) => {
    const change = planned.get(address);
    const { verb, past } = actionLabels[change?.action ?? 'none'];
    const id = known ?? change?.id ?? null;
    return `${outcome === 'done' ? past : `${outcome}: ${verb}`} ${address}${id === null ? '' : ` ${id}`}`;
  });
  return { result, changes: [...done, ...protections(inventory), ...holds(inventory)] };
}

/** Where a hold only ends or is renewed, nothing was sent. */
function holds({ before, after }: Parameters<typeof runResult>[3]): string[] {
  const addresses = new Set([...before.entries.keys(), ...after.entries.keys()]);
  return [...addresses].flatMap((address) => {
    const [was, is] = [before, after].map(({ entries }) => entries.get(address)?.hold !== undefined);
    return was === is ? [] : [`${is ? 'held' : 'no longer held'} ${address}`];
  });
}

/** Protection exists only in the inventory: no other place reports that it changed. */
function protections({ before, after }: Parameters<typeof runResult>[3]): string[] {
  return [...after.entries].flatMap(([address, { protect }]) => {
    const was = before.entries.get(address)?.protect ?? false;
    return was === protect ? [] : [`${protect ? 'protected' : 'no longer protected'} ${address}`];
  });
}
