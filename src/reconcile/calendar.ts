import { type Holds, holdText } from '../model/hold.js';
import { emptyInventory } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import { isExpired } from '../model/kind.js';
import type { Address, Agent, Declared, Project } from '../model/resource.js';
import type {
  BusyMinute,
  Calendar,
  CalendarComparison,
  CalendarMinute,
  CalendarSide,
  SpecLoad,
  TimeSpan,
  Timetable,
} from '../model/schedule.js';
import { noSiblings } from '../model/sibling.js';
import { match } from './match.js';
import type { AgentLookup } from './references.js';
import {
  countable,
  isManaged,
  isTimed,
  type StartLoad,
  sidesOf,
  startLoads,
  startsAtOnce,
  type TimedKind,
} from './starts.js';
import type { Comparison, Match, MatchBasis, Matched } from './world.js';

export interface CalendarInputs {
  readonly kinds: MatchBasis['kinds'];
  readonly project: Project;
  readonly now: Date;
  readonly span: TimeSpan;
  readonly timeZone: string;
  readonly timeZoneData: string;
  /** What is on hold starts nothing until its hold ends. */
  readonly holds: Holds;
  /** The schedules that are counted; null for all. */
  readonly selected: ReadonlySet<Address> | null;
}

const MOST_MINUTES = 5;

/** What starts when, from the manifests only: agents are counted as written, and the service is not asked. */
export function calendarOf(inputs: CalendarInputs): Calendar {
  const { kinds, project, now, span, timeZone, timeZoneData } = inputs;
  const kind = kinds.find(isTimed);
  if (kind === undefined) throw new Error('no kind has a timetable');
  const matched = match({
    kinds,
    project,
    now,
    service: '',
    objects: new Map(),
    inventory: emptyInventory(project.name, project.environment),
    agents: asWritten,
    prune: 'never',
    kept: new Map(),
    siblings: noSiblings,
  });
  const { timetable } = kind;
  const meant = matched.matches.filter(({ address }) => isMeant(address, inputs));
  const loads = withoutHeld(startLoads(kind, countable(kind, meant), matched), inputs);
  const limit = project.limits.startsPerMinute;
  const { total: minutesOverLimit } = timetable.busyMinutes(loads, span, limit, 0);
  const { busiest } = timetable.busyMinutes(loads, span, 0, MOST_MINUTES);
  const days = timetable.startsPerHour(loads, span, timeZone);
  const counted = new Set(loads.map((each) => each.entry.address));
  return {
    project: project.name,
    environment: project.environment,
    timeZone,
    timeZoneData,
    from: span.from,
    until: span.until,
    limit,
    days,
    schedules: counted.size,
    starts: days.flatMap((day) => day.hours).reduce((sum, each) => sum + each, 0),
    busiest: busiest.map((each) => calendarMinute(each, timeZone, timetable)),
    minutesOverLimit,
    uncounted: uncountedOf(kind, inputs, counted, matched),
  };
}

/** What is held is counted from the end of its hold on. */
function withoutHeld(loads: readonly StartLoad[], { holds, span }: CalendarInputs): StartLoad[] {
  return loads.flatMap((load) => {
    const hold = holds[load.entry.address];
    if (hold === undefined) return load;
    const from = hold.until === null ? span.until : new Date(hold.until);
    return from >= span.until ? [] : { ...load, from };
  });
}

/** Assumes that every agent exists under the name that the manifest uses. */
const asWritten: AgentLookup = {
  all: [],
  find: (written) => ({ agent: agentOf(written) }),
  byId: agentOf,
  suggest: () => null,
};

function agentOf(written: string): Agent {
  return { id: written, externalAgentId: written, name: written, inputKeys: [] };
}

function calendarMinute(
  { minute, starts, by }: BusyMinute<StartLoad>,
  timeZone: string,
  timetable: Timetable<unknown>,
): CalendarMinute {
  const most = by
    .map(({ load, starts: part }) => ({ address: load.entry.address, starts: part }))
    .sort((a, b) => b.starts - a.starts || byCodeUnit(a.address, b.address));
  return { minute, wallClock: timetable.wallClock(minute.toISOString(), timeZone), starts, by: most };
}

function isMeant(address: Address, { selected }: CalendarInputs): boolean {
  return selected === null || selected.has(address);
}

