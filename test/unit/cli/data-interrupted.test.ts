import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withReadSession } from '../../../src/engine/session.js';
import type { Run } from '../../../src/model/run.js';
import { getData, RunSaver } from '../../../src/operate/data/download.js';
import { DATA_SEED, type DataWorld, dataWorld } from '../../support/data.js';

let world: DataWorld;
beforeEach(async () => {
  const history = Array.from({ length: 53 }, (_, hour) => ({ agent: 'acme-shop', ago: `${hour + 100}h` }));
  world = await dataWorld({ ...DATA_SEED, history });
});
afterEach(() => world.close());

/** Interrupts the command when the service has answered a request to such a path. */
function stopAfter(path: RegExp): void {
  world.sandbox.faults.intercept = async (request, next) => {
    await next();
    if (path.test(request.path)) world.workspace.stop.abort();
  };
}

const allIds = async (): Promise<string[]> =>
  (await world.json('data', '--all')).datasets.map(({ id }: { id: string }) => id);

test('a download says what an interrupt between two files has left', async () => {
  const ids = await allIds();
  const { root: folder, env, stop } = world.workspace;
  const before = readdirSync(folder).length;
  const { files, diagnostics } = await withReadSession({ cwd: folder, env, signal: stop.signal }, (session) =>
    getData(session, ids, { folder, onSaved: () => stop.abort() }),
  );
  expect(readdirSync(folder)).toHaveLength(before + 1);
  expect(files.map(({ outcome }) => outcome)).toEqual(['saved', 'failed', 'failed', 'failed']);
  expect(diagnostics).toMatchObject([
    { code: 'interrupted', message: 'interrupted: 3 of 53 datasets were not downloaded' },
  ]);
});

test('`run --save` says what an interrupt between two files has left', async () => {
  let stopped = false;
  const saver = new RunSaver(
    { interrupted: () => stopped },
    async ({ id }) => ({ file: id, bytes: 1 }),
    () => {
      stopped = true;
    },
  );
  const base = { address: null, finishedAt: null, startedAt: null, records: 1, errors: 0, message: null };
  const job = (id: string): Run => ({
    ...base,
    ...{ id, idKind: 'job', state: 'succeeded', anomaly: 'none', members: [] },
  });
  const runs = [job('a'), job('b'), job('c')];
  const ended = {
    environment: null,
    runs,
    verdict: 'succeeded',
    isDetached: false,
    checked: [],
    unjudged: [],
    diagnostics: [],
  } as const;
  const { verdict, diagnostics } = await saver.finish(ended);
  expect(saver.saved.map(({ outcome }) => outcome)).toEqual(['saved', 'failed', 'failed']);
  expect(verdict).toBe('interrupted');
  expect(diagnostics).toMatchObject([{ message: 'interrupted: 2 of 3 datasets were not saved' }]);
});

test('`data share` names what an interrupt has left unchanged, and ends in 130', async () => {
  const ids = (await allIds()).slice(0, 3);
  stopAfter(/access$/);
  const found = await world.json('data', 'share', ...ids, '--company');
  expect([found.exit, found.codes]).toEqual([130, ['interrupted']]);
  expect(found.datasets.map(({ changed }: { changed: boolean }) => changed)).toEqual([true, false, false]);
});

test('`data rm` says that it was interrupted, what it has deleted, and ends in 130', async () => {
  stopAfter(/bulk\/delete$/);
  const { exit, stdout, stderr } = await world.run('data', 'rm', '--older-than', '1h', '--yes');
  expect(stdout).toMatch(/^Deleted: 50 datasets/);
  expect([exit, stderr]).toEqual([130, expect.stringContaining('3 of 53 datasets were not deleted')]);
});

test.each([
  ['save', ['save', 'new', '--of', 'agent/acme-shop'], 'saved'],
  ['rm', ['rm', 'kept', '--yes'], 'deleted'],
])('`data queries %s` sends nothing after an interrupt, and ends in 130', async (_, words, done) => {
  await world.run('data', 'queries', 'save', 'kept', '--of', 'agent/acme-shop');
  stopAfter(/saved-queries/);
  const { exit, stderr } = await world.run('data', 'queries', ...words);
  expect([exit, stderr]).toEqual([130, expect.stringContaining(`interrupted: nothing was ${done}`)]);
  const { queries } = await world.json('data', 'queries');
  expect(queries.map(({ name }: { name: string }) => name)).toEqual(['kept']);
});
