/** With more rows, the exact method takes too long: each row then takes the cheapest free column. */
const MOST_ROWS_EXACTLY = 300;

/**
 * Gives each row a column of its own so that the sum of the costs is as small as possible (the Hungarian method, by shortest
 * augmenting paths). `costs[row][column]` are finite and not negative; there are at least as many columns as rows.
 * The same costs give the same answer. @returns the column of each row.
 */
export function assign(costs: readonly (readonly number[])[]): number[] {
  return costs.length > MOST_ROWS_EXACTLY ? assignCheapest(costs) : assignBest(costs);
}

function assignBest(costs: readonly (readonly number[])[]): number[] {
  const rows = costs.length;
  const columns = costs[0]?.length ?? 0;
  const cost = (row: number, column: number) => costs[row - 1]?.[column - 1] ?? 0;
  // Rows and columns count from 1; 0 stands for "none".
  const ofRow = new Float64Array(rows + 1);
  const ofColumn = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1);
  for (let row = 1; row <= rows; row += 1) augment(row, { cost, ofRow, ofColumn, rowOf, columns });
  const found = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= columns; column += 1) {
    const row = rowOf[column] ?? 0;
    if (row > 0) found[row - 1] = column - 1;
  }
  return found;
}

interface AssignmentState {
  cost(row: number, column: number): number;
  /** Prices: a pair never costs less than the prices of its row and column together. */
  readonly ofRow: Float64Array;
  readonly ofColumn: Float64Array;
  readonly rowOf: Int32Array;
  readonly columns: number;
}

/** Finds the cheapest way to give one more row a column, moving rows that already have one. */
function augment(row: number, { cost, ofRow, ofColumn, rowOf, columns }: AssignmentState): void {
  const at = (list: Float64Array | Int32Array, index: number) => list[index] ?? 0;
  const least = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(columns + 1);
  const used = new Uint8Array(columns + 1);
  rowOf[0] = row;
  let column = 0;
  do {
    used[column] = 1;
    const current = at(rowOf, column);
    let delta = Number.POSITIVE_INFINITY;
    let next = 0;
    for (let other = 1; other <= columns; other += 1) {
      if (used[other] === 1) continue;
      const price = cost(current, other) - at(ofRow, current) - at(ofColumn, other);
      if (price < at(least, other)) {
        least[other] = price;
        from[other] = column;
      }
      if (at(least, other) < delta) {
        delta = at(least, other);
        next = other;
      }
    }
    for (let other = 0; other <= columns; other += 1) {
      if (used[other] === 1) {
        ofRow[at(rowOf, other)] = at(ofRow, at(rowOf, other)) + delta;
        ofColumn[other] = at(ofColumn, other) - delta;
      } else least[other] = at(least, other) - delta;
    }
    column = next;
  } while (at(rowOf, column) !== 0);
  while (column !== 0) {
    const before = at(from, column);
    rowOf[column] = at(rowOf, before);
    column = before;
  }
}

function assignCheapest(costs: readonly (readonly number[])[]): number[] {
  const taken = new Set<number>();
  return costs.map((row) => {
    let best = -1;
    for (let column = 0; column < row.length; column += 1) {
      if (taken.has(column)) continue;
      if (best === -1 || (row[column] ?? 0) < (row[best] ?? 0)) best = column;
    }
    taken.add(best);
    return best;
  });
}
