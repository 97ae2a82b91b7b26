import { expect } from 'vitest';
import type { World } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { type Fixture, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I33: an id in the answer to a create is believed only if its object is what was sent. Otherwise that object is looked for. */

const fresh = scenario('S1');
const creates = [...nth('/api/search-groups', 4), ...nth('/api/pipelines', 2), ...nth('/api/schedules', 6)];

function nth(path: string, count: number): { path: string; nth: number }[] {
  return Array.from({ length: count }, (_, index) => ({ path, nth: index + 1 }));
}

const idOf = (records: ReadonlyMap<string, { readonly id: string }>) => [...records.values()][0]?.id ?? '';
/** Ids that are not those of the new object. The foreign objects of the fixture come first. */
const wrong: Readonly<Record<string, (world: World) => string>> = {
  'a foreign group': ({ groups }) => idOf(groups),
  'a foreign pipeline': ({ pipelines }) => idOf(pipelines),
  'a foreign schedule': ({ schedules }) => idOf(schedules),
  'an agent': ({ agents }) => idOf(agents),
  'no object': () => '00000000-0000-4000-8000-000000000000',
  'a word of a path': () => 'runs',
  'a number': () => '7',
};

experiments(
  'I33',
  `ids in answers: each of ${creates.length} creates that is answered with ${Object.keys(wrong).length} wrong ids is looked for`,
  creates.flatMap((create) => Object.keys(wrong).map((what) => ({ ...create, what }))),
  ({ what, ...create }) =>
    withFixture(fresh, async (fixture) => {
      const id = wrong[what]?.(fixture.sandbox.world) ?? '';
      const body = JSON.stringify({ success: true, data: { id } });
      fixture.inject({ act: 'status-after', method: 'POST', ...create, status: 200, body });
      await converges(fixture);
    }),
);

async function converges(fixture: Fixture): Promise<void> {
  const { exit, stderr } = await fixture.apply();
  expect([exit, stderr]).toEqual([0, expect.any(String)]);
  expect(fixture.posts()).toHaveLength(creates.length);
  await fixture.expectDesired();
  fixture.inject();
  await fixture.expectNothingLeft();
}
