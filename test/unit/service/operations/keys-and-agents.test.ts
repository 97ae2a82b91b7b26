import { describe, expect, test } from 'vitest';
import * as agents from '../../../../src/service/operations/agents.js';
import * as keys from '../../../../src/service/operations/keys.js';

const listed = {
  keyPrefix: 'svc_live_ab',
  name: 'ci',
  scopes: ['agents.run'],
  isActive: true,
  isRevoked: false,
};
const key = 'svc_live_0123456789';
const guid = 'AAAAAAAA-0000-4000-8000-000000000001';

describe('API keys', () => {
  const parse = (item: unknown) => keys.listKeys().parse(item);

  test('as listed', () => {
    expect(parse({ ...listed, createdDate: '2026-01-01T00:00:00Z' })).toEqual({
      ...listed,
      id: null,
      rawId: null,
      createdDate: '2026-01-01T00:00:00Z',
      expires: null,
      lastUsedDate: null,
    });
    expect(parse({ ...listed, id: guid }).id).toBe(guid.toLowerCase());
    expect(parse({ ...listed, id: 4 })).toMatchObject({ id: '4', rawId: 4 });
    expect(parse({ ...listed, keyId: guid }).id).toBe(guid.toLowerCase());
  });

  test.each([['5'], ['last week'], ['2026-02-30T00:00:00Z'], [7]])(
    'a createdDate of %o is neither absent nor a time',
    (createdDate) => {
      expect(parse({ ...listed, createdDate }).createdDate).toBe('unreadable');
      expect(parse({ ...listed, createdDate: null }).createdDate).toBeNull();
    },
  );

  test('missing scopes are unknown, not empty', () => {
    expect(parse({ ...listed, scopes: null }).scopes).toBeNull();
    expect(parse({ ...listed, scopes: [] }).scopes).toEqual([]);
  });

  test.each<[object]>([
    [{ scopes: 'agents.run' }],
    [{ scopes: [1] }],
    [{ isActive: undefined }],
    [{ isRevoked: null }],
    [{ isActive: 'true' }],
    [{ isRevoked: 'false' }],
    [{ isRevoked: 0 }],
    [{ name: 7 }],
    [{ id: 'a/b' }],
  ])('%o cannot be read', (change) => {
    expect(() => parse({ ...listed, ...change })).toThrow('expected');
  });

  test('requests', () => {
    expect(keys.createKey({ name: 'ci', scopes: ['agents.run'] })).toEqual({
      method: 'POST',
      path: '/api/api-keys',
      body: { name: 'ci', scopes: ['agents.run'] },
      effect: 'create',
    });
    expect(keys.createKey({ name: 'ci' }).body).toEqual({ name: 'ci' });
    expect(keys.revokeKey('4')).toMatchObject({
      method: 'DELETE',
      path: '/api/api-keys/4',
      effect: 'repeatable',
    });
  });

  test.each<[unknown, object | null]>([
    [
      { key, id: guid, scopes: ['a'] },
      { key, id: guid.toLowerCase(), keyPrefix: null, scopes: ['a'] },
    ],
    [{ key }, { key, id: null, keyPrefix: null, scopes: null }],
    [
      { key, apiKey: { id: 4, keyPrefix: 'p', scopes: [] } },
      { key, id: '4', keyPrefix: null, scopes: null },
    ],
    [{ apiKey: { key, id: 4, keyPrefix: 'p', scopes: [] } }, { key, id: '4', keyPrefix: 'p', scopes: [] }],
    [
      { apiKey: key, keyPrefix: 'svc_live_0' },
      { key, id: null, keyPrefix: 'svc_live_0', scopes: null },
    ],
    [key, { key, id: null, keyPrefix: null, scopes: null }],
    ['Created', null],
    [{ key: '' }, null],
    [{ key: 'hello', id: guid }, null],
    [{ key: `${key}\nsecond line`, id: guid }, null],
    [{ key: 'svc_live_ключ-ключ-ключ', id: guid }, null],
    [{ key: `svc_live_${'a'.repeat(1 << 20)}`, id: guid }, null],
    [{ key: 'svc_live_abc"def`ghi', id: guid }, null],
    [{ apiKey: `svc_live_${'a'.repeat(1 << 20)}` }, null],
    [{ id: guid }, null],
    [null, null],
  ])('the new key in case %#', (data, expected) => {
    expect(keys.createdKey(data)).toEqual(expected);
  });
});

describe('agents', () => {
  const agent = {
    id: guid,
    externalAgentId: 'acme',
    name: 'Acme',
    version: '1',
    inputParameters: [{ key: 'q', defaultValue: '' }],
  };
  const parse = (item: unknown) => agents.listAgents().parse(item);

  test('as listed', () => {
    expect(parse(agent)).toEqual({
      id: guid.toLowerCase(),
      externalAgentId: 'acme',
      name: 'Acme',
      version: '1',
      inputKeys: ['q'],
    });
  });

  test.each<[unknown, string[]]>([
    [null, []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['{"a":"1"}', ['a']],
    ['[{"key":"a"}]', ['a']],
  ])('inputs %j', (inputParameters, inputKeys) => {
    expect(parse({ ...agent, inputParameters }).inputKeys).toEqual(inputKeys);
  });

  test.each([
    [100, [{ key: 'a', defaultValue: nested(100) }]],
    [20_000, 'expected inputParameters to be a list or JSON'],
  ])('inputs in a text with a default value of %d levels', (levels, expected) => {
    const read = () =>
      agents.listAgentsWithInputs().parse({ ...agent, inputParameters: `{"a":${nested(levels)}}` }).inputs;
    if (typeof expected === 'string') expect(read).toThrow(expected);
    else expect(read()).toEqual(expected);
  });

  test.each<[object]>([
    [{ id: 4 }],
    [{ externalAgentId: undefined }],
    [{ name: null }],
    [{ inputParameters: 'q' }],
    [{ inputParameters: [{ name: 'q' }] }],
  ])('%o cannot be read', (change) => {
    expect(() => parse({ ...agent, ...change })).toThrow('expected');
  });
});

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}
