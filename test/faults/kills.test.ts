import { afterAll, describe, expect } from 'vitest';
import type { ClientFault } from '../support/client-faults.js';
import { experiments } from './support/experiments.js';
import { Fixture, requestsOf } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I1: a run that is killed twice, at any two requests, converges when it is repeated. */

const acts = ['kill-before', 'kill-after'] as const;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function killed(fixture: Fixture, kill: ClientFault): Promise<void> {
  fixture.inject(kill);
  const { exit, signal } = await fixture.command('apply', '--yes');
  expect([exit, signal]).toSatisfy(() => signal === 'SIGKILL' || exit === 0);
  fixture.inject();
}

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
    121,
  );
});
