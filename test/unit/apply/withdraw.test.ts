import { expect, test } from 'vitest';
import { extrasOf } from '../../../src/apply/withdraw.js';
import { kinds } from '../../../src/kinds/index.js';
import type { Kind } from '../../../src/model/kind.js';
import type { Observed } from '../../../src/model/resource.js';
import { remoteGroup } from '../../support/small-world.js';

const group = (id: string, name: string) => remoteGroup(id, { name });

/** The kinds, which count how often they compute a natural key. */
function counting(): { kinds: readonly Kind[]; computed: () => number } {
  let computed = 0;
  const counted = kinds.map((kind) => ({
    ...kind,
    identity: {
      ...kind.identity,
      ofObserved: (observed: Observed) => {
        computed += 1;
        return kind.identity.ofObserved(observed);
      },
    },
  }));
  return { kinds: counted, computed: () => computed };
}

const created = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ address: `group/g${index}`, id: `own-${index}` }));

test('withdraw: of a thousand new objects, exactly those are extras that another run created as well', () => {
  const own = created(1000);
  const others = [group('other-7', 'Group 7'), group('other-8', 'Group 8'), group('other-x', 'Another')];
  const inputs = {
    created: new Map(own.map(({ address, id }) => [address, id])),
    before: new Map([['group', [group('old', 'Group 9')]]]),
    after: new Map([
      [
        'group',
        [...own.map(({ id }, index) => group(id, `Group ${index}`)), ...others, group('old', 'Group 9')],
      ],
    ]),
  };
  const { kinds: counted, computed } = counting();
  const extras = extrasOf({ ...inputs, kinds: counted });
  expect(extras.map(({ own: { id } }) => id)).toEqual(['own-7', 'own-8']);
  expect(extras[0]?.why).toContain('(other-7)');
  // Each object once: with every pair of them, 10,000 creates would take most of an apply.
  expect(computed()).toBeLessThanOrEqual(own.length + others.length);
});

test('withdraw: without objects of another run, no natural key is computed', () => {
  const own = created(1000);
  const { kinds: counted, computed } = counting();
  const after = new Map([['group', own.map(({ id }, index) => group(id, `Group ${index}`))]]);
  const inputs = { created: new Map(own.map(({ address, id }) => [address, id])), before: new Map(), after };
  expect(extrasOf({ ...inputs, kinds: counted })).toEqual([]);
  expect(computed()).toBe(0);
});
