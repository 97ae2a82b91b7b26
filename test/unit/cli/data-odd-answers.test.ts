import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DataWorld, dataWorld } from '../../support/data.js';
import { type InterceptingProxy, startInterceptingProxy } from '../../support/intercepting-proxy.js';

/** `roster data` with a service whose answers are odd, wrong or lost. */

let world: DataWorld;
let service: InterceptingProxy;
beforeEach(async () => {
  world = await dataWorld();
  service = await startInterceptingProxy(world.sandbox.url);
  world.workspace.env['ROSTER_URL'] = service.url;
});
afterEach(async () => {
  await service.close();
  await world.close();
});

describe('data query --all', () => {
  const answer = (page: number, totalMatches: number) => ({
    status: 200,
    body: { success: true, data: { columns: ['a'], rows: [{ a: 1 }, { a: 2 }], totalMatches, page } },
  });

  test.each([
    ['the same page again and again', () => answer(1, 6), 2],
    ['a total that grows', (asked: number) => answer(asked, 4 + asked), 2],
  ])('%s is an error, and no row is printed twice', async (_what, reply, requests) => {
    service.intercept = ({ path, body }) =>
      path.endsWith('/query') ? reply((body as { page: number }).page) : undefined;
    const { exit, stdout } = await world.run('data', 'query', 'agent/acme-shop', '--all');
    const sent = service.sent.filter((each) => each.endsWith('/query')).length;
    expect([exit, stdout, sent]).toEqual([1, '', requests]);
  });
});

describe('data share', () => {
  test('an answer with another access level is not taken for a success', async () => {
    service.intercept = ({ path, method }) =>
      path.endsWith('/access') && method === 'PUT'
        ? { status: 200, body: { success: true, data: { accessLevel: 'Private' } } }
        : undefined;
    const ids = await world.ids('agent/unpaid');
    const { exit, codes, datasets } = await world.json('data', 'share', ...ids, '--company');
    expect([exit, codes, datasets[0].changed]).toEqual([1, ['not-converged'], false]);
  });
});

describe('data queries save', () => {
  const save = ['data', 'queries', 'save', 'cheap', '--of', 'agent/acme-shop', '--search', 'a'];
  const saves = () => service.sent.filter((each) => each === 'POST /api/data-explorer/saved-queries').length;

  test.each([
    ['is lost', null],
    ['is a 502', { status: 502, body: 'x' }],
    ['is empty', { status: 204, body: null }],
    ['has no id', { status: 200, body: { success: true, data: { name: 'cheap' } } }],
  ])('when the answer %s, it is sent once and found', async (_what, answer) => {
    service.intercept = async ({ path, method }, pass) => {
      if (method !== 'POST' || !path.endsWith('/saved-queries')) return undefined;
      await pass();
      return answer;
    };
    const { exit, queries } = await world.json(...save);
    expect([exit, saves(), queries[0].name]).toEqual([0, 1, 'cheap']);
    expect((await world.json('data', 'queries')).queries).toHaveLength(1);
  });

  test('when nothing was saved, it exits with 3 and says where to look', async () => {
    service.intercept = ({ path, method }) =>
      method === 'POST' && path.endsWith('/saved-queries') ? null : undefined;
    const { exit, stderr } = await world.run(...save);
    expect([exit, saves()]).toEqual([3, 1]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('It is not known whether it was saved');
  });

  test('after an interrupt, it looks once, and exits with 130 where the result is unknown', async () => {
    service.intercept = ({ path, method }) => {
      if (method !== 'POST' || !path.endsWith('/saved-queries')) return undefined;
      world.workspace.stop.abort();
      return null;
    };
    const { exit, stderr } = await world.run(...save);
    expect([exit, saves()]).toEqual([130, 1]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('It is not known whether it was saved');
  });

  test('a name that is not among the 100 listed ones may belong to an older query', async () => {
    const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const data = Array.from({ length: 100 }, (_, index) => ({ id: id(index), name: `q${index}` }));
    service.intercept = ({ path }) =>
      path.endsWith('/saved-queries') ? { status: 200, body: { success: true, data } } : undefined;
    const { exit, stderr } = await world.run('data', 'queries', 'rm', 'other', '--yes');
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('newest 100')]);
  });
});
