import type { Diagnostic } from './diagnostic.js';
import type { Risk } from './finding.js';
import type { Hold } from './hold.js';
import { canonical, type Json, type JsonObject } from './json.js';
import type { ServiceOverride, UnmanagedCounts } from './plan.js';
import type { Call, ListCall, Request } from './request.js';
import type {
  Address,
  Agent,
  Declared,
  Delivery,
  FieldRule,
  FieldRules,
  KindName,
  Names,
  ObjectRef,
  Observed,
  ReportProblem,
  Resolver,
  Suggest,
} from './resource.js';
import type { Runs, StartByHand } from './run.js';
import type { Timetable } from './schedule.js';

/**
 * Everything that is special about one kind of resource, in one file of kinds/. `D` is what a manifest declares,
 * before any name is looked up; `S` is the spec, which is compared with the service field by field.
 *
 * The first part is the core, which every kind has. The second part is optional: a kind leaves out what it does not
 * have, and callers write `kind.facet?.…`.
 */
export interface Kind<D = unknown, S = unknown> {
  readonly name: KindName;
  /** The section of the manifest: `groups`. */
  readonly section: string;
  /** Its shape in drawings, by Graphviz's name. Default: a note. */
  readonly shape?: string;

  /** Reads one entry that fits the schema, fills in defaults, and reports what is wrong with it. Works offline. */
  read(entry: JsonObject, key: string, context: ReadContext): D;
  /** Replaces names by ids. Undefined when a problem was reported. */
  resolve(entry: Declared<D>, resolver: Resolver): S | undefined;
  list(): ListCall<Observed<S>>;
  readonly fields: FieldRules<S>;
  readonly identity: Identity<D, S>;

  create(spec: S, entry: Declared<D>): readonly PlannedRequest[];
  /** The new object's id in the answer to a create; null when the answer shows none. */
  createdId(data: unknown): string | null;
  remove(existing: ExistingObject<S>): readonly PlannedRequest[];
  readonly snapshot: SnapshotRules<S>;

  /**
   * The fewest requests that turn `existing.before` into `after`. Fields outside `changed` are equal. Objects of a kind
   * without it are replaced: the new one is created, and then the old one is removed.
   */
  update?(existing: ExistingObject<S>, after: S, changed: ReadonlySet<string>): readonly PlannedRequest[];
  /** Reads one object, for kinds whose lists may leave out objects or parts of them. */
  detail?(id: string): Call<Observed<S>>;
  /** True for what the list still shows although it no longer exists, such as a revoked key. */
  isGone?(observed: Observed<S>): boolean;
  /** Fields that a create does not set: another request does. */
  readonly notSettableOnCreate?: readonly string[];
  /** For kinds with requests that would overwrite what someone else has changed since the plan was made. */
  readonly reread?: Reread<S>;
  /** For kinds whose specs refer to objects of other kinds. */
  readonly references?: References<D, S>;
  /** What an entry leads to in a dependency graph, agents included. */
  links?(declared: D): EntryLinks;
  /** For kinds that consist of agents and can be run. */
  readonly runs?: Runs<S>;
  /** For kinds whose objects can be started by hand. */
  readonly startByHand?: StartByHand<S>;
  /** For kinds whose objects can be paused, and put on hold. */
  readonly pausing?: Pausing<S>;
  /** For kinds that start runs at certain times. */
  readonly timetable?: Timetable<S>;
  /** For kinds that allow several objects with one natural key. */
  readonly similarity?: Similarity;
  /** For kinds of which a second object would do the same work once more. */
  readonly nearMiss?: NearMiss;
  /** What an object is, in a few words, where its fields are not listed: `3 members`. */
  brief?(spec: S, names: Names): string;
  /** What a list of objects shows of one. Default: its id and its name. */
  listing?(observed: Observed<S>, context: ListingContext): Listing;
  /** The reverse of `read`, for kinds whose objects can be imported. */
  readonly entry?: EntryForm<S>;
  /** For kinds whose create answers with a secret, once. */
  readonly secret?: SecretReader<D, S>;
  /** For kinds that the service can change several of with one request. */
  readonly bulk?: BulkCalls;
  /** Why nothing is done for the entry, whatever it says; null when it has not expired. */
  expired?(declared: D, now: Date): Expiry | null;
  /** Why the object must be replaced although nothing differs; null when it need not be. */
  rotationDue?(entry: Declared<D>, observed: Observed<S>, now: Date): string | null;
  /** Why `rotationDue` cannot tell; null when it can. */
  ageUnknown?(entry: Declared<D>, observed: Observed<S>): string | null;
  /** What a reviewer must know about a change, beyond its action. */
  risks?(change: RiskInputs<S>): readonly Risk[];
  /** Whether the action ends the access of the API key that roster uses. Such kinds are changed after all others. */
  revokesCaller?(action: 'create' | 'replace' | 'delete', observed: Observed<S> | null): boolean;
}

