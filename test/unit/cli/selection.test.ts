import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { Workspace } from '../../support/roster.js';

/** Owners are those of a repository. In this folder, git says that it is none: in one, each command starts git ten times. */
const files = {
  '.git/HEAD': '',
  '.github/CODEOWNERS': '/teams/retail.yaml @acme/retail @acme/Leads\n/teams/travel.yaml @acme/travel\n',
  'roster.yaml': 'project: p\ninclude: [teams/*.yaml]\nlimits: { deletes: 9 }\n',
  'teams/retail.yaml': `groups: { shops: { members: [acme-shop] }, malls: { members: [globex] } }
schedules: { shops-daily: { target: group/shops, every: 1 day, startTime: 2099-01-01T06:00 } }
`,
  'teams/travel.yaml': `groups: { hotels: { members: [initech] } }
schedules:
  hotels-daily: { target: group/hotels, every: 1 day, startTime: 2099-01-01T06:00 }
  shops-weekly: { target: group/shops, every: 1 week, startTime: 2099-01-01T06:00 }
`,
};

const retail = ['group/malls', 'group/shops', 'schedule/shops-daily'];

let sandbox: Sandbox;
const opened: Sandbox[] = [];
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  for (const each of [sandbox, ...opened]) await each.close();
});

function created(service = sandbox): Workspace {
  return new Workspace(files, service);
}

async function applied(): Promise<Workspace> {
  const own = await startSandbox();
  opened.push(own);
  const workspace = created(own);
  expect(await workspace.command(['apply', '--yes'])).toMatchObject({ exit: 0 });
  return workspace;
}

async function json(workspace: Workspace, ...words: readonly string[]) {
  const { stdout } = await workspace.command([...words, '--format', 'json']);
  return JSON.parse(stdout) as Pick<PlanJson, 'digest' | 'changes' | 'diagnostics'>;
}

async function planned(workspace: Workspace, ...words: readonly string[]) {
  const { changes } = await json(workspace, 'plan', ...words);
  return changes.map(({ address }) => address);
}

describe('a plan', () => {
  test.each<[flags: string, addresses: readonly string[]]>([
    ['--owner @acme/retail', retail],
    ['--owner @ACME/leads', retail],
    ['--in teams/retail.yaml', retail],
    ['--in ./teams/../teams/retail.yaml', retail],
    ['--owner @acme/retail --in teams/retail.yaml group/hotels', ['group/hotels', ...retail]],
    ['--owner @acme/retail --exclude schedule/*', ['group/malls', 'group/shops']],
    ['--exclude schedule/* --exclude group/m*', ['group/hotels', 'group/shops']],
    ['group/* --exclude group/shops', ['group/hotels', 'group/malls']],
    // It needs a group of another file, which is new as well.
    [
      '--in teams/travel.yaml',
      ['group/hotels', 'group/shops', 'schedule/hotels-daily', 'schedule/shops-weekly'],
    ],
  ])('with %s is about what that selects', async (flags, addresses) => {
    expect(await planned(created(), ...flags.split(' '))).toEqual(addresses);
  });

  test.each<[flags: string, message: string, help: string]>([
    [
      '--owner @acme/retial',
      'no resource of this project is owned by "@acme/retial"',
      'Did you mean @acme/retail?',
    ],
    [
      '--owner acme/travel',
      'no resource of this project is owned by "acme/travel"',
      'Did you mean @acme/travel?',
    ],
    [
      '--in teams/none.yaml',
      'no resource of this project is declared in "teams/none.yaml"',
      'Pass the path of a manifest',
    ],
    ['--exclude group/shop', '--exclude: "group/shop" matches no resource of this project', 'group/shops'],
    [
      '--exclude group/shops',
      'schedule/shops-daily refers to group/shops, which does not exist yet and is excluded',
      'Exclude schedule/shops-daily as well',
    ],
    ['--exclude=', 'an address is empty', 'Check that no shell variable is empty'],
  ])('with %s is an error', async (flags, message, help) => {
    const { exit, stderr } = await created().command(['plan', ...flags.split(' ')]);
    expect(exit).toBe(1);
    const text = stderr.replaceAll(/\s+/g, ' ');
    expect(text).toContain(message);
    expect(text).toContain(help);
  });

  test('by owner needs CODEOWNERS, of which all can be understood', async () => {
    const without = created();
    without.write('.github/CODEOWNERS', `* @a\n${'#'.repeat(3 * 1024 * 1024)}`);
    const tooLarge = await without.command(['plan', '--owner', '@acme/retail']);
    expect(tooLarge).toMatchObject({ exit: 1, stderr: expect.stringContaining('is larger than') });
    const manifest = 'project: p\ngroups: { a: { members: [] } }\n';
    const none = new Workspace({ '.git/HEAD': '', 'roster.yaml': manifest }, sandbox);
    const missing = await none.command(['plan', '--owner', '@acme/retail']);
    expect(missing).toMatchObject({ exit: 1, stderr: expect.stringContaining('has no CODEOWNERS file') });
  });

  test('does not delete what something excluded refers to', async () => {
    const workspace = await applied();
    workspace.write('teams/retail.yaml', 'groups: { malls: { members: [globex] } }\n');
    workspace.write(
      'teams/travel.yaml',
      files['teams/travel.yaml'].replace(
        'shops-weekly: { target: group/shops',
        'shops-weekly: { target: group/malls',
      ),
    );
    const { exit, stderr } = await workspace.command(['plan', '--exclude', 'schedule/shops-weekly']);
    expect(exit).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'group/shops would be deleted, but schedule/shops-weekly, which refers to it, would stay',
    );
  });
});

