import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataWorld, dataWorld } from '../../support/data.js';

let world: DataWorld;
beforeEach(async () => {
  world = await dataWorld();
});
afterEach(() => world.close());

const changed = ({ datasets }: { datasets: { changed: boolean | null }[] }) =>
  datasets.map((each) => each.changed);

test('`data share` looks whether a change with a lost answer took place', async () => {
  const ids = await world.ids('agent/globex');
  world.fail({ act: 'lose', path: '*/access', method: 'PUT' });
  const found = await world.json('data', 'share', ...ids, '--company');
  expect([found.exit, found.codes, changed(found)]).toEqual([0, [], [true]]);
});

test('`data share` does not say that nothing was changed when it is not known', async () => {
  const ids = await world.ids('agent/globex');
  const unread = { act: 'status', path: '*/access', method: 'GET', status: 500, body: '{}' } as const;
  world.fail({ act: 'lose', path: '*/access', method: 'PUT' }, unread);
  const found = await world.json('data', 'share', ...ids, '--company');
  expect([found.exit, changed(found)]).toEqual([3, [null]]);
  world.fail({ act: 'lose', path: '*/access', method: 'PUT' }, unread);
  const { stdout } = await world.run('data', 'share', ...ids, '--company');
  expect(stdout).toMatch(/: not known\n$/);
});

test('`data queries rm` takes a query as deleted that an earlier attempt has deleted', async () => {
  await world.run('data', 'queries', 'save', 'cheap', '--of', 'agent/acme-shop', '--search', 'a');
  world.fail({ act: 'lose', path: '*/saved-queries/*', method: 'DELETE', nth: 1 });
  expect(await world.run('data', 'queries', 'rm', 'cheap', '--yes')).toMatchObject({ exit: 0, stderr: '' });
});

test.each([
  ['save', ['save', 'new', '--of', 'agent/acme-shop'], 'POST'],
  ['rm', ['rm', 'cheap', '--yes'], 'DELETE'],
] as const)('nothing has begun when the service refuses `data queries %s`', async (_, words, method) => {
  await world.run('data', 'queries', 'save', 'cheap', '--of', 'agent/acme-shop', '--search', 'a');
  world.fail({ act: 'status', path: '*/saved-queries*', method, status: 403, body: '{}' });
  expect(await world.run('data', 'queries', ...words)).toMatchObject({ exit: 1 });
});

test('it is unknown whether a query was deleted when no look shows it', async () => {
  await world.run('data', 'queries', 'save', 'cheap', '--of', 'agent/acme-shop', '--search', 'a');
  const nth = Array.from({ length: 10 }, (_, index) => index + 2);
  const unread = {
    act: 'status',
    path: '*/saved-queries',
    method: 'GET',
    status: 500,
    body: '{}',
    nth,
  } as const;
  world.fail({ act: 'drop', path: '*/saved-queries/*', method: 'DELETE' }, unread);
  const { exit, stderr } = await world.run('data', 'queries', 'rm', 'cheap', '--yes');
  expect([exit, stderr]).toEqual([3, expect.stringMatching(/^error\[service-error\]: DELETE\s/)]);
});

test('`data rm` reports what it has deleted when the look afterwards fails', async () => {
  const nth = Array.from({ length: 10 }, (_, index) => index + 2);
  world.fail({ act: 'status', path: '*/cached-exports', method: 'GET', status: 500, body: '{}', nth });
  const { exit, stdout, stderr } = await world.run('data', 'rm', '--older-than', '90d', '--yes');
  expect([exit, stdout]).toEqual([3, expect.stringMatching(/^Deleted: 3 datasets/)]);
  expect(stderr).toContain('cached-exports');
});

test('an age of nothing is refused', async () => {
  for (const age of ['0h', '00d']) {
    const { exit, stderr } = await world.run('data', 'rm', '--older-than', age, '--yes');
    expect([exit, stderr]).toEqual([1, expect.stringContaining('is not an age')]);
  }
});

test('a download that breaks off begins anew, at most twice', async () => {
  world.fail({ act: 'cut', path: '*/download', nth: [1, 2] });
  expect(await world.run('data', 'get', 'agent/acme-shop', '--out', 'out')).toMatchObject({ exit: 0 });
  expect(world.files()).toHaveLength(1);
  world.fail({ act: 'cut', path: '*/download' });
  const sent = world.sandbox.requests.length;
  expect(await world.run('data', 'get', 'agent/acme-shop', '--out', 'new')).toMatchObject({ exit: 1 });
  const downloads = world.sandbox.requests.slice(sent).filter(({ path }) => path.endsWith('/download'));
  expect([downloads.length, readdirSync(`${world.workspace.root}/new`)]).toEqual([3, []]);
});
