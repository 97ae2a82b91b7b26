import { describe, expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** Which starts are expected of a schedule: with an inventory in a file, which remembers no runs. */

const day = 86_400_000;
const agent = { externalAgentId: 'acme-shop', name: 'Acme' };
const timing = { every: '1 day', startTime: '2026-12-01T06:00:00' };

async function world(seed: Seed) {
  const sandbox = await startSandbox({ seed, speed: 0, now: new Date('2026-12-01T12:00:00Z') });
  const workspace = new Workspace({}, sandbox);
  workspace.now = () => sandbox.now();
  const declare = (rest: object) =>
    workspace.write('roster.yaml', JSON.stringify({ project: 'prices', ...rest }));
  const apply = async (rest: object) => {
    declare(rest);
    const { exit, stderr } = await workspace.apply();
    expect(exit, stderr).toBe(0);
  };
  const status = async (address: string) => {
    const { stdout } = await workspace.command(['status', address, '--format', 'json']);
    const [found] = jsonOf<{ resources: ResourceStatus[] }>({ stdout }).resources;
    return found;
  };
  return { sandbox, workspace, declare, apply, status };
}

describe('starts that were not to happen are not missed', () => {
  const schedule = { target: 'agent/acme-shop', ...timing };

  test('those that fell due while an apply had paused the schedule', async () => {
    const { sandbox, apply, status } = await world({ agents: [agent], schedules: [] });
    await apply({ schedules: { daily: schedule } });
    sandbox.advance(day);
    expect(await status('schedule/daily')).toMatchObject({ counts: { succeeded: 1, missed: 0 } });
    await apply({ schedules: { daily: { ...schedule, enabled: false } } });
    sandbox.advance(3 * day);
    await apply({ schedules: { daily: { ...schedule, enabled: true } } });
    expect(await status('schedule/daily')).toMatchObject({ health: 'healthy', counts: { missed: 0 } });
    sandbox.advance(day);
    expect(await status('schedule/daily')).toMatchObject({ counts: { succeeded: 2, missed: 0 } });
  });

  test('those from before the schedule was adopted', async () => {
    const seed = {
      ...{ targetId: 'acme-shop', scheduleType: 'Basic', intervalValue: 1, intervalUnit: 'Days' },
      ...{ startTime: '2026-11-20T06:00:00', id: 'a1' },
    } as const;
    const history = [{ schedule: 'a1', startedAt: '2026-11-26T06:00:00Z' }];
    const { apply, status } = await world({ agents: [agent], schedules: [seed], history } as Seed);
    await apply({ schedules: { daily: { ...schedule, startTime: '2026-11-20T06:00:00' } } });
    expect(await status('schedule/daily')).toMatchObject({ health: 'healthy', counts: { missed: 0 } });
  });

  test('but a change of the inputs does not hide the starts that were missed before', async () => {
    const { sandbox, apply, status } = await world({ agents: [agent], schedules: [] });
    await apply({ schedules: { daily: schedule } });
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    sandbox.advance(2 * day);
    for (const each of sandbox.world.schedules.values()) each.isEnabled = true;
    await apply({ schedules: { daily: { ...schedule, inputs: { country: 'DE' } } } });
    expect(await status('schedule/daily')).toMatchObject({ health: 'missed', counts: { missed: 2 } });
  });
});
