import { appendFile, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { worldFromJson, worldToJson } from '../../src/sandbox/index.js';
import { runs } from '../support/size.js';
import { AGENTS, GROUPS, type Running, running } from './running.js';
import { ACME, type Body, GROUP } from './service.js';

/** A data file of many objects: a change appends a line, and is not lost. */

const MANY = Array.from({ length: 500 }, (_, index) => ({ name: `group ${index}`, members: ['acme'] }));
const dataFile = async () => join(await mkdtemp(join(tmpdir(), 'sandbox-')), 'data.json');

async function large(file: string): Promise<Running> {
  return running(
    {},
    {
      dataFile: file,
      seed: { groups: [{ id: GROUP, name: 'Shops', members: ['acme', 'globex'] }, ...MANY] },
    },
  );
}

const create = (on: Running, name: string) => on.data('POST', GROUPS, { name, agentIds: [ACME] });

test('data file: with many objects, a change writes what changed and not the whole file', async () => {
  const file = await dataFile();
  const on = await large(file);
  const before = await readFile(file, 'utf8');
  expect(before.length).toBeGreaterThan(65_536);
  for (let index = 0; index < 20; index += 1) await create(on, `new ${index}`);
  const after = await readFile(file, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after.length - before.length).toBeLessThan(20 * 1_000);
  await on.close();
  expect(JSON.parse(await readFile(file, 'utf8')).groups).toHaveLength(521);
});

test('data file: when its lines are as long as the document, it is written anew', async () => {
  const file = await dataFile();
  const on = await large(file);
  const { size } = await stat(file);
  const inputParameters = JSON.stringify({ text: 'x'.repeat(size >> 2) });
  for (let start = 0; start < 12; start += 1)
    await on.data('POST', `${AGENTS}/acme/start-job`, { inputParameters });
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('{"set"'));
  expect(lines.length).toBeLessThan(10);
  expect(lines.join('\n').length).toBeLessThan((await stat(file)).size / 2);
});

type Act = (on: Running) => Promise<unknown>;
const ACTS: Readonly<Record<string, Act>> = {
  create: (on) => create(on, 'another'),
  rename: async (on) => on.call('PUT', `${GROUPS}/${await anyGroup(on)}`, { name: 'renamed' }),
  delete: async (on) => on.call('DELETE', `${GROUPS}/${await anyGroup(on)}`),
  members: async (on) => on.call('PUT', `${GROUPS}/${await anyGroup(on)}/members`, { agentIds: [] }),
  start: (on) => on.call('POST', `${AGENTS}/acme/start-job`),
  run: (on) => on.call('POST', `${GROUPS}/${GROUP}/run`, { inputParameters: '{}' }),
  wait: async (on) => {
    on.seconds(7);
    await on.call('POST', `${AGENTS}/globex/run`);
  },
  key: (on) => on.call('POST', '/api/api-keys', {}),
};

async function anyGroup(on: Running): Promise<string> {
  const all = [...on.world.groups.keys()];
  return all[all.length >> 1] ?? '';
}

test('data file: after any changes, the file holds the world as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(ACTS)), { maxLength: 12 }), async (names) => {
      const file = await dataFile();
      const on = await large(file);
      for (const name of names) {
        await ACTS[name]?.(on);
        // A read may have changed when the key was last used, which only the next change saves.
        const plain = (text: string) => text.replace(/"lastUsedDate": .*/g, '');
        expect(plain(worldToJson(worldFromJson(await readFile(file, 'utf8'))))).toBe(
          plain(worldToJson(on.world)),
        );
        if (name === 'key') break;
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
    const cut = worldFromJson(whole + line.slice(0, length));
    expect([...cut.groups.values()].at(-1)?.name).toBe('first');
  }
  expect([...worldFromJson(text).groups.values()].at(-1)?.name).toBe('second');
  await on.close();

  await writeFile(file, whole + line.slice(0, 9));
  const again = await large(file);
  await create(again, 'third');
  const names = [...worldFromJson(await readFile(file, 'utf8')).groups.values()].map(
    ({ name }: Body) => name,
  );
  expect(names.slice(-2)).toEqual(['first', 'third']);
});

test.each(['{', '[]', '{"set":{}}', '{"set":{"groups":[{"id":"x"}]},"removed":{}}'])(
  'data file: the line %j is refused',
  async (line) => {
    const file = await dataFile();
    const on = await large(file);
    await on.close();
    const text = await readFile(file, 'utf8');
    expect(() => worldFromJson(`${text}${line}\n`)).toThrow(/the data file/);
  },
);

test('data file: a file that something else has changed meanwhile is written anew', async () => {
  const file = await dataFile();
  const on = await large(file);
  await create(on, 'first');
  await appendFile(file, 'nonsense\n');
  await create(on, 'second');
  expect([...worldFromJson(await readFile(file, 'utf8')).groups.values()].at(-1)?.name).toBe('second');
});
