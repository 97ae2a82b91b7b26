import { canonical, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Address, FieldRule } from '../model/resource.js';
import { resolveJson } from './resolve.js';

/** The canonical value of each field, as the inventory keeps them. */
export function valuesOf(kind: Kind, spec: unknown): JsonObject {
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rulesOf(kind)).map(([field, rule]) => [field, rule.canonical(fields[field])]),
  );
}

/** Whether an object has all these values; `ids` are those of what the values may point to by address. */
export function hasValues(
  kind: Kind,
  spec: unknown,
  values: JsonObject,
  ids: ReadonlyMap<Address, string>,
): boolean {
  if (spec === null) return false;
  const rules = rulesOf(kind);
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.entries(values).every(
    ([field, value]) =>
      canonical(rules[field]?.canonical(fields[field]) ?? null) === canonical(resolveJson(value, ids)),
  );
}

function rulesOf(kind: Kind): Readonly<Record<string, FieldRule<unknown>>> {
  return kind.fields as Readonly<Record<string, FieldRule<unknown>>>;
}