test('an apply of a selection is that of the plan with the same selection', async () => {
  const workspace = await applied();
  workspace.write('teams/retail.yaml', 'groups: {}\n');
  workspace.write(
    'teams/travel.yaml',
    files['teams/travel.yaml'].replace('initech', 'hooli-jobs').replace(/ {2}shops-weekly.*\n/, ''),
  );
  const selection = ['--owner', '@acme/retail', '--in', 'teams/travel.yaml', '--exclude', 'group/hotels'];
  const { digest, changes } = await json(workspace, 'plan', ...selection);
  expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'delete group/malls',
    'delete group/shops',
    'delete schedule/shops-daily',
    'delete schedule/shops-weekly',
  ]);
  expect(await workspace.command(['apply', '--expect', digest])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('stale-plan'),
  });
  expect(await workspace.command(['apply', ...selection, '--expect', digest])).toMatchObject({ exit: 0 });
  expect(await planned(workspace)).toEqual(['group/hotels']);
});

test('a status, a drift and a destroy are about what is selected', async () => {
  const workspace = await applied();
  const addressesOf = async (...words: readonly string[]) => {
    const { stdout } = await workspace.command([...words, '--format', 'json']);
    const { resources, changes } = JSON.parse(stdout) as Record<string, readonly { address: string }[]>;
    return (resources ?? changes ?? []).map(({ address }) => address).sort();
  };
  expect(await addressesOf('status', '--owner', '@acme/retail')).toEqual(retail);
  expect(await addressesOf('status', '--in', 'teams/retail.yaml', '--exclude', 'group/*')).toEqual([
    'schedule/shops-daily',
  ]);
  expect(await addressesOf('plan', '--destroy', '--exclude', 'group/shops', 'group/malls')).toEqual([
    'group/malls',
  ]);
  workspace.write('teams/retail.yaml', 'groups: {}\n');
  workspace.write('teams/travel.yaml', 'groups: {}\n');
  await workspace.command(['hold', '--all', '--reason', 'outside', '--yes']);
  expect(await workspace.command(['drift', '--owner', '@acme/travel'])).toMatchObject({ exit: 0 });
  expect(await workspace.command(['drift', '--owner', '@acme/nobody'])).toMatchObject({ exit: 1 });
});

test('a hold is of what is selected, and of what starts it', async () => {
  const workspace = await applied();
  const held = async (...words: readonly string[]) => {
    const { stdout } = await workspace.command([...words, '--yes', '--format', 'json']);
    const { resources } = JSON.parse(stdout) as { resources: readonly { address: string }[] };
    return resources.map(({ address }) => address).sort();
  };
  const because = ['--reason', 'incident'];
  expect(await held('hold', '--in', 'teams/retail.yaml', ...because)).toEqual([
    'schedule/shops-daily',
    'schedule/shops-weekly',
  ]);
  expect(await held('resume', '--owner', '@acme/travel')).toEqual([
    'schedule/hotels-daily',
    'schedule/shops-weekly',
  ]);
  expect(await held('hold', '--all', '--exclude', 'group/shops', ...because)).toEqual([
    'schedule/hotels-daily',
  ]);
  expect(await held('resume', '--all', '--exclude', 'schedule/hotels-daily')).toEqual([
    'schedule/shops-daily',
  ]);
  const alone = await workspace.command(['hold', '--exclude', 'group/shops', ...because]);
  expect(alone).toMatchObject({ exit: 1, stderr: expect.stringContaining('does not select anything') });
});

test.each<[words: string, schedules: number]>([
  ['', 3],
  ['schedule/shops-*', 2],
  ['group/shops', 2],
  ['--in teams/travel.yaml', 2],
  ['--owner @acme/travel --exclude group/shops', 1],
  ['--exclude schedule/shops-*', 1],
])('a calendar of `%s` counts the schedules that are selected', async (words, schedules) => {
  const { stdout } = await created().command([
    'calendar',
    ...words.split(' ').filter(Boolean),
    '--format',
    'json',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ schedules });
});

test.each([
  ['group/malls', 'group/malls: no schedule of this project is selected'],
  ['group/none', '"group/none" matches no resource of this project'],
])('a calendar of %s is an error', async (address, message) => {
  const { exit, stderr } = await created().command(['calendar', address]);
  expect(exit).toBe(1);
  expect(stderr).toContain(message);
});
