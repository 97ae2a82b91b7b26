import { groupBy } from '../../model/group-by.js';
import type { Inventory } from '../../model/inventory.js';
import { canonical, type Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import { type Address, addressOf, type Desired, type Observed } from '../../model/resource.js';
import { closestPairs } from '../closest.js';
import type { ResourceDiff } from '../diff.js';
import { ruleOf } from '../fields.js';
import { ComparedValues, RecordedObjects, tellsApart } from '../recorded.js';
import { nearValue } from '../unmanaged/near-misses.js';

/** With more candidates than this, nobody can tell which is which, and comparing them takes too long. */
const MOST_CANDIDATES = 100;

/** A new entry and what the plan deletes, of one kind. */
interface Candidates {
  readonly kind: Kind;
  readonly entries: readonly Desired[];
  readonly objects: readonly Observed[];
  readonly values: ComparedValues;
}

/** For creates that look like an object that the same plan deletes: how to keep that object instead. */
export function renameNotes(
  diffs: readonly ResourceDiff[],
  inventory: Inventory,
): ReadonlyMap<Address, readonly string[]> {
  const notes = new Map<Address, readonly string[]>();
  for (const [kind, list] of groupBy(diffs, ({ match }) => match.kind)) {
    const deleted = new Map(list.flatMap(deletedObject));
    const entries = list.flatMap(({ change, match: { entry } }) =>
      change.action === 'create' && entry !== null ? [entry] : [],
    );
    if (kind.nearMiss === undefined || deleted.size === 0 || entries.length === 0) continue;
    const values = new ComparedValues(kind, new RecordedObjects(inventory));
    for (const [entry, object] of likelyPairs({ kind, entries, objects: [...deleted.keys()], values }))
      notes.set(entry.address, [noteOf(entry.address, deleted.get(object) ?? '', object, inventory)]);
  }
  return notes;
}

function deletedObject({ change, match: { observed, address } }: ResourceDiff): [Observed, Address][] {
  return change.action === 'delete' && observed?.spec != null ? [[observed, address]] : [];
}

/** Each entry and each object is in one pair at most. */
function likelyPairs({ kind, values, ...all }: Candidates): (readonly [Desired, Observed])[] {
  const pairs = new Map<Desired, Observed>();
  const taken = new Set<Observed>();
  for (const field of Object.keys(kind.fields).filter((each) => mayAgree(kind, each))) {
    const keyOf = (list: readonly Json[] | null) => keyIn(kind, field, list);
    const objects = groupBy(
      all.objects.filter((each) => !taken.has(each)),
      (each) => keyOf(values.ofObject(each)),
    );
    const open = all.entries.filter((each) => !pairs.has(each));
    for (const [key, entries] of groupBy(open, (each) => keyOf(values.ofEntry(each)))) {
      const near = objects.get(key) ?? [];
      if (key === null || Math.max(entries.length, near.length) > MOST_CANDIDATES) continue;
      for (const [entry, object] of closestPairs(values, entries, near)) {
        if (!looksLike(kind, values.ofEntry(entry), values.ofObject(object) ?? [])) continue;
        pairs.set(entry, object);
        taken.add(object);
      }
    }
  }
  return [...pairs];
}

/** Only what agrees in one of these is compared further: the near name or target, or the agents. */
function mayAgree(kind: Kind, field: string): boolean {
  return field === kind.nearMiss?.field || ['set', 'sequence'].includes(ruleOf(kind, field).layout);
}

function keyIn(kind: Kind, field: string, values: readonly Json[] | null): string | null {
  const value = values?.[Object.keys(kind.fields).indexOf(field)] ?? null;
  if (field === kind.nearMiss?.field) return nearValue(kind, value);
  return tellsApart(value) ? canonical(value) : null;
}

/** At least half of what tells objects apart is the same. Texts and inputs do not count: they often change. */
function looksLike(kind: Kind, entry: readonly Json[], object: readonly Json[]): boolean {
  const telling = Object.keys(kind.fields).flatMap((field, index) => {
    const [after = null, before = null] = [entry[index], object[index]];
    const counts = !['text', 'map'].includes(ruleOf(kind, field).layout);
    if (!counts || !(tellsApart(after) || tellsApart(before))) return [];
    const value = (each: Json) => (field === kind.nearMiss?.field ? nearValue(kind, each) : canonical(each));
    return [value(after) === value(before)];
  });
  return telling.filter((isSame) => isSame).length * 2 >= telling.length;
}

/**
 * Only what the inventory has under its address can be named in `formerly`, which has no effect on an entry whose own
 * address the inventory has.
 */
function noteOf(created: Address, address: Address, { kind, id }: Observed, { entries }: Inventory): string {
  const isFormer = entries.get(address)?.id === id && !entries.has(created);
  const property = isFormer ? `formerly: ${address.slice(addressOf(kind, '').length)}` : `id: ${id}`;
  return `looks like ${address}, which this plan deletes: to keep that object, add \`${property}\` to the entry`;
}