/** What makes an object this one and no other: its natural key (contract §3). */
export interface Identity<D, S> {
  /** The fields of a spec that it consists of. */
  readonly fields: readonly string[];
  of(spec: S): string;
  /** Two entries with the same one declare one object, which is an error. Null: there is nothing to compare. */
  ofDeclared(declared: D): string | null;
  /** Null when the service does not show enough of the object. */
  ofObserved(observed: Observed<S>): string | null;
  /**
   * What is left of it without references: of an entry whose references cannot be resolved, and of an object. Default: all
   * of it, for kinds whose entries have the natural key of their object.
   */
  readonly withoutReferences?: Pick<Identity<D, S>, 'ofDeclared' | 'ofObserved'>;
  /** For messages: `named "Retail prices"`. */
  describe(spec: S): string;
}

/** What `read` may know besides the entry itself. */
export interface ReadContext {
  readonly report: ReportProblem;
  /** The scopes that this service knows (`scopes:` in roster.yaml). */
  readonly scopes: readonly string[];
  /** True for the path of a file that belongs to the project, relative to its folder. No key may be written there. */
  isOwn(path: string): boolean;
  /** Null where the result must not depend on the date. */
  readonly now: Date | null;
  readonly suggest: Suggest;
}

/** An object on the service that a change is made to. */
export interface ExistingObject<S> {
  readonly id: string;
  readonly rawId: string | number;
  readonly before: S;
}

/** One request of a change, before it becomes a step of the plan. The requests of one change run in order. */
export interface PlannedRequest {
  readonly request: Request;
  /** Set where the service can carry out several such requests as one. */
  readonly bulk?: BulkRequest;
  /** Set where the answer holds a secret: where it is delivered, and what it must be. */
  readonly delivery?: Delivery;
}

/** Two or more requests of one group are merged, at most 100 at a time (interface §4, schedules/bulk). */
export interface BulkRequest {
  readonly group: string;
  readonly rawId: string | number;
}

export interface BulkCalls {
  /** The one request for all requests of a group. */
  merge(group: string, rawIds: readonly (string | number)[]): Request;
  /** Whether the answer to a merged request says that all `count` objects were changed. */
  confirms(data: unknown, count: number): boolean;
}

/** How entries and specs of a kind refer to objects of other kinds. Agents are not such objects. */
export interface References<D, S> {
  /** The property of an entry, and the field of a spec, that holds the reference. */
  readonly field: string;
  /** The kinds it may refer to. They are planned and carried out first. */
  readonly kinds: readonly KindName[];
  inEntry(declared: D): readonly Address[];
  inSpec(spec: S): readonly ObjectRef[];
  /** What refers to an object, where the service can narrow the list to that. */
  listOf?(to: ObjectRef): ListCall<Observed<S>>;
}

/** Right before such a request the object is read again, by id or in a list, and left alone if it has changed. */
export interface Reread<S> {
  readonly before: readonly Request['method'][];
  /** The shortest list that shows the object while it is as planned, for kinds without `detail`. */
  list?(planned: S): ListCall<Observed<S>>;
}

export interface EntryLinks {
  /** The property that they come from. */
  readonly field: string;
  /** Addresses, in the order of the entry; an agent is `agent/<as written>`. */
  readonly to: readonly string[];
  /** Whether that order has a meaning. */
  readonly ordered: boolean;
}

export interface Similarity {
  /** Objects that differ in one of these fields are never matched. Among the others the closest match wins. */
  readonly within: readonly string[];
}

/** How a person recognizes an existing object that an entry may mean, although their natural keys differ. */
export interface NearMiss {
  /** Such objects agree in this field. */
  readonly field: string;
  /** The field is the object's name, in which case, spaces and punctuation do not count. */
  readonly isName?: true;
  /** How they are related, in a message: `a group with a similar name`. */
  readonly relation: string;
}

export interface Secret {
  readonly value: string;
  readonly id: string | null;
  /** Null when the answer shows none. */
  readonly scopes: readonly string[] | null;
}

export interface SecretReader<D, S> {
  /** Null when the answer holds no secret: it can never be read again. */
  of(data: unknown): Secret | null;
  /** Where the entry wants its secret delivered; null when it does not say. */
  deliverTo(declared: D): Delivery['to'];
  /** The scopes in the list, to check that the new secret can do what was asked for and no more. */
  scopesOf(observed: Observed<S>): readonly string[];
}

