import { describe, expect, test } from 'vitest';
import { apply } from '../../../src/engine/apply.js';
import { withSession } from '../../../src/engine/session.js';
import { defaultSeed, type Seed } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { inRounds } from '../../support/rounds.js';
import { startSandbox, type Variant } from '../../support/sandbox.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

async function arrange(manifest: object, variants: Variant[] = [], seed: Seed = {}) {
  const sandbox = await startSandbox({ variants, seed: { ...defaultSeed(), ...seed } });
  const workspace = new Workspace({}, sandbox);
  const declare = (text: object) =>
    workspace.write('roster.yaml', JSON.stringify({ project: 'rounds', ...text }));
  declare(manifest);
  return { sandbox, workspace, declare };
}

const groupsNamed = (count: number) =>
  range(count).map((n) => ({ name: `Group ${n}`, members: ['acme-shop'] }));

const groups = (count: number) =>
  Object.fromEntries(range(count).map((n) => [`g${n}`, { members: ['acme-shop', 'globex'] }]));

const schedules = (count: number, target: string) =>
  Object.fromEntries(
    range(count).map((n) => [`s${n}`, { target, every: `${n + 1} days`, startTime: '2099-12-01T06:00:00' }]),
  );

const lists = [
  'GET /api/api-keys',
  'GET /api/pipelines',
  'GET /api/schedules',
  'GET /api/scraper-agents',
  'GET /api/search-groups',
];

const pages = (path: string, count: number) =>
  range(count).map((n) => `GET ${path}?page=${n + 1}&pageSize=100`);

describe('a plan waits for', () => {
  test('one answer, where lists are complete', async () => {
    const { sandbox, workspace } = await arrange({}, [], { groups: groupsNamed(230) });
    const rounds = inRounds(sandbox);
    expect((await workspace.plan({ allowEmpty: true })).exit).toBe(0);
    expect(rounds).toEqual([lists]);
  });

  test('two answers in a row, where lists have pages with numbers', async () => {
    const seed = { groups: groupsNamed(230), pipelines: [] };
    const { sandbox, workspace } = await arrange({}, ['lists-paged'], seed);
    const rounds = inRounds(sandbox);
    expect((await workspace.plan({ allowEmpty: true })).exit).toBe(0);
    expect(rounds).toEqual([lists, pages('/api/search-groups', 3)]);
  });

  test('one answer for each page, where a page has the cursor of the next one', async () => {
    const { sandbox, workspace } = await arrange({}, ['lists-cursor'], { groups: groupsNamed(230) });
    const rounds = inRounds(sandbox);
    expect((await workspace.plan({ allowEmpty: true })).exit).toBe(0);
    expect(rounds.map((each) => each.length)).toEqual([5, 1, 1, 1]);
  });

  test('two answers in a row, where list items lack members, and objects are missing from the list', async () => {
    const { sandbox, workspace, declare } = await arrange({ groups: groups(3) }, ['items-without-members']);
    expect((await workspace.apply()).exit).toBe(0);
    const [gone] = sandbox.world.groups.keys();
    sandbox.world.groups.delete(gone ?? '');
    declare({ groups: groups(3) });
    const rounds = inRounds(sandbox);
    expect((await workspace.plan()).exit).toBe(0);
    expect(rounds.map((each) => each.length)).toEqual([5, 3]);
  });

  test('previews as many at once as allowed', async () => {
    const { sandbox, workspace } = await arrange({ schedules: schedules(25, 'agent/acme-shop') });
    const rounds = inRounds(sandbox);
    expect((await workspace.plan({ concurrency: '10' })).exit).toBe(0);
    expect(rounds.map((each) => each.length)).toEqual([5, 10, 10, 5]);
  });
});

describe('an apply', () => {
  test('without changes sends what a plan sends', async () => {
    const { sandbox, workspace } = await arrange({ groups: groups(3) });
    expect((await workspace.apply()).exit).toBe(0);
    const rounds = inRounds(sandbox);
    expect((await workspace.apply()).exit).toBe(0);
    expect(rounds).toEqual([lists]);
  });

  test('of creates verifies them with one list of each kind, all at once, and reads back once', async () => {
    const pipelines = { p: { stages: ['acme-shop'] }, q: { stages: ['globex'] } };
    const manifest = { groups: groups(2), pipelines, schedules: schedules(2, 'agent/acme-shop') };
    const { sandbox, workspace } = await arrange(manifest);
    const rounds = inRounds(sandbox);
    expect((await workspace.apply()).exit).toBe(0);
    const check = ['GET /api/pipelines', 'GET /api/schedules', 'GET /api/search-groups'];
    const creates = ['pipelines', 'pipelines', 'schedules', 'schedules', 'search-groups', 'search-groups'];
    const asks = range(2).map(() => 'POST /api/schedules/preview');
    expect(rounds).toEqual([lists, asks, creates.map((each) => `POST /api/${each}`), check, lists]);
  });

  test('that was confirmed does not ask for previews again', async () => {
    const { sandbox, workspace } = await arrange({ schedules: schedules(3, 'agent/acme-shop') });
    const asked = () => sandbox.requests.filter(({ path }) => path === '/api/schedules/preview').length;
    const answered: number[] = [];
    await withSession({ cwd: workspace.root, env: workspace.env }, (session) =>
      apply(
        session,
        {},
        {
          confirm: async () => {
            answered.push(asked());
            return 'yes';
          },
        },
      ),
    );
    expect([sandbox.world.schedules.size, ...answered, asked()]).toEqual([3, 3, 3]);
  });
});
