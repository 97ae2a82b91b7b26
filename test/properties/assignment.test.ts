import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assign } from '../../src/reconcile/match/assignment.js';
import { runs } from '../support/size.js';

const matrix = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 }))
  .chain(([rows, more]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: rows + more, maxLength: rows + more }), {
      minLength: rows,
      maxLength: rows,
    }),
  );

const total = (costs: readonly (readonly number[])[], columns: readonly number[]) =>
  columns.reduce((sum, column, row) => sum + (costs[row]?.[column] ?? Number.NaN), 0);

/** The least total cost, found by trying every assignment. */
function least(costs: readonly (readonly number[])[], row = 0, taken: readonly number[] = []): number {
  const mine = costs[row];
  if (mine === undefined) return 0;
  const tried = mine.map((cost, column) =>
    taken.includes(column) ? Number.POSITIVE_INFINITY : cost + least(costs, row + 1, [...taken, column]),
  );
  return Math.min(...tried);
}

test('assign finds the cheapest assignment and uses no column twice', () => {
  fc.assert(
    fc.property(matrix, (costs) => {
      const columns = assign(costs);
      expect(new Set(columns).size).toBe(costs.length);
      expect(total(costs, columns)).toBe(least(costs));
    }),
    { numRuns: runs(300, 2_000) },
  );
});

test('assign gives a thousand rows a column each', () => {
  const costs = Array.from({ length: 1_000 }, (_, row) =>
    Array.from({ length: 1_001 }, (_, column) => (row * 7 + column * 13) % 11),
  );
  const columns = assign(costs);
  expect(new Set(columns).size).toBe(1_000);
  expect(Math.max(...columns)).toBeLessThan(1_001);
});
