import { equal, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { resolveValues } from '../model/pending.js';
import type { InventoryRecord } from '../model/plan.js';
import type { Address, FieldRule } from '../model/resource.js';
import { fits } from '../model/template.js';

/** Values as the inventory keeps them: those of sensitive fields are templates. */
export type RecordedValues = Pick<InventoryRecord, 'applied' | 'sensitive'>;

/** The canonical value of each field, as the inventory keeps them. */
export function valuesOf(kind: Kind, spec: unknown): JsonObject {
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(rulesOf(kind)).map(([field, rule]) => [field, rule.canonical(fields[field])]),
  );
}

/** Whether an object has all of these values, whose references may be pending. A template stands for any value that fits. */
export function hasValues(
  kind: Kind,
  spec: unknown,
  { applied, sensitive }: RecordedValues,
  ids: ReadonlyMap<Address, string>,
): boolean {
  if (spec === null) return false;
  const rules = rulesOf(kind);
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.entries(resolveValues(kind, applied, ids)).every(([field, value]) => {
    const own = rules[field]?.canonical(fields[field]) ?? null;
    return sensitive.includes(field) ? fits(own, value) : equal(own, value);
  });
}

function rulesOf(kind: Kind): Readonly<Record<string, FieldRule<unknown>>> {
  return kind.fields as Readonly<Record<string, FieldRule<unknown>>>;
}
