import { expect, test } from 'vitest';
import { commandThere } from '../../../src/reconcile/hold-plan.js';
import { jsonOf } from '../../support/json.js';
import { startSandbox } from '../../support/sandbox.js';
import { actionsOf, Team } from '../../support/team.js';

/** A hold moves with its schedule: the project that takes it over starts nothing that was stopped. */

const group = (key: string, agent: string) => `groups:\n  ${key}: { members: [${agent}] }\n`;
const nightly = (key: string) => `pipelines:
  chain:
    stages: [globex]
schedules:
  ${key}:
    target: pipeline/chain
    every: 1 day
    startTime: 2099-12-01T06:00:00
`;
/** Of the project, before its entries. */
type Settings = string;
const retail = (settings: Settings = '') => `project: retail\n${settings}${group('stays', 'acme-shop')}`;
const travel = (settings: Settings = '') => `project: travel\n${settings}${group('flights', 'initech')}`;
const hold = ['hold', 'schedule/nightly', '--reason', 'incident 42', '--yes'];

type Name = 'retail' | 'travel';

interface Case {
  readonly name: string;
  /** Paused in the dashboard before the hold. */
  readonly wasPaused?: boolean;
  readonly isMoved: 'by roster move' | 'by hand';
  readonly key?: string;
  /** Of both projects. */
  readonly settings?: Settings;
  readonly order: readonly Name[];
}

const cases: readonly Case[] = [
  { name: 'the new project comes first', isMoved: 'by roster move', order: ['travel', 'retail'] },
  { name: 'the old project comes first', isMoved: 'by roster move', order: ['retail', 'travel', 'retail'] },
  {
    name: 'it gets another key',
    isMoved: 'by hand',
    key: 'daily',
    order: ['retail', 'travel', 'retail'],
  },
  { name: 'it is moved by hand', isMoved: 'by hand', order: ['retail', 'travel', 'retail'] },
  {
    name: 'nothing is pruned, and the new project comes first',
    isMoved: 'by roster move',
    settings: 'prune: never\n',
    order: ['travel', 'retail'],
  },
  {
    name: 'nothing is pruned, and the old project comes first',
    isMoved: 'by roster move',
    settings: 'prune: never\n',
    order: ['retail', 'travel', 'retail'],
  },
  { name: 'it was paused before', wasPaused: true, isMoved: 'by roster move', order: ['travel', 'retail'] },
];

async function appliedTeam(settings?: Settings): Promise<Team> {
  const team = new Team(await startSandbox());
  team.write('retail/roster.yaml', retail(settings) + nightly('nightly'));
  team.write('travel/roster.yaml', travel());
  await team.apply('retail');
  await team.apply('travel');
  return team;
}

function moveByHand(team: Team, key: string): void {
  team.write('retail/roster.yaml', retail());
  team.write('travel/roster.yaml', travel() + nightly(key));
}

type Moved = Pick<Case, 'wasPaused' | 'isMoved' | 'key' | 'settings'>;

async function heldAndMoved({ wasPaused = false, isMoved, key = 'nightly', settings }: Moved): Promise<Team> {
  const team = await appliedTeam(settings);
  if (wasPaused) setEnabled(team, false);
  expect((await team.run('retail', ...hold)).exit).toBe(0);
  if (isMoved === 'by hand') {
    moveByHand(team, key);
  } else {
    await move(team);
  }
  team.sandbox.requests.length = 0;
  return team;
}

async function move(team: Team): Promise<void> {
  const words = ['pipeline/chain', 'schedule/nightly', '--to', '../travel/roster.yaml', '--yes'];
  const { exit, stderr } = await team.run('retail', 'move', ...words);
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
  team.git('add', '--all');
}

function schedules({ sandbox }: Team) {
  return [...sandbox.world.schedules.values()];
}

function isEnabled(team: Team): boolean[] {
  return schedules(team).map((each) => each.isEnabled);
}

function setEnabled(team: Team, enabled: boolean): void {
  for (const each of schedules(team)) each.isEnabled = enabled;
}

function writes({ sandbox }: Team): string[] {
  const sent = sandbox.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview'));
  return sent.map(({ method, path }) => `${method} ${path}`);
}

test.each(cases)('a schedule on hold is moved and stays paused until the hold ends: $name', async (each) => {
  const team = await heldAndMoved(each);
  const address = `schedule/${each.key ?? 'nightly'}`;
  for (const name of each.order) {
    const planned = await team.plan('travel');
    expect(planned.diagnostics.filter(({ code }) => code === 'held')).toHaveLength(1);
    expect(planned.changes.flatMap(({ risks }) => risks.map(({ code }) => code))).not.toContain(
      'starts-again',
    );
    await team.apply(name);
  }
  expect(writes(team)).toEqual([]);
  for (const name of ['retail', 'travel']) expect(await team.actions(name)).toEqual([]);

  expect((await team.run('travel', 'resume', address, '--yes')).exit).toBe(0);
  expect(isEnabled(team)).toEqual([each.wasPaused !== true]);
  const left = await team.plan('travel');
  const risks = left.changes.flatMap((change) => change.risks.map(({ code }) => `${change.action} ${code}`));
  expect(risks.includes('update starts-again')).toBe(each.wasPaused === true);
});

