import { afterEach, beforeEach, expect, test } from 'vitest';
import { DATA_SEED, type DataWorld, dataWorld } from '../../support/data.js';

const OTHER = 'svc_live_other_key_0000000000';

let world: DataWorld;
beforeEach(async () => {
  world = await dataWorld({
    ...DATA_SEED,
    users: [
      { name: 'me', company: 'Us' },
      { name: 'colleague', company: 'Us' },
    ],
    keys: [
      { name: 'mine', key: 'svc_live_mine_key_00000000000', user: 'me' },
      { name: 'theirs', key: OTHER, user: 'colleague' },
    ],
    agents: (DATA_SEED.agents ?? []).map((agent) => ({ ...agent, assignedTo: ['me', 'colleague'] })),
    groups: [],
    history: (DATA_SEED.history ?? []).flatMap((start) => [
      { ...start, owner: 'me' },
      { ...start, owner: 'colleague' },
    ]),
  });
  world.workspace.env['ROSTER_API_KEY'] = 'svc_live_mine_key_00000000000';
  for (const each of world.sandbox.world.datasets.values()) each.accessLevel = 'Company';
});
afterEach(() => world.close());

const DAY = 86_400_000;
const old = ['data', 'rm', '--older-than', '90d'];
const stored = () => [...world.sandbox.world.datasets.values()];
const deletes = () => world.sandbox.requests.filter(({ path }) => path.includes('delete')).length;

test('without --yes, it lists what it would delete and deletes nothing', async () => {
  const before = stored().length;
  const { exit, stdout } = await world.run(...old);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^Would delete: 3 datasets, .*\n/);
  expect(stdout.replace(/\s+/g, ' ')).toContain('Nothing was deleted. To delete them, pass `--yes`');
  expect([stored().length, deletes()]).toEqual([before, 0]);
});

test('with --yes, exactly those are deleted, in one request', async () => {
  const listed = (await world.json(...old)).datasets.map(({ id }: { id: string }) => id);
  const before = stored().length;
  const { exit, datasets } = await world.json(...old, '--yes');
  expect([exit, datasets.map(({ id }: { id: string }) => id)]).toEqual([0, listed]);
  expect(datasets.every(({ deleted }: { deleted: boolean }) => deleted)).toBe(true);
  expect([before - stored().length, deletes()]).toEqual([3, 1]);
});

test('datasets of others are never deleted', async () => {
  const theirs = () => stored().filter(({ owner }) => owner === 'colleague').length;
  const before = theirs();
  world.sandbox.advance(DAY); // everything is old
  await world.run('data', 'rm', '--older-than', '1h', '--yes');
  expect([theirs(), stored().length]).toEqual([before, before]);
  const [id = ''] = stored().map((each) => each.id);
  const { exit, stderr } = await world.run('data', 'rm', id, '--yes');
  expect([exit, stderr]).toEqual([5, expect.stringContaining('belongs to somebody else')]);
  expect(theirs()).toBe(before);
});

test("with a wrong clock, nothing that is newer by the service's clock is deleted", async () => {
  const listed = async () =>
    (await world.json('data', 'rm', '--older-than', '90d')).datasets.map(({ id }: { id: string }) => id);
  const right = await listed();
  world.workspace.now = () => new Date(world.sandbox.now().getTime() + 365 * DAY);
  expect(await listed()).toEqual(right);
});

test('--keep-last keeps the newest of each agent, however old they are', async () => {
  world.sandbox.advance(DAY); // everything is old
  await world.run('data', 'rm', '--older-than', '1h', '--keep-last', '2', '--yes');
  const mine = stored().filter(({ owner }) => owner === 'me');
  const agents = new Map(
    [...world.sandbox.world.agents.values()].map(({ id, externalAgentId }) => [id, externalAgentId]),
  );
  const counts: Record<string, number> = {};
  for (const { agentId } of mine)
    counts[agents.get(agentId) ?? ''] = (counts[agents.get(agentId) ?? ''] ?? 0) + 1;
  // The one job of initech has a dataset of its own, and one for each of its two runs.
  expect(counts).toEqual({ 'acme-shop': 2, globex: 1, initech: 3, unpaid: 1 });
});

test('datasets whose jobs the service does not show are kept, with a warning', async () => {
  for (const run of world.sandbox.world.runs.values())
    if (run.startedAt < Date.parse('2026-09-01')) run.outcome = 'failed';
  for (const each of stored()) if (each.createdAt < Date.parse('2026-09-01')) each.jobId = null;
  const { exit, stdout, stderr } = await world.run(...old);
  expect([exit, stdout, stderr.replace(/\s+/g, ' ')]).toEqual([
    0,
    'Nothing to delete.\n',
    expect.stringContaining('3 datasets are kept'),
  ]);
});

test('saved queries that would go with a dataset are counted', async () => {
  const [id = ''] = (await world.json(...old)).datasets.map((each: { id: string }) => each.id);
  await world.run('data', 'queries', 'save', 'q', '--of', id, '--search', 'x');
  expect((await world.run('data', 'rm', id)).stdout).toContain('1 dataset and 1 saved query');
});

test('a lost answer is looked up: what is gone counts as deleted', async () => {
  world.fail({ act: 'lose', path: '*/bulk/delete', nth: 1 });
  const { exit, datasets } = await world.json(...old, '--yes');
  expect([exit, datasets.filter(({ deleted }: { deleted: boolean }) => deleted).length]).toEqual([0, 3]);
});

test('a refusal halfway ends in 3, with what was deleted', async () => {
  world.fail({ act: 'status', path: '*/bulk/delete', status: 400, body: '{"message":"no"}' });
  const { exit, datasets } = await world.json(...old, '--yes');
  expect([exit, datasets.filter(({ deleted }: { deleted: boolean }) => deleted).length]).toEqual([3, 0]);
});
