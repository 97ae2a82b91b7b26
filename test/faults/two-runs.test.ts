import { expect } from 'vitest';
import { FaultInjector } from '../support/client-faults.js';
import { start } from '../support/program.js';
import { isAll } from '../support/size.js';
import { experiments } from './support/experiments.js';
import { requestsOf } from './support/fixture.js';
import { type Scenario, scenario } from './support/scenarios.js';
import { type Side, shapeOfOne, type TwoRuns, withTwo } from './support/two-runs.js';

/** I4: two concurrent applies without a lock leave no unreported duplicate and no mix of two manifests. */

const manifest = (members: string) => `project: race
groups:
  one: { members: [${members}], active: false }
schedules:
  one: { target: group/one, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;
const manifests = { A: manifest('acme-shop, globex'), B: manifest('initech') };
const small: Scenario = { name: 'one group and one schedule', before: null, manifest: manifests.A };
const shapes = [await shapeOfOne(small, manifests.A), await shapeOfOne(small, manifests.B)];

/** Of each side: the lists of groups and schedules, the preview, three writes, and both lists again. */
const eachSide = 8;
const gated = (path: string) => /search-groups|schedules/.test(path);

function orders(a: number, b: number): string[] {
  if (a === 0) return ['B'.repeat(b)];
  if (b === 0) return ['A'.repeat(a)];
  return [...orders(a - 1, b).map((rest) => `A${rest}`), ...orders(a, b - 1).map((rest) => `B${rest}`)];
}

/** One letter after the other, then both sides in turn. */
function following(letters: string): () => Side {
  let at = -1;
  return () => {
    at += 1;
    return (letters[at] ?? (at % 2 === 0 ? 'A' : 'B')) as Side;
  };
}

experiments(
  'I4',
  'two runs: every order of their requests leaves the objects of one manifest, or reports the duplicates',
  orders(eachSide, eachSide),
  (order) =>
    withTwo(small, manifests, async (two) => {
      const { A, B } = await two.interleaved(gated, following(order));
      await two.expectConverged({ A: A.exit, B: B.exit }, shapes);
    }),
  150,
);

/** Park-Miller generator: the same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const mixed = scenario('S6');
const mixedShape = await shapeOfOne(mixed, mixed.manifest);

experiments(
  'I4',
  'two runs: random orders of their requests on forty objects converge, or report the duplicates',
  Array.from({ length: 2_000 }, (_, index) => index + 1),
  (seed) =>
    withTwo(mixed, { A: mixed.manifest, B: mixed.manifest }, async (two) => {
      const next = random(seed);
      const { A, B } = await two.interleaved(gated, () => (next() < 0.5 ? 'A' : 'B'));
      await two.expectConverged({ A: A.exit, B: B.exit }, [mixedShape]);
    }),
  200,
);

async function race(two: TwoRuns, faults?: FaultInjector): Promise<Record<Side, number | null>> {
  const run = ({ root, env }: TwoRuns['workspaces']['A']) => start(['apply', '--yes'], { cwd: root, env });
  const [a, b] = [run(two.workspaces.A), run(two.workspaces.B)];
  if (faults !== undefined) faults.targetPid = a.pid;
  const [A, B] = await Promise.all([a.ended, b.ended]);
  return { A: A.exit, B: B.exit };
}

const twelve = scenario('S2');
const twelveShape = await shapeOfOne(twelve, twelve.manifest);
const both = { A: twelve.manifest, B: twelve.manifest };

experiments(
  'I4',
  'two runs: two processes at once converge, or report the duplicates',
  Array.from({ length: 200 }, (_, index) => index + 1),
  () => withTwo(twelve, both, async (two) => two.expectConverged(await race(two), [twelveShape])),
  isAll ? 1 : 50,
);

experiments(
  'I4',
  'two runs: two processes at once converge when one of them is killed at any request',
  Array.from({ length: 2 * (await requestsOf(twelve)) }, (_, index) => index + 1).flatMap((nth) =>
    (['kill-before', 'kill-after'] as const).map((act) => ({ act, nth })),
  ),
  (kill) =>
    withTwo(twelve, both, async (two) => {
      const faults = new FaultInjector(two.sandbox);
      faults.inject(kill);
      const exits = await race(two, faults);
      faults.inject();
      expect([0, 3, null]).toContain(exits.B);
      await two.expectConverged(exits, [twelveShape]);
    }),
  30,
);
