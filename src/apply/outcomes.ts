import type { Change } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import type { Address } from '../model/resource.js';
import type { StepState } from './run-steps.js';

/** What the states of its steps, and of what it does without a request, mean for one change. */
export function outcomeOf(
  { address, steps }: Change,
  states: ReadonlyMap<string, StepState>,
  ids: ReadonlyMap<Address, string>,
  withoutRequest: StepState = { outcome: 'done' },
): ChangeOutcome {
  const stepStates = steps.map((step): StepState => {
    const state = states.get(step) ?? { outcome: 'skipped', error: 'not started' };
    if (state.outcome === 'done' || state.each === undefined) return state;
    return state.each.get(address) ?? { outcome: 'done' };
  });
  const own = [...stepStates, ...(withoutRequest.outcome === 'done' ? [] : [withoutRequest])];
  const id = ids.get(address) ?? null;
  const worst = worstOf(own);
  if (worst.outcome === 'done') return { address, outcome: 'done', error: null, id };
  if (worst.outcome === 'skipped' && own.some((state) => state.outcome === 'done'))
    return { address, outcome: 'failed', error: `started but not finished: ${worst.error}`, id };
  return { address, outcome: worst.outcome, error: worst.error, id };
}

/** The state to report for several: first what is unknown, then what failed, then what was skipped. */
export function worstOf(states: readonly StepState[]): StepState {
  const ranked = (['unknown', 'failed', 'skipped'] as const).map((outcome) =>
    states.find((state) => state.outcome === outcome),
  );
  return ranked.find((state) => state !== undefined) ?? { outcome: 'done' };
}