test('the old project does not forget what is on hold before the new one has adopted it', async () => {
  const team = await heldAndMoved({ isMoved: 'by roster move' });
  const planned = await team.plan('retail');
  expect(actionsOf(planned)).toEqual(['forget pipeline/chain']);
  const { diagnostics } = planned;
  const warnings = diagnostics.filter(({ code }) => code !== 'held');
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    [
      'owned-elsewhere',
      'schedule/nightly is not forgotten yet: it is on hold, and project travel (../travel/roster.yaml) must take over the hold first',
    ],
  ]);
});

test('a hold that ends by itself during the move has ended', async () => {
  const team = await appliedTeam();
  expect((await team.run('retail', ...hold, '--until', '2d')).exit).toBe(0);
  const path = 'retail/roster.inventory.json';
  const text = team.read(path).replace(/"until": ?"[^"]+"/, '"until": "2020-01-01T00:00:00.000Z"');
  team.write(path, text);
  moveByHand(team, 'nightly');
  const ran = await team.run('travel', 'plan', '--format', 'json');
  const { changes } = jsonOf<{ changes: { action: string; address: string; fields: { path: string }[] }[] }>(
    ran,
  );
  const moved = changes.filter(({ address }) => address === 'schedule/nightly');
  expect(moved.map(({ action, fields }) => [action, fields.map(({ path: field }) => field)])).toEqual([
    ['update', ['enabled']],
  ]);
});

/** Both own the schedule: the new project has adopted it, and the old one has not been applied since. */
async function adopted(): Promise<Team> {
  const team = await appliedTeam();
  await move(team);
  await team.apply('travel');
  team.sandbox.requests.length = 0;
  return team;
}

async function expectDone(team: Team, project: Name, ...words: string[]): Promise<void> {
  const { exit, stderr } = await team.run(project, ...words, '--yes');
  expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
}

/** In one line, however the terminal wraps it. */
async function expectRefused(team: Team, exit: number, project: Name, ...words: string[]): Promise<string> {
  const ran = await team.run(project, ...words, '--yes');
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining('owned-elsewhere')]);
  return ran.stderr.replace(/\s+/g, ' ');
}

const resume = ['resume', 'schedule/nightly'];

test('a hold of the old project counts in the new one, which takes it over', async () => {
  const team = await adopted();
  await expectDone(team, 'retail', ...hold);
  expect((await team.plan('travel')).diagnostics.map(({ code }) => code)).toContain('held');
  expect((await team.plan('retail')).diagnostics.map(({ message }) => message)).toContain(
    'schedule/nightly is not forgotten yet: it is on hold, and project travel (../travel/roster.yaml) must take over the hold first',
  );
  await team.apply('travel');
  await team.apply('retail');
  for (const name of ['retail', 'travel']) expect(await team.actions(name)).toEqual([]);
  expect(isEnabled(team)).toEqual([false]);
  await expectDone(team, 'travel', ...resume);
  expect(isEnabled(team)).toEqual([true]);
});

test('a revert of the move starts nothing that the new project has on hold', async () => {
  const team = await adopted();
  await expectDone(team, 'travel', ...hold);
  team.write('retail/roster.yaml', retail() + nightly('nightly'));
  team.write('travel/roster.yaml', travel());
  for (const name of ['travel', 'retail', 'travel']) await team.apply(name);
  for (const name of ['retail', 'travel']) expect(await team.actions(name)).toEqual([]);
  expect(isEnabled(team)).toEqual([false]);
  await expectDone(team, 'retail', ...resume);
  expect(isEnabled(team)).toEqual([true]);
});

test.each([
  { first: 'retail', second: 'travel' },
  { first: 'travel', second: 'retail' },
] as const)(
  'a schedule that both projects hold is started by the second resume: $first, $second',
  async ({ first, second }) => {
    const team = await heldAndMoved({ isMoved: 'by roster move' });
    await team.apply('travel');
    const said = await expectRefused(team, 3, first, ...resume);
    expect(said).toContain(`schedule/nightly stays paused: project ${second}`);
    expect(said).toContain(`Run \`roster resume schedule/nightly -f ../${second}/roster.yaml\`.`);
    expect(isEnabled(team)).toEqual([false]);
    await expectDone(team, second, ...resume);
    expect(isEnabled(team)).toEqual([true]);
    for (const name of ['retail', 'travel']) await team.apply(name);
    for (const name of ['retail', 'travel']) expect(await team.actions(name)).toEqual([]);
  },
);

