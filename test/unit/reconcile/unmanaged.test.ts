import { describe, expect, test } from 'vitest';
import { isRisk } from '../../../src/model/finding.js';
import type { Plan } from '../../../src/model/plan.js';
import { foldedName } from '../../../src/reconcile/odd-characters.js';
import { stepsOf } from '../../support/cost.js';
import { isLong } from '../../support/size.js';
import {
  actionsOf,
  apiKey,
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

/** `address: message` of the risks with this code. */
function risksOf(plan: Pick<Plan, 'changes'>, code: string): string[] {
  return plan.changes.flatMap(({ address, findings }) =>
    findings
      .filter(isRisk)
      .filter((each) => each.code === code)
      .map(({ message }) => `${address}: ${message}`),
  );
}

describe('a create of what may exist already', () => {
  const duplicates = (world: SmallWorld) => risksOf(planOf(world), 'possible-duplicate');
  const other = schedule('new', { cron: '0 0 7 * * *' });

  test('lists the unmanaged schedules of its target with their timing', () => {
    const berlin = { startTime: '2026-12-01T06:00:00', timeZone: 'Europe/Berlin' };
    const objects = [
      remoteSchedule('2', { ...berlin, cron: null, every: { value: 6, unit: 'Hours' } }),
      remoteSchedule('1', { enabled: false }),
      remoteSchedule('3', { cron: null, startTime: null, once: '2026-12-24T08:00:00' }),
      remoteSchedule('4', { target: { kind: 'agent', id: 'another' } }),
    ];
    expect(duplicates({ entries: [other], objects })).toEqual([
      'schedule/new: may duplicate one of 3 schedules with the same target, which are not managed here: ' +
        '1 (cron `0 0 6 * * *` from 2026-01-01T00:00:00, UTC, paused), ' +
        '3 (once at 2026-12-24T08:00:00, UTC), ' +
        '2 (every 6 hours from 2026-12-01T06:00:00, Europe/Berlin)',
    ]);
  });

  test('lists the closest schedules first: those that differ in the fewest properties, then in the least of them', () => {
    const created = schedule('new', { cron: '0 30 6 * * *', startTime: '2026-12-01T06:00:00' });
    const like = { cron: '0 30 6 * * *', startTime: '2026-12-01T06:00:00' };
    const objects = [
      remoteSchedule('1', { ...like, cron: '5 0 0 1 * *', timeZone: 'Europe/Berlin' }),
      remoteSchedule('2', { ...like, startTime: '2027-01-01T06:00:00' }),
      remoteSchedule('3', { ...like, startTime: '2026-12-01T06:05:00' }),
      ...['4', '5', '6', '7'].map((id) =>
        remoteSchedule(id, {
          ...like,
          cron: '1 1 1 1 1 *',
          timeZone: 'Asia/Tokyo',
          startTime: '2020-01-01T00:00:00',
        }),
      ),
      remoteSchedule('8', { ...like, timeZone: 'Europe/Berlin' }),
      remoteSchedule('9', { ...like, cron: '0 30 9 * * *' }),
    ];
    const [message = ''] = duplicates({ entries: [created], objects });
    expect(message.match(/\d(?= \()/g)).toEqual(['3', '9', '2', '8', '1']);
    expect(message).toMatch(/ and 4 more$/);
  });

  test('lists five of many', () => {
    const objects = Array.from({ length: 17 }, (_, index) => remoteSchedule(String(10 + index)));
    const [message = ''] = duplicates({ entries: [other], objects });
    expect(message).toMatch(
      / one of 17 schedules .*: 10 \(.*\), 11 \(.*\), 12 .*, 13 .*, 14 .* and 12 more$/,
    );
  });

  test('is marked for a name that differs in case, spaces or punctuation, even if the list shows only names', () => {
    const incomplete = { ...remoteGroup('1', { name: 'Retail DE' }), spec: null };
    expect(duplicates({ entries: [group('a', { name: 'retail-de' })], objects: [incomplete] })).toEqual([
      'group/a: may duplicate a group with a similar name, which is not managed here: "Retail DE" (1)',
    ]);
  });

  const unmarked: readonly (readonly [what: string, created: string, world: SmallWorld])[] = [
    [
      'a schedule of a target that is created with it',
      'schedule/new',
      {
        entries: [group('a'), schedule('new', { target: 'group/a' })],
        objects: [remoteSchedule('1', { target: { kind: 'group', id: 'group/a' } })],
      },
    ],
    [
      'a schedule whose target has schedules of this project only',
      'schedule/new',
      {
        entries: [other, schedule('old', {}, { id: '1' })],
        objects: [remoteSchedule('1')],
        inventory: owning({ 'schedule/old': '1' }),
      },
    ],
    [
      'a schedule, if the plan deletes the others of its target',
      'schedule/new',
      {
        entries: [other, schedule('old')],
        objects: [remoteSchedule('1'), remoteSchedule('2', { cron: '0 0 8 * * *' })],
        inventory: owning({ 'schedule/old': '1', 'schedule/older': '2' }),
      },
    ],
    [
      'a group with another name',
      'group/a',
      { entries: [group('a')], objects: [remoteGroup('1', { name: 'b' })] },
    ],
    [
      'a group named like a key',
      'group/a',
      { entries: [group('a')], objects: [remoteKey('1', { name: 'A' })] },
    ],
    [
      'a key, which replaces another one',
      'key/ci',
      { entries: [apiKey('ci')], objects: [remoteKey('1', { name: 'CI' })] },
    ],
  ];
  test.each(unmarked)('is not marked for %s', (_, created, world) => {
    expect(actionsOf(planOf(world))).toContain(`create ${created}`);
    expect(duplicates(world)).toEqual([]);
  });

  const only = (chosen: string) => [{ pattern: chosen, matches: (address: string) => address === chosen }];

  test('is marked with prune: all where the plan does not delete the other object, because it is not selected', () => {
    const world = {
      entries: [group('r', { name: 'retail  de' })],
      objects: [remoteGroup('1', { name: 'Retail DE' }), remoteGroup('2', { name: 'other' })],
      prune: 'all' as const,
    };
    expect(duplicates({ ...world, selected: only('group/r') })).toEqual([
      'group/r: may duplicate a group with a similar name, which is not managed here: "Retail DE" (1)',
    ]);
    expect(planOf({ ...world, selected: only('group/r') }).unmanaged).toMatchObject({ group: 2 });
    expect(duplicates(world)).toEqual([]);
  });

  const leftovers = {
    entries: [group('h', { name: 'Retail de' }), schedule('b', { cron: '0 1 7 * * *' })],
    objects: [remoteGroup('1', { name: 'Retail DE' }), remoteSchedule('2')],
    inventory: owning({ 'group/g': '1', 'schedule/a': '2' }),
  };

  test('is marked for what is no longer declared and stays, because of prune: never or what is selected', () => {
    expect(duplicates(leftovers)).toEqual([]);
    expect(duplicates({ ...leftovers, prune: 'never' })).toEqual([
      'group/h: may duplicate a group with a similar name, which is left alone: "Retail DE" (1)',
      'schedule/b: may duplicate a schedule with the same target, which is left alone: 2 (cron `0 0 6 * * *` from 2026-01-01T00:00:00, UTC)',
    ]);
    expect(duplicates({ ...leftovers, selected: only('group/h') })).toHaveLength(1);
    expect(duplicates({ ...leftovers, selected: only('schedule/b') })).toHaveLength(1);
  });

  test('is marked for a name similar to that of an external entry', () => {
    const world = {
      entries: [
        group('theirs', { name: 'Retail DE' }, { external: true }),
        group('ours', { name: 'retail-de' }),
      ],
      objects: [remoteGroup('1', { name: 'Retail DE' })],
    };
    expect(duplicates(world)).toEqual([
      'group/ours: may duplicate a group with a similar name, which is declared external: "Retail DE" (1)',
    ]);
  });

  test('is marked for an update that gives an object such a name, and for no other update', () => {
    const world = {
      objects: [remoteGroup('1', { name: 'Retail' }), remoteGroup('2', { name: 'Shops' })],
      inventory: owning({ 'group/a': '1', 'group/b': '2' }),
      prune: 'never' as const,
    };
    expect(duplicates({ ...world, entries: [group('a', { name: 'Shops' })] })).toEqual([
      'group/a: may duplicate a group with a similar name, which is left alone: "Shops" (2)',
    ]);
    const described = [group('a', { name: 'Retail', description: 'new' })];
    const similar = remoteGroup('3', { name: 'retail' });
    expect(duplicates({ ...world, objects: [...world.objects, similar], entries: described })).toEqual([]);
  });

  test('is not marked for schedules that never start again, but for paused ones', () => {
    const past = { cron: null, startTime: null, once: '2026-10-31T08:00:00' };
    expect(duplicates({ entries: [other], objects: [remoteSchedule('1', past)] })).toEqual([]);
    const paused = remoteSchedule('2', { enabled: false });
    expect(duplicates({ entries: [other], objects: [remoteSchedule('1', past), paused] })).toEqual([
      expect.stringContaining(
        'may duplicate a schedule with the same target, which is not managed here: 2 (',
      ),
    ]);
  });

  test.runIf(isLong)('is found in steps that grow with the number of objects, not with its square', () => {
    const planOf = (count: number) => {
      const many = Array.from({ length: count }, (_, index) => index);
      const entries = many.map((index) => schedule(`s${index}`, { inputs: { country: String(index) } }));
      const objects = many.map((index) => remoteSchedule(String(index), { cron: '0 0 8 * * *' }));
      return reconcileWorld({ entries, objects, limits: { startsPerMinute: 1_000_000 } }).plan;
    };
    expect(risksOf(planOf(100) ?? { changes: [] }, 'possible-duplicate')).toHaveLength(100);
    // Counts vary with what the engine has compiled before: the least of several is the steadiest.
    const leastSteps = (count: number) => Math.min(...[1, 2, 3].map(() => stepsOf(() => planOf(count))));
    // 4 if each object costs the same, 16 if each costs as much as there are objects.
    expect(leastSteps(400) / leastSteps(100)).toBeLessThan(6);
  });
});

test.each([
  ['Retail DE', 'retail-de'],
  ['Retail DE', ' RetailDE '],
  ['Straße', 'STRASSE'],
  ['Shops (DE)', 'shops_de'],
  ['Retail | DE', 'Retail DE'],
  ['A\u00a0B', 'ab'],
])('%j and %j are similar names', (one, other) => {
  expect(foldedName(one)).toBe(foldedName(other));
});

test.each([
  ['Retail DE', 'Retail FR'],
  ['shop-1', 'shop-2'],
  ['Öl', 'Ol'],
  ['Prices', 'Prices 🚀'],
])('%j and %j are different names', (one, other) => {
  expect(foldedName(one)).not.toBe(foldedName(other));
});

test('names without letters are similar to nothing', () => {
  expect(['', '!!!', '- -'].map(foldedName)).toEqual([null, null, null]);
});

describe('a delete of what an unmanaged schedule starts', () => {
  const target = { kind: 'group', id: '1' };
  const world = {
    entries: [group('other')],
    objects: [
      remoteGroup('1', { name: 'a' }),
      remoteGroup('2', { name: 'other' }),
      remoteSchedule('9', { target }),
    ],
    inventory: owning({ 'group/a': '1', 'group/other': '2' }),
  };
  const broken = (changed: Partial<SmallWorld>) =>
    risksOf(planOf({ ...world, ...changed }), 'breaks-unmanaged');

  test('names the schedule', () => {
    expect(broken({})).toEqual([
      'group/a: breaks a schedule that is not managed here: 9 (cron `0 0 6 * * *` from 2026-01-01T00:00:00, UTC)',
    ]);
  });

  test('is no risk where the schedule never starts again', () => {
    const once = { cron: null, startTime: null, once: '2026-10-31T08:00:00' };
    expect(
      broken({ objects: [...world.objects.slice(0, 2), remoteSchedule('9', { target, ...once })] }),
    ).toEqual([]);
  });

  test('is no risk where the plan deletes the schedule as well', () => {
    expect(broken({ prune: 'all' })).toEqual([]);
    const { inventory } = world;
    const entries = new Map([...inventory.entries, ...owning({ 'schedule/s': '9' }).entries]);
    expect(broken({ inventory: { ...inventory, entries } })).toEqual([]);
  });

  test('is a risk with prune: all where the schedule is not deleted', () => {
    const objects = world.objects.map((each) => (each.id === '9' ? { ...each, manageable: false } : each));
    expect(broken({ prune: 'all', objects })).toHaveLength(1);
  });
});

describe('the number of unmanaged objects', () => {
  const foreign = [
    remoteGroup('1', { name: 'mine' }),
    remoteGroup('2', { name: 'external' }),
    remoteGroup('3', { name: 'operators' }),
    remoteGroup('4', { name: 'theirs' }),
    { ...remoteKey('k1'), caller: true },
  ].map((each) => (each.id === '3' ? { ...each, manageable: false } : each));
  const world = {
    entries: [group('mine'), group('external', {}, { external: true })],
    objects: foreign,
    inventory: owning({ 'group/mine': '1' }),
  };

  test('counts neither what is declared, external entries among it, nor what the inventory holds', () => {
    const none = { pipeline: 0, schedule: 0 };
    expect(planOf(world).unmanaged).toEqual({ ...none, group: 2, key: 1 });
    const removed = { ...world, entries: [group('external', {}, { external: true })] };
    expect(planOf({ ...removed, prune: 'never' }).unmanaged).toMatchObject({ group: 2 });
  });

  test('leaves out what prune: all deletes', () => {
    expect(planOf({ ...world, prune: 'all' }).unmanaged).toMatchObject({ group: 1, key: 1 });
  });

  test('does not depend on what is selected, and is not part of the digest', () => {
    const all = planOf(world);
    const selected = [{ pattern: 'group/mine', matches: (address: string) => address === 'group/mine' }];
    expect(planOf({ ...world, selected }).unmanaged).toEqual(all.unmanaged);
    const later = planOf({ ...world, objects: [...foreign, remoteGroup('5', { name: 'new' })] });
    expect(later.unmanaged).toMatchObject({ group: 3 });
    expect(later.digest).toBe(all.digest);
  });
});
