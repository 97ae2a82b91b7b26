import { describe, expect, test } from 'vitest';
import { Unexpected } from '../../../../src/model/request.js';
import * as groups from '../../../../src/service/operations/groups.js';
import * as pipelines from '../../../../src/service/operations/pipelines.js';

const id = '0B7E6B1C-1111-4222-8333-944455556666';
const a = 'aaaaaaaa-0000-4000-8000-000000000001';
const b = 'bbbbbbbb-0000-4000-8000-000000000002';

const group = {
  id,
  name: 'Retail',
  description: null,
  isActive: true,
  canManage: true,
  memberCount: 2,
  members: [{ scraperAgentId: b.toUpperCase(), externalAgentId: 'b' }, a],
  activeRunCount: 0,
  lastRunStatus: null,
  futureField: {},
};

const pipeline = {
  id,
  name: 'Nightly',
  description: 'x',
  isActive: false,
  canManage: false,
  stepCount: '2',
  steps: [
    { sortOrder: 2, scraperAgentId: b },
    { sortOrder: 1, scraperAgentId: a },
  ],
};

test('a complete group is read', () => {
  expect(groups.listGroups().parse(group)).toEqual({
    id: id.toLowerCase(),
    name: 'Retail',
    description: null,
    isActive: true,
    canManage: true,
    agents: [b, a],
    complete: true,
    facts: { activeRunCount: 0, memberCount: 2 },
  });
});

test('a complete pipeline is read: its steps in their order, its count as text', () => {
  expect(pipelines.listPipelines().parse(pipeline)).toMatchObject({
    agents: [a, b],
    isActive: false,
    complete: true,
  });
});

const lacking: [string, object][] = [
  ['description', { description: undefined }],
  ['isActive', { isActive: null }],
  ['canManage', { canManage: undefined }],
  ['members', { members: undefined }],
  ['members', { members: null }],
  ['an agent id', { members: [{ externalAgentId: 'b' }, { scraperAgentId: a }] }],
];

test.each(lacking)('an item without %s is incomplete', (_name, change) => {
  expect(groups.listGroups().parse({ ...group, ...change }).complete).toBe(false);
});

test('only a description may be missing from an object read by id', () => {
  const call = groups.getGroup(id);
  expect(call.request).toEqual({ method: 'GET', path: `/api/search-groups/${id}`, effect: 'read' });
  expect(call.parse({ ...group, description: undefined })).toMatchObject({
    description: null,
    complete: true,
  });
  for (const [, change] of lacking.slice(1))
    expect(() => call.parse({ ...group, ...change })).toThrow(Unexpected);
  expect(() => call.parse({ ...group, id: a })).toThrow('expected the object');
  expect(() => call.parse(null)).toThrow(Unexpected);
});

describe('unreadable answers', () => {
  test.each<[object, RegExp]>([
    [{ id: undefined }, /id to be an id/],
    [{ id: '..' }, /id to be an id/],
    [{ id: 'a/b?x' }, /id to be an id/],
    [{ id: 7 }, /id to be an id/],
    [{ name: null }, /name to be text/],
    [{ description: 3 }, /description to be text/],
    [{ isActive: 1 }, /isActive to be true or false, got the number 1/],
    [{ isActive: 'true' }, /isActive to be true or false, got the text "true"/],
    [{ canManage: 'yes' }, /canManage/],
    [{ members: {} }, /members to be a list/],
    [{ members: [1, 2] }, /members to hold objects or ids/],
    [{ members: [a, a] }, /each agent once/],
    [{ memberCount: 3 }, /memberCount to be the number of members, got 3 and 2/],
    [{ memberCount: 'x' }, /memberCount to be a whole number/],
  ])('group %o', (change, message) => {
    expect(() => groups.listGroups().parse({ ...group, ...change })).toThrow(message);
  });

  test.each<[object, RegExp]>([
    [{ steps: [{ sortOrder: 1, scraperAgentId: a }, { scraperAgentId: b }] }, /sortOrder to be a number/],
    [{ steps: pipeline.steps.map((step) => ({ ...step, sortOrder: 1 })) }, /each sortOrder once/],
    [{ stepCount: 1 }, /stepCount/],
  ])('pipeline %o', (change, message) => {
    expect(() => pipelines.listPipelines().parse({ ...pipeline, ...change })).toThrow(message);
  });

  test('an activeRunCount that cannot be read is neither absent nor a number', () => {
    const facts = (activeRunCount: unknown) =>
      groups.listGroups().parse({ ...group, activeRunCount }).facts['activeRunCount'];
    expect([facts(2), facts('2'), facts(null), facts('some'), facts(-1), facts({})]).toEqual([
      2,
      2,
      undefined,
      'unreadable',
      'unreadable',
      'unreadable',
    ]);
  });

  test('inherited properties are not read', () => {
    const item: unknown = JSON.parse('{"__proto__":{"name":"x"},"id":"x"}');
    expect(() => groups.listGroups().parse(item)).toThrow('name to be text, got nothing');
  });
});

test('the requests of groups and pipelines', () => {
  const body = { name: 'n', description: '', agentIds: [a] };
  expect(groups.createGroup(body)).toEqual({
    method: 'POST',
    path: '/api/search-groups',
    body,
    effect: 'create',
  });
  expect(groups.updateGroup({ pending: 'group/a' }, { isActive: false })).toEqual({
    method: 'PUT',
    path: '/api/search-groups/{group/a}',
    body: { isActive: false },
    effect: 'repeatable',
  });
  expect(groups.replaceMembers(id, [a])).toMatchObject({
    path: `/api/search-groups/${id}/members`,
    body: { agentIds: [a] },
  });
  expect(groups.deleteGroup(id)).toEqual({
    method: 'DELETE',
    path: `/api/search-groups/${id}`,
    effect: 'repeatable',
  });
  expect(pipelines.createPipeline(body)).toMatchObject({ path: '/api/pipelines', effect: 'create' });
  expect(pipelines.updatePipeline(id, { name: 'x' })).toMatchObject({ method: 'PUT', body: { name: 'x' } });
  expect(pipelines.replaceSteps(id, [b, a])).toMatchObject({
    path: `/api/pipelines/${id}/steps`,
    body: { agentIds: [b, a] },
  });
  expect(pipelines.deletePipeline(id)).toMatchObject({ method: 'DELETE', path: `/api/pipelines/${id}` });
});

test.each(['', '.', '..', 'a/b', 'a%2fb', 'a b', '{x}', 'ä', 'a\n', 'x'.repeat(201)])(
  '%j is no id',
  (bad) => {
    expect(() => groups.deleteGroup(bad)).toThrow('unknown-id');
  },
);

test.each<[unknown, string | null]>([
  [{ id }, id.toLowerCase()],
  [id, id.toLowerCase()],
  [7, '7'],
  ['Created', null],
  [{ group: { id: a } }, a],
  [{ groupId: a }, a],
  [{ group: { id: a }, company: { id: b } }, null],
  [{ id: '../x' }, null],
  [{ id: 2 ** 60 }, null],
  [{}, null],
  [null, null],
  [undefined, null],
  [[], null],
])('the id in %o is %s', (data, expected) => {
  expect(groups.createdId(data)).toBe(expected);
});
