import { isExpired, type Kind, referencesOf } from '../model/kind.js';
import type { Action } from '../model/plan.js';
import {
  type Address,
  type Desired,
  isPending,
  normalId,
  type ObjectRef,
  objectKey,
} from '../model/resource.js';
import type { Runs } from '../model/run.js';
import { roundedFrequency, type SpecLoad, type Timetable } from '../model/schedule.js';
import type { Comparison, Match, Matched, WeeklyStarts } from './world.js';

/** A declared entry that starts agents at certain times. */
export interface StartLoad extends SpecLoad<unknown> {
  readonly entry: Desired;
}

export interface TimedKind extends Kind {
  readonly timetable: Timetable<unknown>;
}

export function isTimed(kind: Kind): kind is TimedKind {
  return kind.timetable !== undefined;
}

/** The entries of a kind that are counted: all but those whose times cannot be computed here. */
export function countable(kind: TimedKind, matches: readonly Match[]): Desired[] {
  return matches
    .flatMap((match) => (match.kind === kind && match.entry !== null ? match.entry : []))
    .filter(({ spec }) => kind.timetable.frequency(spec) !== null);
}

/** At a moment, with every entry as declared. What nobody knows the agents of is left out. */
export function startLoads(kind: TimedKind, entries: readonly Desired[], matched: Matched): StartLoad[] {
  const startedBy = startedAgents(matched, {
    specOf: ({ entry }) => entry?.spec,
    count: (runs, spec) => runs.startsAtOnce(spec),
  });
  return entries
    .filter(({ declared }) => !isExpired(kind, declared, matched.basis.now))
    .map((entry) => ({ entry, spec: entry.spec, starts: kind.timetable.starts(entry.spec, startedBy) }))
    .filter(({ starts }) => !Number.isNaN(starts));
}

/** How a match is seen, such as before or after the plan, and how the agents of what can be run are counted. */
interface Counting {
  specOf(match: Match): unknown;
  count(runs: Runs<unknown>, spec: unknown): number;
}

/** How many agents an object starts. NaN where that is not known, as of an external object that the service does not show. */
export function startedAgents(
  matched: Matched,
  { specOf, count }: Counting,
): (reference: ObjectRef) => number {
  const find = runnables(matched, specOf);
  return (reference) => {
    const found = find(reference);
    return found === null ? Number.NaN : count(found.runs, found.spec);
  };
}

/** What a schedule can start, as it is seen before or after the plan. */
interface SeenTarget {
  readonly address: Address;
  readonly runs: Runs<unknown>;
  readonly spec: unknown;
}

/** Finds what is referred to. Null where it is not known, or cannot be run at all. */
function runnables(
  { basis: { kinds }, matches, externals }: Matched,
  specOf: Counting['specOf'],
): (reference: ObjectRef) => SeenTarget | null {
  const found = new Map<string, SeenTarget>();
  const add = (key: string, address: Address, runs: Kind['runs'], spec: unknown) => {
    if (runs !== undefined && spec != null) found.set(key, { address, runs, spec });
  };
  // The plan does not change these.
  for (const [address, { kind: name, id, spec }] of externals)
    add(objectKey(name, id), address, kinds.find((each) => each.name === name)?.runs, spec);
  for (const match of matches) {
    const { kind, address, observed, entry } = match;
    // Offline no object is known: what refers to an entry has the id that it is bound to.
    const id = observed?.id ?? (entry?.id == null ? null : normalId(entry.id));
    add(id === null ? address : objectKey(kind.name, id), address, kind.runs, specOf(match));
  }
  return ({ kind, id }) => found.get(isPending(id) ? id.pending : objectKey(kind, id)) ?? null;
}

/** Finds the target of a spec that cannot be run before or after the plan, so that nothing starts. Null if it can be run. */
export function inactiveTargets(
  comparison: Comparison,
  side: keyof Sides,
): (kind: Kind, spec: unknown) => Address | null {
  const actions = actionsOf(comparison);
  const find = runnables(comparison, (match) => sidesOf(match, actions.get(match.address))[side]);
  return (kind, spec) => {
    const targets = referencesOf(kind, spec).map(find);
    return targets.find((each) => each !== null && !each.runs.isActive(each.spec))?.address ?? null;
  };
}

function actionsOf({ diffs }: Comparison): ReadonlyMap<Address, Action> {
  return new Map(diffs.map(({ change }) => [change.address, change.action]));
}

/** Specs before and after the plan. Null for what does not exist then, undefined for what the service does not show. */
interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * How many agents the project's schedules start in an average week, before and after a plan. Counts average weeks, and
 * so depends on no date. Where a side of a schedule is not known, the total of that side is a lower bound.
 */
export function weeklyStarts(comparison: Comparison): WeeklyStarts {
  const actions = actionsOf(comparison);
  const startsOn = (side: keyof Sides) => {
    const startedBy = startedAgents(comparison, {
      specOf: (match) => sidesOf(match, actions.get(match.address))[side],
      count: (runs, spec) => runs.startsPerRun(spec),
    });
    return (match: Match) =>
      startsOf(match.kind, sidesOf(match, actions.get(match.address))[side], startedBy);
  };
  const [startsBefore, startsAfter] = [startsOn('before'), startsOn('after')];
  const totals = { before: 0, after: 0 };
  const unknown = { before: 0, after: 0 };
  let more = 0;
  const count = (side: keyof Sides, starts: number) => {
    if (Number.isNaN(starts)) unknown[side] += 1;
    else totals[side] += starts;
  };
  for (const match of comparison.matches) {
    if (match.kind.timetable === undefined || !isManaged(match, actions.get(match.address))) continue;
    const [before, after] = [startsBefore(match), startsAfter(match)];
    count('before', before);
    count('after', after);
    if (!Number.isNaN(after)) more += Number.isNaN(before) ? after : after - before;
  }
  const rounded = { before: roundedFrequency(totals.before), after: roundedFrequency(totals.after) };
  return { startsPerWeek: { ...rounded, unknown }, isMore: roundedFrequency(more) > 0 };
}

/** What is forgotten is no longer the project's, and goes on unchanged if it exists. */
export function isManaged({ entry, ours }: Match, action: Action | undefined): boolean {
  return action !== 'forget' && (entry !== null || ours || action === 'delete');
}

/** What a match is before and after a plan in which it has this action. */
export function sidesOf({ entry, observed }: Match, action: Action | undefined): Sides {
  const before = observed === null ? null : (observed.spec ?? undefined);
  if (action === 'delete') return { before, after: null };
  const isApplied = action === 'create' || action === 'update' || action === 'replace';
  return { before, after: isApplied ? entry?.spec : before };
}

/** In an average week; NaN where it is not known. */
function startsOf(kind: Kind, spec: unknown, startedBy: (reference: ObjectRef) => number): number {
  if (spec === null || !isTimed(kind)) return 0;
  if (spec === undefined) return Number.NaN;
  const runs = kind.timetable.frequency(spec)?.runsPerWeek ?? Number.NaN;
  const starts = kind.timetable.starts(spec, startedBy);
  return runs === 0 || starts === 0 ? 0 : runs * starts;
}
