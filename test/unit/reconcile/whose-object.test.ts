import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../src/model/finding.js';
import type { Inventory } from '../../../src/model/inventory.js';
import {
  actionsOf,
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

/** Whose an object is, where its name, the inventory and an interrupted run say different things of it. */

const values = { name: 'a', description: '', active: true, members: [] };
const draftOf = (name: string, part: object = {}) => ({
  kind: 'group',
  name,
  identity: name,
  applied: { ...values, name, ...part },
});
const withDraft = (inventory: Inventory, address: string, draft = draftOf('a')): Inventory => ({
  ...inventory,
  drafts: new Map([[address, draft]]),
});
const nothing = owning({});
const matchOf = (world: SmallWorld, address = 'group/a') =>
  reconcileWorld(world).matches.find((each) => each.address === address);
const refusals = (world: SmallWorld) => codesOf(planOf(world).findings.filter(isRefusal));

describe('an interrupted run', () => {
  test('that was to rename an object does not make the new name of somebody else’s object ours', () => {
    const own = owning({ 'group/a': '1' }, { name: 'old', applied: { ...values, name: 'old' } });
    const objects = [remoteGroup('1', { name: 'old' }), remoteGroup('2', { name: 'a' })];
    expect(
      matchOf({ entries: [group('a')], objects, inventory: withDraft(own, 'group/a') })?.observed?.id,
    ).toBe('1');
  });

  test('cannot have created what this key may not change', () => {
    const foreign = { ...remoteGroup('2', { name: 'a' }), manageable: false };
    const objects = [remoteGroup('1', { name: 'a' }), foreign];
    const found = matchOf({ entries: [group('a')], objects, inventory: withDraft(nothing, 'group/a') });
    expect([found?.observed?.id, found?.rule]).toEqual(['1', 'inventory']);
  });

  test('has not created the object of its id, if that object has another name', () => {
    const own = owning({ 'group/a': '1' }, { name: 'a', applied: values, created: '2026-10-31T00:00:00Z' });
    const objects = [remoteGroup('1', { name: 'other' })];
    const found = matchOf({ entries: [group('a')], objects, inventory: withDraft(own, 'group/a') });
    expect([found?.observed, found?.misdescribed]).toEqual([null, false]);
  });

  test('may have created one of two objects of a name, and neither is deleted', () => {
    const objects = [remoteGroup('1', { name: 'a' }), remoteGroup('2', { name: 'a', description: 'else' })];
    const { plan, diagnostics } = reconcileWorld({
      entries: [group('b')],
      objects,
      inventory: withDraft(nothing, 'group/a'),
    });
    expect(codesOf(diagnostics)).toContain('possible-orphan');
    expect(plan && actionsOf(plan)).not.toContain('delete group/a');
  });

  test('has created the object that is all but paused: the service pauses only what exists', () => {
    const inventory = withDraft(nothing, 'group/a', draftOf('a', { active: false }));
    const world = { entries: [group('b')], objects: [remoteGroup('1', { name: 'a' })], inventory };
    expect(actionsOf(planOf(world))).toContain('delete group/a');
  });

  test('that changed an object which nothing declares any more leaves one change', () => {
    const own = owning({ 'group/a': '1' }, { name: 'old', applied: { ...values, name: 'old' } });
    const { matches } = reconcileWorld({
      entries: [group('b')],
      objects: [remoteGroup('1', { name: 'a' })],
      inventory: withDraft(own, 'group/a'),
    });
    expect(matches.filter(({ address }) => address === 'group/a')).toHaveLength(1);
  });
});

describe('an object that the inventory describes wrongly', () => {
  const inventory = owning({ 'group/a': '1' }, { name: 'a', applied: { ...values, description: 'own' } });

  test('and whose content cannot be read is nobody’s', () => {
    const objects = [{ ...remoteGroup('1', { name: 'other' }), spec: null }];
    const { plan, diagnostics } = reconcileWorld({ entries: [group('a')], objects, inventory });
    expect([plan, codesOf(diagnostics)]).toEqual([null, ['inventory-mismatch']]);
  });

  test('is not ours on another service', () => {
    const objects = [remoteGroup('1', { name: 'other' })];
    const elsewhere = { ...inventory, service: 'https://other.example.com' };
    expect(matchOf({ entries: [group('a')], objects, inventory: elsewhere })?.observed).toBeNull();
    expect(matchOf({ entries: [group('a')], objects, inventory })?.observed?.id).toBe('1');
  });

  test('in its name only is ours on the same service, and not on another one', () => {
    const applied = { ...values, description: 'own', members: ['m'] };
    const own = owning({ 'group/a': '1' }, { name: 'a', applied });
    const objects = [remoteGroup('1', { name: 'renamed', description: 'own', members: ['m'] })];
    const world = { entries: [group('b')], objects };
    const elsewhere = { ...own, service: 'https://other.example.com' };
    expect(matchOf({ ...world, inventory: own })?.observed?.id).toBe('1');
    expect(matchOf({ ...world, inventory: elsewhere })?.observed).toBeNull();
  });

  test.each([
    [
      'that lost most of its members is still the recorded one',
      { members: ['m', 'n', 'o', 'p'] },
      { members: ['m'] },
      [],
    ],
    ['without members that was switched off is still the recorded one', {}, { active: false }, []],
    [
      'without members that has another description is another one',
      {},
      { description: 'else' },
      ['inventory-mismatch'],
    ],
  ])('a renamed group %s', (_, recorded, now, expected) => {
    const found = refusals({
      entries: [group('a')],
      objects: [remoteGroup('1', { name: 'renamed', ...now })],
      inventory: owning({ 'group/a': '1' }, { name: 'a', applied: { ...values, ...recorded } }),
    });
    expect(found).toEqual(expected);
  });

  test('by a name alone is another one', () => {
    const found = refusals({
      entries: [group('a')],
      objects: [remoteGroup('1', { name: 'renamed' })],
      inventory: owning({ 'group/a': '1' }, { name: 'a', applied: { name: 'a' } }),
    });
    expect(found).toEqual(['inventory-mismatch']);
  });
});

describe('several objects of one name', () => {
  const unlisted = (id: string) => ({ ...remoteKey(id, { name: 'ci' }), id: null, manageable: false });

  test('a key that is listed without an id may be the one of the entry as well', () => {
    const objects = [remoteKey('1', { name: 'ci' }), unlisted('2')];
    expect(codesOf(reconcileWorld({ entries: [apiKey('ci')], objects }).diagnostics)).toEqual([
      'ambiguous-name',
    ]);
  });

  test('of two keys without ids, neither is that of a record', () => {
    const inventory = owning({ 'key/ci': null }, { name: 'ci', applied: { name: 'ci', scopes: [] } });
    const world = { entries: [group('a')], objects: [unlisted('1'), unlisted('2')], inventory };
    expect(matchOf(world, 'key/ci')?.observed).toBeNull();
    expect(matchOf({ ...world, objects: [unlisted('1')] }, 'key/ci')?.observed?.name).toBe('ci');
  });

  test('an external entry refers to none of them', () => {
    const objects = [remoteGroup('1', { name: 'x' }), remoteGroup('2', { name: 'x' })];
    const external = group('x', {}, { external: true });
    expect(codesOf(reconcileWorld({ entries: [external], objects }).diagnostics)).toEqual(['ambiguous-name']);
  });

  test('an external entry may refer to the one whose name another entry is about to take', () => {
    const entries = [group('x', { name: 'Shops' }, { external: true }), group('a', { name: 'Shops' })];
    const objects = [remoteGroup('1', { name: 'Old' }), remoteGroup('2', { name: 'Shops' })];
    const inventory = owning({ 'group/a': '1' }, { name: 'Old' });
    expect(codesOf(reconcileWorld({ entries, objects, inventory }).diagnostics)).not.toContain(
      'duplicate-name',
    );
  });
});

test('an entry that is bound by its id is not renamed from the key of another object', () => {
  const entries = [group('b', {}, { formerly: 'group/a', id: '2' })];
  const objects = [remoteGroup('1', { name: 'a' }), remoteGroup('2', { name: 'b' })];
  expect(
    matchOf({ entries, objects, inventory: owning({ 'group/a': '1' }) }, 'group/b')?.renamedFrom,
  ).toBeNull();
});

describe('with `prune: all`, the likest schedule becomes a new entry', () => {
  const target = { kind: 'agent', id: agents[0]?.id ?? '' };

  test('but not one that this key may not be able to change', () => {
    const other = { ...remoteSchedule('1', { cron: '0 0 9 * * *' }), manageable: null };
    const found = matchOf({ entries: [schedule('a')], objects: [other], prune: 'all' }, 'schedule/a');
    expect(found?.observed).toBeNull();
  });

  test('which is the one with the fewest other fields, however much of a field is different', () => {
    const inputs = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`i${index}`, 'x']));
    const cron = '0 0 9 * * *';
    const objects = [
      remoteSchedule('two-fields', { target, cron, inputs: {} }),
      remoteSchedule('three-fields', { target, cron, inputs, enabled: false, timeZone: 'Europe/Berlin' }),
    ];
    const found = matchOf({ entries: [schedule('a', { inputs })], objects, prune: 'all' }, 'schedule/a');
    expect([found?.observed?.id, found?.rule]).toEqual(['two-fields', 'likeness']);
  });
});
