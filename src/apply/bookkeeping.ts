import type { Inventory, InventoryDraft, InventoryEntry } from '../model/inventory.js';
import type { JsonObject } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import type { Address } from '../model/resource.js';
import { resolveJson } from './resolve.js';

/** The intent: what is about to be created is written down before the first request leaves. */
export function inventoryBefore(
  inventory: Inventory,
  plan: Plan,
  drafts: ReadonlyMap<Address, InventoryDraft>,
): Inventory {
  const planned = new Set(plan.changes.map((change) => change.address));
  const intended = [...drafts].filter(([address]) => planned.has(address));
  return { ...inventory, drafts: new Map([...inventory.drafts, ...intended]) };
}

type Records = ReadonlyMap<Address, Omit<InventoryEntry, 'id'>>;

/** The outcome: what is ours now, as far as it is known. What failed keeps its old entry, what is unknown its draft. */
export function inventoryAfter(
  intent: Inventory,
  { plan, records }: { readonly plan: Plan; readonly records: Records },
  outcomes: readonly ChangeOutcome[],
  ids: ReadonlyMap<Address, string>,
): Inventory {
  const entries = new Map(intent.entries);
  const drafts = new Map(intent.drafts);
  const outcomeOf = new Map(outcomes.map((each) => [each.address, each]));
  const addressOfId = new Map([...entries].map(([address, entry]) => [`${entry.kind} ${entry.id}`, address]));
  for (const change of plan.changes) {
    const outcome = outcomeOf.get(change.address)?.outcome ?? 'done';
    if (outcome !== 'unknown') drafts.delete(change.address);
    const entry = entryAfter(change, outcome, records.get(change.address), ids);
    if (entry === 'gone') entries.delete(change.address);
    else if (entry !== 'as-it-was') {
      // One object, one owner: an entry that was renamed takes the object with it.
      const former = addressOfId.get(`${entry.kind} ${entry.id}`);
      if (former !== undefined && entry.id !== null) entries.delete(former);
      entries.set(change.address, entry);
    }
  }
  return { ...intent, entries, drafts };
}

function entryAfter(
  change: Change,
  outcome: ChangeOutcome['outcome'],
  record: Omit<InventoryEntry, 'id'> | undefined,
  ids: ReadonlyMap<Address, string>,
): InventoryEntry | 'gone' | 'as-it-was' {
  const id = ids.get(change.address) ?? null;
  switch (change.action) {
    case 'delete':
    case 'forget':
      return outcome === 'done' ? 'gone' : 'as-it-was';
    case 'none':
      return record === undefined || change.id === null ? 'as-it-was' : owned(record, id, ids);
    case 'create':
      // Created and then failed: it is ours all the same, and the next plan sees what is missing.
      return record !== undefined && (outcome === 'done' || id !== null)
        ? owned(record, id, ids)
        : 'as-it-was';
    case 'update':
    case 'replace':
    case 'adopt':
      return record !== undefined && outcome === 'done' ? owned(record, id, ids) : 'as-it-was';
    default:
      return change.action satisfies never;
  }
}

function owned(
  record: Omit<InventoryEntry, 'id'>,
  id: string | null,
  ids: ReadonlyMap<Address, string>,
): InventoryEntry {
  return { ...record, id, applied: resolveJson(record.applied, ids) as JsonObject };
}
