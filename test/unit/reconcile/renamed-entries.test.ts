import { describe, expect, test } from 'vitest';
import { note } from '../../../src/model/finding.js';
import {
  actionsOf,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

const secret = { token: 'the-held-secret' };
const recorded = { applied: { inputs: { token: '${env.TOKEN}' } }, sensitive: ['inputs'] };
const owned = owning({ 'schedule/s1': '1' }, recorded);
const held = remoteSchedule('1', { inputs: secret });

describe('an entry whose key has changed', () => {
  const takes: readonly [how: string, world: SmallWorld][] = [
    ['by its natural key', { entries: [schedule('s2', { inputs: { token: 'plain' } })] }],
    ['by its id', { entries: [schedule('s2', { inputs: { token: 'plain' } }, { id: '1' })] }],
    ['by likeness', { entries: [schedule('s2', { cron: '0 0 7 * * *' })], prune: 'all' }],
  ];

  test.each(takes)('does not show what the service holds when it is found %s', (_, world) => {
    const plan = planOf({ ...world, objects: [held], inventory: owned });
    expect(actionsOf(plan)).toEqual(['update schedule/s2']);
    expect(plan.changes[0]?.fields).toContainEqual(
      expect.objectContaining({ path: 'inputs', sensitive: true }),
    );
    expect(JSON.stringify(plan.changes)).not.toContain(secret.token);
  });

  test('does not show it when it is bound to the object of another entry', () => {
    const others = owning({ 'schedule/s1': '1' }, recorded).entries;
    const entries = new Map([...others, ...owning({ 'schedule/a': '2' }).entries]);
    const objects = [held, remoteSchedule('2', { cron: '0 0 7 * * *' })];
    const inventory = { ...owned, entries };
    const plan = planOf({ entries: [schedule('a', {}, { id: '1' })], objects, inventory, prune: 'never' });
    expect(JSON.stringify(plan.changes)).not.toContain(secret.token);
  });

  test('does not show a description', () => {
    const plan = planOf({
      entries: [group('new', { name: 'a', description: 'plain' })],
      objects: [remoteGroup('1', { name: 'a', description: 'held secret' })],
      inventory: owning(
        { 'group/old': '1' },
        { applied: { description: '${env.X}' }, sensitive: ['description'] },
      ),
    });
    expect(actionsOf(plan)).toEqual(['update group/new']);
    expect(JSON.stringify(plan.changes)).not.toContain('held secret');
  });

  test('is adopted with a note, and was not created outside the project', () => {
    const world = { objects: [remoteGroup('1', { name: 'a' })], inventory: owning({ 'group/old': '1' }) };
    const renamed = (description: string) =>
      planOf({ ...world, entries: [group('new', { name: 'a', description })] }).changes[0];
    const findings = [note('group/new', 'renamed from group/old')];
    const facts = { adopted: true, renamedFrom: 'group/old', findings };
    expect(renamed('')).toMatchObject({ action: 'adopt', ...facts });
    expect(renamed('new')).toMatchObject({ action: 'update', ...facts });
  });

  test('with an object that its record does not describe is an adoption from outside', () => {
    const plan = planOf({
      entries: [group('new', { name: 'a', description: 'new' })],
      objects: [remoteGroup('1', { name: 'a' })],
      inventory: owning({ 'group/old': '1' }, { name: 'b', applied: { name: 'b', members: ['x'] } }),
    });
    expect(plan.changes[0]).toMatchObject({
      action: 'update',
      adopted: true,
      findings: expect.not.arrayContaining([expect.objectContaining({ severity: 'note' })]),
    });
  });
});

describe('several guesses', () => {
  const guesses = ['1230', '1231', '1232', '1233'];
  const entries = guesses.map((token) => schedule(`b${token}`, { inputs: { token } }));

  test.each(['owned', 'all'] as const)(
    'are not told apart by which one is matched with the object (prune: %s)',
    (prune) => {
      const plansFor = guesses.map((token) => {
        const plan = planOf({
          entries,
          objects: [remoteSchedule('1', { inputs: { token } })],
          inventory: owned,
          prune,
        });
        return [actionsOf(plan), plan.digest];
      });
      for (const each of plansFor) expect(each).toEqual(plansFor[0]);
      expect(plansFor[0]?.[0]).toContain('update schedule/b1230');
    },
  );

  test('are not told apart by which object an entry with a template is matched with', () => {
    const objects = guesses.map((token, index) => remoteSchedule(String(index), { inputs: { token } }));
    const matched = guesses.map((token) => {
      const templates = { inputs: { token: '${env.TOKEN}' } };
      const entry = schedule('a', { inputs: { token } }, { templates });
      const others = entries.slice(1);
      return planOf({ entries: [entry, ...others], objects }).changes.map(({ address, id }) => [address, id]);
    });
    for (const each of matched) expect(each).toEqual(matched[0]);
  });

  test('entries that changed their keys keep their objects by their templates', () => {
    const names = ['A', 'B'];
    const templateOf = (name: string) => ({ inputs: { token: `\${env.${name}}` } });
    const plan = planOf({
      entries: names.map((name) =>
        schedule(`new-${name}`, { inputs: { token: name } }, { templates: templateOf(name) }),
      ),
      objects: [
        remoteSchedule('1', { inputs: { token: 'B' } }),
        remoteSchedule('2', { inputs: { token: 'A' } }),
      ],
      inventory: {
        ...owned,
        entries: new Map([
          ...owning({ 'schedule/b': '1' }, { applied: templateOf('B'), sensitive: ['inputs'] }).entries,
          ...owning({ 'schedule/a': '2' }, { applied: templateOf('A'), sensitive: ['inputs'] }).entries,
        ]),
      },
    });
    expect(plan.changes.map(({ address, action, id }) => [address, action, id])).toEqual([
      ['schedule/new-A', 'adopt', '2'],
      ['schedule/new-B', 'adopt', '1'],
    ]);
  });
});
