import type { Inventory } from '../model/inventory.js';
import { byCodeUnit, canonical, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Agent, KindName, Observed } from '../model/resource.js';
import { type HashScope, hashed, valueHasher } from '../model/value-hash.js';
import {
  changeApplied,
  changeHashed,
  formatVersion,
  type ObjectJson,
  type SnapshotJson,
} from './snapshot-json.js';

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
  const hashFields = (kind: Kind | undefined, values: JsonObject) =>
    changeHashed(kind, values, (value) => hashed(value, hasher));
  const objectsOf = (kind: Kind) =>
    (inputs.objects.get(kind.name) ?? [])
      .map((each) => {
        const shown = objectJson(kind, each, inputs.withheld(each));
        return { ...shown, spec: hashFields(kind, shown.spec) };
      })
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
    inventory: changeApplied(inventoryJson(inputs.inventory), (name, applied) =>
      hashFields(
        kinds.find((kind) => kind.name === name),
        applied,
      ),
    ),
  };
}

function inventoryJson({ service, safeguards, entries, drafts }: Inventory): SnapshotJson['inventory'] {
  return {
    ...(service === null ? {} : { service }),
    ...(safeguards === null ? {} : { safeguards }),
    entries: inOrder(entries),
    drafts: inOrder(drafts),
  };
}

function objectJson(kind: Kind, observed: Observed, withheld: readonly string[]): ObjectJson {
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
    spec: Object.fromEntries(shown),
  };
}

function inOrder<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}
