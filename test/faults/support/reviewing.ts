import { expect } from 'vitest';
import type { ApplyFlags } from '../../../src/cli/apply.js';
import { type Scene, stateOf } from './scene.js';

export const ways = ['plan', 'expect'] as const;
export type Way = (typeof ways)[number];
/** What an apply is told of the plan that was reviewed. */
type Flags = Pick<ApplyFlags, Way>;

/** Plans as in a pull request; the flags are those of the apply to come. */
export async function review(scene: Scene, way: Way): Promise<Flags> {
  const { exit, digest } = await scene.workspace.planJson({ out: 'p.plan' });
  expect(exit).toBe(0);
  scene.sandbox.requests.length = 0;
  return way === 'plan' ? { plan: 'p.plan' } : { expect: digest };
}

/** Refused before any write, and by name. */
export async function expectRefused(scene: Scene, flags: ApplyFlags, codes = 'stale-plan'): Promise<void> {
  const before = stateOf(scene.sandbox);
  const { exit, diagnostics } = await scene.workspace.applyJson(flags);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  expect({ writes: scene.writes(), state: stateOf(scene.sandbox) }).toEqual({ writes: [], state: before });
  expect(errors.join()).toMatch(new RegExp(`^(${codes})(,|$)`));
  expect(exit).toBe(codes === 'stale-plan' ? 4 : exit === 1 ? 1 : 4);
}