/** Why an entry has expired. Its texts show no value: each value may come from the environment. */
export interface Expiry {
  readonly path: readonly string[];
  readonly message: string;
  readonly help: string;
}

export interface RiskInputs<S> {
  /** Null for a new object. */
  readonly observed: Observed<S> | null;
  /** Null for a delete. */
  readonly after: S | null;
  readonly now: Date;
}

/** What a snapshot holds of an object. */
export interface SnapshotRules<S> {
  /** Facts that a plan shows. All others are left out. */
  readonly facts?: readonly string[];
  /** Fields whose values are saved as hashes only. */
  readonly hashed?: readonly string[];
  /** Takes the place of values withheld because they come from the environment. Equal to nothing declared. */
  readonly placeholder: S;
}

export function exists(kind: Kind, observed: Observed): boolean {
  return kind.isGone?.(observed) !== true;
}

/** What a spec refers to; empty without a spec, and for kinds without references. */
export function referencesOf(kind: Kind, spec: unknown): readonly ObjectRef[] {
  return spec === null || spec === undefined ? [] : (kind.references?.inSpec(spec) ?? []);
}

/** Whether nothing is done for an entry because its time has passed. */
export function isExpired(kind: Kind, declared: unknown, now: Date): boolean {
  return kind.expired !== undefined && kind.expired(declared, now) !== null;
}

/** How objects of a kind are paused and started again. */
export interface Pausing<S> {
  /** The field that says whether it is paused. */
  readonly field: string;
  /** Of an object, or of what an entry declares, which has that field, too. */
  isPaused(spec: S): boolean;
  with(spec: S, paused: boolean): S;
}

/**
 * How an object becomes an entry of a manifest. Its properties are the fields, with the values that `FieldRule.show` makes
 * of them; a field without a value is left out.
 */
export interface EntryForm<S> {
  /** What the entry means by a property that it leaves out. */
  defaults(key: string): JsonObject;
  /** What a person would name it after: the first that no other object has becomes the key. */
  keyWords(spec: S, names: Names): readonly string[];
  /** What the entry needs besides and the service does not know: a comment in the file. */
  comment?(key: string): string;
}

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
export type ListedStatus = 'declared' | 'external' | 'undeclared' | 'elsewhere' | 'unmanaged';

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
  readonly caller?: boolean | null | undefined;
  /** Missing unless it is on hold. */
  readonly held?: Hold | undefined;
  /** The other project of the repository that has it in its inventory. Missing when there is none. */
  readonly managedBy?: string | undefined;
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
export interface ListedAgent extends Agent {
  readonly inputs?: readonly AgentInput[];
}

/** What `roster list` has found. */
export interface ServiceListing {
  /** Null without a project. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly service: string;
  readonly serviceOverride?: ServiceOverride | undefined;
  /** Null where they are not listed. */
  readonly agents: readonly ListedAgent[] | null;
  readonly sections: readonly ListedSection[];
  /** What a plan would count of these sections. Null without a project. */
  readonly unmanaged: UnmanagedCounts | null;
  readonly diagnostics: readonly Diagnostic[];
}

export function fieldValue(kind: Kind, spec: unknown, field: string): Json {
  return ruleOf(kind, field).canonical(rawValue(spec, field));
}

/** The canonical form of every field as text, to compare one spec with many. Null where the content is unknown. */
export function fieldTexts(kind: Kind, spec: unknown): readonly string[] | null {
  if (spec === null) return null;
  return Object.keys(kind.fields).map((field) => canonical(fieldValue(kind, spec, field)));
}

/** By the name of the field, which may come from a file. */
export function rulesOf(kind: Kind): Readonly<Record<string, FieldRule<unknown>>> {
  return kind.fields as Readonly<Record<string, FieldRule<unknown>>>;
}

export function ruleOf(kind: Kind, field: string): FieldRule<unknown> {
  const rule = rulesOf(kind)[field];
  if (rule === undefined) throw new Error(`${kind.name} has no field ${field}`);
  return rule;
}

export function rawValue(spec: unknown, field: string): unknown {
  return (spec as Readonly<Record<string, unknown>>)[field];
}

/** What an object is to be called. Null for kinds without names. */
export function nameOf(kind: Kind, spec: unknown): string | null {
  const name = 'name' in kind.fields ? rawValue(spec, 'name') : null;
  return typeof name === 'string' ? name : null;
}
