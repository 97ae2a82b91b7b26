import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../src/model/why.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  reconcileWorld,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

type Expected = readonly [rule: Rule | null, id: string | null];

const cases: readonly [name: string, world: SmallWorld, expected: Record<string, Expected>][] = [
  ['an entry without an object has no match', { entries: [group('a')] }, { 'group/a': [null, null] }],
  [
    'an entry matches the object with its natural key',
    { entries: [group('a')], objects: [remoteGroup('1', { name: 'a' }), remoteGroup('2')] },
    { 'group/a': ['natural-key', '1'] },
  ],
  [
    'names match without regard to spaces around them and to Unicode composition',
    { entries: [group('a', { name: ' cafe\u0301 ' })], objects: [remoteGroup('1', { name: 'caf\u00e9' })] },
    { 'group/a': ['natural-key', '1'] },
  ],
  [
    'the inventory comes before the natural key',
    {
      entries: [group('a')],
      objects: [remoteGroup('1', { name: 'a' }), remoteGroup('2', { name: 'renamed' })],
      inventory: owning({ 'group/a': '2' }),
    },
    { 'group/a': ['inventory', '2'] },
  ],
  [
    'an id in the entry comes before the inventory, and the former object is undeclared',
    {
      entries: [group('a', {}, { id: '1' })],
      objects: [remoteGroup('1'), remoteGroup('2')],
      inventory: owning({ 'group/a': '2' }),
    },
    { 'group/a': ['id', '1'], 'group/2': ['inventory', '2'] },
  ],
  [
    'an entry matches the object of its former address',
    {
      entries: [group('b', {}, { formerly: 'group/a' })],
      objects: [remoteGroup('1', { name: 'a' })],
      inventory: owning({ 'group/a': '1' }),
    },
    { 'group/b': ['inventory', '1'] },
  ],
  [
    'schedules with one natural key match the objects that differ least from them',
    {
      entries: [schedule('a', { inputs: { country: 'AT' } }), schedule('b', { inputs: { country: 'DE' } })],
      objects: [
        remoteSchedule('1', { inputs: { country: 'DE' } }),
        remoteSchedule('2', { inputs: { country: 'AT' }, enabled: false }),
      ],
    },
    { 'schedule/a': ['natural-key', '2'], 'schedule/b': ['natural-key', '1'] },
  ],
  [
    'prune all: a new schedule takes the closest undeclared schedule of the same target',
    { entries: [schedule('a', { cron: '0 0 7 * * *' })], objects: [remoteSchedule('1')], prune: 'all' },
    { 'schedule/a': ['likeness', '1'] },
  ],
  [
    'prune owned: a new schedule takes no undeclared schedule',
    { entries: [schedule('a', { cron: '0 0 7 * * *' })], objects: [remoteSchedule('1')] },
    { 'schedule/a': [null, null] },
  ],
  [
    'a key that the service lists without an id is known by its name',
    {
      entries: [apiKey('ci')],
      objects: [{ ...remoteKey('1', { name: 'ci' }), id: null, rawId: null }],
      inventory: owning({ 'key/ci': null }),
    },
    { 'key/ci': ['inventory', null] },
  ],
];

describe('match', () => {
  test.each(cases)('%s', (_, world, expected) => {
    const { matches } = reconcileWorld(world);
    const ours = matches.filter((each) => each.ours);
    expect(
      Object.fromEntries(ours.map(({ address, rule, observed }) => [address, [rule, observed?.id ?? null]])),
    ).toEqual(expected);
  });

  const twins = [remoteGroup('1', { name: 'a' }), remoteGroup('2', { name: 'a' })];
  const errors: readonly [name: string, world: SmallWorld, codes: readonly string[]][] = [
    [
      'two objects for one entry are ambiguous',
      { entries: [group('a')], objects: twins },
      ['ambiguous-name'],
    ],
    ['an unknown id is an error', { entries: [group('a', {}, { id: '9' })] }, ['unknown-id']],
    [
      'one object cannot belong to two entries',
      { entries: [group('a', {}, { id: '1' }), group('b', {}, { id: '1' })], objects: [remoteGroup('1')] },
      ['duplicate-name'],
    ],
    [
      'an object that the operator set up cannot be managed',
      { entries: [group('a')], objects: [{ ...remoteGroup('1', { name: 'a' }), manageable: false }] },
      ['not-manageable'],
    ],
    [
      'an external entry needs an object',
      { entries: [group('a', {}, { external: true })] },
      ['unknown-reference'],
    ],
    ['an unknown agent is an error', { entries: [group('a', { agents: ['nobody'] })] }, ['unknown-agent']],
  ];
  test.each(errors)('%s', (_, world, codes) => {
    const { plan, diagnostics } = reconcileWorld(world);
    expect([plan, codesOf(diagnostics)]).toEqual([null, codes]);
  });
});
