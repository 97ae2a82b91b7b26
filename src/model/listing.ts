import type { Hold } from './hold.js';
import type { JsonObject } from './json.js';
import type { Address, Agent, KindName, Names } from './resource.js';

/** What a list shows of one object, besides its id and its name. Nothing that may be a secret. */
export interface Listing {
  /** For programs. */
  readonly values: JsonObject;
  /** For people: texts by the title of their column. All objects of a kind have the same columns. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface ListingContext {
  readonly names: Names;
  readonly now: Date;
}

/**
 * `declared`: an entry is matched with it. `external`: an entry refers to it. `undeclared`: no entry declares it, and it
 * belongs to this project, or `prune: all` would delete it. `unmanaged`: this project has nothing to do with it (contract §1).
 */
export type ListedStatus = 'declared' | 'external' | 'undeclared' | 'unmanaged';

export interface ListedObject extends Listing {
  readonly id: string | null;
  readonly name: string | null;
  /** Null for what this project does not know. */
  readonly address: Address | null;
  /** Null without a project. */
  readonly status: ListedStatus | null;
  /** False for objects of the operator, null where the service does not say. */
  readonly canManage: boolean | null;
  /** The key that roster uses; null when it may be. Missing for kinds without secrets. */
  readonly caller?: boolean | null;
  /** Missing unless it is on hold. */
  readonly held?: Hold;
}

export interface ListedSection {
  readonly kind: KindName;
  /** The section of manifests: `groups`. */
  readonly section: string;
  readonly objects: readonly ListedObject[];
}

/** An input key that an agent accepts. */
export interface AgentInput {
  readonly key: string;
  /** Null where the service gives none. */
  readonly defaultValue: string | null;
}

export interface AgentWithInputs extends Agent {
  readonly inputs: readonly AgentInput[];
}

/** Its inputs only where nothing else is listed. */
export type ListedAgent = Agent & Partial<Pick<AgentWithInputs, 'inputs'>>;
