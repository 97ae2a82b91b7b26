import { expect, test } from 'vitest';
import { isLong } from '../support/size.js';
import { Fixture } from './support/fixture.js';

/** I1 for many objects: what a killed run has done is found with few requests. */

const COUNT = isLong ? 300 : 60;
const names = Array.from({ length: COUNT }, (_, index) => `g${index}`);
const manifest = `project: many
groups:
${names.map((name) => `  ${name}: { members: [acme-shop] }\n`).join('')}`;

test('an apply after one that was killed at 30 % sends the creates that are left, and reads no more than four plans', async () => {
  const fixture = await Fixture.of({ name: 'many', before: null, manifest });
  try {
    fixture.inject({ act: 'kill-after', method: 'POST', path: '/api/search-groups', nth: COUNT * 0.3 });
    expect((await fixture.process('apply', '--yes')).signal).toBe('SIGKILL');
    fixture.inject();
    const created = createdIn(fixture);
    expect(created).toBeGreaterThanOrEqual(COUNT * 0.3);
    expect(created).toBeLessThan(COUNT * 0.3 + 10);

    const reads = async (run: () => Promise<unknown>) => {
      fixture.sandbox.requests.length = 0;
      await run();
      const first = fixture.sandbox.requests.findIndex(({ method }) => method !== 'GET');
      return first < 0 ? fixture.sandbox.requests.length : first;
    };
    const ofPlan = await reads(() => fixture.workspace.plan());
    // A list may lag behind what the killed run created: it is looked for again, three times at most.
    expect(await reads(() => fixture.apply())).toBeLessThanOrEqual(4 * ofPlan);
    expect(fixture.posts()).toHaveLength(COUNT - created);
    expect(createdIn(fixture)).toBe(COUNT);
    await fixture.expectNothingLeft();
  } finally {
    await fixture.close();
  }
});

function createdIn({ sandbox }: Fixture): number {
  return [...sandbox.world.groups.values()].filter(({ name }) => names.includes(name)).length;
}
