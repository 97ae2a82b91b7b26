import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { actionsOf, type Manifest, Team, type TeamPlan } from '../support/team.js';

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
    expect([await team.actions('retail'), await team.actions('travel'), team.takeDeletes()]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('stays with the old project until the new one has adopted it', async () => {
    const team = await movedTeam();
    const first = await team.plan('retail');
    expect([actionsOf(first), first.diagnostics.map(({ code }) => code)]).toEqual([[], ['owned-elsewhere']]);
    await team.apply('retail');
    await team.apply('travel');
    await team.apply('retail');
    expect([await team.actions('retail'), await team.actions('travel'), team.takeDeletes()]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('is deleted by whichever project is applied first once neither declares it', async () => {
    const team = await movedTeam();
    await team.apply('travel');
    team.declare('travel', { groups: {} });
    team.takeDeletes();
    await team.apply('retail', '--allow-deletes', '9');
    expect(team.takeDeletes()).toHaveLength(2);
    expect(await team.actions('travel', '--allow-empty')).toEqual([
      'forget group/prices',
      'forget schedule/nightly',
    ]);
  });

  test('is not destroyed with the old project', async () => {
    const team = await movedTeam();
    await team.apply('travel');
    const { exit } = await team.run(
      'retail',
      'destroy',
      '--yes',
      '--expect',
      (await team.plan('retail', '--destroy')).digest,
    );
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

interface Attack {
  readonly name: string;
  /** Changes files of the pull request that also removes `prices` from project retail. */
  change(team: Team): void;
  /** What the plan of retail then does with it. A delete that another project file may be against has a warning. */
  readonly action: 'delete' | 'nothing' | 'forget';
  readonly code?: 'owned-elsewhere' | 'unreadable-sibling';
}

const evil = (manifest: Manifest) => JSON.stringify({ project: 'evil', ...manifest });
const retailInventory = 'retail/roster.inventory.json';
const travelInventory = 'travel/roster.inventory.json';

interface Stored {
  entries: Record<string, { id: string; name: string; applied: object }>;
}

const stored = (team: Team, path: string): Stored => JSON.parse(team.read(path));

/** What one file of a pull request says about objects turns no delete into a forget. */
const attacks: readonly Attack[] = [
  {
    name: 'nothing else',
    change: () => undefined,
    action: 'delete',
  },
  {
    name: 'a new project that declares the object',
    change: (team) => team.write('evil/roster.yaml', evil({ groups: { prices } })),
    action: 'nothing',
    code: 'owned-elsewhere',
  },
  {
    name: "a new project that names retail's own inventory",
    change: (team) => team.write('retail/evil.yaml', evil({ inventory: { file: 'roster.inventory.json' } })),
    action: 'delete',
    code: 'owned-elsewhere',
  },
  {
    name: "a new project that declares the object and names travel's inventory",
    change: (team) => team.write('travel/evil.yaml', evil({ groups: { prices } })),
    action: 'delete',
  },
  {
    name: 'a second project of the same name, with a copy of the inventory',
    change: (team) => {
      team.write('copy/roster.yaml', JSON.stringify({ project: 'retail', groups: { prices } }));
      team.write('copy/roster.inventory.json', team.read(retailInventory));
    },
    action: 'delete',
    code: 'owned-elsewhere',
  },
  {
    name: "travel's inventory with the object under a new address",
    change: (team) => {
      const inventory = stored(team, travelInventory);
      Object.assign(inventory.entries, {
        'group/prices': stored(team, retailInventory).entries['group/prices'],
      });
      team.write(travelInventory, JSON.stringify(inventory));
    },
    action: 'delete',
  },
  {
    name: "travel's inventory with the object under the address of another entry",
    change: (team) => {
      const inventory = stored(team, travelInventory);
      Object.assign(inventory.entries, {
        'group/news': stored(team, retailInventory).entries['group/prices'],
      });
      team.write(travelInventory, JSON.stringify(inventory));
    },
    action: 'nothing',
    code: 'owned-elsewhere',
  },
  {
    name: 'an inventory of travel that is not JSON',
    change: (team) => team.write(travelInventory, '{'),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: "a link to retail's inventory in place of travel's",
    change: (team) => {
      rmSync(join(team.root, travelInventory));
      symlinkSync(join(team.root, retailInventory), join(team.root, travelInventory));
      team.git('add', '--all');
    },
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file of travel with errors',
    change: (team) => team.write('travel/roster.yaml', 'project: travel\ngroups: ['),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file of travel without its name',
    change: (team) => team.write('travel/roster.yaml', JSON.stringify({ groups: { news, prices } })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a file without a name that is a part of travel',
    change: (team) => {
      team.declare('travel', { include: ['parts/*.yaml'], groups: { news } });
      team.write('travel/parts/roster.yaml', JSON.stringify({ groups: { more: { members: [] } } }));
    },
    action: 'delete',
  },
  {
    name: 'a project file of travel without its name that has parts',
    change: (team) => team.write('travel/roster.yaml', JSON.stringify({ include: [], groups: { prices } })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file of travel with parts and with an error in its settings',
    change: (team) =>
      team.declare('travel', { include: ['*.yml'], service: { url: 5 }, groups: { news, prices } }),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file without its name, in a folder that is called like this project',
    change: (team) => team.write('teams/retail/roster.yaml', JSON.stringify({ groups: { prices } })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file beside retail/roster.yaml, with an error in its settings',
    change: (team) =>
      team.write('retail/travel.yaml', JSON.stringify({ project: 'more', service: { url: 5 } })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a file of another tool beside retail/roster.yaml',
    change: (team) => team.write('retail/_quarto.yml', 'project: { type: website }\nformat: html\n'),
    action: 'delete',
  },
  {
    name: 'a project file of the name of retail with an error in its settings',
    change: (team) => team.write('copy/roster.yaml', 'project: retail\nservice: { url: 5 }\n'),
    action: 'delete',
    code: 'owned-elsewhere',
  },
  {
    name: 'a file of that name that is no manifest',
    change: (team) => team.write('evil/roster.yaml', 'players: [Ada, Ben]\n'),
    action: 'delete',
  },
  {
    name: 'an entry of travel with an error',
    change: (team) => team.declare('travel', { groups: { news, odd: { memberz: [] } } }),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project file of travel that is not checked out',
    change: (team) => rmSync(join(team.root, 'travel'), { recursive: true }),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a remote that git would take for an option',
    change: (team) =>
      team.write(
        'evil/roster.yaml',
        evil({
          inventory: { git: { remote: '--upload-pack=touch${IFS}ran', ref: 'refs/heads/x' } },
          groups: {},
        }),
      ),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a branch of an unknown remote',
    change: (team) =>
      team.write('evil/roster.yaml', evil({ inventory: { git: { remote: 'elsewhere' } }, groups: {} })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a variable of the environment in the address of the service',
    change: (team) =>
      team.write('evil/roster.yaml', evil({ service: { url: 'https://x.example/${env.ROSTER_API_KEY}' } })),
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'more project files than are read',
    change: (team) => {
      for (let index = 0; index < 201; index += 1)
        writeFileSync(join(team.root, `retail/${index}.yaml`), `project: p${index}\n`);
      team.git('add', '--all');
    },
    action: 'nothing',
    code: 'unreadable-sibling',
  },
  {
    name: 'a project that git does not track',
    change: (team) => {
      cpSync(join(team.root, 'travel'), join(team.root, 'evil'), { recursive: true });
      writeFileSync(join(team.root, 'evil/roster.yaml'), evil({ groups: { prices } }));
    },
    action: 'delete',
  },
  {
    name: 'a new project together with an inventory, which are two files: the plan names it',
    change: (team) => {
      const { entries, ...rest } = stored(team, retailInventory);
      const own = { ...rest, project: 'evil', entries: { 'group/prices': entries['group/prices'] } };
      team.write('evil/roster.yaml', evil({ groups: { prices } }));
      team.write('evil/roster.inventory.json', JSON.stringify(own));
    },
    action: 'forget',
  },
];

describe('a pull request that removes an entry', () => {
  test.each(attacks)('with $name', async ({ change, action, code }) => {
    const team = await teamWith({
      retail: { groups: { prices, stays: news } },
      travel: { groups: { news } },
    });
    await team.apply('retail');
    await team.apply('travel');
    team.write('retail/.keep', '');
    team.declare('retail', { groups: { stays: news } });
    change(team);
    const { exit, stdout, stderr } = await team.run('retail', 'plan', '--format', 'json');
    const planned: TeamPlan = JSON.parse(stdout);
    const codes = planned.diagnostics.map((each) => each.code);
    expect([exit, actionsOf(planned), codes.includes(code ?? 'owned-elsewhere')]).toEqual([
      0,
      action === 'nothing' ? [] : [`${action} group/prices`],
      code !== undefined,
    ]);
    expect(stdout + stderr).not.toContain(team.sandbox.apiKey);
    if (action === 'forget') expect(stdout).toContain('project evil');
  });
});

describe('in the folder of a project that includes files', () => {
  const retail = (groups: Manifest) =>
    JSON.stringify({ project: 'retail', include: ['teams/*.yaml'], groups });

  async function planWithout(path: string, text: string): Promise<TeamPlan> {
    const team = new Team(await startSandbox());
    team.write('teams/more.yaml', JSON.stringify({ groups: { more: { members: [] } } }));
    team.write('roster.yaml', retail({ prices }));
    await team.apply('.');
    team.write('roster.yaml', retail({}));
    team.write(path, text);
    return team.plan('.');
  }

  test.each([
    { name: 'that is not YAML', text: 'project: travel\ngroups: [' },
    { name: 'with an error in its settings', text: 'project: travel\nservice: { url: 5 }\n' },
    { name: 'without its name', text: JSON.stringify({ groups: { news, prices } }) },
  ])('a project file $name is no part of that project', async ({ text }) => {
    const planned = await planWithout('travel/roster.yaml', text);
    expect(actionsOf(planned)).toEqual([]);
    expect(planned.diagnostics.map(({ code }) => code)).toEqual(['unreadable-sibling']);
  });

  test('an included file of that name is a part of it', async () => {
    const planned = await planWithout('teams/roster.yaml', JSON.stringify({ groups: { news } }));
    expect(actionsOf(planned)).toEqual(['create group/news', 'delete group/prices']);
    expect(planned.diagnostics).toEqual([]);
  });
});

const branchOf = (name: string) => ({
  git: { remote: 'origin', ref: `refs/heads/roster-inventory-${name}` },
});

/** Both projects have it in their inventories, and only travel has it on hold. Then the project file of travel changes. */
test.each([
  {
    name: 'travel gets another name',
    changed: { project: 'tours' },
    said: 'is called tours, but its inventory belongs to travel',
  },
  {
    name: 'travel gets the name of retail',
    changed: { project: 'retail' },
    said: 'has the name of this project',
  },
  {
    name: 'travel names the inventory of retail',
    changed: { inventory: branchOf('retail') },
    said: 'names the inventory of this project',
  },
])('a schedule that travel has on hold is not started by retail while $name', async ({ changed, said }) => {
  const team = new Team(await startSandbox());
  const schedules = { nightly: { ...nightly, target: 'agent/initech' } };
  for (const name of ['retail', 'travel']) {
    team.declare(name, { inventory: branchOf(name), schedules });
    await team.apply(name);
  }
  const hold = ['hold', 'schedule/nightly', '--reason', 'incident 42', '--yes'];
  expect((await team.run('travel', ...hold)).exit).toBe(0);
  team.declare('travel', { inventory: branchOf('travel'), schedules: {}, ...changed });
  const { exit, stderr } = await team.run('retail', 'apply', '--yes');
  expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([4, expect.stringContaining(said)]);
  expect([...team.sandbox.world.schedules.values()].map(({ isEnabled }) => isEnabled)).toEqual([false]);
});
