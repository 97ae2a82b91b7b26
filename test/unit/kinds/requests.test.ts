import { describe, expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { exists } from '../../../src/model/kind.js';
import {
  actionsOf,
  agents,
  apiKey,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** The requests of a plan in their order, with their bodies. */
function requestsOf(world: SmallWorld) {
  return planOf(world).steps.map(({ request: { method, path, body } }) => [
    `${method} ${path.replace(/.*\/(\w+)$/, '$1')}`,
    body,
  ]);
}

describe('a group that gets other members and is switched', () => {
  const [acme = '', globex = ''] = agents.map(({ id }) => id);
  const requests = (before: boolean, after: boolean) =>
    requestsOf({
      entries: [group('a', { active: after, agents: ['globex'] })],
      objects: [remoteGroup('1', { name: 'a', active: before, members: [acme] })],
      inventory: owning({ 'group/a': '1' }),
    }).map(([, body]) => body);

  test('is switched off before it gets them, and on after it has them: nobody declared what would run between', () => {
    const members = expect.objectContaining({ agentIds: [globex] });
    expect(requests(true, false)).toEqual([{ isActive: false }, members]);
    expect(requests(false, true)).toEqual([members, { isActive: true }]);
  });

  test('and is renamed gets them first', () => {
    const bodies = requestsOf({
      entries: [group('a', { name: 'new', agents: ['globex'] })],
      objects: [remoteGroup('1', { name: 'a', members: [acme] })],
      inventory: owning({ 'group/a': '1' }),
    }).map(([, body]) => Object.keys(body as object));
    expect(bodies).toEqual([['agentIds'], ['name']]);
  });
});

describe('the replacement of a schedule', () => {
  const put = (before: object, after: object, enabled = true) =>
    requestsOf({
      entries: [
        schedule('s', { inputs: { ...after } as Record<string, string>, cron: '0 0 7 * * *', enabled }),
      ],
      objects: [remoteSchedule('1', { inputs: { ...before } as Record<string, string>, enabled })],
      inventory: owning({ 'schedule/s': '1' }),
    })[0]?.[1] as Record<string, unknown>;

  test('sends `{}` for inputs that it clears, because a service may keep what is left out', () => {
    expect(put({ country: 'AT' }, {})['inputParameters']).toBe('{}');
    expect(put({ country: 'AT' }, { country: 'FR' })['inputParameters']).toBe('{"country":"FR"}');
  });

  test('leaves out inputs that there are none of before and after', () => {
    expect(put({}, {})).not.toHaveProperty('inputParameters');
  });

  test('says whether it is paused, also if that does not change', () => {
    expect([put({}, {}, true)['isEnabled'], put({}, {}, false)['isEnabled']]).toEqual([true, false]);
  });
});

test.each([
  ['is revoked', { isRevoked: true }],
  ['was switched off', { isActive: false }],
])('a key that %s counts as gone, and is created again', (_, facts) => {
  const gone = { ...remoteKey('1', { name: 'ci' }), facts };
  const key = kinds.find(({ name }) => name === 'key');
  expect(key !== undefined && exists(key, gone)).toBe(false);
  expect(key !== undefined && exists(key, { ...gone, facts: { isActive: true, isRevoked: false } })).toBe(
    true,
  );
});

test('a key that no longer works is created again, whatever the inventory says', () => {
  const world = (objects: readonly ReturnType<typeof remoteKey>[]) => ({
    entries: [apiKey('ci')],
    objects,
    inventory: owning({ 'key/ci': '1' }, { name: 'ci' }),
  });
  expect(actionsOf(planOf(world([])))).toEqual(['create key/ci']);
});
