import { expect } from 'vitest';
import type { ApplyFlags } from '../../../src/cli/apply.js';
import { type Fixture, stateOf } from './fixture.js';

export const ways = ['plan', 'expect'] as const;
export type Way = (typeof ways)[number];
/** The flags that refer to the reviewed plan. */
type Flags = Pick<ApplyFlags, Way>;

/** Plans as in a pull request; returns the flags for the apply. */
export async function review(fixture: Fixture, way: Way): Promise<Flags> {
  const { exit, digest } = await fixture.workspace.planJson({ out: 'p.plan' });
  expect(exit).toBe(0);
  fixture.sandbox.requests.length = 0;
  return way === 'plan' ? { plan: 'p.plan' } : { expect: digest };
}

/** Expects a refusal with one of the codes, before any write. */
export async function expectRefused(
  fixture: Fixture,
  flags: ApplyFlags,
  codes = 'stale-plan',
): Promise<void> {
  const before = stateOf(fixture.sandbox);
  const { exit, diagnostics } = await fixture.workspace.applyJson(flags);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  expect({ writes: fixture.writes(), state: stateOf(fixture.sandbox) }).toEqual({
    writes: [],
    state: before,
  });
  expect(errors.join()).toMatch(new RegExp(`^(${codes})(,|$)`));
  expect(exit).toBe(codes === 'stale-plan' ? 4 : exit === 1 ? 1 : 4);
}
