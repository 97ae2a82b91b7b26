import type { Diagnostic, DiagnosticCode, Place } from './diagnostic.js';
import type { Link } from './graph.js';
import type { CreateIntent, InventoryEntry } from './inventory.js';
import type { Json } from './json.js';
import type { Request } from './request.js';
import type { Address, Delivery, KindName, Layout } from './resource.js';
import type { Risk } from './risk.js';

export type Action = 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget' | 'none';

/** Where a difference came from since the last apply: the file, the service, or both. */
export type Origin = 'manifest' | 'remote' | 'both';

/** One field's difference, in the words a person knows. */
export interface FieldChange {
  readonly path: string;
  /** Null when there is no object yet. Both are null when `sensitive`. */
  readonly before: Json;
  readonly after: Json;
  readonly sensitive: boolean;
  readonly layout: Layout;
  readonly origin: Origin;
  /** Where the manifest says the value of a changed field, or the nearest thing around it; null for new objects and old ones. */
  readonly source: Place | null;
}

/** What happens to one resource. Data alone: it prints, saves, sorts and hashes. */
export interface Change {
  readonly address: Address;
  readonly kind: KindName;
  readonly action: Action;
  /** Of the remote object; null when there is none, or when the service shows none. */
  readonly id: string | null;
  /** The remote object's name; null for kinds without names. */
  readonly name: string | null;
  readonly origin: Origin | null;
  /** True when the object exists, was found by its natural key and is not in the inventory yet. */
  readonly adopted: boolean;
  readonly fields: readonly FieldChange[];
  /** Ids of the steps that carry it out, in order. A bulk step may serve several changes. */
  readonly steps: readonly string[];
  readonly nextRuns: NextRuns | null;
  readonly risks: readonly Risk[];
  /** What else a reviewer must read: what is left as it is and why. */
  readonly notes: readonly string[];
  /** Null for what no manifest declares. */
  readonly source: Place | null;
}

export interface NextRuns {
  readonly before: readonly Run[] | null;
  readonly after: readonly Run[] | null;
  /** Who computed `after`: the service's own preview, or this program. */
  readonly by: 'service' | 'roster';
  readonly timeZone: string;
  /** How often in the long run: null before it exists, and where that cannot be told. */
  readonly pace: { readonly before: Frequency | null; readonly after: Frequency | null };
  /** Of the year to come, after the change; null where that cannot be told. */
  readonly clockChanges: readonly DstAnomaly[] | null;
}

/** Times of a schedule's wall clock that a clock change leaves out, or shows twice. */
export interface DstAnomaly {
  readonly effect: 'skipped' | 'repeated';
  /** The first of them, wall clock in the schedule's zone. */
  readonly local: string;
  /** How many there are. */
  readonly times: number;
  /** When the clocks change, ISO 8601 with Z. */
  readonly utc: string;
}

/** How often a schedule runs; 0 and null for one that is paused or runs once. */
export interface Frequency {
  /** In an average week, to two places. */
  readonly runsPerWeek: number;
  /** Between the two runs that are nearest to each other. */
  readonly shortestGapSeconds: number | null;
}

/** `local` is wall clock in the schedule's zone, `utc` ISO 8601 with Z. */
export interface Run {
  readonly local: string;
  readonly utc: string;
}

/** One request of a plan. `after` names the steps that must be done before it. */
export interface Step {
  readonly id: string;
  /** The changes it carries out: one, or several for a bulk call. */
  readonly addresses: readonly Address[];
  readonly kind: KindName;
  readonly request: Request;
  /** For a bulk call: what does the same to each of `addresses` alone. Empty otherwise. */
  readonly singles: readonly Request[];
  /** Steps that must be done first: when one of them fails, this one is not tried. */
  readonly after: readonly string[];
  /** Runs when every other step has ended, however that was. */
  readonly last: boolean;
  /** For a create whose answer holds a secret. */
  readonly delivery: Delivery | null;
}

/** Why apply would refuse the plan. `help` says what a person may do, or say, to allow it. */
export interface Objection {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly help: string;
  readonly address: Address | null;
}

/** Data alone, and all that apply needs besides the service and the inventory. Views leave out what only apply needs. */
export interface Plan {
  readonly project: string;
  readonly environment: string | null;
  /** The origin and base path that the plan speaks of. */
  readonly service: string;
  /** Whose objects it speaks of: an opaque text, another for every user; null where the service does not tell. */
  readonly account: string | null;
  /** `sha256:` over what would be changed, from what, to what, where (contract §4). */
  readonly digest: string;
  /** Every resource, those with the action `none` among them, in the order a person reads. */
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
  /** What the declared resources point to, those that do not change among them. */
  readonly links: readonly Link[];
  /** What the inventory says of each declared resource once its change is done; the id is not known before. */
  readonly records: Readonly<Record<Address, InventoryRecord>>;
  /** What is saved before each create is sent. */
  readonly createIntents: Readonly<Record<Address, CreateIntent>>;
  readonly objections: readonly Objection[];
  readonly diagnostics: readonly Diagnostic[];
  /** Missing in a plan that was made live. */
  readonly snapshot?: SnapshotAge;
}

export type InventoryRecord = Omit<InventoryEntry, 'id'>;

/** The saved state that a plan was made against, rather than what the service says. */
export interface SnapshotAge {
  /** When the service was asked, ISO 8601 in UTC. */
  readonly takenAt: string;
  /** How long ago that was when the plan was made. */
  readonly ageSeconds: number;
}

/** How many changes there are of each action, in the words of the formats. */
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

export function isEmpty(plan: Plan): boolean {
  return plan.changes.every((change) => change.action === 'none');
}
