import { canonical, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { resolveValues } from '../model/pending.js';
import type { Address, FieldRule } from '../model/resource.js';

/** The canonical value of each field, as the inventory keeps them. */
export function valuesOf(kind: Kind, spec: unknown): JsonObject {
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rulesOf(kind)).map(([field, rule]) => [field, rule.canonical(fields[field])]),
  );
}

/** Whether an object has all of these values, whose references may be pending. */
export function hasValues(
  kind: Kind,
  spec: unknown,
  values: JsonObject,
  ids: ReadonlyMap<Address, string>,
): boolean {
  if (spec === null) return false;
  const rules = rulesOf(kind);
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.entries(resolveValues(kind, values, ids)).every(
    ([field, value]) => canonical(rules[field]?.canonical(fields[field]) ?? null) === canonical(value),
  );
}

function rulesOf(kind: Kind): Readonly<Record<string, FieldRule<unknown>>> {
  return kind.fields as Readonly<Record<string, FieldRule<unknown>>>;
}
