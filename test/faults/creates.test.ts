import { expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { desiredOf, type Fixture, requestsOf, shapeOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I2, I3 and pairs of faults: a create is sent once, and whatever happens to its response, the object exists once. */

const fresh = scenario('S1');
const creates = [...nth('/api/search-groups', 4), ...nth('/api/pipelines', 2), ...nth('/api/schedules', 6)];

function nth(path: string, count: number): { method: string; path: string; nth: number }[] {
  return Array.from({ length: count }, (_, index) => ({ method: 'POST', path, nth: index + 1 }));
}

const json = (body: string): Omit<Fault, 'act'> => ({ status: 200, body });
const lostResponses: readonly Fault[] = [
  { act: 'lose' },
  { act: 'cut' },
  { act: 'hang-after' },
  ...[500, 502, 504].map((status): Fault => ({ act: 'status-after', status })),
  { act: 'status-after', ...json('not JSON') },
  { act: 'status-after', ...json('') },
  { act: 'status-after', ...json('{"success":true,"data":{}}') },
];

experiments(
  'I2',
  'create: each of 12 creates whose response is lost in 9 ways is found again and not repeated',
  creates.flatMap((create) => lostResponses.map((lost) => ({ ...create, ...lost }))),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const { exit, stderr } = await fixture.apply({ timeout: '400ms' });
      expect([exit, stderr]).toEqual([0, expect.any(String)]);
      expect(fixture.posts()).toHaveLength(creates.length);
      await fixture.expectDesired();
      fixture.inject();
      await fixture.expectNothingLeft();
    }),
);

experiments(
  'I2',
  'create: each of 12 creates that is refused before it takes effect is reported and then converges',
  creates.flatMap((create) =>
    [400, 409, 422, 429].map((status) => ({ ...create, act: 'status' as const, status })),
  ),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const { exit } = await fixture.apply();
      // 429 asks for a retry; the others are final.
      expect(exit).toBe(fault.status === 429 ? 0 : 3);
      fixture.inject();
      if (exit !== 0) expect((await fixture.apply()).exit).toBe(0);
      await fixture.expectDesired();
    }),
);

/** Exit 0 means that the service has converged. Otherwise the output says what failed or is unknown. */
async function truthful(fixture: Fixture): Promise<number> {
  const { exit, stdout, stderr } = await fixture.apply();
  if (exit === 0) await fixture.expectDesired();
  else expect(stdout + stderr).toMatch(/unknown|failed|skipped|error\[/);
  return exit;
}

experiments(
  'I3',
  'create: each of 12 creates that takes effect 1 to 60 requests late exists once, or its duplicate is reported',
  creates.flatMap((create) =>
    Array.from({ length: 60 }, (_, index) => ({ ...create, act: 'late' as const, requests: index + 1 })),
  ),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const exits: number[] = [];
      for (let run = 1; run <= 3; run += 1) {
        exits.push((await fixture.apply()).exit);
      }
      await waitForLateCreate(fixture, fault.requests);
      const { diagnostics, changes } = await fixture.workspace.planJson();
      const extra = await extraOf(fixture);
      // It exists once; or twice, which is reported with both ids.
      expect([exits.at(-1), changes]).toEqual([0, []]);
      const others = diagnostics.map(({ code }) => code).filter((code) => code !== 'inactive-target');
      expect(others).toEqual(extra === 0 ? [] : ['duplicate-object']);
    }),
);

/** Sends as many requests as the late create waits for, so that it does not take effect during the last plan. */
async function waitForLateCreate({ sandbox: { url, apiKey } }: Fixture, requests: number): Promise<void> {
  const ask = () => fetch(`${url}/api/scraper-agents`, { headers: { 'X-Api-Key': apiKey } });
  for (const answer of await Promise.all(Array.from({ length: requests }, ask))) await answer.text();
}

async function extraOf({ sandbox, scenario: { name } }: Fixture): Promise<number> {
  const shape = shapeOf(sandbox.world);
  const expected = await desiredOf(scenario(name));
  expect(shape).toEqual(expect.arrayContaining([...expected]));
  return shape.length - expected.length;
}

const requests = await requestsOf(fresh);
const acts = ['drop', 'lose'] as const;
const faults = (from: number) =>
  Array.from({ length: requests }, (_, index) => from + index).flatMap((at) =>
    acts.map((act) => ({ act, nth: at })),
  );

experiments(
  'I2',
  `create: all ordered pairs of lost and dropped requests, ${requests} by ${requests}, converge within three runs`,
  faults(1).flatMap((first) => faults(first.nth + 1).map((second) => [first, second])),
  (pair) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(...pair);
      for (let run = 1; run <= 3 && (await truthful(fixture)) !== 0; run += 1);
      await fixture.expectDesired();
      fixture.inject();
      await fixture.expectNothingLeft();
    }),
  100,
);
