import { expect, test } from 'vitest';
import { inventoryAfter } from '../../../src/apply/inventory-update.js';
import { kinds } from '../../../src/kinds/index.js';
import type { Kind } from '../../../src/model/kind.js';
import type { FieldRule } from '../../../src/model/resource.js';
import { unseenChanges } from '../../../src/reconcile/rules/unseen.js';
import {
  actionsOf,
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** A thousand schedules are as common as ten: what each of them costs must not depend on how many there are. */

const now = new Date('2026-11-01T00:10:00Z');

/** The kinds, which count how often they compute a natural key or a canonical value. */
function counting(): { kinds: readonly Kind[]; computed: () => number } {
  let computed = 0;
  const counted =
    <A extends readonly unknown[], R>(compute: (...values: A) => R) =>
    (...values: A): R => {
      computed += 1;
      return compute(...values);
    };
  const wrap = (kind: Kind): Kind => {
    const fields = Object.entries(kind.fields as Readonly<Record<string, FieldRule<unknown>>>);
    const { of, ofDeclared, ofObserved } = kind.identity;
    return {
      ...kind,
      fields: Object.fromEntries(
        fields.map(([name, rule]) => [name, { ...rule, canonical: counted(rule.canonical) }]),
      ),
      identity: {
        ...kind.identity,
        of: counted(of),
        ofDeclared: counted(ofDeclared),
        ofObserved: counted(ofObserved),
      },
    } as Kind;
  };
  return { kinds: kinds.map(wrap), computed: () => computed };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const times = (n: number) => ({ startTime: `2027-01-01T${String(n % 24).padStart(2, '0')}:00:00` });
const declared = (count: number, prefix = '', startsOf = times) =>
  numbers(count).flatMap((n) => [
    group(`${prefix}g${n}`, { name: `Group ${n}` }),
    schedule(`${prefix}s${n}`, { target: `group/${prefix}g${n}`, ...startsOf(n) }),
  ]);
const existing = (count: number, name = 'Group') =>
  numbers(count).flatMap((n) => [
    remoteGroup(`g-${n}`, { name: `${name} ${n}` }),
    remoteSchedule(`s-${n}`, { target: { kind: 'group', id: `g-${n}` }, ...times(n) }),
  ]);
const owned = (count: number) =>
  owning(
    Object.fromEntries(
      numbers(count).flatMap((n) => [
        [`group/g${n}`, `g-${n}`],
        [`schedule/s${n}`, `s-${n}`],
      ]),
    ),
  );
const later = () => ({ startTime: '2028-01-01T00:00:00' });

const worlds: readonly [string, string, (count: number) => SmallWorld][] = [
  ['nothing to change', '', (n) => ({ entries: declared(n), objects: existing(n), inventory: owned(n) })],
  ['everything to create', 'create', (n) => ({ entries: declared(n) })],
  ['everything to adopt', 'adopt', (n) => ({ entries: declared(n), objects: existing(n) })],
  ['everything to delete', 'delete', (n) => ({ objects: existing(n), inventory: owned(n) })],
  [
    'everything to forget',
    'forget',
    (n) => ({ entries: [group('one')], objects: [remoteGroup('x', { name: 'one' })], inventory: owned(n) }),
  ],
  [
    'every schedule to update',
    'update',
    (n) => ({ entries: declared(n, '', later), objects: existing(n), inventory: owned(n) }),
  ],
  [
    'every key renamed',
    'adopt',
    (n) => ({ entries: declared(n, 'new-'), objects: existing(n), inventory: owned(n) }),
  ],
  [
    'as many unmanaged objects with similar names',
    'create',
    (n) => ({ entries: declared(n), objects: existing(n, 'GROUP') }),
  ],
  [
    'prune: all',
    'update',
    (n) => ({ entries: declared(n, '', later), objects: existing(n), prune: 'all' as const }),
  ],
];

test.each(worlds)(
  'growth: a plan with %s computes as much for each of many as of few',
  (_, action, worldOf) => {
    const cost = (count: number) => {
      const counted = counting();
      const plan = planOf({ ...worldOf(count), kinds: counted.kinds });
      expect(actionsOf(plan).some((each) => each.startsWith(action))).toBe(action !== '');
      return counted.computed();
    };
    expect(cost(60)).toBeLessThan(cost(15) * 5);
  },
);

/** The same value, which counts how often its properties are read. */
function countingReads<T extends object>(value: T, count: () => void): T {
  return new Proxy(value, {
    get(target, name) {
      count();
      return Reflect.get(target, name);
    },
  });
}

test('growth: new objects that no list had shown are looked up in the next list, not searched for', () => {
  const entries = declared(200);
  const inventory = owning(Object.fromEntries(entries.map(({ address }) => [address, address])), {
    created: now.toISOString(),
  });
  let reads = 0;
  const objects = numbers(200).map((n) =>
    countingReads(remoteGroup(`group/g${n}`), () => {
      reads += 1;
    }),
  );
  const observed = new Map([['group', objects]]);
  const plan = planOf({ entries: [] });
  const known = { outcomes: [], ids: new Map(), unseen: new Set<string>(), now, serviceNow: now };
  const after = inventoryAfter(inventory, { plan, kinds, observed, isPart: false }, known);
  expect([...after.entries.values()].filter(({ created }) => created === undefined)).toHaveLength(200);
  expect(reads).toBeLessThan(objects.length * 5);
});

test('growth: creates are compared with what no list shows yet by natural key, not one by one', () => {
  let reads = 0;
  const recorded = countingReads({ name: 'Some other group' }, () => {
    reads += 1;
  });
  const inventory = owning(Object.fromEntries(numbers(200).map((n) => [`group/old${n}`, `x-${n}`])), {
    created: now.toISOString(),
    applied: recorded,
  });
  const { plan, matches } = reconcileWorld({ entries: declared(200), inventory, now });
  if (plan === null) throw new Error('there is no plan');
  reads = 0;
  expect(unseenChanges(plan, matches, now).size).toBe(200);
  expect(reads).toBeLessThan(200 * 5);
});
