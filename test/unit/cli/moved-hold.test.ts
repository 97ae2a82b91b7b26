import { expect, test } from 'vitest';
import { startSandbox } from '../../support/sandbox.js';
import { Team } from '../../support/team.js';

/** What two projects do with a schedule on hold that moves between them. Longer walks: test/properties/moved-holds. */

const names = ['retail', 'travel'] as const;
type Name = (typeof names)[number];

const nightly = { target: 'agent/globex', every: '1 day', startTime: '2099-12-01T06:00:00' };

function declare(team: Team, owner: Name): void {
  for (const each of names) {
    const schedules = each === owner ? { nightly } : {};
    team.declare(each, { groups: { [each]: { members: [] } }, schedules });
  }
}

function isEnabled({ sandbox }: Team): boolean[] {
  return [...sandbox.world.schedules.values()].map((each) => each.isEnabled);
}

async function expectDone(team: Team, project: Name, ...words: string[]): Promise<void> {
  const { exit, stderr } = await team.run(project, ...words, '--yes');
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
}

const hold = ['hold', 'schedule/nightly', '--reason', 'incident 42'];
const resume = ['resume', 'schedule/nightly'];

test.each([{ order: ['retail', 'travel', 'retail'] }, { order: ['travel', 'retail', 'travel'] }] as const)(
  'a schedule on hold stays paused when it moves to another project, and back: $order',
  async ({ order }) => {
    const team = new Team(await startSandbox());
    declare(team, 'retail');
    await team.apply('retail');
    const moves = [
      { from: 'retail', to: 'travel' },
      { from: 'travel', to: 'retail' },
    ] as const;
    for (const { from, to } of moves) {
      await expectDone(team, from, ...hold);
      declare(team, to);
      for (const name of order) {
        await team.apply(name);
        expect(isEnabled(team)).toEqual([false]);
      }
      await expectDone(team, to, ...resume);
      expect(isEnabled(team)).toEqual([true]);
    }
  },
);
