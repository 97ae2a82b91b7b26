import { expect, test } from 'vitest';
import {
  expectationOf,
  mergedExpectations,
  weakenings,
  withoutLeavesOf,
} from '../../../src/model/expectation.js';
import type { JsonObject } from '../../../src/model/json.js';

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  [
    'leaf by leaf',
    { records: { min: 1, drop: '40%' } },
    { records: { min: 2 } },
    { records: { min: 2, drop: '40%' } },
  ],
  ['columns as a whole', { columns: ['a', 'b'] }, { columns: ['c'] }, { columns: ['c'] }],
  [
    'each condition as a whole',
    { rows: { 'a gt 1': 0, 'b gt 1': 5 } },
    { rows: { 'b gt 1': '1%' } },
    { rows: { 'a gt 1': 0, 'b gt 1': '1%' } },
  ],
  [
    'members leaf by leaf',
    { members: { a: { records: { min: 1 }, finish: '1 hour' } } },
    { members: { a: { records: { drop: '10%' } }, b: { level: 'warning' } } },
    {
      members: { a: { records: { min: 1, drop: '10%' }, finish: '1 hour' }, b: { level: 'warning' } },
    },
  ],
])('layers are merged: %s', (_how, below, above, merged) => {
  expect(mergedExpectations(below, above)).toEqual(merged);
});

test('what another layer sets is left out of a layer below it', () => {
  const layer = { records: { min: 1, drop: '40%' }, finish: '1 hour', columns: ['a'] };
  const rest = withoutLeavesOf(layer, { records: { min: 800 }, columns: ['b'] });
  expect(rest).toEqual({ records: { drop: '40%' }, finish: '1 hour' });
});

test('what differs for an agent wins for this agent alone, however the manifest names it', () => {
  const whole = { records: { min: 800, drop: '40%' }, members: { initech: { records: { min: 20 } } } };
  expect(expectationOf(whole, ['initech', 'a9e0'])).toEqual({ records: { min: 20, drop: '40%' } });
  expect(expectationOf(whole, ['globex'])).toEqual({ records: { min: 800, drop: '40%' } });
});

test.each<[string, JsonObject, JsonObject, string[]]>([
  ['a lower minimum', { records: { min: 800 } }, { records: { min: 20 } }, ['records.min 800 → 20']],
  ['a higher minimum', { records: { min: 800 } }, { records: { min: 900 } }, []],
  ['a larger drop', { records: { drop: '40%' } }, { records: { drop: '60%' } }, ['records.drop 40% → 60%']],
  ['more time', { finish: '90 minutes' }, { finish: '2 hours' }, ['finish 90 minutes → 2 hours']],
  ['the same time in another unit', { finish: '60 minutes' }, { finish: '1 hour' }, []],
  ['a column less', { columns: ['a', 'b'] }, { columns: ['b'] }, ['columns [a, b] → [b]']],
  ['a column more', { columns: ['a'] }, { columns: ['b', 'a'] }, []],
  [
    'other columns allowed',
    { columns: { only: ['a'] } },
    { columns: ['a'] },
    ['columns { only: [a] } → [a]'],
  ],
  ['more empty values', { empty: { a: '1%' } }, { empty: { a: '2%' } }, ['empty.a 1% → 2%']],
  [
    'a share instead of a number',
    { rows: { 'a gt 1': 5 } },
    { rows: { 'a gt 1': '1%' } },
    ['rows.a gt 1 5 → 1%'],
  ],
  ['a condition that is gone', { rows: { 'a gt 1': 0 } }, {}, ['rows.a gt 1 0 → nothing']],
  [
    'an error that becomes a warning',
    { finish: '1 hour' },
    { finish: '1 hour', level: 'warning' },
    ['level error → warning'],
  ],
  [
    'less for one agent',
    { records: { min: 800 } },
    { records: { min: 800 }, members: { a: { records: { min: 20 } } } },
    ['members.a.records.min 800 → 20'],
  ],
  [
    'what is said of one agent and becomes what is said of all',
    { members: { a: { records: { min: 20 } } } },
    { records: { min: 20 } },
    [],
  ],
])('weaker is: %s', (_what, before, after, weaker) => {
  expect(weakenings(before, after).map(({ path, change }) => `${path} ${change}`)).toEqual(weaker);
});
