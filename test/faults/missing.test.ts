import { expect } from 'vitest';
import { experiments } from './support/experiments.js';
import { type Fixture, traceOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I11: a 404 never leads to a create. The run reads again whether the object was deleted or is not the caller's. */

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
  'missing: each PUT and DELETE that returns 404 although the object exists fails and creates nothing',
  writes,
  ({ name, method, nth }) =>
    withFixture(scenario(name), async (fixture) => {
      const planned = await postsWithoutFault(name);
      fixture.inject({ act: 'status', status: 404, method, nth });
      const { exit, stdout, stderr } = await fixture.apply();
      expect(fixture.posts().length).toBeLessThanOrEqual(planned);
      expect([exit, unwrap(stdout + stderr)]).toEqual([
        3,
        expect.stringContaining('it exists, but the API key does not have permission to change it'),
      ]);
    }),
);

experiments(
  'I11',
  'missing: each PUT and DELETE of an object that someone else deleted is reported and creates nothing',
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
      expect([exit, unwrap(stdout + stderr)]).toEqual([3, expect.stringContaining('it was deleted')]);
    }),
);

const postsWithoutFault = async (name: string) =>
  (await traceOf(scenario(name))).filter((each) => each.startsWith('POST') && !each.includes('preview'))
    .length;

/** Null if the path does not name a single object. */
function remove({ sandbox: { world } }: Fixture, path: string): string | null {
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/i.exec(path)?.[0].toLowerCase() ?? null;
  if (id === null) return null;
  const removed = [world.groups, world.pipelines, world.schedules].some((records) => records.delete(id));
  return removed ? id : null;
}

/** On one line, because the output is wrapped. */
const unwrap = (text: string) => text.replace(/\s+/g, ' ');
