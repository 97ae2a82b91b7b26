import type { Json, JsonObject } from './json.js';
import type { Call, ListCall, Request } from './request.js';
import type { Address, Declared, FieldRules, KindName, Observed, Resolver, Tell } from './resource.js';

/** What offline reading may know besides the entry itself. */
export interface ReadContext {
  readonly tell: Tell;
  /** Scope names this service knows (`scopes:` of roster.yaml). */
  readonly scopes: readonly string[];
}

/** One request of a change, before the plan gives it an id and its edges. */
export interface Draft {
  readonly request: Request;
  /** Requests of one change run one after the other, in this order, unless they may be merged into a bulk call. */
  readonly bulk?: Bulk;
}

/** Several changes' requests that the interface can carry out as one (interface §4, schedules/bulk). */
export interface Bulk {
  /** Drafts with equal groups are merged when there are at least two. */
  readonly group: string;
  readonly rawId: string | number;
}

/**
 * All that is special about one kind of resource, in one file of kinds/. `D` is what a manifest says offline,
 * `S` the spec: what is compared with the service, field by field.
 */
export interface Kind<D = unknown, S = unknown> {
  readonly name: KindName;
  /** The manifest's section: `groups`. */
  readonly section: string;

  /** Offline: reads one entry that already fits the schema, fills in defaults, and tells what is wrong with it. */
  read(entry: JsonObject, key: string, context: ReadContext): D;
  /** Addresses of declared resources that the entry refers to, with the path of each reference inside the entry. */
  refersTo(
    declared: D,
  ): readonly { readonly address: Address; readonly path: readonly (string | number)[] }[];
  /** Two entries with one of these are one object: an error. */
  declaredIdentity(declared: D): string;

  /** Kinds whose objects this kind's specs may point to. They are planned and carried out first. */
  readonly after: readonly KindName[];
  list(): ListCall<Observed<S>>;
  /** Reads one object; null when the interface has no such call (schedules, keys). */
  readonly detail: ((id: string) => Call<Observed<S>>) | null;

  /** Names become ids. Undefined when something was told to be wrong. */
  resolve(entry: Declared<D>, resolver: Resolver): S | undefined;
  readonly fields: FieldRules<S>;
  /** The natural key (contract §3), of an observed object or of a resolved spec. Null: not to be paired this way. */
  identity(spec: S, observed?: Observed<S>): string | null;

  create(spec: S, address: Address): readonly Draft[];
  /** The fewest calls that make `before` into `after`. Fields outside `changed` are equal. */
  update(target: Target<S>, after: S, changed: ReadonlySet<keyof S & string>): readonly Draft[];
  remove(target: Target<S>): readonly Draft[];
  /** Merges drafts of one bulk group into one request (at most 100 ids). */
  merge?(group: string, rawIds: readonly (string | number)[]): Request;
  /** The new object's id in the answer to a create, when the answer shows one. */
  createdId(data: unknown): string | null;

  /** Fields whose change cannot be made in place: the object is replaced (keys). */
  readonly replaces: ReadonlySet<string>;
  /** True for a spec that must be left as it is whatever it says (a `once` that has passed). */
  settled?(spec: S, now: Date): { readonly message: string } | null;
  /** Further reasons to replace an object (`rotateAfter`). */
  due?(entry: Declared<D>, observed: Observed<S>, now: Date): string | null;
}

export interface Target<S> {
  readonly id: string;
  readonly rawId: string | number;
  readonly address: Address;
  readonly before: S;
}

export type { Json };
