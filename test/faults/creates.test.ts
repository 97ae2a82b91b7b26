import { expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { desiredOf, type Fixture, requestsOf, shapeOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I2, I3 and pairs of faults: a create is sent once, and whatever becomes of its answer, there is one object. */

const fresh = scenario('S1');
const creates = [...nth('/api/search-groups', 4), ...nth('/api/pipelines', 2), ...nth('/api/schedules', 6)];

function nth(path: string, count: number): { method: string; path: string; nth: number }[] {
  return Array.from({ length: count }, (_, index) => ({ method: 'POST', path, nth: index + 1 }));
}

const json = (body: string): Omit<Fault, 'act'> => ({ status: 200, body });
const answers: readonly Fault[] = [
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
  'each of 12 creates with each of 9 answers that say nothing',
  creates.flatMap((create) => answers.map((answer) => ({ ...create, ...answer }))),
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
  'each of 12 creates refused before it was done',
  creates.flatMap((create) =>
    [400, 409, 422, 429].map((status) => ({ ...create, act: 'status' as const, status })),
  ),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const { exit } = await fixture.apply();
      // 429 asks to come back; the others are an answer.
      expect(exit).toBe(fault.status === 429 ? 0 : 3);
      fixture.inject();
      if (exit !== 0) expect((await fixture.apply()).exit).toBe(0);
      await fixture.expectDesired();
    }),
);

/** Exit 0 means that all is as desired, now. Otherwise the words say what is not known or there twice. */
async function truthful(fixture: Fixture): Promise<number> {
  const { exit, stdout, stderr } = await fixture.apply();
  if (exit === 0) await fixture.expectDesired();
  else expect(stdout + stderr).toMatch(/unknown|failed|skipped|error\[/);
  return exit;
}

experiments(
  'I3',
  'each of 12 creates lands 1 to 60 requests late; two more runs',
  creates.flatMap((create) =>
    Array.from({ length: 60 }, (_, index) => ({ ...create, act: 'late' as const, requests: index + 1 })),
  ),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const exits: number[] = [];
      for (let run = 1; run <= 3; run += 1) exits.push((await fixture.apply()).exit);
      await landed(fixture, fault.requests);
      const { diagnostics, changes } = await fixture.workspace.planJson();
      const twice = await extraOf(fixture);
      // There once; or there twice, which is told with the ids of both.
      expect([exits.at(-1), changes]).toEqual([0, []]);
      expect(diagnostics.map(({ code }) => code)).toEqual(twice === 0 ? [] : ['ambiguous-name']);
    }),
);

/** So many requests more, or it would land in the middle of the last plan. */
async function landed({ sandbox: { url, apiKey } }: Fixture, requests: number): Promise<void> {
  const ask = () => fetch(`${url}/api/scraper-agents`, { headers: { 'X-Api-Key': apiKey } });
  for (const answer of await Promise.all(Array.from({ length: requests }, ask))) await answer.text();
}

async function extraOf({ sandbox, scenario: { name } }: Fixture): Promise<number> {
  const shape = shapeOf(sandbox.world);
  const wanted = await desiredOf(scenario(name));
  expect(shape).toEqual(expect.arrayContaining([...wanted]));
  return shape.length - wanted.length;
}

const requests = await requestsOf(fresh);
const acts = ['drop', 'lose'] as const;
const faults = (from: number) =>
  Array.from({ length: requests }, (_, index) => from + index).flatMap((at) =>
    acts.map((act) => ({ act, nth: at })),
  );

experiments(
  'I2',
  `all ordered pairs of lost and dropped requests, ${requests} by ${requests}, on the 12 objects`,
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
