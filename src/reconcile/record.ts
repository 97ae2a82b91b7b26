import type { InventoryEntry } from '../model/inventory.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Desired } from '../model/resource.js';
import { fieldValue, rawValue } from './fields.js';
import { recordWithIgnored } from './ignore/ignored-records.js';
import type { Match } from './match/match.js';

/**
 * The inventory entry of a declared resource after its change: what was applied, or for an expired entry what exists.
 * Where values from the environment belong, it holds the template.
 */
export function recordOf(match: Match, entry: Desired, expired: boolean): Omit<InventoryEntry, 'id'> {
  const { kind } = match;
  const spec = expired ? match.observed?.spec : entry.spec;
  const applied: Record<string, Json> = {};
  for (const field of Object.keys(kind.fields)) {
    const template = entry.templates[field];
    if (template === undefined && spec != null) applied[field] = fieldValue(kind, spec, field);
    // What exists of an expired entry may hold a former value from the environment.
    else if (template !== undefined && !expired) applied[field] = template;
  }
  const record = {
    kind: kind.name,
    name: nameOf(match, entry),
    protect: entry.protect,
    applied: applied as JsonObject,
    sensitive: Object.keys(entry.templates),
  };
  return match.observed === null ? record : recordWithIgnored(entry, record, match.known);
}

/** Null for kinds without names. */
export function nameOf(match: Match, entry: Desired): string | null {
  const name = 'name' in match.kind.fields ? rawValue(entry.spec, 'name') : null;
  return typeof name === 'string' ? name : null;
}
