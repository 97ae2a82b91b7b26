import { type Finding, note } from '../../model/finding.js';
import type { Inventory } from '../../model/inventory.js';
import { canonical, groupBy, type Json } from '../../model/json.js';
import { type Kind, ruleOf } from '../../model/kind.js';
import { isGlob } from '../../model/removed.js';
import { type Address, addressOf, type Desired, type KindName, type Observed } from '../../model/resource.js';
import { closestPairs } from '../pair.js';
import { ComparedValues, RecordedObjects, tellsApart } from '../recorded.js';
import { entryDiagnostic } from '../references.js';
import type { ResourceDiff, Rule, World } from '../world.js';
import { nearValue } from './duplicates.js';

/** Entries and objects that go by another key or name now, and what names one in vain. */
export const renames: Rule = {
  name: 'renames',
  examine: (world) => [
    ...world.diffs.flatMap(renamedEntry),
    ...renameHints(world),
    ...unknownFormerly(world),
    ...unknownRemoved(world),
  ],
};

function renamedEntry({ match: { renamedFrom, observed }, change: { address } }: ResourceDiff): Finding[] {
  return renamedFrom === null || observed === null ? [] : [note(address, `renamed from ${renamedFrom}`)];
}

/** With more candidates than this, nobody can tell which is which, and comparing them takes too long. */
const MOST_CANDIDATES = 100;

/** A new entry and what the plan deletes, of one kind. */
interface Candidates {
  readonly kind: Kind;
  readonly entries: readonly Desired[];
  readonly objects: readonly Observed[];
  readonly values: ComparedValues;
}

/** Creates that look like an object that the same plan deletes: how to keep that object instead. */
function renameHints({ diffs, basis: { inventory } }: World): Finding[] {
  const likely = new Map<Address, string>();
  // In the order of the kinds: what is referred to comes before what refers to it.
  return [...groupBy(diffs, ({ match }) => match.kind)].flatMap(([kind, list]) => {
    const deleted = new Map(list.flatMap(deletedObject));
    const entries = list.flatMap(({ change, match: { entry } }) =>
      change.action === 'create' && entry !== null ? [entry] : [],
    );
    if (kind.nearMiss === undefined || deleted.size === 0 || entries.length === 0) return [];
    const values = new ComparedValues(kind, new RecordedObjects(inventory), likely);
    const pairs = likelyPairs({ kind, entries, objects: [...deleted.keys()], values });
    for (const [entry, { id }] of pairs) if (id !== null) likely.set(entry.address, id);
    return pairs.flatMap(([entry, object]) => {
      const address = deleted.get(object) ?? '';
      const add = additionFor(entry, address, object, inventory);
      return [
        note(entry.address, `looks like ${address}, which this plan deletes: to keep that object, ${add}`),
        note(address, `looks like ${entry.address}, which this plan creates: to keep this object, ${add}`),
      ];
    });
  });
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
  const rest = {
    entries: all.entries.filter((each) => !pairs.has(each)),
    objects: all.objects.filter((each) => !taken.has(each)),
  };
  return [...pairs, ...barePair({ kind, values, ...rest })];
}

/** A group without members: only its name tells it apart, so that all else must be the same, and no other be like it. */
function barePair({ kind, entries, objects, values }: Candidates): (readonly [Desired, Observed])[] {
  const fields = Object.keys(kind.fields);
  const isName = (field: string) => field === kind.nearMiss?.field && kind.nearMiss.isName === true;
  const isBare = (list: readonly Json[] | null) =>
    list !== null &&
    fields.some(isName) &&
    fields.every((field, at) => isName(field) || !countsFor(kind, field) || !tellsApart(list[at]));
  const [entry, ...otherEntries] = entries.filter((each) => isBare(values.ofEntry(each)));
  const [object, ...otherObjects] = objects.filter((each) => isBare(values.ofObject(each)));
  if (entry === undefined || object === undefined || otherEntries.length + otherObjects.length > 0) return [];
  const [one, other] = [values.ofEntry(entry), values.ofObject(object) ?? []];
  const isSame = fields.every(
    (field, at) => isName(field) || canonical(one[at] ?? null) === canonical(other[at] ?? null),
  );
  return isSame ? [[entry, object]] : [];
}

