import { expect } from 'vitest';
import { experiments } from './support/experiments.js';
import { desiredOf, requestsOf, shapeOf } from './support/fixture.js';
import { busy, scenario } from './support/scenarios.js';
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
  9,
);
