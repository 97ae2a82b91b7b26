import { groupBy } from '../model/json.js';
import { type PlannedRequest, referencesOf } from '../model/kind.js';
import type { Step } from '../model/plan.js';
import type { Request } from '../model/request.js';
import { type Address, isPending, objectKey } from '../model/resource.js';
import type { ResourceDiff } from './world.js';

/** The service accepts more, but this limits how many single requests follow a failure (contract §4). */
const MOST_IN_BULK = 100;

/**
 * Turns requests into steps with dependencies: an object is created and changed before what refers to it, and deleted
 * after. Merges requests that the service can carry out as one.
 */
export function order(diffs: readonly ResourceDiff[]): {
  readonly steps: readonly Step[];
  readonly stepsOf: ReadonlyMap<Address, readonly string[]>;
} {
  const acting = diffs.filter((each) => each.requests.length > 0);
  const edges = dependencies(acting);
  const units = mergeBulk(acting, edges);
  const stepsOf = new Map<Address, readonly string[]>();
  for (const unit of units) for (const address of unit.addresses) stepsOf.set(address, unit.ids);
  return { steps: units.flatMap((unit) => stepsOfUnit(unit, edges, stepsOf)), stepsOf };
}

/** Requests that run one after the other, for one change or, merged, for several. */
interface Unit {
  readonly ids: readonly string[];
  readonly addresses: readonly Address[];
  readonly diff: ResourceDiff;
  readonly requests: readonly PlannedRequest[];
  /** The requests that were merged; empty otherwise. */
  readonly singles: readonly Request[];
}

type Edges = ReadonlyMap<Address, ReadonlySet<Address>>;

/** For each change, the changes that must be done before it. */
function dependencies(acting: readonly ResourceDiff[]): Edges {
  const edges = new Map<Address, Set<Address>>(acting.map((each) => [each.change.address, new Set()]));
  const wait = (waiting: Address, first: Address) => {
    if (waiting !== first && edges.has(first)) edges.get(waiting)?.add(first);
  };
  followReferences(acting, wait);
  revokeLast(acting, wait);
  freeNames(acting, wait);
  return edges;
}

type Wait = (waiting: Address, first: Address) => void;

function followReferences(acting: readonly ResourceDiff[], wait: Wait): void {
  const byObject = new Map(acting.map(({ change }) => [objectKey(change.kind, change.id), change]));
  for (const { match, change } of acting) {
    const before = referencesOf(match.kind, match.observed?.spec);
    const after = change.action === 'delete' ? [] : referencesOf(match.kind, match.entry?.spec);
    for (const { kind, id } of after) {
      const first = isPending(id) ? id.pending : byObject.get(objectKey(kind, id))?.address;
      if (first !== undefined) wait(change.address, first);
    }
    for (const { kind, id } of before) {
      const referred = isPending(id) ? undefined : byObject.get(objectKey(kind, id));
      // Only a delete waits for what referred to the object.
      if (referred?.action === 'delete') wait(referred.address, change.address);
    }
  }
}

/** A secret is revoked only after its replacement was created: when the create fails, the old one still works. */
function revokeLast(acting: readonly ResourceDiff[], wait: Wait): void {
  const creating = acting.filter((each) => each.requests.some((planned) => planned.delivery !== undefined));
  for (const { match, change } of acting) {
    if (match.kind.secret === undefined || change.action !== 'delete') continue;
    for (const first of creating) wait(change.address, first.change.address);
  }
}

/** A create that uses the name which another object gives up: the service may not allow both at once. */
function freeNames(acting: readonly ResourceDiff[], wait: Wait): void {
  const givingUp = new Map<string, Address>();
  for (const { match, change } of acting) {
    const identity = match.observed === null ? null : match.kind.identity.ofObserved(match.observed);
    if (change.action === 'update' && identity !== null)
      givingUp.set(objectKey(match.kind.name, identity), change.address);
  }
  for (const { match, change } of acting) {
    if (change.action !== 'create' || match.entry === null) continue;
    const first = givingUp.get(objectKey(match.kind.name, match.kind.identity.of(match.entry.spec)));
    if (first !== undefined) wait(change.address, first);
  }
}

function mergeBulk(acting: readonly ResourceDiff[], edges: Edges): Unit[] {
  const groups = groupBy(acting, (each) => {
    const bulk = each.requests.length === 1 ? each.requests[0]?.bulk : undefined;
    // Only changes that wait for the same others are merged, so that a failure stops nothing but what depends on it.
    const waitsFor = [...(edges.get(each.change.address) ?? [])].sort().join(' ');
    return bulk === undefined ? each.change.address : `${each.match.kind.name} ${bulk.group} ${waitsFor}`;
  });
  return [...groups.values()].flatMap((group) => chunks(group, MOST_IN_BULK).map(unitOf));
}

function unitOf(group: readonly ResourceDiff[]): Unit {
  const [first] = group;
  if (first === undefined) throw new Error('a unit has at least one change');
  const addresses = group.map((each) => each.change.address);
  if (group.length === 1) {
    const ids = first.requests.map((_, index) => `${addresses[0]}#${index + 1}`);
    return { ids, addresses, diff: first, requests: first.requests, singles: [] };
  }
  const singles = group.flatMap((each) => each.requests.map(({ request }) => request));
  const ids = [`${addresses[0]}+${group.length - 1}`];
  return { ids, addresses, diff: first, requests: [merged(group, first)], singles };
}

function merged(group: readonly ResourceDiff[], first: ResourceDiff): PlannedRequest {
  const { kind } = first.match;
  if (kind.bulk === undefined) throw new Error(`${kind.section} have no bulk calls`);
  const bulks = group.flatMap((each) => each.requests[0]?.bulk ?? []);
  const rawIds = bulks.map((bulk) => bulk.rawId);
  return { request: kind.bulk.merge(bulks[0]?.group ?? '', rawIds) };
}

function stepsOfUnit(unit: Unit, edges: Edges, stepsOf: ReadonlyMap<Address, readonly string[]>): Step[] {
  const before = unit.addresses.flatMap((address) => [...(edges.get(address) ?? [])]);
  // The requests of one change are chained: waiting for the last one is enough.
  const outside = [...new Set(before.flatMap((address) => stepsOf.get(address)?.at(-1) ?? []))].sort();
  return unit.requests.map((planned, index) => ({
    id: unit.ids[index] ?? '',
    addresses: unit.addresses,
    kind: unit.diff.match.kind.name,
    request: planned.request,
    singles: unit.singles,
    after: index === 0 ? outside : [unit.ids[index - 1] ?? ''],
    last: unit.diff.match.kind.revokesCaller !== undefined,
    delivery: planned.delivery ?? null,
  }));
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size));
  return parts;
}
