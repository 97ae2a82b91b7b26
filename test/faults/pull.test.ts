import { expect, test } from 'vitest';
import { type Command, manifestsOf, pulls, resultOf, run, withCommand } from './support/commands.js';
import { experiments } from './support/experiments.js';
import type { Fixture } from './support/fixture.js';
import { callsOf, type FsFault } from './support/fs-faults.js';

/** `roster pull` writes whole files, and a run after a killed one completes it. */

async function expectCompleted(pull: Command, fixture: Fixture): Promise<void> {
  const again = await run(pull, fixture);
  expect([again.exit, again.stderr]).toEqual([0, expect.any(String)]);
  await pull.always?.(fixture, again);
  await pull.done(fixture);
}

test.each(pulls)('$name changes manifests, and leaves a project whose plan adopts at most', async (pull) => {
  await withCommand(pull, async (fixture) => {
    expect(await run(pull, fixture)).toMatchObject({ exit: 0 });
    expect(manifestsOf(fixture)).not.toEqual((await resultOf(pull)).before);
    await expectCompleted(pull, fixture);
  });
});

/** More than any of the pulls makes. */
const MOST_CALLS = 45;
const writes = pulls.flatMap((pull) =>
  Array.from({ length: MOST_CALLS }, (_, index) => index + 1).flatMap((nth) =>
    [false, true].map((half) => ({ pull, fault: { act: 'kill', nth, half } as FsFault })),
  ),
);

test.each(pulls)('$name changes files with fewer calls than are tried', async (pull) => {
  await withCommand(pull, async (fixture) => {
    const words = await pull.words(fixture);
    const calls = await callsOf(fixture.workspace.root, (env) => fixture.processWith(env, ...words));
    expect(calls.length).toBeGreaterThan(2);
    expect(calls.length).toBeLessThanOrEqual(MOST_CALLS);
  });
});

experiments(
  'I20',
  'pull: a kill at any call that changes files leaves a valid project of whole files, and pulling again completes it',
  writes,
  async ({ pull, fault }) => {
    await withCommand(pull, async (fixture) => {
      const { before, after } = await resultOf(pull);
      fixture.fsFault = fault;
      await run(pull, fixture);
      fixture.fsFault = null;
      for (const [name, text] of Object.entries(manifestsOf(fixture)))
        expect([before[name], after[name]], name).toContain(text);
      expect(await fixture.command('validate')).toMatchObject({ exit: 0 });
      await expectCompleted(pull, fixture);
    });
  },
  9,
);
