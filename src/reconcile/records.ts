import type { CreateIntent, InventoryEntry, InventoryRecord } from '../model/inventory.js';
import { byCodeUnit, type Json, type JsonObject } from '../model/json.js';
import { isExpired, type Kind } from '../model/kind.js';
import type { Plan } from '../model/plan.js';
import type { Address, Desired } from '../model/resource.js';
import { fieldValue, nameOf } from './fields.js';
import { ignoredParts, recordWithIgnored } from './ignore.js';
import type { Comparison, Match, ResourceDiff } from './world.js';

/** What an apply records about what is declared: before it creates an object, and once the change is done. */
export function intentsAndRecords({ diffs, basis }: Comparison): Pick<Plan, 'records' | 'createIntents'> {
  const records: Record<Address, InventoryRecord> = {};
  const createIntents: Record<Address, CreateIntent> = {};
  for (const { match: each, change } of diffs) {
    if (each.entry === null) continue;
    const expired = isExpired(each.kind, each.entry.declared, basis.now);
    const record = recordOf(each, each.entry, expired);
    records[change.address] = record;
    if (!needsIntent(each, change)) continue;
    createIntents[change.address] = createIntent(each.kind, each.entry, record);
  }
  return { records, createIntents };
}

/** So that a later plan can show what is ignored in addition. */
function ignoredAtApply(entry: Desired): Pick<InventoryEntry, 'ignore'> {
  const paths = ignoredParts(entry).map(({ path }) => path);
  return paths.length === 0 ? {} : { ignore: paths.sort(byCodeUnit) };
}

/** A run may be killed after it created the object, or changed what the inventory knows it by. */
function needsIntent({ kind, known }: Match, { action, fields }: ResourceDiff['change']): boolean {
  if (action === 'create' || action === 'replace') return true;
  const identifies = ({ path }: { readonly path: string }) => kind.identity.fields.includes(path);
  return action === 'update' && known !== null && fields.some(identifies);
}

/** What a draft says of the new object must be found there, so templates are left out. */
function createIntent(kind: Kind, entry: Desired, { name, applied }: InventoryRecord): CreateIntent {
  const identity = kind.identity.of(entry.spec);
  const values = Object.entries(applied).filter(([field]) => entry.templates[field] === undefined);
  return { identity, draft: { kind: kind.name, name, identity, applied: Object.fromEntries(values) } };
}

/**
 * The inventory entry of a declared resource after its change: what was applied, or for an expired entry what exists.
 * Where values from the environment belong, it holds the template.
 */
function recordOf(match: Match, entry: Desired, expired: boolean): InventoryRecord {
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
    name: nameOf(kind, entry.spec),
    protect: entry.protect,
    applied: applied as JsonObject,
    sensitive: Object.keys(entry.templates),
    ...ignoredAtApply(entry),
    ...(match.hold === undefined ? {} : { hold: match.hold }),
  };
  return match.observed === null ? record : recordWithIgnored(entry, record, match.known);
}
