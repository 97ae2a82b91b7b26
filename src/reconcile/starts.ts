import { byCodeUnit } from '../model/json.js';
import { isExpired, type Kind, referencesOf } from '../model/kind.js';
import type { Action } from '../model/plan.js';
import {
  type Address,
  type Desired,
  isPending,
  type Names,
  normalId,
  type ObjectRef,
  objectKey,
} from '../model/resource.js';
import type { Runs } from '../model/run.js';
import { type AgentStarts, roundedFrequency, type SpecLoad, type Timetable } from '../model/schedule.js';
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
  const startsOf = startsAtOnce(matched, ({ entry }) => entry?.spec);
  return entries
    .filter(({ declared }) => !isExpired(kind, declared, matched.basis.now))
    .map((entry) => ({ entry, spec: entry.spec, starts: startsOf(kind, entry.spec) }))
    .filter(({ starts }) => !Number.isNaN(starts));
}

/** How a match is seen, such as before or after the plan. */
type SpecOf = (match: Match) => unknown;

/**
 * How many agents each run of a spec starts at the same moment. NaN where that is not known, as for an external target
 * that the service does not show.
 */
export function startsAtOnce(matched: Matched, specOf: SpecOf): (kind: TimedKind, spec: unknown) => number {
  const find = runnables(matched, specOf);
  return ({ timetable }, spec) => {
    const target = timetable.target(spec);
    if (target === null) return 0;
    if (isAgent(target)) return 1;
    const found = find(target);
    return found === null ? Number.NaN : found.runs.startsAtOnce(found.spec);
  };
}

/** The ids of the agents that each run of a spec starts. Null where they are not known. */
export function startedAgents(
  matched: Matched,
  specOf: SpecOf,
): (kind: TimedKind, spec: unknown) => readonly string[] | null {
  const find = runnables(matched, specOf);
  return ({ timetable }, spec) => {
    const target = timetable.target(spec);
    if (target === null) return [];
    if (isAgent(target)) return [target.id];
    const found = find(target);
    if (found === null) return null;
    return found.runs.isActive(found.spec) ? found.runs.agents(found.spec) : [];
  };
}

function isAgent(target: ObjectRef): target is ObjectRef & { readonly id: string } {
  return target.kind === 'agent' && !isPending(target.id);
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
  specOf: SpecOf,
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

/** Finds the address of the object that a spec starts. Null for an agent, and for an object that is not known. */
export function targetAddresses(matched: Matched): (kind: TimedKind, spec: unknown) => Address | null {
  const find = runnables(matched, ({ entry, observed }) => entry?.spec ?? observed?.spec);
  return ({ timetable }, spec) => {
    const target = timetable.target(spec);
    return target === null ? null : (find(target)?.address ?? null);
  };
}

/** What the plan creates or updates. */
export function changedAddresses({ diffs }: Comparison): ReadonlySet<Address> {
  const changed = diffs.filter(({ change: { action } }) => action === 'create' || action === 'update');
  return new Set(changed.map(({ change }) => change.address));
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
  const agentsOn = (side: keyof Sides) =>
    startedAgents(comparison, (match) => sidesOf(match, actions.get(match.address))[side]);
  const [agentsBefore, agentsAfter] = [agentsOn('before'), agentsOn('after')];
  const totals = { before: 0, after: 0 };
  const unknown = { before: 0, after: 0 };
  // A plan without changes starts the same agents.
  const byAgent = comparison.diffs.some(({ change }) => change.action !== 'none') ? new AgentCounts() : null;
  const growing: { address: Address; starts: number }[] = [];
  let more = 0;
  const count = (side: keyof Sides, load: WeeklyLoad | null): number => {
    if (load === null) {
      unknown[side] += 1;
      return Number.NaN;
    }
    byAgent?.add(side, load);
    const starts = load.runsPerWeek * load.agents.length;
    totals[side] += starts;
    return starts;
  };
  for (const match of comparison.matches) {
    const { kind, address } = match;
    const action = actions.get(address);
    if (!isTimed(kind) || !isManaged(match, action)) continue;
    const sides = sidesOf(match, action);
    const before = count('before', weeklyLoad(kind, sides.before, agentsBefore));
    const after = count('after', weeklyLoad(kind, sides.after, agentsAfter));
    if (Number.isNaN(after)) continue;
    const starts = Number.isNaN(before) ? after : after - before;
    more += starts;
    if (starts > 0) growing.push({ address, starts });
  }
  const rounded = { before: roundedFrequency(totals.before), after: roundedFrequency(totals.after) };
  return {
    startsPerWeek: { ...rounded, unknown },
    byAgent: byAgent?.changes(comparison.names) ?? [],
    growing,
    isMore: roundedFrequency(more) > 0,
  };
}

/** What a schedule starts in an average week. */
interface WeeklyLoad {
  readonly runsPerWeek: number;
  /** The ids of those that each run starts. */
  readonly agents: readonly string[];
}

const noLoad: WeeklyLoad = { runsPerWeek: 0, agents: [] };

/** Null where it is not known. What does not run starts no agents, whichever they are. */
function weeklyLoad(
  kind: TimedKind,
  spec: unknown,
  agentsOf: (kind: TimedKind, spec: unknown) => readonly string[] | null,
): WeeklyLoad | null {
  if (spec === null) return noLoad;
  if (spec === undefined) return null;
  const runsPerWeek = kind.timetable.frequency(spec)?.runsPerWeek ?? null;
  const agents = agentsOf(kind, spec);
  if (runsPerWeek === 0 || agents?.length === 0) return noLoad;
  return runsPerWeek === null || agents === null ? null : { runsPerWeek, agents };
}

/** Counts the starts of each agent on both sides of a plan. */
class AgentCounts {
  private readonly counts = new Map<string, { before: number; after: number }>();

  add(side: keyof Sides, { agents, runsPerWeek }: WeeklyLoad): void {
    for (const agent of agents) {
      let counted = this.counts.get(agent);
      if (counted === undefined) {
        counted = { before: 0, after: 0 };
        this.counts.set(agent, counted);
      }
      counted[side] += runsPerWeek;
    }
  }

  /** Those that change, the largest change first. */
  changes(names: Names): AgentStarts[] {
    return [...this.counts]
      .map(([id, { before, after }]) => ({
        agent: names.agent(id),
        before: roundedFrequency(before),
        after: roundedFrequency(after),
      }))
      .filter(({ before, after }) => before !== after)
      .sort((a, b) => changeOf(b) - changeOf(a) || byCodeUnit(a.agent, b.agent));
  }
}

function changeOf({ before, after }: AgentStarts): number {
  return Math.abs(after - before);
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
