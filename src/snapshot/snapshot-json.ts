import type { JsonObject } from '../model/json.js';
import type { KindName } from '../model/resource.js';

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
  readonly agents: readonly AgentJson[];
  readonly objects: Readonly<Record<KindName, readonly ObjectJson[]>>;
  readonly inventory: {
    readonly entries: Readonly<Record<string, EntryJson>>;
    readonly drafts: Readonly<Record<string, DraftJson>>;
  };
}

export interface AgentJson {
  readonly id: string;
  readonly externalAgentId: string;
  readonly name: string;
  readonly inputKeys: readonly string[];
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

export interface EntryJson {
  readonly kind: KindName;
  readonly id: string | null;
  readonly name: string | null;
  readonly protect: boolean;
  readonly applied: JsonObject;
  readonly sensitive: readonly string[];
}

export interface DraftJson {
  readonly kind: KindName;
  readonly name: string | null;
  readonly identity: string | null;
  readonly applied?: JsonObject;
}