function uncountedOf(
  kind: TimedKind,
  inputs: CalendarInputs,
  counted: ReadonlySet<string>,
  { matches }: Matched,
): Calendar['uncounted'] {
  const { project, holds, now } = inputs;
  const unknown = new Set(
    matches
      .filter((each) => each.kind === kind && kind.timetable.frequency(each.entry?.spec) === null)
      .map((each) => each.address),
  );
  const externals = new Set(project.entries.flatMap(({ external, address }) => (external ? [address] : [])));
  const reasonOf = ({ address, declared }: Declared): string => {
    const hold = holds[address];
    if (hold !== undefined) return holdText(hold);
    const external = kind.references?.inEntry(declared).find((each) => externals.has(each));
    if (external !== undefined) return `only the service knows the agents of ${external}`;
    if (unknown.has(address)) return 'its times cannot be computed here';
    return isExpired(kind, declared, now)
      ? 'it will not run again'
      : 'the agents that it starts are not known';
  };
  return project.entries
    .filter(
      ({ address, kind: name }) => name === kind.name && !counted.has(address) && isMeant(address, inputs),
    )
    .map((entry) => ({ address: entry.address, reason: reasonOf(entry) }));
}

/** Exactly a week, so that the number of starts can be compared with that of an average week. */
const WEEK_MS = 7 * 86_400_000;

type Side = 'before' | 'after';

/** When the schedules of a project start agents, before and after a plan. Counts like `roster calendar`, but what exists. */
export function compareCalendars(comparison: Comparison): CalendarComparison {
  const { kinds, now, project } = comparison.basis;
  const limit = project.limits.startsPerMinute;
  const kind = kinds.find(isTimed);
  if (kind === undefined) throw new Error('no kind has a timetable');
  const { timetable } = kind;
  const [before, after] = [loadsOf(kind, comparison, 'before'), loadsOf(kind, comparison, 'after')];
  const specs = [...before.loads, ...after.loads].map(({ spec }) => spec);
  const from = firstStart(timetable, specs, now);
  const span = { from, until: new Date(from.getTime() + WEEK_MS) };
  const localZone = mostUsedZone(timetable, specs);
  const calendarOn = (loads: Loads) => calendarSide(timetable, loads, { span, limit, localZone });
  return {
    from: span.from.toISOString(),
    until: span.until.toISOString(),
    limit,
    before: calendarOn(before),
    after: calendarOn(after),
    localZone,
  };
}

/** `now` if nothing starts at all. */
function firstStart(timetable: TimedKind['timetable'], specs: readonly unknown[], now: Date): Date {
  const first = specs.reduce((earliest: number, spec) => {
    const [next] = timetable.nextRuns(spec, now, 1) ?? [];
    return next === undefined ? earliest : Math.min(earliest, Date.parse(next));
  }, Number.POSITIVE_INFINITY);
  return Number.isFinite(first) ? new Date(first) : now;
}

/** Null for UTC, which is always shown. */
function mostUsedZone(timetable: TimedKind['timetable'], specs: readonly unknown[]): string | null {
  const numbers = new Map<string, number>();
  for (const spec of specs) {
    const zone = timetable.timeZone(spec);
    numbers.set(zone, (numbers.get(zone) ?? 0) + 1);
  }
  const [zone = 'UTC'] = [...numbers].sort((a, b) => b[1] - a[1] || byCodeUnit(a[0], b[0]))[0] ?? [];
  return zone === 'UTC' ? null : zone;
}

interface Loads {
  readonly loads: readonly SpecLoad<unknown>[];
  readonly uncounted: number;
}

function loadsOf(kind: TimedKind, comparison: Comparison, side: Side): Loads {
  const { now } = comparison.basis;
  const actions = new Map(comparison.diffs.map(({ change }) => [change.address, change.action]));
  const specOf = (match: Match) => sidesOf(match, actions.get(match.address))[side];
  const startsOf = startsAtOnce(comparison, specOf);
  const specs = comparison.matches
    .filter((match) => match.kind.name === kind.name && isManaged(match, actions.get(match.address)))
    .map(specOf)
    .filter((spec) => spec !== null);
  const loads = specs
    .filter((spec) => spec !== undefined && isCountable(kind.timetable, spec, now))
    .map((spec) => ({ spec, starts: startsOf(kind, spec) }))
    .filter(({ starts }) => !Number.isNaN(starts));
  return { loads, uncounted: specs.length - loads.length };
}

/** Counting throws for what cannot be understood, such as a time zone of the service that nobody here knows. */
function isCountable(timetable: TimedKind['timetable'], spec: unknown, now: Date): boolean {
  return timetable.frequency(spec) !== null && timetable.nextRuns(spec, now, 1) !== null;
}

interface SideOptions {
  readonly span: TimeSpan;
  readonly limit: number;
  readonly localZone: string | null;
}

function calendarSide(
  timetable: TimedKind['timetable'],
  { loads, uncounted }: Loads,
  { span, limit, localZone }: SideOptions,
): CalendarSide {
  const days = timetable.startsPerHour(loads, span, 'UTC');
  return {
    days,
    localDays: localZone === null ? null : timetable.startsPerHour(loads, span, localZone),
    starts: days.flatMap((day) => day.hours).reduce((sum, each) => sum + each, 0),
    minutesOverLimit: timetable.busyMinutes(loads, span, limit, 0).total,
    uncounted,
  };
}
