import type { CalendarDay } from './calendar.js';
import type { JsonObject } from './json.js';
import type { DstAnomaly, Frequency } from './plan.js';
import type { Call, ListCall, Request } from './request.js';
import type {
  Address,
  Declared,
  Delivery,
  FieldRules,
  IdOrPending,
  KindName,
  Observed,
  ReportDiagnostic,
  Resolver,
} from './resource.js';
import type { Risk } from './risk.js';
import type { BusyMinutes, TimeSpan } from './start-rate.js';

/** What offline reading may know besides the entry itself. */
export interface ReadContext {
  readonly tell: ReportDiagnostic;
  /** Scope names this service knows (`scopes:` of roster.yaml). */
  readonly scopes: readonly string[];
  /** True for the path of a file that belongs to the project, relative to its folder: no key may be written there. */
  isOwn(path: string): boolean;
  /** Null where it shall not matter what day it is. */
  readonly now: Date | null;
  /** The nearest of the known words, for a hint; null when none is near. */
  nearest(word: string, known: readonly string[]): string | null;
}

/** Words for an entry that is left as it is. They show no value: each may come from the environment. */
export interface Expiry {
  readonly path: readonly string[];
  readonly message: string;
  readonly help: string;
}

/** One request of a change, before the plan gives it an id and its edges. Those of one change run in order. */
export interface Planned {
  readonly request: Request;
  /** Set where the interface can carry out several such requests as one. */
  readonly bulk?: Bulk;
  /** Set where the answer holds a secret, once: where it goes and what it must be. */
  readonly delivery?: Delivery;
}

/** Requests of one group are merged when there are at least two, at most 100 at a time (interface §4, schedules/bulk). */
export interface Bulk {
  readonly group: string;
  readonly rawId: string | number;
}

/** What a spec points to. */
export interface TargetRef {
  readonly kind: KindName;
  readonly id: IdOrPending;
}

/** A change that may hurt. */
export interface RiskInputs<S> {
  /** Null for what is new. */
  readonly observed: Observed<S> | null;
  /** Null for what goes. */
  readonly after: S | null;
  /** Whether a field's value came from the environment: nothing that is told may give it away. */
  hides(field: string): boolean;
  readonly now: Date;
}

/** An existing object that a change is about. */
export interface Target<S> {
  readonly id: string;
  readonly rawId: string | number;
  readonly before: S;
}

/**
 * All that is special about one kind of resource, in one file of kinds/. `D` is what a manifest says offline,
 * `S` the spec: what is compared with the service, field by field.
 */
export interface Kind<D = unknown, S = unknown> {
  readonly name: KindName;
  /** The manifest's section: `groups`. */
  readonly section: string;
  /** Kinds whose objects this kind's specs may point to: planned and carried out first. */
  readonly after: readonly KindName[];
  /** Keys: run when all else has ended, because they may end the access that roster works with. */
  readonly last: boolean;

  /** Offline: reads one entry that already fits the schema, fills in defaults, and tells what is wrong with it. */
  read(entry: JsonObject, key: string, context: ReadContext): D;
  /** Addresses of declared resources that the entry refers to, with the path of each reference inside the entry. */
  refersTo(
    declared: D,
  ): readonly { readonly address: Address; readonly path: readonly (string | number)[] }[];
  /** What the entry points to, in its order where that has a meaning; agents are `agent/<as written>`. */
  links(declared: D): {
    readonly field: string;
    readonly to: readonly string[];
    readonly ordered: boolean;
  };
  /** Two entries with one of these are one object, which is an error. Null: nothing to compare. */
  declaredIdentity(declared: D): string | null;

  list(): ListCall<Observed<S>>;
  /** Reads one object; null where the interface has no such call (schedules, keys). */
  readonly detail: ((id: string) => Call<Observed<S>>) | null;

  /** False for what the list shows though it is no more (revoked keys). */
  exists(observed: Observed<S>): boolean;

  /** Names become ids. Undefined when something was told to be wrong. */
  resolve(entry: Declared<D>, resolver: Resolver): S | undefined;
  readonly fields: FieldRules<S>;
  /** Fields that the natural key is made of. */
  readonly identityFields: readonly string[];
  /** The natural key (contract §3). */
  identity(spec: S): string;
  observedIdentity(observed: Observed<S>): string | null;
  /** Fields that a create does not set: a further request does. */
  readonly notSettableOnCreate: readonly string[];
  /** The natural key in words, for messages: `named "Retail prices"`. */
  describe(spec: S): string;
  /**
   * Not empty for kinds of which objects of one natural key may exist side by side (schedules): likeness decides which
   * is which then. Objects that differ in one of these fields are never taken for each other.
   */
  readonly similarIn: readonly string[];
  /** What the spec points to: agents are not among them. */
  targets(spec: S): readonly TargetRef[];
  /** GUIDs of the agents that the object consists of; empty for kinds that consist of none. */
  agents(spec: S): readonly string[];
  /** How many agents a run of it starts at the same moment, where `of` says so of its targets; 0 for what does not run. */
  starts(spec: S, of: (target: TargetRef) => number): number;

