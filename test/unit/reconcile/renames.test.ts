import { describe, expect, test } from 'vitest';
import { allowNothing, isNote, note } from '../../../src/model/finding.js';
import {
  codesOf,
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** `address: note` of each create. */
function notesOf(world: SmallWorld): string[] {
  return planOf(world).changes.flatMap(({ action, findings }) =>
    action === 'create'
      ? findings.filter(isNote).map(({ address, message }) => `${address}: ${message}`)
      : [],
  );
}

const hint = (address: string, property: string) =>
  `looks like ${address}, which this plan deletes: to keep that object, add \`${property}\` to the entry`;

describe('a create and a delete in one plan', () => {
  const owned = (name: string, members: readonly string[]) => ({
    objects: [remoteGroup('1', { name, members })],
    inventory: owning({ 'group/old': '1' }),
  });
  const agent = 'aaaaaaaa-0000-4000-8000-000000000000';

  test('look like one object with the same members', () => {
    const world = { entries: [group('new', { agents: ['acme'] })], ...owned('old', [agent]) };
    expect(notesOf(world)).toEqual([`group/new: ${hint('group/old', 'formerly: old')}`]);
  });

  test('the delete, which is read first, says how to keep its object, too', () => {
    const world = { entries: [group('new', { agents: ['acme'] })], ...owned('old', [agent]) };
    const [found] = planOf(world).changes.filter(({ action }) => action === 'delete');
    expect(found?.findings.filter(isNote).map(({ message }) => message)).toEqual([
      'looks like group/new, which this plan creates: to keep this object, add `formerly: old` to the entry',
    ]);
  });

  test('of a repeated entry get a hint that is for one item', () => {
    const entry = group('new', { agents: ['acme'] });
    const repeated = { ...entry, source: { ...entry.source, each: 'new' } };
    const world = { entries: [repeated], ...owned('old', [agent]) };
    expect(notesOf(world)).toEqual([`group/new: ${hint('group/old', 'formerly: { new: old }')}`]);
  });

  test('look like one object with almost the same name', () => {
    const world = {
      entries: [group('new', { name: 'Retail DE', agents: ['acme'] })],
      ...owned('retail-de', []),
    };
    expect(notesOf(world)).toEqual([`group/new: ${hint('group/old', 'formerly: old')}`]);
  });

  test.each([
    ['groups with other names and members', owned('old', ['x'])],
    [
      'groups without members, of which there are several',
      { ...owned('old', []), entries: [group('new'), group('newer')] },
    ],
    [
      'groups without members and with other descriptions',
      { ...owned('old', []), entries: [group('new', { description: 'Other' })] },
    ],
  ])('are not taken for one: %s', (_, world) => {
    expect(notesOf({ entries: [group('new', { agents: ['acme'] })], ...world })).toEqual([]);
  });

  test('look like one object that has nothing but another name', () => {
    const world = { entries: [group('new')], ...owned('old', []) };
    expect(notesOf(world)).toEqual([`group/new: ${hint('group/old', 'formerly: old')}`]);
  });

  test('look like one schedule when the group that it starts was renamed, too', () => {
    const target = { kind: 'group', id: '1' };
    const world = {
      entries: [group('new', { agents: ['acme'] }), schedule('new', { target: 'group/new' })],
      objects: [remoteGroup('1', { name: 'old', members: [agent] }), remoteSchedule('2', { target })],
      inventory: owning({ 'group/old': '1', 'schedule/old': '2' }),
    };
    expect(notesOf(world)).toEqual([
      `group/new: ${hint('group/old', 'formerly: old')}`,
      `schedule/new: ${hint('schedule/old', 'formerly: old')}`,
    ]);
  });

  test('name the id of an object that the inventory does not have', () => {
    const objects = [remoteGroup('1', { name: 'Retail DE', members: [agent] })];
    const world = { entries: [group('new', { agents: ['acme'] })], objects, prune: 'all' as const };
    expect(notesOf(world)).toEqual([`group/new: ${hint('group/1', 'id: 1')}`]);
  });

  test('name the id where the inventory still has an object under the key of the entry, so that `formerly` has no effect', () => {
    const { objects, inventory } = owned('old', [agent]);
    const entries = new Map([...inventory.entries, ...owning({ 'group/new': '2' }).entries]);
    const world = { objects, inventory: { ...inventory, entries } };
    const created = group('new', { agents: ['acme'] });
    expect(notesOf({ ...world, entries: [created] })).toContain(`group/new: ${hint('group/old', 'id: 1')}`);
    const bound = planOf({ ...world, entries: [{ ...created, id: '1' }] });
    expect(bound.changes.map(({ action, id }) => [action, id])).toEqual([['update', '1']]);
  });

  test('of several schedules of one target, each is named once, for the closest entry', () => {
    const world = {
      entries: [
        schedule('late', { cron: '0 0 22 * * *', inputs: { country: 'FR' } }),
        schedule('later', { cron: '0 0 23 * * *', inputs: { country: 'DE' } }),
        schedule('third', { cron: '0 0 23 * * *', inputs: { country: 'US' } }),
      ],
      objects: [
        remoteSchedule('1', { inputs: { country: 'DE' } }),
        remoteSchedule('2', { inputs: { country: 'FR' } }),
      ],
      inventory: owning({ 'schedule/a': '1', 'schedule/b': '2' }),
    };
    expect(notesOf(world)).toEqual([
      `schedule/late: ${hint('schedule/b', 'formerly: b')}`,
      `schedule/later: ${hint('schedule/a', 'formerly: a')}`,
    ]);
  });

  test('do not tell which guess equals a value from the environment', () => {
    const guesses = ['1230', '1231', '1232'];
    const notes = guesses.map((token) =>
      notesOf({
        entries: guesses.map((guess) =>
          schedule(`b${guess}`, { cron: '0 0 7 * * *', inputs: { token: guess } }),
        ),
        objects: [remoteSchedule('1', { inputs: { token } })],
        inventory: owning(
          { 'schedule/a': '1' },
          { applied: { inputs: { token: '${env.TOKEN}' } }, sensitive: ['inputs'] },
        ),
      }),
    );
    expect(notes[0]).toHaveLength(1);
    for (const each of notes) expect(each).toEqual(notes[0]);
  });

  test('of very many that look alike, none is named', () => {
    const many = Array.from({ length: 101 }, (_, index) => index);
    const world = {
      entries: many.map((index) => schedule(`new-${index}`, { inputs: { country: String(index) } })),
      objects: many.map((index) => remoteSchedule(String(index), { cron: '0 0 7 * * *' })),
      inventory: owning(Object.fromEntries(many.map((index) => [`schedule/${index}`, String(index)]))),
      limits: { startsPerMinute: 1_000_000 },
    };
    expect(notesOf(world)).toEqual([]);
  });
});

describe('formerly', () => {
  const entry = group('new', {}, { formerly: 'group/old' });
  const warningsOf = (world: SmallWorld) => reconcileWorld(world).diagnostics;

  test('that names nothing the inventory knows is a warning, with the closest former key', () => {
    const suggest = (word: string, known: readonly string[]) => `${word} of ${known.join()}`;
    const inventory = owning({ 'group/odl': '1', 'group/kept': '2', 'schedule/old': '3' });
    const objects = [remoteGroup('2', { name: 'kept' })];
    const { diagnostics } = reconcileWorld({
      entries: [entry, group('kept')],
      objects,
      inventory,
      allow: { ...allowNothing, accountChange: true },
      suggest,
    });
    expect(diagnostics.map(({ code, message, help }) => [code, message, help])).toEqual([
      [
        'unknown-formerly',
        'the inventory knows no group/old, so this entry is created as a new group',
        'Did you mean `old of odl`?',
      ],
    ]);
  });

  test.each<[string, SmallWorld]>([
    ['an entry whose object is found', { entries: [entry], objects: [remoteGroup('1', { name: 'new' })] }],
    [
      'an entry whose object the inventory knows by its new key',
      { entries: [entry], objects: [remoteGroup('1')], inventory: owning({ 'group/new': '1' }) },
    ],
    ['a former key that the inventory knows', { entries: [entry], inventory: owning({ 'group/old': '1' }) }],
  ])('is no warning for %s', (_, world) => {
    expect(codesOf(warningsOf(world))).not.toContain('unknown-formerly');
  });

  test('that names nothing is a warning as well where the inventory knows the entry by its own key', () => {
    const world = { entries: [entry], inventory: owning({ 'group/new': '1' }) };
    const warning = warningsOf(world).find(({ code }) => code === 'unknown-formerly');
    expect(warning?.help).toMatch(/^Remove `formerly`: .* use `id:`\.$/);
  });

  test('of an unchanged object is an adoption, so that the inventory learns the new key', () => {
    const world = { objects: [remoteGroup('1', { name: 'new' })], inventory: owning({ 'group/old': '1' }) };
    expect(planOf({ ...world, entries: [entry] }).changes[0]).toMatchObject({
      action: 'adopt',
      renamedFrom: 'group/old',
      findings: [note('group/new', 'renamed from group/old')],
    });
    const applied = planOf({ ...world, entries: [entry], inventory: owning({ 'group/new': '1' }) });
    expect(applied.changes.map(({ action }) => action)).toEqual(['none']);
  });
});
