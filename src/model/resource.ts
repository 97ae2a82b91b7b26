import type { DiagnosticCode, Place } from './diagnostic.js';
import type { Json, JsonObject } from './json.js';

/** `group`, `pipeline`, `schedule`, `key`: one for each file in kinds/. Opaque everywhere else. */
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

/** Only unreserved characters of RFC 3986: such an id needs no encoding in a path. */
const idGrammar = /^[A-Za-z0-9._~-]{1,200}$/;

/** Whether a text can be an id. Not `.` and `..`: URL parsers resolve them, so that they would reach another endpoint. */
export function isId(id: string): boolean {
  return idGrammar.test(id) && id !== '.' && id !== '..';
}

/** GUIDs are case-insensitive (interface §1.4): roster writes them in lower case. */
export function normalId(id: string): string {
  return guid.test(id) ? id.toLowerCase() : id;
}

/** The id of a remote object, or of one that the plan creates. */
export type IdOrPending = string | Pending;

/** One entry from the manifest loader: variables replaced, defaults filled in, names not resolved yet. */
export interface Declared<D = unknown> {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  readonly declared: D;
  /** `id:` of the entry. */
  readonly id: string | null;
  /** The former address of the entry, from `formerly:`. */
  readonly formerly: Address | null;
  readonly protect: boolean;
  readonly external: boolean;
  readonly source: Place;
  /** Names of the fields with a value from the environment. */
  readonly sensitive: readonly string[];
  /** The place of a value inside the entry, such as `['members', 2]`, or of what encloses it. */
  placeOf(path: readonly (string | number)[], at?: At): Place;
}

/** A declared entry with its references resolved: the desired state. */
export interface Desired<S = unknown> extends Declared {
  readonly spec: S;
}

/** Where a new key goes, and the scopes that it must have to be kept (contract §5, Keys). */
export interface Delivery {
  readonly to: { readonly file: string } | { readonly command: readonly string[] } | null;
  /** The requested scopes, sorted; empty for full access. */
  readonly scopes: readonly string[];
}

/** One object as the service shows it. */
export interface Observed<S = unknown> {
  readonly kind: KindName;
  /** As text, to compare and for paths; null when the list shows none (API keys, interface §2). */
  readonly id: string | null;
  /** As the service wrote it (a schedule's id may be a number, interface §1.4): for bodies. */
  readonly rawId: string | number | null;
  /** Null for kinds without names. */
  readonly name: string | null;
  /** False for objects of the operator; null when the service did not say. */
  readonly manageable: boolean | null;
  /** Null when the list item was incomplete: read the object by id before a decision depends on it. */
  readonly spec: S | null;
  /** True for the API key that roster uses, and for any that may be it. */
  readonly caller: boolean;
  /** Further facts to show: createdDate, lastUsedDate, activeRunCount, keyPrefix… Never a secret. */
  readonly facts: JsonObject;
  /** Fields that a snapshot omits, because they came from the environment: assumed to be as declared. */
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

/** A loaded project. */
export interface Project {
  /** Of roster.yaml, relative to the working directory, for messages. */
  readonly file: string;
  /** Absolute: the project's folder. Deliveries and the inventory live inside it. */
  readonly root: string;
  readonly name: string;
  readonly environment: string | null;
  /** From the manifest, with the environment's override. Flags and ROSTER_URL take precedence. */
  readonly url: string | null;
  readonly inventory: InventorySetting;
  readonly prune: Prune;
  readonly limits: { readonly deletes: number; readonly startsPerMinute: number };
  readonly scopes: readonly string[];
  readonly entries: readonly Declared[];
  /** Values from the environment, which must not be shown anywhere. */
  readonly secrets: readonly string[];
}

export type Prune = 'owned' | 'all' | 'never';

export type InventorySetting =
  | { readonly file: string }
  | { readonly git: { readonly ref: string; readonly remote: string } };

/** Reports a problem of one entry. `path` leads from the entry to the value. */
export type ReportDiagnostic = (
  severity: 'error' | 'warning',
  code: DiagnosticCode,
  path: readonly (string | number)[],
  message: string,
  help?: string,
  at?: At,
) => void;

/** Which part of a property to point at: its value by default. */
export type At = 'key' | 'value';

/** Resolves names to ids for a kind. A failed lookup is reported, and returns undefined. */
export interface Resolver {
  agent(name: string, path: readonly (string | number)[]): Agent | undefined;
  /** The id of a declared group or pipeline; pending when the plan creates it; undefined when it has an error of its own. */
  target(address: Address, path: readonly (string | number)[]): IdOrPending | undefined;
  /** The agents of a target; empty when they are not known. */
  agentsOf(address: Address): readonly Agent[];
  tell: ReportDiagnostic;
  /** The nearest of the known words, for a hint; null when none is near. */
  nearest(word: string, known: readonly string[]): string | null;
}

/** Turns ids into names that people know. */
export interface Names {
  /** The externalAgentId for an agent's GUID; the GUID when the agent is not assigned to the caller. */
  agent(id: string): string;
  /** The address of a remote object, or its kind, name and id. */
  object(kind: KindName, id: string): string;
}

/** How two values of one field are compared and shown. */
export interface FieldRule<V> {
  /** Values with equal canonical forms do not differ: removes spelling without meaning. */
  canonical(value: V): Json;
  /** What people see and the digest covers: must not depend on this machine. */
  show(value: V, names: Names): Json;
  /** Shows a canonical form that is not a value of the field. It may have been edited by hand. */
  showApplied?(canonical: Json, names: Names): Json;
  /** How the text plan lays out a difference. */
  layout: Layout;
  /** The value refers to an object: its canonical form is `[kind, id]`, and the id may be pending. */
  isReference?: true;
}

/** `value`: before → after. `set` and `sequence`: +a -b. `text` and `map`: a unified diff. */
export type Layout = 'value' | 'set' | 'sequence' | 'text' | 'map';

export type FieldRules<S> = { readonly [F in keyof S & string]: FieldRule<S[F]> };
