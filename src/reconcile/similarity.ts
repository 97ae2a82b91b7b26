import { byCodeUnit, canonical, isJsonObject, type Json } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Desired, Observed } from '../model/resource.js';
import { assign } from './assignment.js';
import { fieldValue } from './fields.js';

/**
 * As many pairs of entries and objects as there can be, with the fewest and smallest changes in all. The order of
 * neither matters.
 */
export function closestPairs(
  kind: Kind,
  entries: readonly Desired[],
  objects: readonly Observed[],
): (readonly [Desired, Observed])[] {
  const rows = [...entries].sort((a, b) => byCodeUnit(a.address, b.address));
  const columns = [...objects].sort((a, b) => byCodeUnit(a.id ?? '', b.id ?? ''));
  const wanted = rows.map((entry) => fieldValues(kind, entry.spec));
  const found = columns.map((each) => fieldValues(kind, each.spec));
  const costs = wanted.map((entry) => found.map((each) => unlikeness(entry, each)));
  return pairsOf(costs, columns.length).flatMap(([row, column]) => {
    const [entry, each] = [rows[row], columns[column]];
    return entry === undefined || each === undefined ? [] : [[entry, each] as const];
  });
}

/** There may be more rows than columns or the other way round: what is left over has no pair. */
function pairsOf(costs: readonly (readonly number[])[], columns: number): (readonly [number, number])[] {
  if (costs.length <= columns) return assign(costs).map((column, row) => [row, column] as const);
  const turned = Array.from({ length: columns }, (_, column) => costs.map((row) => row[column] ?? 0));
  return assign(turned).map((row, column) => [row, column] as const);
}

/** A field's normal form, and what it consists of. */
interface Value {
  readonly text: string;
  readonly parts: ReadonlySet<string>;
}

/** Worked out once for each object: they are compared each with each. Null where the content is unknown. */
function fieldValues(kind: Kind, spec: unknown): readonly Value[] | null {
  if (spec === null) return null;
  return Object.keys(kind.fields).map((field) => {
    const value = fieldValue(kind, spec, field);
    return { text: canonical(value), parts: partsOf(value) };
  });
}

/** More than all other differences of a field together. */
const wholeField = 1_000;

/** How much two objects differ: first by the number of fields, then by the size of the differences. */
function unlikeness(before: readonly Value[] | null, after: readonly Value[] | null): number {
  if (before === null || after === null) return wholeField * wholeField;
  let sum = 0;
  before.forEach((value, index) => {
    const other = after[index];
    if (other !== undefined && other.text !== value.text) sum += difference(value, other);
  });
  return sum;
}

function difference({ parts: before }: Value, { parts: after }: Value): number {
  let parts = 0;
  for (const part of before) if (!after.has(part)) parts += 1;
  for (const part of after) if (!before.has(part)) parts += 1;
  return wholeField + Math.min(wholeField - 1, parts);
}

/** What a list or a map consists of; for anything else the value itself. */
function partsOf(value: Json): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set((value as readonly Json[]).map((each) => canonical(each)));
  if (!isJsonObject(value)) return new Set([canonical(value)]);
  return new Set(Object.entries(value).map((entry) => canonical(entry)));
}
