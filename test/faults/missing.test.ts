import { expect } from 'vitest';
import { experiments } from './support/experiments.js';
import { type Fixture, traceOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I11: a 404 never turns into a create. What is read after it says whether the object is gone or not the caller's. */

const changing = ['S3', 'S4', 'S5', 'S6'] as const;
const writes = (
  await Promise.all(
    changing.map(async (name) => {
      const trace = await traceOf(scenario(name));
      return (['PUT', 'DELETE'] as const).flatMap((method) =>
        trace.filter((each) => each.startsWith(method)).map((_, index) => ({ name, method, nth: index + 1 })),
      );
    }),
  )
).flat();

experiments(
  'I11',
  'each PUT and DELETE answered with 404 though the object is there',
  writes,
  ({ name, method, nth }) =>
    withFixture(scenario(name), async (fixture) => {
      const planned = await postsWithoutFault(name);
      fixture.inject({ act: 'status', status: 404, method, nth });
      const { exit, stdout, stderr } = await fixture.apply();
      expect(fixture.posts().length).toBeLessThanOrEqual(planned);
      expect([exit, words(stdout + stderr)]).toEqual([
        3,
        expect.stringContaining('it is there, but this key may not change it'),
      ]);
    }),
);

experiments(
  'I11',
  'each PUT and DELETE after the object was deleted by somebody else',
  writes,
  ({ name, method, nth }) =>
    withFixture(scenario(name), async (fixture) => {
      const planned = await postsWithoutFault(name);
      let count = 0;
      let gone: string | null = null;
      fixture.sandbox.faults.intercept = async (request, handle) => {
        if (request.method === method) count += 1;
        if (request.method === method && count === nth) gone = remove(fixture, request.path);
        await handle();
      };
      const { exit, stdout, stderr } = await fixture.apply();
      expect(fixture.posts().length).toBeLessThanOrEqual(planned);
      if (gone === null || method === 'DELETE') return;
      expect([exit, words(stdout + stderr)]).toEqual([3, expect.stringContaining('it is gone')]);
    }),
);

const postsWithoutFault = async (name: string) =>
  (await traceOf(scenario(name))).filter((each) => each.startsWith('POST') && !each.includes('preview'))
    .length;

/** Null where the path is of no single object. */
function remove({ sandbox: { world } }: Fixture, path: string): string | null {
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/i.exec(path)?.[0].toLowerCase() ?? null;
  if (id === null) return null;
  const removed = [world.groups, world.pipelines, world.schedules].some((records) => records.delete(id));
  return removed ? id : null;
}

/** On one line, however it was wrapped. */
const words = (text: string) => text.replace(/\s+/g, ' ');
