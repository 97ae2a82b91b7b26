import type { InventoryEntry } from '../../model/inventory.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { Declared } from '../../model/resource.js';
import { escapedValue, unescapedValue, usesEnvironment } from '../../model/template.js';
import { ignoredParts, withoutIgnored } from './ignored-parts.js';

type Record_ = Pick<InventoryEntry, 'applied' | 'sensitive'>;

/** What was applied, without what somebody else manages now: that is not compared with anything. */
export function comparableRecord<R extends Record_>(entry: Pick<Declared, 'ignore'>, record: R): R {
  if (entry.ignore === undefined) return record;
  const applied: Record<string, Json> = { ...record.applied };
  let { sensitive } = record;
  for (const { field, part } of ignoredParts(entry)) {
    const value = applied[field];
    if (value === undefined) continue;
    if (part === null) delete applied[field];
    else applied[field] = withoutIgnored(entry, field, value);
    const rest = applied[field];
    if (!sensitive.includes(field) || (rest !== undefined && usesEnvironment(rest))) continue;
    sensitive = sensitive.filter((each) => each !== field);
    if (rest !== undefined) applied[field] = unescapedValue(rest);
  }
  return { ...record, applied, sensitive };
}

/**
 * The record of an entry with ignored properties: what others have set is not recorded. Where an apply has put values
 * from the environment, it still says so, so that nothing shows them.
 */
export function recordWithIgnored<R extends Record_>(
  entry: Pick<Declared, 'ignore'>,
  record: R,
  last: Record_ | null,
): R {
  if (entry.ignore === undefined) return record;
  const own = comparableRecord(entry, record);
  const applied: Record<string, Json> = { ...own.applied };
  const sensitive = new Set(own.sensitive);
  for (const { field, part } of ignoredParts(entry)) {
    const { applied: former, sensitive: wasSensitive } = last ?? record;
    if (!wasSensitive.includes(field)) continue;
    const template = former[field];
    const kept = part === null ? template : partOf(template, part);
    if (template !== undefined && !usesEnvironment(kept)) continue;
    if (part === null || !isJsonObject(template)) {
      if (template === undefined) delete applied[field];
      else applied[field] = template;
    } else applied[field] = withPart(applied[field], sensitive.has(field), part, kept ?? null);
    sensitive.add(field);
  }
  return { ...own, applied, sensitive: [...sensitive] };
}

function partOf(template: Json | undefined, part: string): Json | undefined {
  return isJsonObject(template) ? (template[part] as Json | undefined) : undefined;
}

function withPart(rest: Json | undefined, isTemplate: boolean, part: string, kept: Json): JsonObject {
  const others = isJsonObject(rest) ? rest : {};
  return { ...((isTemplate ? others : escapedValue(others)) as JsonObject), [part]: kept };
}
