import { expect, test } from 'vitest';
import { experiments } from './support/experiments.js';
import { desiredOf, requestsOf, shapeOf } from './support/fixture.js';
import { busy, type Scenario, scenario } from './support/scenarios.js';
import { type Stop, withTakeOver } from './support/takeover.js';

/** I27: a run that lost its lock while it was stopped changes nothing more, except that it deletes its own duplicates. */

const chosen = [scenario('S2'), scenario('S3'), busy];
const stops = (
  await Promise.all(
    chosen.map(async (each) => {
      const numbers = Array.from({ length: await requestsOf(each) }, (_, index) => index + 1);
      const acts = ['lost', 'late'] as const;
      return numbers.flatMap((nth) =>
        acts.map((act) => ({ name: each.name, stop: { nth, act } satisfies Stop })),
      );
    }),
  )
).flat();

/** The two runs have API keys of their own. */
const isDeclared = (object: string) => !object.startsWith('key ');

experiments(
  'I27',
  'lost lock: a run that is stopped at any request while another one takes its lock changes nothing when it wakes up',
  stops,
  async ({ name, stop }) => {
    const found = chosen.find((each) => each.name === name) ?? busy;
    await withTakeOver(found, stop, async ({ sandbox, first, after, apply }) => {
      const writes = after.filter((each) => !/^(GET|DELETE|POST \/api\/schedules\/preview)/.test(each));
      expect([first.exit, writes]).toEqual([expect.toBeOneOf([0, 1, 3, 4]), []]);
      expect((await apply()).exit).toBe(0);
      expect(shapeOf(sandbox.world).filter(isDeclared)).toEqual((await desiredOf(found)).filter(isDeclared));
    });
  },
  25,
);

const group = (members: string): string => `project: lock
groups:
  one: { members: [${members}] }
`;

test('lost lock: a run that wakes up after another one took its lock sends no request, not even a retry', async () => {
  const scenario: Scenario = { name: 'members', before: group('acme-shop'), manifest: group('globex') };
  await withTakeOver(scenario, { nth: 'write', act: 'lost' }, async ({ first, after, stopped }) => {
    expect(stopped).toBe(true);
    expect(after).toEqual([]);
    expect(first.exit).toBe(3);
    expect(first.stdout + first.stderr).toContain('may have lost the lock');
    expect(first.stdout).toContain('Next: run `roster plan`, and review it');
    expect(first.stdout).not.toContain('to finish');
  });
});

test('lost lock: an object that another run created meanwhile is not left twice, and only the own one is deleted', async () => {
  const scenario: Scenario = { name: 'create', before: null, manifest: group('acme-shop') };
  await withTakeOver(scenario, { nth: 'write', act: 'late' }, async ({ sandbox, first, after, apply }) => {
    const groups = () => [...sandbox.world.groups.values()].filter(({ name }) => name === 'one');
    expect(after.filter((each) => !each.startsWith('GET'))).toEqual([
      expect.stringMatching(/^DELETE \/api\/search-groups\//),
    ]);
    expect(first.exit).toBe(3);
    expect(groups()).toHaveLength(1);
    const [kept] = groups();
    expect(after.join()).not.toContain(`DELETE /api/search-groups/${kept?.id}`);
    expect((await apply()).stdout).toContain('No changes.');
  });
});