/** Texts and inputs do not tell objects apart: they often change. */
function countsFor(kind: Kind, field: string): boolean {
  return !['text', 'map'].includes(ruleOf(kind, field).layout);
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

/** At least half of what tells objects apart is the same. */
function looksLike(kind: Kind, entry: readonly Json[], object: readonly Json[]): boolean {
  const telling = Object.keys(kind.fields).flatMap((field, index) => {
    const [after = null, before = null] = [entry[index], object[index]];
    if (!countsFor(kind, field) || !(tellsApart(after) || tellsApart(before))) return [];
    const value = (each: Json) => (field === kind.nearMiss?.field ? nearValue(kind, each) : canonical(each));
    return [value(after) === value(before)];
  });
  return telling.filter((isSame) => isSame).length * 2 >= telling.length;
}

/**
 * Only what the inventory has under its address can be named in `formerly`, which has no effect on an entry whose own
 * address the inventory has.
 */
function additionFor(
  entry: Desired,
  address: Address,
  { kind, id }: Observed,
  { entries }: Inventory,
): string {
  const isFormer = entries.get(address)?.id === id && !entries.has(entry.address);
  const former = keyOf(kind, address);
  // What is written once is for all items.
  const isRepeated = entry.source.each !== undefined;
  const formerly = isRepeated ? `{ ${keyOf(kind, entry.address)}: ${former} }` : former;
  const property = isFormer ? `formerly: ${formerly}` : `id: ${id}`;
  const where = isRepeated && !isFormer ? 'for this item' : 'to the entry';
  return `add \`${property}\` ${where}`;
}

/** Entries that are created although they name a former key: the inventory knows nothing under it. */
function unknownFormerly({ diffs, basis: { inventory, project, agents } }: World): Finding[] {
  const keysOf = undeclaredKeys(inventory, new Set(project.entries.map(({ address }) => address)));
  return diffs.flatMap(({ change, match: { entry, kind } }) => {
    if (entry === null || entry.formerly === null || change.action !== 'create') return [];
    if (inventory.entries.has(entry.formerly)) return [];
    const message = `the inventory knows no ${entry.formerly}, so this entry is created as a new ${kind.name}`;
    const closest = agents.suggest(keyOf(kind.name, entry.formerly), keysOf(kind.name));
    const help = inventory.entries.has(entry.address)
      ? 'Remove `formerly`: the inventory knows this entry by its own key. To keep another object, use `id:`.'
      : closest === null
        ? `Use the key that it had at the last apply. If the ${kind.name} is new, remove \`formerly\`.`
        : `Did you mean \`${closest}\`?`;
    const problem = { severity: 'warning', code: 'unknown-formerly', message, help } as const;
    return [entryDiagnostic(entry, { ...problem, path: ['formerly'] })];
  });
}

/** What `formerly` could name, by kind. Computed once for each kind: there may be many mistakes. */
function undeclaredKeys(
  inventory: Inventory,
  declared: ReadonlySet<Address>,
): (kind: KindName) => readonly string[] {
  const keys = new Map<KindName, readonly string[]>();
  const find = (kind: KindName) =>
    [...inventory.entries].flatMap(([address, entry]) =>
      entry.kind === kind && !declared.has(address) ? [keyOf(kind, address)] : [],
    );
  return (kind) => {
    const found = keys.get(kind) ?? find(kind);
    keys.set(kind, found);
    return found;
  };
}

function keyOf(kind: KindName, address: Address): string {
  return address.slice(addressOf(kind, '').length);
}

/**
 * Addresses under `removed` that the inventory does not know, while it knows a similar one that nothing declares: that one
 * would be deleted. Without a similar one, it was forgotten by an earlier apply, or belongs to another environment.
 */
function unknownRemoved({ basis: { inventory, project, agents, removed: meant } }: World): Finding[] {
  const { entries, elsewhere = [], removed = [], removedPlaces } = project;
  const spokenFor = new Set([...entries.map(({ address }) => address), ...elsewhere, ...meant]);
  const left = [...inventory.entries.keys()].filter((address) => !spokenFor.has(address));
  return removed.flatMap((address): Finding[] => {
    if (isGlob(address) || inventory.entries.has(address) || inventory.drafts.has(address)) return [];
    const closest = sameKey(address, left) ?? agents.suggest(address, left);
    if (closest === null) return [];
    const message = `${address} is not in the inventory, so listing it under \`removed\` has no effect`;
    const place = removedPlaces?.get(address);
    const help = `Did you mean \`${closest}\`?`;
    const warning = { severity: 'warning', code: 'unknown-removed', message, help } as const;
    return [place === undefined ? warning : { ...warning, place }];
  });
}

/** The same key of another kind. */
function sameKey(address: Address, known: readonly Address[]): Address | null {
  const key = address.slice(address.indexOf('/'));
  return known.find((each) => each.slice(each.indexOf('/')) === key) ?? null;
}