test('a hold of both projects leaves nothing paused when both have ended it', async () => {
  const team = await adopted();
  await expectDone(team, 'retail', ...hold);
  await expectDone(team, 'travel', 'hold', 'schedule/nightly', '--reason', 'incident 43');
  await expectRefused(team, 3, 'travel', ...resume);
  await expectDone(team, 'retail', ...resume);
  expect(isEnabled(team)).toEqual([true]);
});

test('a hold of another project can be ended only there', async () => {
  const team = await adopted();
  await expectDone(team, 'travel', ...hold);
  const said = await expectRefused(team, 3, 'retail', ...resume);
  expect(said).toContain('Run `roster resume schedule/nightly -f ../travel/roster.yaml`.');
  expect(isEnabled(team)).toEqual([false]);
});

test.each([
  { name: 'its address', address: 'schedule/nightly', exit: 1 },
  { name: 'what it starts', address: 'agent/globex', exit: 3 },
])('before the new project is applied, a hold of $name is a matter of the old one', async (each) => {
  const team = await appliedTeam();
  setEnabled(team, false);
  await move(team);
  team.sandbox.requests.length = 0;
  const words = ['hold', each.address, '--reason', 'incident 42'];
  const said = await expectRefused(team, each.exit, 'travel', ...words);
  expect(said).toContain('Run `roster hold schedule/nightly -f ../retail/roster.yaml`.');
  await expectDone(team, 'retail', ...words);
  for (const name of ['retail', 'travel', 'retail']) await team.apply(name);
  expect([isEnabled(team), writes(team)]).toEqual([[false], []]);
  const resumed = await expectRefused(await heldAndMoved({ isMoved: 'by hand' }), 1, 'travel', ...resume);
  expect(resumed).toContain('Run `roster resume schedule/nightly -f ../retail/roster.yaml`.');
});

test('a command for another project is quoted if its path needs it', () => {
  const there = {
    address: 'schedule/nightly',
    file: "../team's prices/roster.yaml",
    environment: 'live',
  } as const;
  expect(commandThere('resume', there)).toBe(
    "roster resume schedule/nightly -f '../team'\\''s prices/roster.yaml' -e live",
  );
});

test('a schedule that somebody has paused is not started while another project cannot be read', async () => {
  const team = await adopted();
  await expectDone(team, 'retail', ...hold);
  team.write('retail/roster.inventory.json', '{');
  const ran = await team.run('travel', 'apply', '--yes');
  expect([ran.exit, ran.stderr]).toEqual([4, expect.stringContaining('unreadable-sibling')]);
  expect(isEnabled(team)).toEqual([false]);
});

test('the end of a hold does not wait for a project that cannot be read', async () => {
  const team = await adopted();
  await expectDone(team, 'travel', ...hold);
  team.write('retail/roster.inventory.json', '{');
  const ran = await team.run('travel', ...resume, '--yes');
  expect([ran.exit, ran.stderr.replace(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining('may have schedule/nightly on hold, too'),
  ]);
  expect(isEnabled(team)).toEqual([true]);
});

test('a schedule that may be on hold is not started while the old project cannot be read', async () => {
  const team = await heldAndMoved({ isMoved: 'by hand' });
  const path = 'retail/roster.inventory.json';
  const whole = team.read(path);
  team.write(path, '{');
  const { exit, stderr } = await team.run('travel', 'apply', '--yes');
  expect([exit, writes(team)]).toEqual([4, []]);
  expect(stderr.replace(/\s+/g, ' ')).toContain('project retail (../retail/roster.yaml) may hold it');

  team.write(path, whole);
  await team.apply('travel');
  expect(writes(team)).toEqual([]);
  expect(await team.actions('travel')).toEqual([]);
});

test('a plan from a snapshot knows of a hold of another project', async () => {
  const team = await appliedTeam(
    'inventory: { git: { remote: origin, ref: refs/heads/roster-inventory-retail } }\n',
  );
  expect((await team.run('retail', ...hold)).exit).toBe(0);
  moveByHand(team, 'nightly');
  team.write(
    'retail/roster.yaml',
    retail('inventory: { git: { remote: origin, ref: refs/heads/roster-inventory-retail } }\n'),
  );
  expect((await team.run('travel', 'snapshot', '--out', 'snapshot.json')).exit).toBe(0);
  const [saved, real] = [await team.plan('travel', '--snapshot', 'snapshot.json'), await team.plan('travel')];
  expect(actionsOf(saved)).toEqual(['adopt pipeline/chain', 'adopt schedule/nightly']);
  expect(saved.diagnostics.map(({ code }) => code)).toContain('held');
  expect(saved.digest).toBe(real.digest);
});
