import { describe, expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const day = 86_400_000;
const agent = { externalAgentId: 'acme-shop', name: 'Acme' };

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

describe('a schedule whose group is not active', () => {
  const declared = (active: boolean) => ({
    groups: { shops: { members: ['acme-shop'], active } },
    schedules: { hourly: { target: 'group/shops', every: '1 hour', startTime: '2026-12-01T06:00:00' } },
  });

  test('starts nothing: a warning says so, and plan, calendar and status count it as paused', async () => {
    const { sandbox, workspace, declare, apply, status } = await world({ agents: [agent], schedules: [] });
    declare(declared(false));
    const { diagnostics, startsPerWeek, changes } = await workspace.planJson();
    expect(diagnostics).toMatchObject([{ code: 'inactive-target', severity: 'warning' }]);
    expect(startsPerWeek.after).toBe(0);
    expect(changes.at(-1)).toMatchObject({ address: 'schedule/hourly', nextRuns: { after: [] } });
    expect((await workspace.plan()).stdout).not.toMatch(/runs a week/);
    const { stdout } = await workspace.command(['calendar', '--format', 'json']);
    expect(jsonOf({ stdout })).toMatchObject({ starts: 0 });

    await workspace.apply({ yes: true });
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    sandbox.advance(day);
    for (const each of sandbox.world.schedules.values()) each.isEnabled = true;
    expect(await status('schedule/hourly')).toMatchObject({
      ...{ health: 'paused', nextRun: null, counts: { missed: 0 } },
      reason: 'its target group/shops is not active',
    });
    expect(await status('group/shops')).toMatchObject({ health: 'paused', nextRun: null });

    // What fell due while the group was not active is not missed now.
    await apply(declared(true));
    expect(await status('schedule/hourly')).toMatchObject({ health: 'never-run', reason: null });
    expect((await workspace.planJson()).diagnostics).toEqual([]);
  });

  test('gets no warning while it is paused itself', async () => {
    const { workspace, declare } = await world({ agents: [agent], schedules: [] });
    const { groups, schedules } = declared(false);
    declare({ groups, schedules: { hourly: { ...schedules.hourly, enabled: false } } });
    expect((await workspace.planJson()).diagnostics).toEqual([]);
  });
});
