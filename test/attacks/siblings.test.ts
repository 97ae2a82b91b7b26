import { describe, expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { actionsOf, type Manifest, Team } from '../support/team.js';

/** Two projects of one repository: what one of them manages, the other one neither deletes nor counts. */

const prices = { members: ['acme-shop'] };
const news = { members: ['globex'] };
const nightly = { target: 'group/prices', every: '6 hours', startTime: '2026-12-01T06:00:00' };

async function teamWith(projects: Readonly<Record<string, Manifest>>): Promise<Team> {
  return new Team(await startSandbox(), projects);
}

describe('an entry that was moved by hand', () => {
  const before = { groups: { prices, news }, schedules: { nightly } };
  const moved = { groups: { prices }, schedules: { nightly } };

  async function movedTeam(): Promise<Team> {
    const team = await teamWith({ retail: before, travel: { groups: {} } });
    await team.apply('retail');
    team.declare('retail', { groups: { news } });
    team.declare('travel', moved);
    team.takeDeletes();
    return team;
  }

  test('is adopted with a risk by the new project, and then forgotten by the old one', async () => {
    const team = await movedTeam();
    const adopting = await team.plan('travel');
    expect(actionsOf(adopting)).toEqual(['adopt group/prices', 'adopt schedule/nightly']);
    expect(adopting.changes.map(({ risks }) => risks.map(({ code }) => code))).toEqual([
      ['owned-elsewhere'],
      ['owned-elsewhere'],
    ]);
    await team.apply('travel');
    const forgetting = await team.plan('retail');
    expect(actionsOf(forgetting)).toEqual(['forget group/prices', 'forget schedule/nightly']);
    await team.apply('retail');
    expect([await team.actions('retail'), await team.actions('travel'), team.takeDeletes()]).toEqual([[], [], []]);
  });

  test('stays with the old project until the new one has adopted it', async () => {
    const team = await movedTeam();
    const first = await team.plan('retail');
    expect([actionsOf(first), first.diagnostics.map(({ code }) => code)]).toEqual([[], ['owned-elsewhere']]);
    await team.apply('retail');
    await team.apply('travel');
    await team.apply('retail');
    expect([await team.actions('retail'), await team.actions('travel'), team.takeDeletes()]).toEqual([[], [], []]);
  });

  test('is deleted by whichever project is applied first once neither declares it', async () => {
    const team = await movedTeam();
    await team.apply('travel');
    team.declare('travel', { groups: {} });
    team.takeDeletes();
    await team.apply('retail', '--allow-deletes', '9');
    expect(team.takeDeletes()).toHaveLength(2);
    expect(await team.actions('travel', '--allow-empty')).toEqual(['forget group/prices', 'forget schedule/nightly']);
  });

  test('is not destroyed with the old project', async () => {
    const team = await movedTeam();
    await team.apply('travel');
    const { exit } = await team.run('retail', 'destroy', '--yes', '--expect', (await team.plan('retail', '--destroy')).digest);
    expect([exit, team.takeDeletes().length, await team.actions('travel')]).toEqual([0, 1, []]);
  });
});

describe('what another project manages', () => {
  test('is counted, listed, imported and pruned by no other one', async () => {
    const team = await teamWith({ retail: { groups: { prices } }, travel: { groups: { news } } });
    await team.apply('retail');
    const before = (await team.plan('travel')).unmanaged['group'];
    await team.apply('travel');
    const planned = await team.plan('retail', '--prune', 'all');
    expect(planned.unmanaged['group']).toBe(0);
    expect(actionsOf(planned).filter((each) => each.includes('group/'))).not.toContain('delete group/news');
    const { stdout } = await team.run('retail', 'list', 'groups');
    expect(stdout).toContain('managed by project travel');
    expect(before).toBe((await team.plan('travel')).unmanaged['group']);
    const pulled = await team.run('retail', 'pull', '--yes');
    expect(pulled.stdout).not.toContain('news');
  });
});