  create(spec: S, entry: Declared<D>): readonly Planned[];
  /** The fewest calls that make `before` into `after`. Fields outside `changed` are equal. */
  update(target: Target<S>, after: S, changed: ReadonlySet<string>): readonly Planned[];
  remove(target: Target<S>): readonly Planned[];
  /** For kinds of which the interface changes several objects with one request. */
  readonly bulk: BulkCalls | null;
  /** The new object's id in the answer to a create; null when the answer shows none. */
  createdId(data: unknown): string | null;

  /** For kinds whose create answers with a secret, once; null for the others. */
  readonly secret: SecretReader<S> | null;

  /** True when a change of these fields cannot be made in place: the object is replaced (keys). */
  requiresReplace(changed: ReadonlySet<string>): boolean;
  /** Why the object shall be replaced although nothing differs (`rotateAfter`); null mostly. */
  rotationDue(entry: Declared<D>, observed: Observed<S>, now: Date): string | null;
  /** Why the entry is left as it is whatever it says (a `once` that has passed); null mostly. */
  expired(declared: D, now: Date): Expiry | null;
  /** What of a change can hurt, besides that a delete deletes. */
  risks(change: RiskInputs<S>): readonly Risk[];
  /** True when the action ends the access of the key that roster calls with. */
  revokesCaller(action: 'create' | 'replace' | 'delete', observed: Observed<S> | null): boolean;
  /** For kinds that start something at times of their own (schedules); null for the others. */
  readonly timetable: Timetable<S> | null;
  readonly saved: SavedAs<S>;
}

/** What a snapshot holds of an object. */
export interface SavedAs<S> {
  /** Facts that a plan tells of; all others are left out. */
  readonly facts: readonly string[];
  /** Fields of whose values it holds hashes alone. Entries have them under the same names. */
  readonly hashed: readonly string[];
  /** Stands for what is withheld because it comes from the environment: fits the types, and is like nothing declared. */
  readonly placeholder: S;
}

export interface Timetable<S> {
  /** Fields that the times depend on. */
  readonly fields: readonly string[];
  timeZone(spec: S): string;
  /** Equal texts are equal times; null for one that is paused. */
  times(spec: S): string | null;
  /** Instants such as `2026-12-01T06:00:00Z`, computed here; null where the spec cannot be understood. */
  runs(spec: S, from: Date, count: number): readonly string[] | null;
  /** How often in the long run; null where the spec cannot be understood. */
  pace(spec: S): Frequency | null;
  /** What clock changes do to it in a span; null where the spec cannot be understood. */
  clockChanges(spec: S, span: TimeSpan): readonly DstAnomaly[] | null;
  /** Asks the service. `standIn`: an agent's GUID, for a target without an id so far; null when there is none to ask with. */
  preview(spec: S, standIn: string | null): Call<readonly string[]> | null;
  /** An instant as a wall clock in that zone shows it: `2026-12-01T07:00:00`. */
  wallClock(instant: string, timeZone: string): string;
  /**
   * The minutes in which all these together start more than `limit` agents; the `shown` busiest with what starts them.
   * `starts` is how many agents each starts with every run.
   */
  busyMinutes<T extends { readonly spec: S; readonly starts: number }>(
    starters: readonly T[],
    span: TimeSpan,
    limit: number,
    shown: number,
  ): BusyMinutes<T>;
  /** The same starts by day and hour of that zone's clocks. */
  startsPerHour(
    starters: readonly { readonly spec: S; readonly starts: number }[],
    span: TimeSpan,
    timeZone: string,
  ): readonly CalendarDay[];
}

export interface SecretReader<S> {
  /** Null when the answer holds none: then nobody can ever read it. `scopes` is null when the answer does not say. */
  of(
    data: unknown,
  ): { readonly value: string; readonly id: string | null; readonly scopes: readonly string[] | null } | null;
  /** Where an entry wants its secret delivered; null when it does not say. */
  deliverTo(declared: unknown): Delivery['to'];
  /** What the service lists of the new object: for the check that its power is what was asked for. */
  scopesOf(observed: Observed<S>): readonly string[];
}

export interface BulkCalls {
  /** Merges the requests of one group into one. */
  merge(group: string, rawIds: readonly (string | number)[]): Request;
  /** Whether the answer to a merged request says that all `count` objects were changed. */
  confirms(data: unknown, count: number): boolean;
}
