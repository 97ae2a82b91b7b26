import { describe, expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { scenario, scenarios } from './support/scenarios.js';
import { requestsOf, within } from './support/scene.js';

/** I1: killed at any request and run again, it converges: nothing doubled, nothing lost, nothing of others touched. */

const acts = ['kill-before', 'kill-after'] as const;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function converges(name: string, kills: readonly Fault[]): Promise<void> {
  await within(scenario(name), async (scene) => {
    for (const kill of kills) {
      scene.fault(kill);
      const { exit, signal } = await scene.process('apply', '--yes');
      expect([exit, signal]).toSatisfy(() => signal === 'SIGKILL' || exit === 0);
    }
    scene.fault();
    const ended = await scene.process('apply', '--yes');
    expect(ended).toMatchObject({ exit: 0 });
    await scene.expectDesired();
    const plan = await scene.process('plan', '--detailed-exitcode');
    expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  });
}

describe.each(scenarios)('$name', async (each) => {
  const requests = await requestsOf(each);
  experiments(
    'I1',
    `${each.name}, killed at each of its ${requests} requests`,
    upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth }))),
    (kill) => converges(each.name, [kill]),
  );
});

describe('twice', async () => {
  const requests = await requestsOf(scenario('S2'));
  const kills = upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth })));
  experiments(
    'I1',
    'S2, all ordered pairs of kills',
    kills.flatMap((first) => kills.map((second) => [first, second])),
    (pair) => converges('S2', pair),
    60,
  );
});
