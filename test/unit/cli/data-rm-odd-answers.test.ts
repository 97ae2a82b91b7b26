import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DATA_SEED, type DataWorld, dataWorld } from '../../support/data.js';
import {
  type InterceptingProxy,
  type ProxyAnswer,
  startInterceptingProxy,
} from '../../support/intercepting-proxy.js';

/** `roster data rm` with a service whose answers are odd, wrong or lost. */

let world: DataWorld;
let service: InterceptingProxy;
beforeEach(async () => {
  const history = Array.from({ length: 53 }, (_, hour) => ({ agent: 'globex', ago: `${hour + 5_000}h` }));
  world = await dataWorld({
    ...DATA_SEED,
    history: [...(DATA_SEED.history ?? []), ...history],
    settings: { retentionDays: 1_000 },
  });
  service = await startInterceptingProxy(world.sandbox.url);
  world.workspace.env['ROSTER_URL'] = service.url;
});
afterEach(async () => {
  await service.close();
  await world.close();
});

type Item = Record<string, unknown>;
const lists = '/api/scraper-agents/cached-exports';
const stored = () => world.sandbox.world.datasets.size;
const deletes = () => service.sent.filter((each) => each.endsWith('/bulk/delete')).length;

/** The answer to a list, with each item changed. */
function changed(answer: ProxyAnswer, change: (item: Item) => Item): ProxyAnswer {
  const body = answer.body as { data: Item[] | { items: Item[] } };
  const { data } = body;
  const items = Array.isArray(data) ? data.map(change) : { ...data, items: data.items.map(change) };
  return { ...answer, body: { ...body, data: items } };
}

function bendList(path: RegExp, change: (item: Item) => Item): void {
  service.intercept = async (request, pass) =>
    path.test(request.path) ? changed(await pass(), change) : undefined;
}

describe('data rm: datasets that may not be old are kept', () => {
  test.each(['run 3', '7', '+012026-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '', null])(
    'a dataset whose run ended at %j',
    async (endTime) => {
      bendList(/\/runs$/, (run) => ({ ...run, endTime }));
      const before = stored();
      const { exit, stderr } = await world.run('data', 'rm', '--older-than', '1h', '--yes');
      expect([exit, stored(), deletes()]).toEqual([0, before, 0]);
      expect(stderr.replace(/\s+/g, ' ')).toContain('it is unknown when their jobs ended');
    },
  );

  test('each deleted agent keeps its newest datasets, even where several had the same name', async () => {
    const id = (agentId: unknown) => String(agentId).replace(/^.{8}/, '99999999');
    bendList(/cached-exports$/, (each) => ({
      ...each,
      agentName: 'Gone',
      scraperAgentId: id(each['scraperAgentId']),
    }));
    await world.run('data', 'rm', '--older-than', '1h', '--keep-last', '1', '--yes');
    const left = new Set([...world.sandbox.world.datasets.values()].map(({ agentId }) => agentId));
    expect(left.size).toBe(4);
  });

  test('with --keep-last, a dataset whose agent is unknown is kept, with a warning', async () => {
    bendList(/cached-exports$/, (each) => ({ ...each, agentName: null, scraperAgentId: null }));
    const before = stored();
    const { exit, stderr } = await world.run('data', 'rm', '--older-than', '1h', '--keep-last', '1', '--yes');
    expect([exit, stored()]).toEqual([0, before]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('it is unknown which agents collected them');
  });
});

describe('data rm: the list decides what was deleted', () => {
  test.each([
    [200, { success: true }],
    [200, { success: true, data: null }],
    [200, { success: true, data: { processed: 'all', skipped: -1 } }],
    [200, { success: true, data: { processed: 0, skipped: '50' } }],
    [204, null],
  ])('an answer of %s %j does not end it after the first 50', async (status, body) => {
    service.intercept = async (request, pass) => {
      if (!request.path.endsWith('/bulk/delete')) return undefined;
      await pass();
      return { status, body };
    };
    const { exit, datasets } = await world.json('data', 'rm', '--older-than', '90d', '--yes');
    expect([exit, deletes(), datasets.length]).toEqual([0, 2, 56]);
    expect(datasets.every(({ deleted }: { deleted: boolean }) => deleted)).toBe(true);
  });

  test('a refused dataset is not called deleted, even if the list is empty afterwards', async () => {
    service.intercept = ({ path }) => {
      if (path.endsWith('/bulk/delete')) return { status: 400, body: { message: 'No.' } };
      if (path !== lists || deletes() === 0) return undefined;
      return { status: 200, body: { success: true, data: { items: [], total: 0 } } };
    };
    const { exit, datasets } = await world.json('data', 'rm', '--older-than', '90d', '--yes');
    expect(exit).toBe(3);
    expect(datasets.some(({ deleted }: { deleted: boolean }) => deleted)).toBe(false);
    service.sent.length = 0;
    const { stdout } = await world.run('data', 'rm', '--older-than', '90d', '--yes');
    expect(stdout).toMatch(/^Not deleted: 56 datasets, /);
  });

  test('a dataset that is gone counts as deleted, although every answer was lost', async () => {
    service.intercept = async ({ path }, pass) => {
      if (!path.endsWith('/bulk/delete')) return undefined;
      await pass();
      return null;
    };
    const ids = (await world.ids('agent/acme-shop')).slice(0, 2);
    const { exit, codes, datasets } = await world.json('data', 'rm', ...ids, '--yes');
    expect([exit, codes, datasets.length]).toEqual([0, [], 2]);
  });

  test('the text names what was deleted, what may have been, and what was not tried', async () => {
    service.intercept = async ({ path }, pass) => {
      if (path === lists && deletes() > 0) return { status: 500, body: {} };
      if (!path.endsWith('/bulk/delete') || deletes() < 2) return undefined;
      await pass();
      return null;
    };
    const { exit, stdout } = await world.run('data', 'rm', '--older-than', '90d', '--yes');
    expect([exit, stdout]).toEqual([3, expect.stringMatching(/^Deleted: 50 datasets, /)]);
    expect(stdout).toContain('\nNot known whether deleted: 6 datasets, ');
  });

  test('an interrupt while an answer is lost exits with 130, and names what was not deleted', async () => {
    service.intercept = ({ path }) => {
      if (!path.endsWith('/bulk/delete')) return undefined;
      world.workspace.stop.abort();
      return { status: 503, body: {} };
    };
    const { exit, stdout, stderr } = await world.run('data', 'rm', '--older-than', '90d', '--yes');
    expect([exit, deletes(), stdout]).toEqual([130, 1, expect.stringMatching(/^Not deleted: 56 datasets/)]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('interrupted: 56 of 56 datasets were not deleted');
  });

  test('nothing is deleted when the list changes between two pages', async () => {
    service.intercept = async ({ path, query }, pass) => {
      if (path !== lists) return undefined;
      const answer = await pass();
      const data = (answer.body as { data: { items: Item[] } }).data;
      const page = Number(query.get('page') ?? 1);
      // A dataset arrives after page 1: its last item is the first one of page 2 as well.
      const items = page === 1 ? data.items.slice(0, 40) : data.items.slice(39, 40);
      return { ...answer, body: { success: true, data: { ...data, items, total: page === 1 ? 41 : 42 } } };
    };
    const { exit } = await world.run('data', 'rm', '--older-than', '1h', '--yes');
    expect([exit, deletes()]).toEqual([1, 0]);
  });
});
