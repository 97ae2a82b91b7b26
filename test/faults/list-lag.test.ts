import { expect } from 'vitest';
import { experiments } from './support/experiments.js';
import { type Fixture, traceOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I34: what a list does not show yet is neither created a second time nor forgotten. */

const names = ['S1', 'S2', 'S4', 'S6'] as const;
const createsIn = (requests: readonly string[]): number =>
  requests.filter((each) => /^POST \/api\/(search-groups|pipelines|schedules)$/.test(each)).length;

experiments(
  'I34',
  'lag: three applies in a row with lists that lag 0 to 60 s create each object once, and a later one converges',
  names.flatMap((name) => Array.from({ length: 61 }, (_, seconds) => ({ name, seconds }))),
  ({ name, seconds }) =>
    withFixture(scenario(name), async (fixture) => {
      fixture.sandbox.faults.lagMs = seconds * 1_000;
      for (let run = 1; run <= 3; run += 1) {
        const { exit, stdout, stderr } = await fixture.apply();
        expect([exit, stdout + stderr]).toEqual([
          seconds === 0 ? 0 : expect.toBeOneOf([0, 3]),
          expect.any(String),
        ]);
      }
      await catchUp(fixture);
      expect(createsIn(fixture.writes())).toBe(createsIn(await traceOf(scenario(name))));
    }),
  11,
);

experiments(
  'I34',
  'lag: what was created and is no longer declared before a list shows it is deleted once a list does',
  names.flatMap((name) => [1, 10, 60].map((seconds) => ({ name, seconds }))),
  ({ name, seconds }) =>
    withFixture(scenario(name), async (fixture) => {
      const { manifest } = scenario(name);
      fixture.workspace.write('roster.yaml', `${manifest}${extra(manifest)}`);
      fixture.sandbox.faults.lagMs = seconds * 1_000;
      expect((await fixture.apply()).exit).toBe(3);
      fixture.workspace.write('roster.yaml', manifest);
      expect((await fixture.apply()).exit).toBe(3);
      await catchUp(fixture);
    }),
  5,
);

/** One more schedule, at the end of the manifest, whose last section is that of schedules. */
function extra(manifest: string): string {
  expect(manifest).toMatch(/\nschedules:\n[\s\S]*\n$/);
  return '  extra: { target: agent/initech, every: 9 hours, startTime: 2099-01-01T06:00:00 }\n';
}

async function catchUp(fixture: Fixture): Promise<void> {
  fixture.sandbox.faults.lagMs = 0;
  const { exit, stdout, stderr } = await fixture.apply();
  expect([exit, exit === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  await fixture.expectDesired();
  await fixture.expectNothingLeft();
}
