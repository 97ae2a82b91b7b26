import type { Inventory } from '../model/inventory.js';
import { byCodeUnit, canonical, type Json, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Agent, KindName, Observed } from '../model/resource.js';
import { type HashScope, hashed, type ValueHasher, valueHasher } from '../model/value-hash.js';
import { formatVersion, type ObjectJson, type SnapshotJson } from './snapshot-json.js';

/** What is saved, and what must not be. */
export interface SaveInputs extends HashScope {
  /** The version of roster that takes it. */
  readonly roster: string;
  readonly takenAt: Date;
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  /** Fields of an object that hold a value from the environment. */
  withheld(observed: Observed): readonly string[];
}

/** The observed state as people without an API key may see it: no values of inputs, no values from the environment. */
export function snapshotJson(inputs: SaveInputs): SnapshotJson {
  const { roster, project, environment, service, account, takenAt, kinds } = inputs;
  const hasher = valueHasher(inputs);
  const objectsOf = (kind: Kind) =>
    (inputs.objects.get(kind.name) ?? [])
      .map((each) => objectJson(kind, each, inputs.withheld(each), hasher))
      .sort((a, b) => byCodeUnit(canonical([a.id, a.name]), canonical([b.id, b.name])));
  return {
    formatVersion,
    roster,
    project,
    environment,
    service,
    account,
    takenAt: takenAt.toISOString(),
    agents: inputs.agents
      .map(({ id, externalAgentId, name, inputKeys }) => ({ id, externalAgentId, name, inputKeys }))
      .sort((a, b) => byCodeUnit(a.id, b.id)),
    objects: Object.fromEntries(kinds.map((kind) => [kind.name, objectsOf(kind)])),
    inventory: inventoryJson(inputs.inventory, kinds, hasher),
  };
}

function objectJson(
  kind: Kind,
  observed: Observed,
  withheld: readonly string[],
  hasher: ValueHasher,
): ObjectJson {
  const { rawId, name, manageable, caller, facts } = observed;
  const spec = (observed.spec ?? {}) as JsonObject;
  const shown = Object.entries(spec).filter(([field]) => !withheld.includes(field));
  return {
    id: rawId,
    name: withheld.includes('name') ? null : name,
    manageable,
    caller,
    facts: Object.fromEntries((kind.snapshot.facts ?? []).map((fact) => [fact, facts[fact] ?? null])),
    withheld: [...withheld].sort(byCodeUnit),
    spec: hashedFields(kind, shown, hasher),
  };
}

function inventoryJson(
  { entries, drafts }: Inventory,
  kinds: readonly Kind[],
  hasher: ValueHasher,
): SnapshotJson['inventory'] {
  const applied = (kindName: KindName, values: JsonObject) => {
    const kind = kinds.find((each) => each.name === kindName);
    return kind === undefined ? {} : hashedFields(kind, Object.entries(values), hasher);
  };
  const inOrder = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => byCodeUnit(a, b));
  return {
    entries: Object.fromEntries(
      inOrder(entries).map(([address, entry]) => [
        address,
        { ...entry, applied: applied(entry.kind, entry.applied) },
      ]),
    ),
    drafts: Object.fromEntries(
      inOrder(drafts).map(([address, draft]) => [
        address,
        draft.applied === undefined ? draft : { ...draft, applied: applied(draft.kind, draft.applied) },
      ]),
    ),
  };
}

function hashedFields(
  kind: Kind,
  fields: readonly (readonly [string, Json])[],
  hasher: ValueHasher,
): JsonObject {
  return Object.fromEntries(
    fields.map(([field, value]) => [
      field,
      kind.snapshot.hashed?.includes(field) ? hashed(value, hasher) : value,
    ]),
  );
}
