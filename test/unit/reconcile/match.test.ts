import { describe, expect, test } from 'vitest';
import { isRefusal, isRisk, risk } from '../../../src/model/finding.js';
import type { MatchRule } from '../../../src/model/plan.js';
import {
  agents,
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

type Expected = readonly [rule: MatchRule | null, id: string | null];

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
  test('an ambiguous name lists ten ids, and says how many more there are', () => {
    const objects = Array.from({ length: 40 }, (_, index) => remoteSchedule(String(100 + index)));
    const [first, second] = objects;
    const { diagnostics } = reconcileWorld({ entries: [schedule('a')], objects });
    const [{ message = '' } = {}] = diagnostics;
    expect([first, second].map((each) => message.includes(String(each?.id)))).toEqual([true, true]);
    expect(message.match(/\b1\d\d\b/g)).toHaveLength(10);
    expect(message).toMatch(/has 40 schedules .* and 30 more$/);
  });

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
  const applied = (kind: string, spec: object) => ({
    applied: { ...spec },
    name: kind === 'group' ? 'a' : null,
  });
  const recordedGroup = applied('group', { name: 'a', description: '', active: true, members: ['x'] });
  const recordedSchedule = applied('schedule', {
    target: ['agent', agents[0]?.id ?? ''],
    ...{ every: null, cron: '0 0 6 * * *', once: null, startTime: '2026-01-01T00:00:00', timeZone: 'UTC' },
    ...{ inputs: {}, enabled: true },
  });
  const mismatched: typeof errors = [
    [
      'an id of the inventory with an object of another name and other members is an objection',
      {
        entries: [group('a', { name: 'new' })],
        objects: [remoteGroup('1', { name: 'Payroll', members: ['y'] })],
        inventory: owning({ 'group/a': '1' }, recordedGroup),
      },
      ['inventory-mismatch'],
    ],
    [
      'an id of the inventory with a schedule of another agent and another timing is an objection',
      {
        entries: [schedule('s')],
        objects: [
          remoteSchedule('1', {
            target: { kind: 'agent', id: agents[1]?.id ?? '' },
            cron: '0 0 7 * * *',
            startTime: '2020-01-01T00:00:00',
          }),
        ],
        inventory: owning({ 'schedule/s': '1' }, recordedSchedule),
      },
      ['inventory-mismatch'],
    ],
    [
      'an id of the inventory with a key of another name is an objection, because keys cannot be renamed',
      {
        entries: [apiKey('ci', { scopes: ['agents.run'] })],
        objects: [remoteKey('1', { name: 'theirs', scopes: ['agents.run'] })],
        inventory: owning({ 'key/ci': '1' }, { name: 'ci', applied: { name: 'ci', scopes: ['agents.run'] } }),
      },
      ['inventory-mismatch'],
    ],
  ];
  const changedOutside: readonly [name: string, world: SmallWorld][] = [
    [
      'a group that was renamed',
      {
        entries: [group('a')],
        objects: [remoteGroup('1', { name: 'renamed', members: ['x'] })],
        inventory: owning({ 'group/a': '1' }, recordedGroup),
      },
    ],
    [
      'a group without members that was renamed',
      {
        entries: [group('a')],
        objects: [remoteGroup('1', { name: 'renamed' })],
        inventory: owning({ 'group/a': '1' }, applied('group', { name: 'a', active: true, members: [] })),
      },
    ],
    [
      'a group without members that was renamed and paused',
      {
        entries: [group('a')],
        objects: [remoteGroup('1', { name: 'renamed', active: false })],
        inventory: owning({ 'group/a': '1' }, applied('group', { name: 'a', active: true, members: [] })),
      },
    ],
    [
      'a group that was renamed and lost one of three members',
      {
        entries: [group('a')],
        objects: [remoteGroup('1', { name: 'renamed', members: ['x', 'y'] })],
        inventory: owning(
          { 'group/a': '1' },
          applied('group', { name: 'a', description: '', active: true, members: ['x', 'y', 'z'] }),
        ),
      },
    ],
    [
      'a schedule with another timing, time zone and start',
      {
        entries: [schedule('s')],
        objects: [
          remoteSchedule('1', {
            target: { kind: 'agent', id: agents[0]?.id ?? '' },
            cron: '0 0 7 * * *',
            startTime: '2020-01-01T00:00:00',
            timeZone: 'Europe/Berlin',
          }),
        ],
        inventory: owning({ 'schedule/s': '1' }, recordedSchedule),
      },
    ],
    [
      'a schedule that was paused and has another timing',
      {
        entries: [schedule('s')],
        objects: [remoteSchedule('1', { cron: '0 0 7 * * *', enabled: false })],
        inventory: owning({ 'schedule/s': '1' }, recordedSchedule),
      },
    ],
    [
      'a group that an interrupted update gave other members and another name',
      {
        entries: [group('a', { name: 'third' })],
        objects: [remoteGroup('1', { name: 'second', members: ['y'] })],
        inventory: {
          ...owning({ 'group/a': '1' }, recordedGroup),
          drafts: new Map([
            [
              'group/a',
              {
                kind: 'group',
                name: 'second',
                identity: 'second',
                applied: { name: 'second', members: ['y'] },
              },
            ],
          ]),
        },
      },
    ],
  ];
  test.each(changedOutside)('by the inventory: %s', (_, world) => {
    const { matches } = reconcileWorld(world);
    expect(matches.map(({ rule, observed }) => [rule, observed?.id])).toEqual([['inventory', '1']]);
    expect(codesOf(planOf(world).findings.filter(isRefusal))).toEqual([]);
  });

  test('a rename of what only the inventory ties to its entry is a risk, and no look-alike of itself', () => {
    const { changes } = planOf({
      entries: [group('a', { name: 'Shop 1' })],
      objects: [remoteGroup('1', { name: 'Shop l' })],
      inventory: owning({ 'group/a': '1' }, applied('group', { name: 'Shop l' })),
    });
    const message = 'its name changes, so only the inventory shows that this is the same object';
    expect(changes.flatMap(({ findings }) => findings.filter(isRisk))).toEqual([
      risk('group/a', { code: 'adopt', message }),
    ]);
  });

  test('an inventory that says that it was elsewhere is a risk of the plan', () => {
    const place = { git: { ref: 'refs/heads/roster-inventory', remote: 'origin' } };
    const { inventory, findings } = planOf({ entries: [group('a')], inventory: { ...owning({}), place } });
    expect(inventory).not.toEqual(place);
    expect(findings.filter(isRisk).map(({ message }) => message)).toContainEqual(
      expect.stringContaining('the inventory moved from refs/heads/roster-inventory of origin to '),
    );
  });

  test('an update of a natural key is recorded before it is sent', () => {
    const objects = [remoteGroup('1', { name: 'a' })];
    const inventory = owning({ 'group/a': '1' });
    const intents = (name: string, description: string) =>
      planOf({ entries: [group('a', { name, description })], objects, inventory }).createIntents;
    expect(Object.keys(intents('b', ''))).toEqual(['group/a']);
    expect(Object.keys(intents('a', 'changed'))).toEqual([]);
  });

  test.each(mismatched)('%s', (_, world, codes) => {
    const { findings, changes } = planOf(world);
    expect([codesOf(findings.filter(isRefusal)), changes.map(({ id }) => id)]).toEqual([
      expect.arrayContaining([...codes]),
      ['1'],
    ]);
  });

  test.each(errors)('%s', (_, world, codes) => {
    const { plan, diagnostics } = reconcileWorld(world);
    expect([plan, codesOf(diagnostics)]).toEqual([null, codes]);
  });
});
