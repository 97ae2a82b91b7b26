import { afterAll, describe, expect } from 'vitest';
import type { ClientFault } from '../support/client-faults.js';
import { sampleOf } from '../support/size.js';
import { experiments } from './support/experiments.js';
import { Fixture, requestsOf, withFixture } from './support/fixture.js';
import { scenario, scenarios } from './support/scenarios.js';

/** I1: a run that is killed at any request converges when it is repeated: no duplicate, no loss, no change to foreign objects. */

const acts = ['kill-before', 'kill-after'] as const;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function killed(fixture: Fixture, kill: ClientFault): Promise<void> {
  fixture.inject(kill);
  const { exit, signal } = await fixture.command('apply', '--yes');
  expect([exit, signal]).toSatisfy(() => signal === 'SIGKILL' || exit === 0);
  fixture.inject();
}

async function converges(name: string, kill: ClientFault): Promise<void> {
  await withFixture(scenario(name), async (fixture) => {
    await killed(fixture, kill);
    expect(await fixture.apply()).toMatchObject({ exit: 0 });
    await fixture.expectDesired();
    await fixture.expectNothingLeft();
  });
}

describe.each(sampleOf(scenarios, 2))('$name', async (each) => {
  const requests = await requestsOf(each);
  experiments(
    'I1',
    `apply: ${each.name} converges after a kill at each of its ${requests} requests`,
    upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth }))),
    (kill) => converges(each.name, kill),
  );
});

describe('two kills', async () => {
  const requests = await requestsOf(scenario('S2'));
  const kills = upTo(requests).flatMap((nth) => acts.map((act) => ({ act, nth })));
  let first: { kill: ClientFault; fixture: Fixture; restore(): void } | null = null;
  afterAll(() => first?.fixture.close());

  /** The first run is killed once for all that may come of the second. */
  async function killedFirst(kill: ClientFault): Promise<Fixture> {
    if (first?.kill !== kill) {
      await first?.fixture.close();
      const fixture = await Fixture.of(scenario('S2'));
      await killed(fixture, kill);
      first = { kill, fixture, restore: fixture.checkpoint() };
    } else first.restore();
    return first.fixture;
  }

  experiments(
    'I1',
    'apply: S2 converges after all ordered pairs of kills',
    kills.flatMap((one) => kills.map((other) => [one, other] as const)),
    async ([one, other]) => {
      const fixture = await killedFirst(one);
      await killed(fixture, other);
      expect((await fixture.apply()).exit).toBe(0);
      await fixture.expectDesired();
      await fixture.expectNothingLeft();
    },
    60,
  );
});
