import { appendFile, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { worldFromLog, worldToLog } from '../../src/sandbox/index.js';
import { runs } from '../support/size.js';
import { AGENTS, EXPLORER, GROUPS, PIPELINES, type Running, running, SCHEDULES } from './running.js';
import { ACME, type Body, GLOBEX, GROUP, PIPELINE } from './service.js';

/** The data file of many objects: a change appends a line, and is not lost. */

const MANY = Array.from({ length: 500 }, (_, index) => ({ name: `group ${index}`, members: ['acme'] }));
const dataFile = async () => join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');

async function large(file: string): Promise<Running> {
  return running(
    {
      initech: { outcomes: [{ result: 'lose' }] },
      globex: {
        outcomes: [
          { nth: 1, result: 'refuse' },
          { seconds: 5, result: 'fail' },
        ],
      },
    },
    {
      dataFile: file,
      seed: { groups: [{ id: GROUP, name: 'Shops', members: ['acme', 'globex'] }, ...MANY] },
    },
  );
}

const create = (on: Running, name: string) => on.data('POST', GROUPS, { name, agentIds: [ACME] });

test('data file: a change writes what changed and not the whole file', async () => {
  const file = await dataFile();
  const on = await large(file);
  const before = await readFile(file, 'utf8');
  for (let index = 0; index < 20; index += 1) await create(on, `new ${index}`);
  const after = await readFile(file, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after.length - before.length).toBeLessThan(20 * 1_000);
  expect(after.split('\n')).toHaveLength(before.split('\n').length + 20);
  await on.close();
  expect(worldFromLog(await readFile(file, 'utf8')).groups.size).toBe(521);
});

test('data file: a change looks at no record but its own', async () => {
  const on = await large(await dataFile());
  let looks = 0;
  for (const [key, record] of on.world.groups) {
    const watched = new Proxy(record, {
      ownKeys: (target) => {
        looks += 1;
        return Reflect.ownKeys(target);
      },
    });
    on.world.groups.set(key, watched);
  }
  await create(on, 'new');
  expect(looks).toBe(0);
});

test('data file: what is no longer so is dropped when the file is twice as long as it needs to be', async () => {
  const file = await dataFile();
  const on = await large(file);
  const whole = (await stat(file)).size;
  const description = 'x'.repeat(20_000);
  const sizes: number[] = [];
  for (let change = 0; change < 60; change += 1) {
    await on.data('PUT', `${GROUPS}/${GROUP}`, { description: `${change} ${description}` });
    sizes.push((await stat(file)).size);
  }
  expect(Math.max(...sizes)).toBeLessThan(2 * (whole + 25_000) + 65_536);
  expect(sizes.filter((size, index) => size < (sizes[index - 1] ?? 0)).length).toBeGreaterThan(2);
  expect(worldToLog(worldFromLog(await readFile(file, 'utf8')))).toBe(worldToLog(on.world));
});

type Act = (on: Running) => Promise<unknown>;
/** At least one of each handler that changes something. */
const ACTS: Readonly<Record<string, Act>> = {
  create: (on) => create(on, 'another'),
  rename: async (on) => on.call('PUT', `${GROUPS}/${await anyGroup(on)}`, { name: 'renamed' }),
  delete: async (on) => on.call('DELETE', `${GROUPS}/${await anyGroup(on)}`),
  members: async (on) => on.call('PUT', `${GROUPS}/${await anyGroup(on)}/members`, { agentIds: [] }),
  pipeline: (on) => on.call('POST', PIPELINES, { name: 'short', agentIds: [ACME] }),
  dropPipeline: (on) => on.call('DELETE', `${PIPELINES}/${last(on.world.pipelines)}`),
  schedule: (on) => on.call('POST', SCHEDULES, EVERY_MINUTE),
  reschedule: (on) => on.call('PUT', `${SCHEDULES}/${last(on.world.schedules)}`, EVERY_MINUTE),
  disable: (on) => on.call('POST', `${SCHEDULES}/${last(on.world.schedules)}/enabled`, { isEnabled: false }),
  enable: (on) =>
    on.call('POST', `${SCHEDULES}/bulk/enabled`, { ids: [...on.world.schedules.keys()], isEnabled: true }),
  unschedule: (on) => on.call('DELETE', `${SCHEDULES}/${last(on.world.schedules)}`),
  unscheduleMany: (on) => on.call('POST', `${SCHEDULES}/bulk/delete`, { ids: [last(on.world.schedules)] }),
  runSchedule: (on) => on.call('POST', `${SCHEDULES}/${last(on.world.schedules)}/run`),
  start: (on) => on.call('POST', `${AGENTS}/acme/start-job`),
  startLost: (on) => on.call('POST', `${AGENTS}/initech/start-job`),
  run: (on) => on.call('POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{}' }),
  runPipeline: (on) => on.call('POST', `${PIPELINES}/${PIPELINE}/run`),
  retry: (on) => on.call('POST', `${GROUPS}/runs/${last(on.world.groupRuns)}/members/${GLOBEX}/retry`),
  dropGroupRun: (on) => on.call('DELETE', `${GROUPS}/runs/${last(on.world.groupRuns)}`),
  dropPipelineRun: (on) => on.call('DELETE', `${PIPELINES}/runs/${last(on.world.pipelineRuns)}`),
  stop: (on) => on.call('POST', `${AGENTS}/runs/${last(on.world.runs)}/stop`),
  refresh: (on) => on.call('POST', `${AGENTS}/runs/${lost(on)}/refresh`),
  dismiss: (on) => on.call('POST', `${AGENTS}/runs/${last(on.world.runs)}/dismiss-attention`),
  restore: (on) => on.call('POST', `${AGENTS}/runs/${last(on.world.runs)}/restore-attention`),
  wait: async (on) => {
    on.seconds(7);
    await on.call('POST', `${AGENTS}/globex/run`);
  },
  day: async (on) => on.seconds(600),
  share: (on) =>
    on.call('PUT', `${EXPLORER}/datasets/${last(on.world.datasets)}/access`, { accessLevel: 'Company' }),
  query: (on) =>
    on.call('POST', `${EXPLORER}/saved-queries`, {
      name: 'q',
      datasetId: last(on.world.datasets),
      definition: {},
    }),
  dropQuery: (on) => on.call('DELETE', `${EXPLORER}/saved-queries/${last(on.world.savedQueries)}`),
  dropDataset: (on) => on.call('DELETE', `${AGENTS}/cached-exports/${last(on.world.datasets)}`),
  dropDatasets: (on) => on.call('POST', `${EXPLORER}/bulk/delete`, { datasetIds: [last(on.world.datasets)] }),
  revoke: (on) => on.call('DELETE', `/api/api-keys/${[...on.world.keys.keys()][0]}`),
  key: (on) => on.call('POST', '/api/api-keys', {}),
};

