import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan.js';
import {
  group,
  owning,
  planOf,
  remoteGroup,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

/** From these remote values to these declared ones. */
function world(
  [oldText, oldCountry]: Values,
  [newText, newCountry]: Values,
): Required<Pick<SmallWorld, 'entries' | 'objects'>> & SmallWorld {
  return {
    entries: [
      group('a', { description: newText }),
      schedule('s', { target: 'group/a', inputs: { country: newCountry } }),
    ],
    objects: [
      remoteGroup('1', { name: 'a', description: oldText }),
      remoteSchedule('2', { target: { kind: 'group', id: '1' }, inputs: { country: oldCountry } }),
    ],
    inventory: owning({ 'group/a': '1', 'schedule/s': '2' }),
  };
}
type Values = readonly [description: string, country: string];

describe('digest', () => {
  test('a change of any value, before or after, changes the digest', () => {
    const plans: readonly [Values, Values][] = [
      [
        ['old', 'DE'],
        ['new', 'FR'],
      ],
      [
        ['old', 'DE'],
        ['newer', 'FR'],
      ],
      [
        ['older', 'DE'],
        ['new', 'FR'],
      ],
      [
        ['old', 'DE'],
        ['new', 'IT'],
      ],
      [
        ['old', 'AT'],
        ['new', 'FR'],
      ],
    ];
    const digests = plans.map(([before, after]) => planOf(world(before, after)).digest);
    expect(new Set(digests).size).toBe(plans.length);
  });

  test('the order of entries and objects has no effect on the plan', () => {
    const { entries, objects, ...rest } = world(['old', 'DE'], ['new', 'FR']);
    const more = [...entries, group('b'), group('c'), schedule('t', { target: 'group/b' })];
    const reviewed = ({ digest, changes, steps }: Plan) => ({ digest, changes, steps });
    const expected = reviewed(planOf({ ...rest, entries: more, objects }));
    const shuffled = fc.tuple(
      fc.shuffledSubarray(more, { minLength: more.length }),
      fc.shuffledSubarray([...objects], { minLength: objects.length }),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(reviewed(planOf({ ...rest, entries: one, objects: other }))).toEqual(expected);
      }),
    );
  });

  test('a plan survives JSON unchanged', () => {
    const plan = planOf(world(['old', 'DE'], ['new', 'FR']));
    expect(JSON.parse(JSON.stringify(plan)) as Plan).toEqual(plan);
  });

  test('a value from the environment does not affect the digest, but its template does', () => {
    const digest = (value: string, template: string) => {
      const templates = { description: template };
      return planOf({ entries: [group('a', { description: `of ${value}` }, { templates })] }).digest;
    };
    expect(digest('one', 'of ${env.A}')).toBe(digest('two', 'of ${env.A}'));
    expect(digest('one', 'of ${env.A}')).not.toBe(digest('one', 'of ${env.B}'));
  });
});
