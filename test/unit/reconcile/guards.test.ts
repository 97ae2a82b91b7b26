import { describe, expect, test } from 'vitest';
import { type Allowances, allowNothing, isRefusal } from '../../../src/model/finding.js';
import { sampleOf } from '../../support/size.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteKey,
  type SmallWorld,
} from '../../support/small-world.js';

function refusals(world: SmallWorld, allow: Partial<Allowances> = {}): string[] {
  return codesOf(planOf({ ...world, allow: { ...allowNothing, ...allow } }).findings.filter(isRefusal));
}

/** So many owned groups, of which the first ones are declared and exist. */
function owned(count: number, declared: number, existing: number): SmallWorld {
  const keys = Array.from({ length: count }, (_, index) => `g${index}`);
  return {
    entries: keys.slice(0, declared).map((key) => group(key)),
    objects: keys.slice(0, existing).map((key) => remoteGroup(key)),
    inventory: owning(Object.fromEntries(keys.map((key) => [`group/${key}`, key]))),
  };
}

const counts = Array.from({ length: 13 }, (_, count) => count);

describe.each(sampleOf(counts, 5))('guards: with %i owned objects', (count) => {
  test.each(counts.slice(0, count + 1))(
    '%i deletes need a limit or a flag that allows as many',
    (deletes) => {
      const world = owned(count, count - deletes, count);
      const empty = count === deletes ? ['empty-project'] : [];
      const tooMany = (allowed: number) => (deletes > allowed ? ['too-many-deletes'] : []);
      expect(refusals(world)).toEqual([...empty, ...tooMany(5)]);
      expect(refusals(world, { empty: true })).toEqual(tooMany(5));
      for (const allowed of [0, deletes, deletes + 1])
        expect(refusals(world, { empty: true, deletes: allowed })).toEqual(tooMany(allowed));
      for (const limit of [0, 1, 12])
        expect(refusals({ ...world, limits: { deletes: limit } }, { empty: true })).toEqual(tooMany(limit));
    },
  );

  test.each(counts.slice(0, count + 1))(
    '%i missing objects look like another account when most are',
    (missing) => {
      const world = owned(count, count, count - missing);
      const expected = missing * 2 > count ? ['inventory-mismatch'] : [];
      expect(refusals(world, { empty: true })).toEqual(expected);
      expect(refusals(world, { empty: true, accountChange: true })).toEqual([]);
    },
  );
});

describe('guards: what must be allowed explicitly', () => {
  const protectedGroup = {
    ...owned(2, 1, 2),
    inventory: owning({ 'group/g0': 'g0', 'group/g1': 'g1' }, { protect: true }),
  };
  test('a protected object is not deleted', () => {
    expect(refusals(protectedGroup)).toEqual(['protected']);
  });

  test('a new key revokes the key that roster uses', () => {
    expect(refusals({ entries: [apiKey('ci')] })).toEqual(['not-allowed']);
    expect(refusals({ entries: [apiKey('ci')] }, { selfRevoke: true })).toEqual([]);
  });

  test('the delete of a key is only refused if it is the key that roster uses', () => {
    const world = (caller: boolean) => ({
      entries: [group('a')],
      objects: [{ ...remoteKey('1'), caller }],
      inventory: owning({ 'key/old': '1' }),
    });
    expect(refusals(world(false))).toEqual([]);
    expect(refusals(world(true))).toEqual(['not-allowed']);
  });

  test('a key with `rotateAfter` needs a creation time that can be read, and other keys do not', () => {
    const rotateAfter = { text: '90 days', milliseconds: 90 * 86_400_000 };
    const world = (age: typeof rotateAfter | null, createdDate: string) => ({
      entries: [apiKey('ci', { rotateAfter: age })],
      objects: [{ ...remoteKey('ci'), facts: { createdDate } }],
      inventory: owning({ 'key/ci': 'ci' }),
    });
    expect(refusals(world(rotateAfter, 'unreadable'))).toEqual(['unexpected-response']);
    expect(refusals(world(null, 'unreadable'))).toEqual([]);
    expect(refusals(world(rotateAfter, '2999-01-01T00:00:00Z'))).toEqual([]);
  });

  test('a delete says that runs may be in progress when their number cannot be read', () => {
    const active = { ...remoteGroup('a'), facts: { activeRunCount: 'unreadable' } };
    const plan = planOf({ entries: [], objects: [active], inventory: owning({ 'group/a': 'a' }) });
    expect(plan.changes[0]?.findings.map(({ message }) => message)).toContain(
      'may have runs in progress: the service returned an unreadable count',
    );
  });

  const inventory = owning({ 'key/one': 'one' });
  const [one, two] = [apiKey('one'), apiKey('two')];
  test.each<[string, SmallWorld, readonly string[]]>([
    ['two new keys', { entries: [one, two] }, ['several-new-keys']],
    [
      'a new key beside another that is declared',
      { entries: [one, two], objects: [remoteKey('one')], inventory },
      ['several-new-keys'],
    ],
    [
      'a new key beside another that is adopted',
      { entries: [one, two], objects: [remoteKey('one')] },
      ['several-new-keys'],
    ],
    [
      'a new key beside another that was not selected',
      {
        entries: [one, two],
        objects: [remoteKey('one')],
        inventory,
        selected: [{ pattern: 'key/two', matches: (address) => address === 'key/two' }],
      },
      ['several-new-keys'],
    ],
    [
      'a new key beside another whose entry has an error: two keys have its name',
      {
        entries: [one, two],
        objects: [remoteKey('one'), { ...remoteKey('one'), id: 'another' }],
        selected: [{ pattern: 'key/two', matches: (address) => address === 'key/two' }],
      },
      ['several-new-keys'],
    ],
    [
      'a replace beside another key that is declared',
      {
        entries: [one, apiKey('two', { scopes: ['read'] })],
        objects: [remoteKey('one'), remoteKey('two')],
        inventory: owning({ 'key/one': 'one', 'key/two': 'two' }),
      },
      ['several-new-keys'],
    ],
    [
      'a new key in place of one that is no longer declared',
      { entries: [two], objects: [remoteKey('one')], inventory },
      [],
    ],
    ['a new key beside one that nobody declares', { entries: [two], objects: [remoteKey('one')] }, []],
    [
      'a new key in place of one that is gone',
      { entries: [one], inventory: owning({ 'key/one': 'gone' }) },
      [],
    ],
    [
      'two keys that exist',
      { entries: [one, two], objects: [remoteKey('one'), remoteKey('two')], inventory },
      [],
    ],
  ])('keys that end each other are refused: %s', (_, world, expected) => {
    expect(refusals(world, { selfRevoke: true, accountChange: true })).toEqual(expected);
  });
});
