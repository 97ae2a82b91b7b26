import { describe, expect, test } from 'vitest';
import { defaultSeed, parseSeed, SeedError, startSandbox } from '../../src/sandbox/index.js';
import { ACME, SEED } from './service.js';

test('the default seed has ten agents with fixed ids', () => {
  expect(defaultSeed().agents).toHaveLength(10);
  expect(defaultSeed()).toEqual(defaultSeed());
  expect(Object.keys(defaultSeed())).toEqual(['agents']);
});

test('a good seed is read as it is; what is left out gets its default', async () => {
  expect(parseSeed(JSON.stringify(SEED))).toEqual(SEED);
  const seed = parseSeed('{"groups":[{"name":"G","members":["globex"]}],"scopes":["agents.run","x"]}');
  const sandbox = await startSandbox({ seed });
  expect(sandbox.world.agents.size).toBe(10);
  expect([...sandbox.world.groups.values()][0]).toMatchObject({ name: 'G', canManage: true, isActive: true });
  expect(sandbox.world.scopes).toEqual(['agents.run', 'x']);
  await sandbox.close();
});

test('a schedule may name an agent by its externalAgentId', () => {
  const schedule = { targetId: 'acme', scheduleType: 'Once', startTime: '2026-12-24T08:00:00', id: 17 };
  expect(() => parseSeed(JSON.stringify({ ...SEED, schedules: [schedule] }))).not.toThrow();
});

describe('a bad seed says what, where and what to do', () => {
  const agent = { externalAgentId: 'a', name: 'A' };
  const once = { targetId: ACME, scheduleType: 'Once', startTime: '2026-12-24T08:00:00' };
  test.each<[unknown, RegExp]>([
    ['{', /the file: is not JSON/],
    [[], /top level: is not a JSON object\. Give it some of agents, groups/],
    [{ group: [] }, /top level: has an unknown property "group"\. Known here: agents, groups/],
    [{ groups: {} }, /groups: is not an array/],
    [{ groups: [1] }, /groups\[0\]: is not an object/],
    [{ groups: [{ name: 'x' }] }, /groups\[0\]: has no "members"/],
    [{ groups: [{ name: 1, members: [] }] }, /groups\[0\]\.name: is not a string/],
    [
      { groups: [{ name: 'x', members: ['nobody'] }] },
      /groups\[0\]: names the agent "nobody".*Known: acme-shop/,
    ],
    [{ groups: [{ id: 'g', name: 'x', members: [] }] }, /groups\[0\]\.id: "g" is not a GUID/],
    [{ pipelines: [{ name: 'x', steps: ['globex', 'globex'] }] }, /pipelines\[0\]: names an agent twice/],
    [{ agents: [agent, agent] }, /agents\[1\]: repeats the externalAgentId "a"/],
    [
      { agents: [{ ...agent, inputParameters: ['q'] }] },
      /agents\[0\]\.inputParameters: is not an array of \{/,
    ],
    [{ agents: [], schedules: [once] }, /schedules\[0\]: The target Agent .* does not exist/],
    [{ ...SEED, schedules: [{ ...once, startTime: 'soon' }] }, /schedules\[0\]: The field 'startTime'/],
    [
      {
        ...SEED,
        schedules: [
          { ...once, id: 1 },
          { ...once, id: 1 },
        ],
      },
      /schedules\[1\]\.id: "1" is used twice/,
    ],
    [{ keys: [{ name: 'k', key: 'nope' }] }, /keys\[0\]\.key: is not a live key\. Begin it with svc_live_/],
  ])('%j', (seed, message) => {
    const text = typeof seed === 'string' ? seed : JSON.stringify(seed);
    expect(() => parseSeed(text)).toThrow(SeedError);
    expect(() => parseSeed(text)).toThrow(message);
  });
});
