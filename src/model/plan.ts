import type { Diagnostic, Place } from './diagnostic.js';
import type { Finding, FoundRisk, Note } from './finding.js';
import type { Holds } from './hold.js';
import type { CreateIntent, InventoryRecord, PlannedCheckout } from './inventory.js';
import { groupBy, type Json } from './json.js';
import type { ChangedPolicy, PolicyRecord } from './policy.js';
import type { Rehearsal } from './rehearsal.js';
import type { Request } from './request.js';
import type {
  Address,
  Defaulted,
  Delivery,
  InventorySetting,
  KindName,
  Layout,
  ProjectScope,
} from './resource.js';
import type { Safeguards } from './safeguards.js';
import type { AgentStarts, CalendarComparison, NextRuns, StartsPerWeek } from './schedule.js';

export type Action = 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget' | 'none';

/** What has changed since the last apply: the manifest, the service, or both. */
export type Origin = 'manifest' | 'remote' | 'both';

/** The difference in one field, as a person sees it. */
export interface FieldChange {
  readonly path: string;
  /** Null when there is no object yet. */
  readonly before: Json;
  readonly after: Json;
  /** It holds values from the environment: `before` has a mask in place of them, `after` is the template. */
  readonly sensitive: boolean;
  readonly layout: Layout;
  readonly origin: Origin;
  /** A new object has the value that an entry without the property means. Missing otherwise. */
  readonly isDefault?: true;
  /** Where the manifest has the value of a changed field, or the closest thing around it. Null for creates and deletes. */
  readonly source: Place | null;
}

/** What differs in one resource, and what is to be done about it. */
export interface Difference {
  readonly address: Address;
  readonly kind: KindName;
  readonly action: Action;
  /** The id of the remote object; null when there is no object, or the service shows no id. */
  readonly id: string | null;
  /** The remote object's name; null for kinds without names. */
  readonly name: string | null;
  readonly origin: Origin | null;
  /** True when the object was found by its natural key and is not in the inventory yet, or under another address. */
  readonly adopted: boolean;
  /** The address that the inventory has it under; missing unless it is another one. */
  readonly renamedFrom?: Address;
  readonly fields: readonly FieldChange[];
  /** Null for an object that no manifest declares. */
  readonly source: Place | null;
  /** The manifest that declared what is deleted at the last apply. Missing where the inventory does not say. Not part of the digest. */
  readonly formerFile?: string;
}

/** What happens to one resource, as a person reviews it. Only data: it can be printed, saved, sorted and hashed. */
export interface Change extends Difference {
  /** What the object is, in a few words: `3 members`. Missing where there is nothing to say. */
  readonly inBrief?: string;
  /** Why it is deleted: `no longer declared`. Missing for every other action. Not part of the digest. */
  readonly reason?: string;
  /** What a reviewer must know about it besides its fields. */
  readonly findings: readonly ChangeFinding[];
  /** Ids of the steps that carry it out, in order. A bulk step may serve several changes. */
  readonly steps: readonly string[];
  readonly nextRuns: NextRuns | null;
  /** Of the file that declares it, or did at the last apply, as CODEOWNERS says. Missing where there is none. Not part of the digest. */
  readonly owners?: readonly string[];
}

export type ChangeFinding = Note | FoundRisk;

/** What a plan says of a change. Undefined is nothing. */
interface ChangeParts {
  readonly steps: readonly string[] | undefined;
  readonly findings?: readonly ChangeFinding[] | undefined;
  readonly nextRuns?: NextRuns | null | undefined;
  readonly inBrief?: string | undefined;
  readonly reason?: string | undefined;
  readonly owners?: readonly string[] | undefined;
}

export function changeOf(
  difference: Difference,
  { steps = nothing, findings = nothing, nextRuns = null, inBrief, reason, owners }: ChangeParts,
): Change {
  // On Node 20, a literal that starts with a spread and adds properties takes twice the memory. There are many changes.
  const change = { steps, nextRuns, findings, ...difference };
  const brief = inBrief === undefined ? change : { inBrief, ...change };
  const explained = reason === undefined ? brief : { reason, ...brief };
  return owners === undefined ? explained : { owners, ...explained };
}

/** One list for all changes: most have no steps, and nothing is said of them. */
const nothing: readonly never[] = [];

/** One request of a plan. */
export interface Step {
  readonly id: string;
  /** The changes it carries out: one, or several for a bulk call. */
  readonly addresses: readonly Address[];
  readonly kind: KindName;
  readonly request: Request;
  /** For a bulk call: the requests that do the same to each of `addresses`. Empty otherwise. */
  readonly singles: readonly Request[];
  /** Ids of the steps that must be done first. When one of them fails, this one is not tried. */
  readonly after: readonly string[];
  /** Runs after all other steps have ended, whatever their outcome. */
  readonly last: boolean;
  /** For a create whose answer holds a secret. */
  readonly delivery: Delivery | null;
}

