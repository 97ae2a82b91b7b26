import { byCodeUnit, canonical, isJsonObject, type Json } from '../model/json.js';
import type { Desired, Observed } from '../model/resource.js';
import type { ComparedValues } from './recorded.js';

/**
 * Pairs entries with objects, closest first: as many pairs as there can be. Equally close ones go by address and id, so
 * that the order of the lists has no effect.
 */
export function closestPairs(
  values: ComparedValues,
  entries: readonly Desired[],
  objects: readonly Observed[],
): (readonly [Desired, Observed])[] {
  const rows = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
  const columns = [...objects].sort((a, b) => byCodeUnit(a.id ?? '', b.id ?? ''));
  const desired = rows.map((entry) => compared(values.ofEntry(entry)));
  const observed = columns.map((each) => compared(values.ofObject(each)));
  // All of them at once, as numbers: there may be a thousand of each.
  const costs = Float64Array.from({ length: rows.length * columns.length }, (_, index) => {
    const [row, column] = [Math.floor(index / columns.length), index % columns.length];
    return distance(desired[row] ?? null, observed[column] ?? null);
  });
  const closestFirst = Uint32Array.from(costs.keys()).sort(
    (a, b) => (costs[a] ?? 0) - (costs[b] ?? 0) || a - b,
  );
  const taken = new Set<Desired | Observed>();
  const pairs: (readonly [Desired, Observed])[] = [];
  for (const index of closestFirst) {
    const entry = rows[Math.floor(index / columns.length)];
    const object = columns[index % columns.length];
    if (entry === undefined || object === undefined || taken.has(entry) || taken.has(object)) continue;
    taken.add(entry).add(object);
    pairs.push([entry, object]);
  }
  return pairs;
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
