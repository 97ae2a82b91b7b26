import { type Hold, holdText } from '../../model/hold.js';
import type { Inventory, InventoryEntry } from '../../model/inventory.js';
import { canonical, type Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { DetailedChange, LoggedChange } from '../../model/log.js';
import type { FieldChange } from '../../model/plan.js';
import { type FieldRule, type Names, objectKey } from '../../model/resource.js';

interface Inventories {
  /** Null where it cannot be read, or does not exist yet. */
  readonly before: Inventory | null;
  readonly after: Inventory | null;
}

/**
 * What a run says it changed, each with the values that the inventory recorded before and after it, and what else differs
 * between the two: of a run that recorded no result, that is what it was about to create.
 */
export function recordedChanges(
  kinds: readonly Kind[],
  logged: readonly LoggedChange[],
  inventories: Inventories,
): readonly DetailedChange[] {
  const { before, after } = inventories;
  const names = namesIn([after, before]);
  const known = new Set(logged.map(({ address }) => address));
  const unsaid =
    after === null ? [] : unsaidChanges(before, after).filter(({ address }) => !known.has(address));
  const shown = new Set<string>();
  return [...logged, ...unsaid].map((change) => {
    const { address, outcome } = change;
    const [was, is] = [before?.entries.get(address), after?.entries.get(address)];
    const name = is?.name ?? was?.name ?? after?.drafts.get(address)?.name ?? null;
    // Its protection has a line of its own, after that of the change.
    const isFirst = !shown.has(address);
    shown.add(address);
    const isKnown = isFirst && outcome === 'done' && after !== null;
    const fields = isKnown ? [...fieldsOf(kinds, was, is, names), ...holdFields(was?.hold, is?.hold)] : [];
    return { ...change, name, fields };
  });
}

/** Differences between two inventories, for commits whose message names no changes. */
function unsaidChanges(before: Inventory | null, after: Inventory): LoggedChange[] {
  const addresses = [...new Set([...(before?.entries.keys() ?? []), ...after.entries.keys()])].sort();
  const recorded = addresses.flatMap((address): LoggedChange[] => {
    const [was, is] = [before?.entries.get(address), after.entries.get(address)];
    if (textOf(was) === textOf(is)) return [];
    const action =
      was === undefined ? 'recorded' : is === undefined ? 'no longer recorded' : 'recorded again';
    return [{ address, action, outcome: 'done', id: is?.id ?? was?.id ?? null }];
  });
  const begun = [...after.drafts].flatMap(([address, draft]): LoggedChange[] => {
    const isNew = canonical({ ...before?.drafts.get(address) }) !== canonical({ ...draft });
    const action = after.entries.has(address) ? 'update' : 'create';
    return isNew ? [{ address, action, outcome: 'unknown', id: after.entries.get(address)?.id ?? null }] : [];
  });
  return [...recorded, ...begun];
}

function textOf(entry: InventoryEntry | undefined): string {
  return entry === undefined ? '' : canonical({ ...entry });
}

function fieldsOf(
  kinds: readonly Kind[],
  was: InventoryEntry | undefined,
  is: InventoryEntry | undefined,
  names: Names,
): FieldChange[] {
  const kind = kinds.find(({ name }) => name === (is ?? was)?.kind);
  const rules = (kind?.fields ?? {}) as Readonly<Record<string, FieldRule<unknown>>>;
  const paths = [...new Set([...Object.keys(is?.applied ?? {}), ...Object.keys(was?.applied ?? {})])].sort();
  return paths.flatMap((path): FieldChange[] => {
    const [from, to] = [was?.applied[path], is?.applied[path]];
    // Roster 0.1 left sensitive fields out.
    if (was !== undefined && is !== undefined && (from === undefined || to === undefined)) return [];
    if (canonical(from ?? null) === canonical(to ?? null)) return [];
    const rule = Object.hasOwn(rules, path) ? rules[path] : undefined;
    const show = (value: Json | undefined) =>
      value === undefined ? null : (rule?.showApplied?.(value, names) ?? value);
    const sensitive = [was, is].some((each) => each?.sensitive.includes(path));
    const layout = rule?.layout ?? 'value';
    return [
      { path, before: show(from), after: show(to), sensitive, layout, origin: 'manifest', source: null },
    ];
  });
}

/** A hold is not a property of an object: only the inventory records it. */
function holdFields(was: Hold | undefined, is: Hold | undefined): FieldChange[] {
  const [before, after] = [was, is].map((hold) => (hold === undefined ? null : holdText(hold)));
  if (before === after) return [];
  const field = { path: 'hold', before: before ?? null, after: after ?? null };
  return [{ ...field, sensitive: false, layout: 'value', origin: 'manifest', source: null }];
}

/** Agents keep their ids: only the service knows their names. */
function namesIn(inventories: readonly (Inventory | null)[]): Names {
  const addresses = new Map(
    inventories.flatMap((each) =>
      [...(each?.entries ?? [])].map(([address, { kind, id }]) => [objectKey(kind, id), address] as const),
    ),
  );
  return {
    agent: (id) => id,
    object: (kind, id) => addresses.get(objectKey(kind, id)) ?? `${kind} ${id}`,
  };
}
