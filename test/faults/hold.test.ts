import { expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { type Command, expectRecorded, holds, run, withCommand } from './support/commands.js';
import { experiments } from './support/experiments.js';
import type { Fixture } from './support/fixture.js';
import type { FsFault } from './support/fs-faults.js';

/** I38: a hold is what it says: nothing is paused that is not recorded, and a resume enables exactly what was enabled. */

async function expectDone(command: Command, fixture: Fixture): Promise<void> {
  expect(await run(command, fixture)).toMatchObject({ exit: 0 });
  await command.done(fixture);
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const answers = (
  [
    { act: 'drop' },
    { act: 'lose' },
    { act: 'late', requests: 1 },
    { act: 'cut' },
    { act: 'status', status: 500 },
    { act: 'status-after', status: 500 },
    { act: 'status', status: 401 },
    { act: 'status', status: 404 },
  ] as const
).map((fault): Fault => ({ ...fault, path: '/api/schedules/bulk/enabled' }));
const writes = upTo(14).flatMap((nth) => (['kill', 'ENOSPC'] as const).map((act): FsFault => ({ act, nth })));
const troubles = [
  ...answers.flatMap((fault) => [{ fault }, { fault: { ...fault, nth: 1 } }]),
  ...writes.map((fs) => ({ fs })),
].flatMap((trouble) => [false, true].map((applies) => ({ ...trouble, applies })));
type Trouble = { fault?: Fault; fs?: FsFault; applies: boolean };

/** A run with trouble; and perhaps an apply of something else before the next one. */
async function troubled(fixture: Fixture, trouble: Trouble, command: Command) {
  const { fault, fs, applies } = trouble;
  if (fault !== undefined) fixture.inject(fault);
  fixture.fsFault = fs ?? null;
  await run(command, fixture);
  fixture.fsFault = null;
  fixture.inject();
  expectRecorded(fixture);
  if (!applies) return;
  const ran = await fixture.command('apply', 'schedule/a', 'schedule/b', 'schedule/c', '--yes');
  expect(ran).toMatchObject({ exit: 0 });
  expectRecorded(fixture);
}

for (const { text, hold, resume } of holds) {
  experiments(
    'I38',
    `${hold.name}: after a failed write or a lost answer, everything paused is recorded, holding again finishes it, and a resume enables exactly what was enabled`,
    troubles,
    async (trouble) => {
      await withCommand(hold, async (fixture) => {
        await troubled(fixture, trouble, hold);
        await expectDone(hold, fixture);
        await expectDone(resume, fixture);
      });
    },
    7,
  );

  experiments(
    'I38',
    `${resume.name}: after a failed write or a lost answer, resuming again enables exactly what was enabled before the hold`,
    troubles,
    async (trouble) => {
      await withCommand(hold, async (fixture) => {
        await expectDone(hold, fixture);
        await troubled(fixture, trouble, resume);
        await expectDone(resume, fixture);
      });
    },
    7,
  );

  test(`${hold.name}: an apply before its end leaves the schedules paused and the hold as it is`, async () => {
    await withCommand(hold, async (fixture) => {
      await expectDone(hold, fixture);
      fixture.workspace.write('roster.yaml', text.replace('every: 1 hour', 'every: 6 hours'));
      expect(await fixture.command('apply', 'schedule/a', '--yes')).toMatchObject({ exit: 0 });
      await hold.done(fixture);
      await expectDone(resume, fixture);
    });
  });
}

const [, { text, hold, resume }] = holds;

test('what a hold has stopped is given back when an apply has taken the agent out of everything meanwhile', async () => {
  await withCommand(hold, async (fixture) => {
    await expectDone(hold, fixture);
    fixture.workspace.write(
      'roster.yaml',
      text.replaceAll('acme-shop', 'initech').replace('initech, initech', 'initech'),
    );
    expect(await fixture.command('apply', '--yes')).toMatchObject({ exit: 0 });
    await hold.done(fixture);
    await expectDone(resume, fixture);
  });
});
