import { groupBy } from '../model/json.js';
import type { Step } from '../model/plan.js';
import type { Address } from '../model/resource.js';

export type StepState =
  | { readonly outcome: 'done' }
  | {
      readonly outcome: 'failed' | 'unknown' | 'skipped';
      readonly error: string;
      /** For a step of several changes that ended differently: those that are not in the map are done. */
      readonly each?: ReadonlyMap<Address, StepState>;
    };

export interface StepRunner {
  /** Null when only `check` can tell how it ended. */
  run(step: Step): Promise<StepState | null>;
  /** Why no further step may begin; null to go on. */
  stopped(): string | null;
  /** Why this step is left out; null to run it. */
  skipped?(step: Step): string | null;
  /** Called when nothing else can go on: the states of the steps that `run` left open, by step id. */
  check?(): Promise<ReadonlyMap<string, StepState>>;
  readonly concurrency: number;
}

/**
 * Runs every step as soon as the steps it waits for are done, at most `concurrency` at once. A step is skipped when one
 * that it waits for is not done. `last` steps begin when all others have ended, whatever their outcome.
 */
export async function runSteps(
  steps: readonly Step[],
  runner: StepRunner,
): Promise<ReadonlyMap<string, StepState>> {
  const states = new Map<string, StepState>();
  const [last, others] = [steps.filter((step) => step.last), steps.filter((step) => !step.last)];
  await runWave(others, states, runner, runner.concurrency);
  await runWave(last, states, runner, 1);
  return states;
}

const notChecked: StepState = { outcome: 'unknown', error: 'its response was not checked' };

function runWave(
  wave: readonly Step[],
  states: Map<string, StepState>,
  runner: StepRunner,
  concurrency: number,
): Promise<void> {
  const waiting = new Map(wave.map((step) => [step.id, step.after.filter((id) => !states.has(id)).length]));
  const edges = wave.flatMap((step) => step.after.map((first) => ({ first, step })));
  const followers = groupBy(edges, ({ first }) => first);
  const ready = wave.filter((step) => waiting.get(step.id) === 0);
  const unchecked: Step[] = [];
  let next = 0;
  let active = 0;

  return new Promise((resolve, reject) => {
    const settle = (step: Step, state: StepState) => {
      states.set(step.id, state);
      for (const { step: follower } of followers.get(step.id) ?? []) {
        const left = (waiting.get(follower.id) ?? 0) - 1;
        waiting.set(follower.id, left);
        if (left === 0) ready.push(follower);
      }
    };
    const begin = (step: Step) => {
      active += 1;
      runner.run(step).then((state) => {
        active -= 1;
        if (state === null) unchecked.push(step);
        else settle(step, state);
        pump();
      }, reject);
    };
    const checkAll = async () => {
      active += 1;
      const checked = await runner.check?.();
      active -= 1;
      for (const step of unchecked.splice(0)) settle(step, checked?.get(step.id) ?? notChecked);
      pump();
    };
    const pump = () => {
      while (next < ready.length && active < concurrency) {
        const step = ready[next++];
        if (step === undefined) break;
        const skipped = reasonToSkip(step, states) ?? runner.skipped?.(step) ?? runner.stopped();
        if (skipped === null) begin(step);
        else settle(step, { outcome: 'skipped', error: skipped });
      }
      if (active > 0 || next < ready.length) return;
      if (unchecked.length > 0) checkAll().catch(reject);
      else if (ready.length === wave.length) resolve();
      else reject(new Error('the steps of the plan wait for each other in a cycle'));
    };
    pump();
  });
}

function reasonToSkip(step: Step, states: ReadonlyMap<string, StepState>): string | null {
  const missing = step.after.find((id) => states.get(id)?.outcome !== 'done');
  return missing === undefined ? null : `depends on ${missing.replace(/[#+]\d+$/, '')}, which was not done`;
}
