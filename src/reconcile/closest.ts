import { byCodeUnit, canonical, isJsonObject, type Json } from '../model/json.js';
import type { Desired, Observed } from '../model/resource.js';
import { assign } from './match/assignment.js';
import type { ComparedValues } from './recorded.js';

/** As many pairs of entries and objects as possible, with the fewest and smallest changes. The order of the lists has no effect. */
export function closestPairs(
  values: ComparedValues,
  entries: readonly Desired[],
  objects: readonly Observed[],
): (readonly [Desired, Observed])[] {
  const rows = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
  const columns = [...objects].sort((a, b) => byCodeUnit(a.id ?? '', b.id ?? ''));
  const desired = rows.map((entry) => compared(values.ofEntry(entry)));
  const observed = columns.map((each) => compared(values.ofObject(each)));
  const costs = desired.map((entry) => observed.map((each) => distance(entry, each)));
  return pairsOf(costs, columns.length).flatMap(([row, column]) => {
    const [entry, each] = [rows[row], columns[column]];
    return entry === undefined || each === undefined ? [] : [[entry, each] as const];
  });
}

/** There may be more rows than columns, or fewer. What is left over has no pair. */
function pairsOf(costs: readonly (readonly number[])[], columns: number): (readonly [number, number])[] {
  if (costs.length <= columns) return assign(costs).map((column, row) => [row, column] as const);
  const turned = Array.from({ length: columns }, (_, column) => costs.map((row) => row[column] ?? 0));
  return assign(turned).map((row, column) => [row, column] as const);
}

/** A field's canonical form, and what it consists of. */
interface ComparedValue {
  readonly text: string;
  readonly parts: ReadonlySet<string>;
}

/** Computed once for each object, because every object is compared with every entry. Null where the content is unknown. */
function compared(values: readonly Json[] | null): readonly ComparedValue[] | null {
  return values?.map((value) => ({ text: canonical(value), parts: partsOf(value) })) ?? null;
}

/** A field that differs costs this much, and the size of its difference costs less than this. */
const FIELD_COST = 1_000;

/** How much two objects differ: first by the number of fields, then by the size of the differences. */
function distance(before: readonly ComparedValue[] | null, after: readonly ComparedValue[] | null): number {
  if (before === null || after === null) return FIELD_COST * FIELD_COST;
  let sum = 0;
  before.forEach((value, index) => {
    const other = after[index];
    if (other !== undefined && other.text !== value.text) sum += difference(value, other);
  });
  return sum;
}

function difference({ parts: before }: ComparedValue, { parts: after }: ComparedValue): number {
  let parts = 0;
  for (const part of before) if (!after.has(part)) parts += 1;
  for (const part of after) if (!before.has(part)) parts += 1;
  return FIELD_COST + Math.min(FIELD_COST - 1, parts);
}

/** The items of a list or a map. Anything else is one item. */
function partsOf(value: Json): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set((value as readonly Json[]).map((each) => canonical(each)));
  if (!isJsonObject(value)) return new Set([canonical(value)]);
  return new Set(Object.entries(value).map((entry) => canonical(entry)));
}
