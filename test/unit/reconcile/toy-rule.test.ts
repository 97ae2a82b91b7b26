import { expect, test } from 'vitest';
import { allowNothing, refusal, risk } from '../../../src/model/finding.js';
import { worldOf } from '../../../src/reconcile/plan.js';
import { examine, rules } from '../../../src/reconcile/rules/index.js';
import { nothingAsked, type Rule } from '../../../src/reconcile/world.js';
import { group, reconcileWorld } from '../../support/small-world.js';

/** A rule that roster does not have: what nobody describes. It needs its file and a line in the list. */
const described: Rule = {
  name: 'described',
  examine: ({ diffs }) =>
    diffs
      .filter(({ change }) => !change.fields.some(({ path }) => path === 'description'))
      .flatMap(({ change: { address } }) => [
        risk(address, { code: 'safeguard', message: 'nobody knows what it is for' }),
        refusal('not-allowed', address, `${address} has no description`, 'Describe it.', 'empty'),
        { severity: 'warning', code: 'usage', message: `describe ${address}`, address } as const,
      ]),
};

const entries = [group('shops'), group('prices', { description: 'Every shop with prices' })];

function found(allowed: boolean, list: readonly Rule[]): string[] {
  const allow = { ...allowNothing, empty: allowed };
  const comparison = reconcileWorld({ entries, allow });
  const world = worldOf(comparison, nothingAsked);
  return examine(world, list).map(({ severity, address }) => `${severity} ${address}`);
}

test('rules: adding a rule changes no other finding', () => {
  const before = found(false, rules);
  const after = found(false, [...rules, described]);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toEqual([
    'risk group/shops',
    'refusal group/shops',
    'warning group/shops',
  ]);
});

test('rules: an allowed refusal is dropped, and other findings stay', () => {
  expect(found(true, [described])).toEqual(['risk group/shops', 'warning group/shops']);
});

test('rules: names are unique', () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});
