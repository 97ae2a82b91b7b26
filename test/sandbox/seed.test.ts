import { describe, expect, test } from 'vitest';
import { defaultSeed, JsonFileError, parseSeed, startSandbox } from '../../src/sandbox/index.js';
import { ACME, SEED } from './service.js';

test('seed: the default has ten agents with fixed ids', () => {
  expect(defaultSeed().agents).toHaveLength(10);
  expect(defaultSeed()).toEqual(defaultSeed());
  expect(Object.keys(defaultSeed())).toEqual(['agents']);
});

test('seed: a valid file is read unchanged, and omitted parts get their defaults', async () => {
  expect(parseSeed(JSON.stringify(SEED))).toEqual(SEED);
  const seed = parseSeed('{"groups":[{"name":"G","members":["globex"]}],"scopes":["agents.run","x"]}');
  const sandbox = await startSandbox({ seed });
  expect(sandbox.world.agents.size).toBe(10);
  expect([...sandbox.world.groups.values()][0]).toMatchObject({ name: 'G', canManage: true, isActive: true });
  expect(sandbox.world.scopes).toEqual(['agents.run', 'x']);
  await sandbox.close();
});

test('seed: a schedule can refer to an agent by its externalAgentId', () => {
  const schedule = { targetId: 'acme', scheduleType: 'Once', startTime: '2026-12-24T08:00:00', id: 17 };
  expect(() => parseSeed(JSON.stringify({ ...SEED, schedules: [schedule] }))).not.toThrow();
});

describe('invalid seeds', () => {
  const agent = { externalAgentId: 'a', name: 'A' };
  const once = { targetId: ACME, scheduleType: 'Once', startTime: '2026-12-24T08:00:00' };
  test.each<[unknown, RegExp]>([
    ['{', /the file is not valid: Flow map must end with a \}/],
    [[], /the top level is not an object\. Use an object\./],
    [{ group: [] }, /the top level has an unknown property "group"\. Properties: agents, groups/],
    [{ groups: {} }, /groups is not an array/],
    [{ groups: [1] }, /groups\[0\] is not an object/],
    [{ groups: [{ name: 'x' }] }, /groups\[0\] has no "members"/],
    [{ groups: [{ name: 1, members: [] }] }, /groups\[0\]\.name is not a string/],
    [
      { groups: [{ name: 'x', members: ['nobody'] }] },
      /groups\[0\] refers to the agent "nobody".*Agents: acme-shop/,
    ],
    [
      { groups: [{ id: 'g', name: 'x', members: [] }] },
      /groups\[0\]\.id is not valid\. Use a GUID, or leave it out\./,
    ],
    [
      { pipelines: [{ name: 'x', steps: ['globex', 'globex'] }] },
      /pipelines\[0\] lists the agent "globex" twice/,
    ],
    [{ agents: [agent, agent] }, /agents\[1\] repeats the externalAgentId "a"/],
    [
      { agents: [{ ...agent, inputParameters: ['q'] }] },
      /agents\[0\]\.inputParameters\[0\] is not an object/,
    ],
    [
      { agents: [], schedules: [once] },
      /schedules\[0\] breaks a rule of the service: The target Agent .* does not exist/,
    ],
    [
      { ...SEED, schedules: [{ ...once, startTime: 'soon' }] },
      /schedules\[0\] breaks a rule of the service: The field 'startTime'/,
    ],
    [
      {
        ...SEED,
        schedules: [
          { ...once, id: 1 },
          { ...once, id: 1 },
        ],
      },
      /schedules\[1\]\.id is used twice: "1"/,
    ],
    [
      { keys: [{ name: 'k', key: 'nope' }] },
      /keys\[0\]\.key is not valid\. Use a key that begins with svc_live_, or leave it out\./,
    ],
  ])('seed: the error for %j says what, where and how to fix it', (seed, message) => {
    const text = typeof seed === 'string' ? seed : JSON.stringify(seed);
    expect(() => parseSeed(text)).toThrow(JsonFileError);
    expect(() => parseSeed(text)).toThrow(message);
  });
});
