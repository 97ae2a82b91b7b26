import { expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { partsOf } from './schemas.js';

const names = kinds.map((kind) => kind.name);
const parts = ['plan', 'report', 'inventory', 'snapshot'].flatMap(partsOf);

/** A schedule's target has a kind too, but may also be an agent. */
const lists = parts.filter(({ at }) => at.endsWith('/properties/kind') && !at.includes('/target/'));

test.each(lists.map(({ at, schema }) => [at, schema['enum']]))(
  '%s lists the names of all kinds',
  (_, list) => {
    expect(list).toEqual(names);
  },
);

test('the schemas of plan, report, inventory and snapshot list the names of kinds', () => {
  const files = lists.map(({ at }) => at.slice(0, at.indexOf('.')));
  expect(files).toEqual(['plan', 'report', 'inventory', 'inventory', 'snapshot', 'snapshot', 'snapshot']);
});

test('the addresses in these schemas begin with the name of a kind', () => {
  const patterns = parts
    .map(({ schema }) => schema['pattern'])
    .filter((each) => /\bgroup\|/.test(String(each)));
  expect(patterns.length).toBe(5);
  expect(new Set(patterns)).toEqual(new Set([`^(?:${names.join('|')})/.+$`]));
});

test('a snapshot has a list of objects for each kind', () => {
  const objects = partsOf('snapshot').find(({ at }) => at.endsWith('#/properties/objects'))?.schema;
  expect(objects?.['required']).toEqual(names);
  expect(Object.keys(objects?.['properties'] ?? {})).toEqual(names);
});
