import type { DiagnosticCode, Place } from './diagnostic.js';
import type { Json, JsonObject } from './json.js';

/** `group`, `pipeline`, `schedule`, `key`: one for each file in kinds/. The engine treats it as opaque. */
export type KindName = string;

/** `group/retail-prices`: the kind's name, a slash, the entry's key. */
export type Address = string;

export function addressOf(kind: KindName, key: string): Address {
  return `${kind}/${key}`;
}

/** The kind's name and the object's id as one text, to look objects up by. */
export function objectKey(kind: KindName, id: string | null): string {
  return `${kind} ${id}`;
}

/** Stands for the id of an object that the plan creates. Specs hold it, and references in canonical values. */
export interface Pending {
  readonly pending: Address;
}

/** Only for what is typed as an id: the values of users may look like anything (model/pending.ts). */
export function isPending(id: IdOrPending): id is Pending {
  return typeof id !== 'string';
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Unreserved characters of RFC 3986 alone: such an id means the same in a path as outside, so nothing is left to encode. */
const idGrammar = /^[A-Za-z0-9._~-]{1,200}$/;

/** Whether a text can be an id. Dots are refused because every URL parser resolves them: `..` would reach another endpoint. */
export function isId(id: string): boolean {
  return idGrammar.test(id) && id !== '.' && id !== '..';
}

/** GUIDs are the same in either case (interface §1.4): lower case is the one spelling used here. */
export function normalId(id: string): string {
  return guid.test(id) ? id.toLowerCase() : id;
}

/** The id of a remote object, or of one that is yet to be. */
export type IdOrPending = string | Pending;

/** One declared entry, as the manifest loader hands it on: variables replaced, defaults filled in, names not yet resolved. */
export interface Declared<D = unknown> {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  readonly declared: D;
  /** `id:` of the entry. */
  readonly id: string | null;
  /** The address that the entry had before, from `formerly:`. */
  readonly formerly: Address | null;
  readonly protect: boolean;
  readonly external: boolean;
  readonly source: Place;
  /** Names of the fields that hold a value that came from the environment. */
  readonly sensitive: readonly string[];
  /** The place of a value inside the entry, such as `['members', 2]`; of the nearest thing that encloses it otherwise. */
  placeOf(path: readonly (string | number)[], at?: At): Place;
}

/** A declared entry with agents and targets resolved: what the service shall say. */
export interface Desired<S = unknown> extends Declared {
  readonly spec: S;
}

/** Where a new key goes, and what must be true of it before it may stay (contract §5, Keys). */
export interface Delivery {
  readonly to: { readonly file: string } | { readonly command: readonly string[] } | null;
  /** Scopes asked for, sorted; empty for full access. */
  readonly scopes: readonly string[];
}

/** One object as the service shows it now. */
export interface Observed<S = unknown> {
  readonly kind: KindName;
  /** As text, for pairing and for paths; null where the list shows none (API keys, interface §2). */
  readonly id: string | null;
  /** As the service wrote it (a schedule's id may be a number, interface §1.4): for bodies. */
  readonly rawId: string | number | null;
  /** Null for kinds without names. */
  readonly name: string | null;
  /** False for what the operator set up. Null when the service did not say. */
  readonly manageable: boolean | null;
  /** Null when the list item lacked something: read by id before a decision rests on it. */
  readonly spec: S | null;
  /** True for the API key that roster calls with, and where that cannot be excluded. */
  readonly caller: boolean;
  /** What else is worth telling a person: createdDate, lastUsedDate, activeRunCount, keyPrefix… Never a secret. */
  readonly facts: JsonObject;
  /** Fields that a snapshot does not hold, because they came from the environment: taken to be as they are declared. */
  readonly withheld?: readonly string[];
}

/** An agent that the caller may use (interface §2). Agents are never managed by roster. */
export interface Agent {
  /** GUID, lower case. */
  readonly id: string;
  readonly externalAgentId: string;
  readonly name: string;
  readonly inputKeys: readonly string[];
}

/** A project, ready to be paired with what the service says. */
export interface Project {
  /** Of roster.yaml, relative to the working directory, for messages. */
  readonly file: string;
  /** Absolute: the project's folder. Deliveries and the inventory live inside it. */
  readonly root: string;
  readonly name: string;
  readonly environment: string | null;
  /** From the manifest, after the environment's override; flags and ROSTER_URL win over it. */
  readonly url: string | null;
  readonly inventory: InventorySetting;
  readonly prune: Prune;
  readonly limits: { readonly deletes: number; readonly startsPerMinute: number };
  readonly scopes: readonly string[];
  readonly entries: readonly Declared[];
  /** Values that came from the environment and must be shown nowhere. */
  readonly secrets: readonly string[];
}

export type Prune = 'owned' | 'all' | 'never';

export type InventorySetting =
  | { readonly file: string }
  | { readonly git: { readonly ref: string; readonly remote: string } };

/** Where a kind tells what is wrong with one entry. `path` leads from the entry to the value. */
export type ReportDiagnostic = (
  severity: 'error' | 'warning',
  code: DiagnosticCode,
  path: readonly (string | number)[],
  message: string,
  help?: string,
  at?: At,
) => void;

/** What of a map's property is meant: its value unless said. */
export type At = 'key' | 'value';

/** What a kind needs to turn names into ids. Each look-up tells what is wrong itself and then answers undefined. */
export interface Resolver {
  agent(name: string, path: readonly (string | number)[]): Agent | undefined;
  /** The id of a declared group or pipeline; pending when the plan creates it; undefined when it has an error of its own. */
  target(address: Address, path: readonly (string | number)[]): IdOrPending | undefined;
  /** Agents that a target consists of, for what depends on their inputs; empty when unknown. */
  agentsOf(address: Address): readonly Agent[];
  tell: ReportDiagnostic;
  /** The nearest of the known words, for a hint; null when none is near. */
  nearest(word: string, known: readonly string[]): string | null;
}

/** Turns ids back into the words a person knows. */
export interface Names {
  /** externalAgentId of an agent's GUID; the GUID when it is not assigned to the caller. */
  agent(id: string): string;
  /** The address of a remote object, else a readable stand-in with its name and id. */
  object(kind: KindName, id: string): string;
}

/** How two values of one field are compared and shown. */
export interface FieldRule<V> {
  /** Equal canonical forms mean no difference. This is where spelling without meaning is removed. */
  canonical(value: V): Json;
  /** What a person sees, and what the digest is made of: never depends on this machine. */
  show(value: V, names: Names): Json;
  /** Shows a canonical form, for rules whose canonical forms are no values; it may have been edited by hand. */
  showApplied?(canonical: Json, names: Names): Json;
  /** How the text plan lays out a difference. */
  layout: Layout;
  /** The value refers to an object: its canonical form is `[kind, id]`, and the id may be pending. */
  isReference?: true;
}

/** `value`: before → after. `set` and `sequence`: +a -b. `text` and `map`: a unified diff. */
export type Layout = 'value' | 'set' | 'sequence' | 'text' | 'map';

export type FieldRules<S> = { readonly [F in keyof S & string]: FieldRule<S[F]> };
