import { expect, test } from 'vitest';
import type { ClientFault } from '../support/client-faults.js';
import { sampleOf } from '../support/size.js';
import { type Fixture, withFixture } from './support/fixture.js';
import type { Scenario } from './support/scenarios.js';

/** `apply --expect DIGEST` is killed, and `--resume` is added: the rest of the reviewed plan is made, or nothing. */

/** One request makes each of these objects: none can be half made. */
const simple: Scenario = {
  name: 'simple',
  before: null,
  manifest:
    'project: p\ngroups: { a: { members: [acme-shop] }, b: { members: [globex] }, c: { members: [initech] } }\n',
};
const killsOf = (count: number): ClientFault[] =>
  Array.from({ length: count }, (_, index) => index + 1).flatMap((nth) => [
    { act: 'kill-before', nth },
    { act: 'kill-after', nth },
  ]);

/** Kills an apply of the reviewed plan. Returns its digest. */
async function killed(fixture: Fixture, kill: ClientFault): Promise<string> {
  const { digest } = await fixture.workspace.planJson();
  fixture.inject(kill);
  expect((await fixture.command('apply', '--expect', digest)).signal).toBe('SIGKILL');
  fixture.inject();
  return digest;
}

async function resumed(fixture: Fixture, digest: string): Promise<{ exit: number; written: number }> {
  const before = fixture.writes().length;
  const { exit } = await fixture.apply({ yes: false, expect: digest, resume: true });
  return { exit, written: fixture.writes().length - before };
}

async function expectAll(fixture: Fixture): Promise<void> {
  await fixture.expectDesired();
  await fixture.expectNothingLeft();
}

const creates = { method: 'POST', path: '/api/search-groups' };

test.each(sampleOf(killsOf(3), 2))(
  'a run that is killed ($act, create $nth) and resumed makes all of the plan',
  async (kill) => {
    await withFixture(simple, async (fixture) => {
      const digest = await killed(fixture, { ...kill, ...creates });
      expect((await resumed(fixture, digest)).exit).toBe(0);
      await expectAll(fixture);
    });
  },
);
