import { describe, expect, test } from 'vitest';
import type { InventoryEntry } from '../../../src/model/inventory.js';
import { objectKey } from '../../../src/model/resource.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  schedule,
} from '../../support/small-world.js';

/** What exists once in most tests, and may exist twice: records of an object, keys of a name, commits of an inventory. */

describe('two records of one object', () => {
  const record = (id: string, part: Partial<InventoryEntry>): InventoryEntry => ({
    ...{ kind: 'schedule', id, name: null, protect: false, applied: {}, sensitive: [] },
    ...part,
  });
  const secret = record('1', {
    applied: { inputs: { country: '${env.COUNTRY}' } },
    sensitive: ['inputs'],
  });
  const open = record('1', { applied: { inputs: { country: 'AT' } } });

  test.each([
    ['first', [secret, open]],
    ['last', [open, secret]],
  ])('what the one hides is not shown, if it comes %s', (_, [one, two]) => {
    const entries = new Map(Object.entries({ 'schedule/a': one, 'schedule/b': two })) as Map<
      string,
      InventoryEntry
    >;
    const plan = planOf({
      entries: [schedule('c', { inputs: { country: 'FR' } }, { id: '1' })],
      objects: [remoteSchedule('1', { inputs: { country: 'XK' } })],
      inventory: { ...owning({}), entries },
      prune: 'never',
    });
    expect(JSON.stringify(plan.changes.flatMap(({ fields }) => fields))).not.toContain('XK');
  });
});

describe('two keys of one name, after a run that was to replace the first one', () => {
  const draft = { kind: 'key', name: 'ci', identity: 'ci', applied: { name: 'ci', scopes: [] } };
  const inventory = {
    ...owning({ 'key/ci': 'old' }, { name: 'ci', applied: { name: 'ci', scopes: [] } }),
    drafts: new Map([['key/ci', draft]]),
  };
  const keyOf = (id: string, createdDate: string | undefined) => ({
    ...remoteKey(id, { name: 'ci' }),
    facts: createdDate === undefined ? {} : { createdDate },
  });
  const matched = (...objects: ReturnType<typeof keyOf>[]) => {
    const { matches } = reconcileWorld({ entries: [apiKey('ci')], objects, inventory });
    return matches.find(({ address }) => address === 'key/ci')?.observed?.id;
  };

  test('the newer one is its key', () => {
    expect(matched(keyOf('old', '2026-01-01T00:00:00Z'), keyOf('new', '2026-10-01T00:00:00Z'))).toBe('new');
  });

  test('the recorded one stays its key, if both are equally new', () => {
    const [old, other] = [keyOf('old', '2026-01-01T00:00:00Z'), keyOf('new', '2026-01-01T00:00:00Z')];
    expect([matched(old, other), matched(other, old)]).toEqual(['old', 'old']);
  });

  test('the recorded one stays its key, if the age of one is not known', () => {
    expect(matched(keyOf('old', undefined), keyOf('new', '2026-10-01T00:00:00Z'))).toBe('old');
    expect(matched(keyOf('old', '2026-01-01T00:00:00Z'), keyOf('new', undefined))).toBe('old');
  });
});

describe('an entry that is bound to another object than its record', () => {
  const applied = { name: 'a', description: 'old', active: true, members: [] };
  const world = {
    entries: [group('a', { description: 'new' }, { id: '2' })],
    objects: [remoteGroup('1', { name: 'a', description: 'old' }), remoteGroup('2', { description: 'old' })],
    inventory: owning({ 'group/a': '1' }, { name: 'a', applied }),
  };

  test('changes by its manifest: nobody has changed either object', () => {
    const change = planOf(world).changes.find(({ address }) => address === 'group/a');
    expect(change).toMatchObject({ action: 'update', origin: 'manifest', adopted: true, id: '2' });
    expect(change?.fields.map(({ origin }) => origin)).toEqual(['manifest', 'manifest']);
  });

  test('adopts the other object, if there is nothing to change', () => {
    const entries = [group('a', { name: '2', description: 'old' }, { id: '2' })];
    const change = planOf({ ...world, entries }).changes.find(({ address }) => address === 'group/a');
    expect(change).toMatchObject({ action: 'adopt', id: '2' });
  });
});

describe('an object of which exactly half is as recorded', () => {
  const applied = { name: 'a', description: 'Shops', active: true, members: [] };
  const codes = (description: string) =>
    codesOf(
      planOf({
        entries: [group('a', { description: 'Shops' })],
        objects: [remoteGroup('1', { name: 'renamed', description })],
        inventory: owning({ 'group/a': '1' }, { name: 'a', applied }),
      }).objections,
    );

  test('is the recorded one, and one of which less is so is not', () => {
    expect([codes('Shops'), codes('Payroll')]).toEqual([[], ['inventory-mismatch']]);
  });

  test('one that another entry describes better is left to that entry', () => {
    const { matches } = reconcileWorld({
      entries: [group('a'), group('b')],
      objects: [remoteGroup('1', { name: 'b' })],
      inventory: owning({ 'group/a': '1' }, { name: 'a', applied }),
    });
    const found = (address: string) => matches.find((each) => each.address === address)?.observed?.id;
    expect([found('group/a'), found('group/b')]).toEqual([undefined, '1']);
  });
});

test('the digest of a refused change differs from that of the same change when it is not refused', () => {
  const plan = (name: string) =>
    planOf({
      entries: [group('a', { name: 'new', description: 'new' })],
      objects: [remoteGroup('1', { name: 'Payroll', description: 'x' })],
      inventory: owning(
        { 'group/a': '1' },
        { name, applied: { name, description: 'x', active: true, members: ['y'] } },
      ),
    });
  const [refused, fine] = [plan('a'), plan('Payroll')];
  expect([codesOf(refused.objections), codesOf(fine.objections)]).toEqual([['inventory-mismatch'], []]);
  const shown = ({ changes }: typeof fine) =>
    changes.map(({ address, action, fields, steps }) => ({
      address,
      action,
      steps,
      fields: fields.map(({ path }) => path),
    }));
  expect(shown(refused)).toEqual(shown(fine));
  expect(refused.digestParts).not.toEqual(fine.digestParts);
});

describe('several commits of an inventory file', () => {
  const world = (lifted: boolean, protectedBefore: boolean) => ({
    entries: [group('b')],
    objects: [remoteGroup('1', { name: 'a' }), remoteGroup('2', { name: 'b' })],
    inventory: owning({ 'group/a': '1', 'group/b': '2' }),
    committed: {
      file: 'roster.inventory.json',
      stillProtected: new Set(lifted ? [] : [objectKey('group', '1')]),
      before: owning({ 'group/a': '1', 'group/b': '2' }, { protect: protectedBefore }),
      missing: null,
    },
  });
  test('what any of them protects is not deleted, also if the commit before no longer does', () => {
    const codes = (lifted: boolean, before: boolean) => codesOf(planOf(world(lifted, before)).objections);
    expect([codes(false, true), codes(false, false)]).toEqual([['protected'], ['protected']]);
    expect([codes(true, true), codes(true, false)]).toEqual([[], []]);
  });
});