const EVERY_MINUTE = {
  targetId: ACME,
  scheduleType: 'Cron',
  cronExpression: '0 * * * * *',
  startTime: '2026-01-01T00:00:00',
};

function last(records: ReadonlyMap<string, unknown>): string {
  return [...records.keys()].at(-1) ?? '';
}

function lost({ world }: Running): string {
  return [...world.runs.values()].find(({ outcome }) => outcome === 'lost')?.id ?? '';
}

async function anyGroup(on: Running): Promise<string> {
  const all = [...on.world.groups.keys()];
  return all[all.length >> 1] ?? '';
}

/** In an order in which each has something to change. After the last one, the key of the test is no longer valid. */
const STORY = [
  ...['create', 'rename', 'members', 'delete', 'pipeline', 'dropPipeline'],
  ...['schedule', 'disable', 'reschedule', 'disable', 'enable', 'runSchedule', 'unschedule'],
  ...['schedule', 'unscheduleMany', 'startLost', 'refresh', 'dismiss', 'restore'],
  ...['run', 'wait', 'retry', 'runPipeline', 'start', 'stop', 'start', 'day', 'share', 'query', 'dropQuery'],
  ...['query', 'dropDataset', 'dropDatasets', 'dropGroupRun', 'dropPipelineRun'],
];
const LAST = ['key', 'revoke'];

async function isKept(file: string, on: Running): Promise<void> {
  // What a refused request has changed, the next change saves.
  await on.call('PUT', `${GROUPS}/${GROUP}`, {});
  const saved = worldToLog(worldFromLog(await readFile(file, 'utf8')));
  expect(saved).toBe(worldToLog(on.world));
}

test.each(LAST)('data file: each change is in the file: %s', async (end) => {
  expect(new Set([...STORY, ...LAST])).toEqual(new Set(Object.keys(ACTS)));
  const file = await dataFile();
  const on = await large(file);
  const state = () => worldToLog(on.world).replace(/"lastUsedDate":[^,]*/g, '');
  for (const name of [...STORY, end]) {
    const before = state();
    await ACTS[name]?.(on);
    expect([name, state() === before]).toEqual([name, false]);
    await isKept(file, on);
  }
});

test('data file: after any changes, the file holds the world as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STORY), { maxLength: 20 }), async (names) => {
      const file = await dataFile();
      const on = await large(file);
      for (const name of names) {
        await ACTS[name]?.(on);
        await isKept(file, on);
      }
      await on.close();
    }),
    { numRuns: runs(4, 100) },
  );
});

test('data file: a line that was cut off is not a change, and those before it are', async () => {
  const file = await dataFile();
  const on = await large(file);
  await create(on, 'first');
  const whole = await readFile(file, 'utf8');
  await create(on, 'second');
  const text = await readFile(file, 'utf8');
  const line = text.slice(whole.length);
  for (const length of [0, 1, line.length >> 1, line.length - 1]) {
    const cut = worldFromLog(whole + line.slice(0, length));
    expect([...cut.groups.values()].at(-1)?.name).toBe('first');
  }
  expect([...worldFromLog(text).groups.values()].at(-1)?.name).toBe('second');
  await on.close();

  await writeFile(file, whole + line.slice(0, 9));
  const again = await large(file);
  await create(again, 'third');
  const names = [...worldFromLog(await readFile(file, 'utf8')).groups.values()].map(({ name }: Body) => name);
  expect(names.slice(-2)).toEqual(['first', 'third']);
});

test.each(['{', '{}', '[{}]', '[["groups","x",{"id":"x"}]]'])(
  'data file: the line %j is refused',
  async (line) => {
    const file = await dataFile();
    const on = await large(file);
    await on.close();
    const text = await readFile(file, 'utf8');
    expect(() => worldFromLog(`${text}${line}\n`)).toThrow(/the data file/);
  },
);

test('data file: a file that something else has changed meanwhile is written anew', async () => {
  const file = await dataFile();
  const on = await large(file);
  await create(on, 'first');
  await appendFile(file, 'nonsense\n');
  await create(on, 'second');
  expect([...worldFromLog(await readFile(file, 'utf8')).groups.values()].at(-1)?.name).toBe('second');
});
