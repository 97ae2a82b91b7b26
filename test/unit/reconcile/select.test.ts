import { describe, expect, test } from 'vitest';
import { isDiagnostic } from '../../../src/model/finding.js';
import {
  actionsOf,
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

const only = (...patterns: string[]) =>
  patterns.map((pattern) => ({ pattern, matches: (address: string) => address === pattern }));
const target = { kind: 'group', id: '1' };

const created: SmallWorld = { entries: [group('a'), group('b'), schedule('s', { target: 'group/a' })] };
const leaving: SmallWorld = {
  entries: [schedule('s', { target: 'group/b' }), group('b')],
  objects: [remoteGroup('1'), remoteSchedule('2', { target })],
  inventory: owning({ 'group/a': '1', 'schedule/s': '2' }),
};

describe('select', () => {
  test.each<[name: string, world: SmallWorld, selected: string, actions: string[]]>([
    ['an object without references', created, 'group/b', ['create group/b']],
    ['what an object refers to', created, 'schedule/s', ['create group/a', 'create schedule/s']],
    [
      'what moves away from an object that is deleted, and what it then refers to',
      leaving,
      'group/a',
      ['delete group/a', 'create group/b', 'update schedule/s'],
    ],
  ])('keeps %s', (_, world, selected, actions) => {
    const plan = planOf({ ...world, selected: only(selected) });
    expect(actionsOf(plan)).toEqual(actions);
    const isPartial = actionsOf(planOf(world)).length > actions.length;
    expect(codesOf(plan.findings.filter(isDiagnostic))).toEqual(isPartial ? ['not-selected'] : []);
  });

  test('refuses to delete an object while something that is not selected refers to it', () => {
    const world = { ...leaving, entries: [], selected: only('group/a') };
    expect(codesOf(reconcileWorld(world).diagnostics)).toEqual(['usage']);
    const both = { ...world, selected: only('group/a', 'schedule/s') };
    expect(actionsOf(planOf(both))).toEqual(['delete group/a', 'delete schedule/s']);
  });

  test.each([
    ['owned', '`roster plan`'],
    ['destroy', '`roster plan --destroy`'],
  ] as const)('names the command that shows all changes: %s', (prune, command) => {
    const [left] = planOf({ ...leaving, entries: [], prune, selected: only('schedule/s') }).findings.filter(
      isDiagnostic,
    );
    expect(left?.help).toContain(`run ${command} without a selection`);
  });

  test('refuses an address that matches nothing', () => {
    expect(codesOf(reconcileWorld({ ...created, selected: only('group/none') }).diagnostics)).toEqual([
      'usage',
    ]);
  });
});
