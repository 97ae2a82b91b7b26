import { expect } from 'vitest';
import type { CollectionRecord, ScheduleRecord, World } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { type Fixture, withFixture } from './support/fixture.js';
import { busy, scenario } from './support/scenarios.js';

/** I35: what somebody changes after the plan has read it is not deleted or replaced. */

/** A plan reads five lists. */
const READS = 5;

const collectionEdits: Readonly<Record<string, (record: CollectionRecord) => void>> = {
  name: (record) => {
    record.name = `${record.name} in use`;
  },
  description: (record) => {
    record.description = 'In use';
  },
  active: (record) => {
    record.isActive = !record.isActive;
  },
  members: (record) => {
    record.agentIds = record.agentIds.slice(1);
  },
};

const deleted = ['search', 'jobs', 'nightly', 'short'];

experiments(
  'I35',
  'conflict: a group or pipeline that someone edits right before its delete stays as it is',
  deleted.flatMap((name) => Object.keys(collectionEdits).map((edit) => ({ name, edit }))),
  ({ name, edit }) =>
    withFixture(scenario('S5'), async (fixture) => {
      const record = collection(fixture, name);
      editAfterReads(fixture, () => collectionEdits[edit]?.(record));
      await expectConflict(fixture);
      const { groups, pipelines } = fixture.sandbox.world;
      expect([...groups.values(), ...pipelines.values()]).toContain(record);
    }),
  5,
);

experiments(
  'I35',
  'conflict: a group or pipeline that a new schedule starts is not deleted',
  deleted,
  (name) =>
    withFixture(scenario('S5'), async (fixture) => {
      const record = collection(fixture, name);
      editAfterReads(fixture, ({ schedules, groups }) => {
        const [first] = schedules.values();
        if (first === undefined) throw new Error('there is no schedule');
        const targetType = [...groups.values()].includes(record) ? 'Group' : 'Pipeline';
        const id = '00000000-0000-4000-8000-000000000000';
        schedules.set(id, { ...first, id, targetType, targetId: record.id });
      });
      await expectConflict(fixture);
    }),
  1,
);

const scheduleEdits: Readonly<Record<string, (record: ScheduleRecord, world: World) => void>> = {
  enabled: (record) => {
    record.isEnabled = !record.isEnabled;
  },
  inputs: (record) => {
    record.inputParameters = '{"country":"IT"}';
  },
  time: (record) => {
    record.startTime = '2098-01-01T00:00:00';
  },
  zone: (record) => {
    record.timeZoneId = 'Asia/Tokyo';
  },
  target: (record, world) => {
    record.targetType = 'Agent';
    record.targetId = [...world.agents.keys()].at(-1) ?? '';
  },
};

/** The schedules that these scenarios replace, by their timing. */
const replaced = [
  { name: 'S4', isReplaced: (each: ScheduleRecord) => each.intervalValue === 6 },
  { name: 'busy', isReplaced: (each: ScheduleRecord) => each.cronExpression === '0 0 4 * * *' },
];

experiments(
  'I35',
  'conflict: a schedule that someone edits right before its PUT stays as it is, and the next apply replaces it',
  replaced.flatMap(({ name }) => Object.keys(scheduleEdits).map((edit) => ({ name, edit }))),
  ({ name, edit }) =>
    withFixture(name === 'busy' ? busy : scenario(name), async (fixture) => {
      const isReplaced = replaced.find((each) => each.name === name)?.isReplaced ?? (() => false);
      const found = [...fixture.sandbox.world.schedules.values()].find(isReplaced);
      if (found === undefined) throw new Error('there is no such schedule');
      let edited = '';
      editAfterReads(fixture, (world) => {
        scheduleEdits[edit]?.(found, world);
        edited = JSON.stringify(found);
      });
      await expectConflict(fixture);
      expect(JSON.stringify(found)).toBe(edited);
      expect((await fixture.apply()).exit).toBe(0);
      await fixture.expectDesired();
    }),
  1,
);

function collection({ sandbox: { world } }: Fixture, name: string): CollectionRecord {
  const found = [...world.groups.values(), ...world.pipelines.values()].find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function editAfterReads({ sandbox: { faults, world } }: Fixture, edit: (world: World) => void): void {
  let reads = 0;
  faults.intercept = async ({ method }, next) => {
    await next();
    if (method !== 'GET') return;
    reads += 1;
    if (reads === READS) edit(world);
  };
}

async function expectConflict(fixture: Fixture): Promise<void> {
  const { exit, diagnostics } = await fixture.workspace.applyJson();
  expect([exit, diagnostics.filter(({ code }) => code === 'conflict').length]).toEqual([3, 1]);
}