/** What a plan is about. All of it is part of the digest. */
export interface PlanSubject extends ProjectScope {
  /** An opaque text, different for every user of the service. Null where the service does not show it. */
  readonly account: string | null;
  /** Where the inventory is that the plan is based on, as the project names it. */
  readonly inventory: InventorySetting;
  /** Those in effect. */
  readonly safeguards: Safeguards;
  /** What entries ignore. Missing when they ignore nothing. */
  readonly ignored?: IgnoredProperties;
  /** What is on hold, and stays so. Missing when nothing is. */
  readonly held?: Holds;
  /** Missing when there are none and were none, and in a plan that does not rest on them. */
  readonly policies?: PlannedPolicies;
}

/** The policies that a plan was checked by, and what has become of those of the last apply. */
export interface PlannedPolicies {
  readonly checked: readonly PolicyRecord[];
  readonly changed: readonly ChangedPolicy[];
}

/** Data alone, and all that apply needs besides the service and the inventory. Views leave out what only apply needs. */
export interface Plan extends PlanSubject {
  /** Missing when the manifest declares the same service, or none. Not part of the digest. */
  readonly serviceOverride?: ServiceOverride;
  /**
   * What is said of the plan: its risks as a whole, why apply would refuse it, and its warnings and notes. What is
   * said of one change is in that change. Not part of the digest.
   */
  readonly findings: readonly Finding[];
  /** Not part of the digest, which holds what changes. */
  readonly startsPerWeek: StartsPerWeek;
  /** The agents of which more or fewer start, the largest change first. Not part of the digest. */
  readonly startsByAgent: readonly AgentStarts[];
  /** `sha256:` of what would change, from what, to what, and where (contract §4). */
  readonly digest: string;
  /** A hash of each change whose action is not `none`. The digest covers them. */
  readonly digestParts: readonly string[];
  /** The same, as they were before an unfinished apply created what they refer to. Missing when it has created nothing. */
  readonly restParts?: readonly string[];
  /** Every resource, including those with the action `none`, in reading order. */
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
  /**
   * How many objects of each kind neither an entry nor the inventory knows. What `prune: all` deletes is not counted, and
   * what the user selected makes no difference. Not part of the digest.
   */
  readonly unmanaged: UnmanagedCounts;
  /** What the declared resources refer to, including those that do not change. */
  readonly links: readonly Link[];
  /** The agents that they consist of. Empty for a plan without changes. */
  readonly agentLinks?: readonly Link[];
  /** What the inventory says of each declared resource once its change is done; the id is not known before. */
  readonly records: Readonly<Record<Address, InventoryRecord>>;
  /** What is saved before each create is sent, and before each update of a natural key. */
  readonly createIntents: Readonly<Record<Address, CreateIntent>>;
  /** Keys to deliver without a request. Omitted if there are no such keys. */
  readonly undelivered?: Readonly<Record<Address, UndeliveredKey>>;
  /** Missing where the plan was not compared with the checkout. Not part of the digest. */
  readonly checkout?: PlannedCheckout;
  /** What came of applying it to a copy of the service; null without calls. Missing where it was not rehearsed. Not part of the digest. */
  readonly rehearsal?: Rehearsal | null;
  /** Missing in a plan made from the service itself. */
  readonly snapshot?: SnapshotAge;
  /** It deletes what the inventory owns, whatever the manifests declare. Missing in every other plan. */
  readonly destroy?: true;
  /** Only where a view needs it. Not part of the digest. */
  readonly calendar?: CalendarComparison;
  /** How many changes with the action `none` are not in `changes`. Missing except in a plan for a view. */
  readonly leftOut?: number;
}

/** What won over the URL that the manifest declares. */
export interface ServiceOverride {
  readonly setBy: '--url' | 'ROSTER_URL';
  /** The origin and base path that the manifest declares. */
  readonly declared: string;
}

/** A key that an earlier run kept in a file because it could not deliver it. */
export interface UndeliveredKey {
  /** Relative to the project. */
  readonly file: string;
  readonly delivery: Delivery;
}

/** Properties that somebody else manages (`ignore:` of entries). */
export interface IgnoredProperties {
  /** By entry, sorted. The digest holds no other part of this. */
  readonly properties: Readonly<Record<Address, readonly string[]>>;
  /** How many of them differ from the manifests. Those with values from the environment are not compared. */
  readonly differences: number;
  /** Where those are, sorted. */
  readonly differing: readonly Address[];
}

