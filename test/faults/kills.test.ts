import { afterAll, describe, expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { scenario, scenarios } from './support/scenarios.js';
import { requestsOf, Scene, within } from './support/scene.js';

/** I1: killed at any request and run again, it converges: nothing doubled, nothing lost, nothing of others touched. */

const acts = ['kill-before', 'kill-after'] as const;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function killed(scene: Scene, kill: Fault): Promise<void> {
  scene.fault(kill);
  const { exit, signal } = await scene.process('apply', '--yes');
  expect([exit, signal]).toSatisfy(() => signal === 'SIGKILL' || exit === 0);
  scene.fault();
}

async function converges(name: string, kill: Fault): Promise<void> {
  await within(scenario(name), async (scene) => {
    await killed(scene, kill);
    expect(await scene.apply()).toMatchObject({ exit: 0 });
    await scene.expectDesired();
    await scene.expectNothingLeft();
  });
}

describe.each(scenarios)('$name', async (each) => {
  const requests = await requestsOf(each);
  experiments(
    'I1',
    `${each.name}, killed at each of its ${requests} requests`,
    upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth }))),
    (kill) => converges(each.name, kill),
  );
});

describe('twice', async () => {
  const requests = await requestsOf(scenario('S2'));
  const kills = upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth })));
  let first: { kill: Fault; scene: Scene; restore(): void } | null = null;
  afterAll(() => first?.scene.close());

  /** The first run is killed once for all that may come of the second. */
  async function killedFirst(kill: Fault): Promise<Scene> {
    if (first?.kill !== kill) {
      await first?.scene.close();
      const scene = await Scene.of(scenario('S2'));
      await killed(scene, kill);
      first = { kill, scene, restore: scene.keep() };
    } else first.restore();
    return first.scene;
  }

  experiments(
    'I1',
    'S2, all ordered pairs of kills',
    kills.flatMap((one) => kills.map((other) => [one, other] as const)),
    async ([one, other]) => {
      const scene = await killedFirst(one);
      await killed(scene, other);
      expect((await scene.apply()).exit).toBe(0);
      await scene.expectDesired();
      await scene.expectNothingLeft();
    },
    60,
  );
});
