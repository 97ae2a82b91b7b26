import { byCodeUnit, canonical, isJsonObject, type Json } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Desired, Observed } from '../model/resource.js';
import { assign } from './assignment.js';
import { fieldValue } from './fields.js';

/**
 * As many pairs of entries and objects as there can be, with the fewest and smallest changes in all. The order of
 * neither matters.
 */
export function likest(
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

/** Every field's normal form; null where the content is unknown. */
function fieldValues(kind: Kind, spec: unknown): readonly Json[] | null {
  return spec === null ? null : Object.keys(kind.fields).map((field) => fieldValue(kind, spec, field));
}

/** More than all other differences of a field together. */
const wholeField = 1_000;

/** How much two objects differ: first by the number of fields, then by the size of the differences. */
function unlikeness(before: readonly Json[] | null, after: readonly Json[] | null): number {
  if (before === null || after === null) return wholeField * wholeField;
  return before.reduce<number>((sum, value, index) => sum + difference(value, after[index] ?? null), 0);
}

function difference(before: Json, after: Json): number {
  if (canonical(before) === canonical(after)) return 0;
  const [left, right] = [partsOf(before), partsOf(after)];
  const parts =
    [...left].filter((part) => !right.has(part)).length + [...right].filter((part) => !left.has(part)).length;
  return wholeField + Math.min(wholeField - 1, parts);
}

/** What a list or a map consists of; for anything else the value itself. */
function partsOf(value: Json): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set((value as readonly Json[]).map((each) => canonical(each)));
  if (!isJsonObject(value)) return new Set([canonical(value)]);
  return new Set(Object.entries(value).map((entry) => canonical(entry)));
}
