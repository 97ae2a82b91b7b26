import type { Hold } from '../model/hold.js';
import type { InventoryDraft, InventoryEntry } from '../model/inventory.js';
import type { Json, JsonObject } from '../model/json.js';
import { type Kind, rulesOf } from '../model/kind.js';
import type { PolicyRecord } from '../model/policy.js';
import type { Address, Agent, InventorySetting, KindName } from '../model/resource.js';
import type { Safeguards } from '../model/safeguards.js';

/** Incremented when a reader of the old format could misread the new one. */
export const formatVersion = 1;

/** The file of a snapshot (schemas/snapshot.schema.json). */
export interface SnapshotJson {
  readonly formatVersion: typeof formatVersion;
  readonly roster: string;
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
  readonly account: string | null;
  readonly takenAt: string;
  /** The version of the time-zone data of the command that took it. */
  readonly timeZoneData: string;
  readonly agents: readonly Agent[];
  readonly objects: Readonly<Record<KindName, readonly ObjectJson[]>>;
  readonly inventoryPlace: InventorySetting;
  /** Other projects of the repository that own objects. Missing when there were none. */
  readonly siblings?: readonly SiblingJson[];
  readonly inventory: {
    /** Missing where the inventory does not say. */
    readonly service?: string | undefined;
    readonly safeguards?: Safeguards | undefined;
    readonly policies?: readonly PolicyRecord[] | undefined;
    /** Where the last apply kept it. */
    readonly place?: InventorySetting | undefined;
    /** The commit of the manifests last applied. */
    readonly commit?: string | undefined;
    readonly entries: Readonly<Record<Address, InventoryEntry>>;
    readonly drafts: Readonly<Record<Address, InventoryDraft>>;
  };
}

/** What a plan needs of the inventory of another project. */
export interface SiblingJson {
  readonly project: string;
  readonly environment: string | null;
  readonly owned: readonly {
    readonly address: Address;
    readonly kind: KindName;
    readonly id: string;
    readonly protect: boolean;
    readonly hold?: Hold;
  }[];
}

export interface ObjectJson {
  /** As the service writes it: a number or text. */
  readonly id: string | number | null;
  readonly name: string | null;
  readonly manageable: boolean | null;
  readonly caller: boolean;
  readonly facts: JsonObject;
  readonly withheld: readonly string[];
  /** Every field is either here or in `withheld`. */
  readonly spec: JsonObject;
}

/** The values of fields, with `change` made to those that a snapshot holds as hashes. None of an unknown kind. */
export function changeHashed(
  kind: Kind | undefined,
  values: JsonObject,
  change: (value: Json) => Json,
): JsonObject {
  const fields = kind === undefined ? [] : Object.entries(values);
  const isHashed = (field: string) => kind?.snapshot.hashed?.includes(field) === true;
  return Object.fromEntries(fields.map(([field, value]) => [field, isHashed(field) ? change(value) : value]));
}

/** An inventory with `change` made to what was applied by each entry and draft. */
export function changeApplied(
  { entries, drafts, ...rest }: SnapshotJson['inventory'],
  change: (kind: KindName, applied: JsonObject) => JsonObject,
): SnapshotJson['inventory'] {
  const mapped = <T extends { readonly kind: KindName; readonly applied?: JsonObject }>(
    map: Readonly<Record<Address, T>>,
  ) =>
    Object.fromEntries(
      Object.entries(map).map(([address, each]) => [
        address,
        each.applied === undefined ? each : { ...each, applied: change(each.kind, each.applied) },
      ]),
    );
  return { ...rest, entries: mapped(entries), drafts: mapped(drafts) };
}

/** A field that may hold secrets of others, and whose values are plain text in all other snapshots. */
export function isHashedText(kind: Kind, field: string): boolean {
  return rulesOf(kind)[field]?.mayHoldSecrets === true && kind.snapshot.hashed?.includes(field) !== true;
}

/** Its canonical form: what is equal has one hash. */
export function fieldText(kind: Kind, field: string, value: unknown): Json {
  return rulesOf(kind)[field]?.canonical(value) ?? null;
}