export type UnmanagedCounts = Readonly<Record<KindName, number>>;

/** The saved state that a plan was made against, rather than what the service says. */
export interface SnapshotAge {
  /** When the service was read, ISO 8601 in UTC. */
  readonly takenAt: string;
  /** Its age when the plan was made. */
  readonly ageSeconds: number;
}

export function isEmpty(plan: Plan): boolean {
  return plan.changes.every((change) => change.action === 'none');
}

/** The number of changes of each action. */
export interface Summary {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly delete: number;
  readonly adopt: number;
  readonly forget: number;
  readonly unchanged: number;
}

export function summarise(changes: readonly Change[]): Summary {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, forget: 0, unchanged: 0 };
  for (const change of changes) counts[change.action === 'none' ? 'unchanged' : change.action] += 1;
  return counts;
}

export function summaryOf({ changes, leftOut = 0 }: Plan): Summary {
  const summary = summarise(changes);
  return { ...summary, unchanged: summary.unchanged + leftOut };
}

/** The plan without what only apply needs, which is as large as the project and never shown. */
export function forView(plan: Plan): Plan {
  const changes = plan.changes.filter(({ action }) => action !== 'none');
  const links = changes.length === 0 ? [] : plan.links;
  return {
    ...plan,
    changes,
    leftOut: plan.changes.length - changes.length,
    links,
    records: {},
    createIntents: {},
  };
}

/** A resource refers to another one, or to an agent (`agent/acme-shop`). */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** The number of a pipeline's stage, from 1; null for links without an order. */
  readonly stage: number | null;
}

export interface Graph {
  /** In the order of the manifests, followed by those that only links name. */
  readonly nodes: readonly string[];
  readonly links: readonly Link[];
}

/** The part of a graph around the given nodes: those that lead to them, and those they lead to. */
export function subgraphOf({ nodes, links }: Graph, given: ReadonlySet<string>): Graph {
  const down = reach(
    given,
    groupBy(links, ({ from }) => from),
    'to',
  );
  const up = reach(
    given,
    groupBy(links, ({ to }) => to),
    'from',
  );
  const touches = ({ from, to }: Link) => (down.has(from) && down.has(to)) || (up.has(from) && up.has(to));
  return {
    nodes: nodes.filter((node) => down.has(node) || up.has(node)),
    links: links.filter(touches),
  };
}

function reach(start: ReadonlySet<string>, links: Map<string, Link[]>, end: 'from' | 'to'): Set<string> {
  const reached = new Set(start);
  for (const node of reached) for (const link of links.get(node) ?? []) reached.add(link[end]);
  return reached;
}

/** A change to one object since the last apply that was not made by roster. */
export interface Drifted {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  readonly name: string | null;
  readonly what: 'changed' | 'deleted';
  /** `before` is the last applied value, `after` the current one. Origin `both`: the manifest has changed as well. */
  readonly fields: readonly FieldChange[];
  readonly source: Place | null;
  /** Who owns the file that declares it, or declared it at the last apply. Missing where nobody says so. */
  readonly owners?: readonly string[] | undefined;
}

export interface Drift extends ProjectScope {
  readonly unmanaged: UnmanagedCounts;
  readonly diagnostics: readonly Diagnostic[];
  readonly changes: readonly Drifted[];
  /** How many resources were checked: those in the inventory. */
  readonly resources: number;
}

/** The rule that matched an entry with its object (contract §3), in the order in which they are tried. */
export type MatchRule = 'id' | 'inventory' | 'natural-key' | 'likeness';

/** Which remote object a resource is matched with, and why. */
export interface Why {
  readonly address: Address;
  readonly source: Place | null;
  /** Null when it has no match. */
  readonly object: { readonly id: string | null; readonly name: string | null } | null;
  readonly rule: MatchRule | null;
  readonly tried: readonly Tried[];
  /** The planned change; null for external resources. */
  readonly change: Change | null;
  /** The change enables what a hold has paused, and nothing else: nobody changed the manifest. */
  readonly endsHold: boolean;
  readonly ignored: readonly Ignored[];
  /** The other project of the repository that has the object in its inventory. Missing when there is none. */
  readonly managedBy?: { readonly project: string; readonly file: string };
  /** The properties that come from `defaults`. All others come from the entry itself. */
  readonly defaults: readonly Defaulted[];
}

export interface Tried {
  readonly rule: MatchRule;
  readonly says: string;
}

export interface Ignored {
  readonly path: string;
  readonly why: string;
}
